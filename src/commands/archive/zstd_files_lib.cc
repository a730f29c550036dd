#include "commands/archive/zstd_files.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "commands/file_facts.h"
#include "proc/process.h"

namespace paddock::zstd {

ExitStatus FileWork::Run(std::vector<std::string> names) {
  if (!ReadDictionary()) return status_;
  for (const std::string& list : o_.lists) {
    auto text = vfs::ReadFile(in_.fs, list);
    if (!text) return Stop("zstd: error reading " + list + " ");
    AddLines(*text, names);
  }
  const bool had_names = !names.empty();
  if (!o_.follows_links) DropLinks(names);
  if (had_names && names.empty()) return 1;
  if (o_.recursive) {
    std::vector<std::string> files;
    for (const std::string& name : names) Expand(name, files);
    names = std::move(files);
  }
  if (o_.excludes_packed && o_.way == Way::kPack) std::erase_if(names, [](const std::string& name) { return IsPackedName(name); });
  if (o_.way == Way::kList) return List(names);
  if (o_.benches) return Bench(names);
  if (o_.way == Way::kTrain) return Train(names);
  if (names.empty()) {
    if (had_names) return 0;
    names.emplace_back(kStdin);
  }
  if (o_.to_stdout) o_.output = kStdout;
  else if (o_.way == Way::kTest) o_.output = "/*null*\\";
  else if (names.size() == 1 && names[0] == kStdin && !o_.output) o_.output = kStdout;
  if (!MayAdapt()) return status_;
  ClampLevel();
  has_stdin_ = std::find(names.begin(), names.end(), kStdin) != names.end();
  if (has_stdin_ && !o_.force && IsTerminal(in_, 0)) return Stop("stdin is a console, aborting");
  if (o_.output == kStdout) {
    if (o_.way == Way::kPack && !o_.force && !o_.to_stdout && IsTerminal(in_, 1) && IsTerminal(in_, 0)) return Stop("stdout is a console, aborting");
    if (o_.shown == 2) o_.shown = 1;
    o_.removes = false;
  }
  if (o_.way == Way::kTest) o_.removes = false;
  if (o_.has_patch && !PreparePatch(names)) return status_;
  return Work(names);
}

void FileWork::Say(int level, const std::string& text) {
  if (o_.shown < level) return;
  in_.out.Flush();
  in_.err.Write(text);
}

ExitStatus FileWork::Stop(const std::string& text) {
  Say(1, text + "\n");
  return status_ = 1;
}

void FileWork::AddLines(std::string_view text, std::vector<std::string>& names) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) names.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void FileWork::DropLinks(std::vector<std::string>& names) {
  std::erase_if(names, [&](const std::string& name) {
    in_.budget.Step();
    const auto found = in_.fs.Stat(name, vfs::Follow::kNo);
    if (!found || !found->is_symlink() || name == kStdin) return false;
    const auto target = in_.fs.Stat(name);
    if (target && target->type == vfs::FileType::kFifo) return false;
    Say(2, "Warning : " + name + " is a symbolic link, ignoring \n");
    return true;
  });
}

void FileWork::Expand(const std::string& name, std::vector<std::string>& files) {
  in_.budget.CheckStack();
  in_.budget.Step();
  const auto found = in_.fs.Stat(name);
  if (!found || !found->is_directory()) {
    files.push_back(name);
    return;
  }
  const auto entries = in_.fs.List(name);
  if (!entries) {
    Fail("Cannot open directory '" + name + "': " + std::string(entries.error().Text()));
    return;
  }
  for (const vfs::DirectoryEntry& entry : *entries) {
    const std::string path = name + (name.ends_with('/') ? "" : "/") + entry.name;
    if (entry.type == vfs::FileType::kSymlink && !o_.follows_links) {
      Say(2, "Warning : " + path + " is a symbolic link, ignoring\n");
      continue;
    }
    Expand(path, files);
  }
}

bool FileWork::ReadDictionary() {
  if (o_.dictionary.empty()) return true;
  const auto found = in_.fs.Stat(o_.dictionary);
  auto text = found ? vfs::ReadFile(in_.fs, o_.dictionary, uint64_t{1} << 31) : Result<std::string>(found.error());
  if (!text) {
    Say(1, "zstd: error 31 : " + std::string(found ? "Could not open dictionary" : "Stat failed on dictionary file") + " " + o_.dictionary + ": " + std::string(text.error().Text()) + " \n");
    status_ = 31;
    return false;
  }
  dictionary_ = std::move(*text);
  return true;
}

ExitStatus FileWork::Bench(const std::vector<std::string>& names) {
  zstd::BenchOptions options{.first = o_.level, .last = static_cast<int>(std::min<uint64_t>(o_.bench_last, 22))};
  options.encoder.dictionary = dictionary_;
  options.encoder.has_checksum = false;
  options.seconds = o_.bench_seconds;
  options.piece = o_.job_size;
  options.each_alone = o_.benches_each;
  options.only_unpacks = o_.way == Way::kUnpack;
  options.shown = o_.shown;
  return zstd::Bench(in_, options, names);
}

ExitStatus FileWork::Train(const std::vector<std::string>& names) {
  zstd::TrainOptions options{.training = o_.training};
  options.training.level = o_.level;
  options.training.dictionary_id = static_cast<uint32_t>(o_.dictionary_id);
  options.capacity = o_.dictionary_size;
  options.piece = o_.job_size;
  options.memory = o_.memory;
  if (o_.output) options.output = *o_.output;
  options.shown = o_.shown;
  return zstd::Train(in_, options, names);
}

bool FileWork::MayAdapt() {
  if (o_.way != Way::kPack || (!o_.adapts && !o_.is_rsyncable)) return true;
  if (o_.is_single_thread) {
    Say(1, std::string("zstd: error 1 : ") + (o_.adapts ? "Adaptive" : "Rsyncable") + " mode is not compatible with single thread mode \n \n");
    status_ = 1;
    return false;
  }
  if (o_.adapts && o_.least_level != 0) o_.level = std::max(o_.level, o_.least_level);
  if (o_.adapts && o_.most_level != 0) o_.level = std::min(o_.level, o_.most_level);
  return true;
}

void FileWork::ClampLevel() {
  const int most = o_.ultra && o_.level > 19 ? 22 : 19;
  if (o_.way != Way::kPack || o_.level <= most) return;
  Say(2, "Warning : compression level higher than max, reduced to " + std::to_string(most) + " \n");
  o_.level = most;
}

bool FileWork::PreparePatch(const std::vector<std::string>& names) {
  if (names.size() > 1) {
    Fail("error : can't use --patch-from=# on multiple files ");
    return false;
  }
  const auto found = in_.fs.Stat(names[0]);
  const std::optional<uint64_t> size = names[0] == kStdin ? o_.stream_size : found ? std::optional(found->size) : std::nullopt;
  if (!size && o_.way == Way::kPack) {
    Say(1, "zstd: error 42 : Using --patch-from with stdin requires --stream-size \n");
    status_ = 42;
    return false;
  }
  const uint64_t most = std::max<uint64_t>(size.value_or(0), dictionary_.size());
  patch_log_ = std::clamp(static_cast<int>(std::bit_width(most)) + 1, 10, 31);
  o_.memory = std::max({o_.memory, most, uint64_t{1} << 27});
  return true;
}

bool FileWork::IsPackedName(const std::string& name) {
  const std::string base = vfs::BaseName(name);
  const size_t dot = base.rfind('.');
  const std::string_view suffix = dot == std::string::npos ? std::string_view() : std::string_view(base).substr(dot);
  return std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](const Suffix& one) { return one.packed == suffix; });
}

std::optional<std::string> FileWork::TargetOf(const std::string& name) {
  std::string target = name;
  if (!o_.flat_directory.empty()) target = vfs::JoinPath(o_.flat_directory, vfs::BaseName(name));
  else if (!o_.mirror_directory.empty()) target = Mirrored(name);
  if (o_.way == Way::kPack) return target + SuffixOf(o_.form);
  for (const Suffix& suffix : kSuffixes) {
    if (target.size() > suffix.packed.size() && target.ends_with(suffix.packed)) return target.substr(0, target.size() - suffix.packed.size()) + std::string(suffix.plain);
  }
  Fail("zstd: " + name + ": unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring.");
  return std::nullopt;
}

std::string FileWork::Mirrored(const std::string& name) {
  std::string below = vfs::NormalizePath(name);
  while (below.starts_with("../")) below.erase(0, 3);
  while (below.starts_with('/')) below.erase(0, 1);
  const std::string target = vfs::JoinPath(o_.mirror_directory, below);
  static_cast<void>(vfs::MakeDirectories(in_.fs, vfs::DirectoryName(target)));
  return target;
}

ExitStatus FileWork::Work(const std::vector<std::string>& names) {
  is_many_ = names.size() > 1;
  if (o_.output && o_.output != kStdout && o_.way != Way::kTest) {
    if (is_many_ && !MayJoin(*o_.output)) return status_;
    JoinInto(names, *o_.output);
  } else {
    for (const std::string& name : names) TakeOne(name);
  }
  if (is_many_ && done_ > 0 && o_.shown >= 2) ShowTotal();
  return status_;
}

void FileWork::ShowTotal() {
  char text[128];
  if (o_.way == Way::kPack && total_.in > 0) {
    std::snprintf(text, sizeof text, "%3llu files compressed : %.2f%% (", static_cast<unsigned long long>(done_), static_cast<double>(total_.out) / static_cast<double>(total_.in) * 100);
    Say(2, text + Column(total_.in, 6) + " => " + Column(total_.out, 6) + ")\n");
  } else if (o_.way != Way::kPack) {
    std::snprintf(text, sizeof text, "%llu files decompressed : %6llu bytes total \n", static_cast<unsigned long long>(done_), static_cast<unsigned long long>(total_.out));
    Say(2, text);
  }
}

bool FileWork::MayJoin(const std::string& output) {
  if (o_.shown <= 1 && !o_.force) {
    Say(1, "Concatenating multiple processed inputs into a single output loses file metadata. \nAborting. \n");
    status_ = 1;
    return false;
  }
  Say(2, "zstd: WARNING: all input files will be processed and concatenated into a single output file: " + output + " \nThe concatenated output CANNOT regenerate original file names nor directory structure. \n");
  if (o_.removes) Say(2, "Since it's a destructive operation, input files will not be removed. \n");
  o_.removes = false;
  if (o_.force || Asks("", "Proceed? (y/n): ", "Aborting...")) return true;
  status_ = 1;
  return false;
}

bool FileWork::Asks(const std::string& reason, const std::string& question, const std::string& refusal) {
  Say(1, reason);
  if (has_stdin_) {
    Say(1, "stdin is an input - not proceeding.\n");
    return false;
  }
  in_.out.Flush();
  in_.err.Write(question);
  const auto line = in_.in.ReadLine();
  if (line && !line->text.empty() && (line->text[0] == 'y' || line->text[0] == 'Y')) return true;
  in_.err.Write(refusal + " \n");
  return false;
}

bool FileWork::MakeWay(const std::string& source, const std::string& target) {
  const auto there = in_.fs.Stat(target), here = in_.fs.Stat(source);
  if (there && here && IsSameFile(*there, *here)) {
    Fail("zstd: Refusing to open an output file which will overwrite the input file ");
    return false;
  }
  if (!there || !there->is_file() || o_.force) return true;
  if (o_.shown <= 1) {
    Fail("zstd: " + target + " already exists; not overwritten  ");
    return false;
  }
  if (Asks("zstd: " + target + " already exists; ", "overwrite (y/n) ? ", "Not overwritten  \n")) return true;
  status_ = 1;
  return false;
}

std::optional<FileWork::Opened> FileWork::Open(const std::string& name) {
  in_.budget.Step();
  Opened opened;
  if (name == kStdin) return opened;
  const auto found = in_.fs.Stat(name);
  if (!found) {
    Fail("zstd: can't stat " + name + " : " + std::string(found.error().Text()) + " -- ignored ");
    return std::nullopt;
  }
  if (found->is_directory()) {
    Fail("zstd: " + name + " is a directory -- ignored ");
    return std::nullopt;
  }
  if (!found->is_file() && found->type != vfs::FileType::kFifo && !o_.force && !(found->type == vfs::FileType::kCharDevice && o_.output == kStdout)) {
    Fail("zstd: " + name + " is not a regular file -- ignored ");
    return std::nullopt;
  }
  auto file = in_.fs.Open(name, vfs::OpenFlags::Read());
  if (!file) {
    Fail("zstd: " + name + ": " + std::string(file.error().Text()) + " ");
    return std::nullopt;
  }
  opened.file = std::move(*file);
  opened.attributes = *found;
  opened.input = std::make_unique<Input>(*opened.file, in_.budget);
  return opened;
}

void FileWork::TakeOne(const std::string& name) {
  std::optional<std::string> target = o_.output;
  if (!o_.output && name != kStdin) {
    target = TargetOf(name);
    if (!target) return;
  }
  auto opened = Open(name);
  if (!opened) return;
  InputSource source(opened->input ? *opened->input : in_.in);
  Sizes sizes;
  if (o_.output || name == kStdin) {
    OutputSink out(in_.out);
    NullSink nowhere;
    Convert(name, target.value_or(kStdout), source, o_.way == Way::kTest ? static_cast<ByteSink&>(nowhere) : out, *opened, sizes);
    return;
  }
  Replace(name, *target, source, *opened);
}

void FileWork::Replace(const std::string& name, const std::string& target, InputSource& source, const Opened& opened) {
  if (!MakeWay(name, target)) return;
  auto made = NewFile::Create(in_, target, true);
  if (!made) {
    Fail("zstd: " + target + ": " + std::string(made.error().Text()));
    return;
  }
  Sizes sizes;
  if (!Convert(name, target, source, made->sink(), opened, sizes)) return;
  if (opened.attributes) made->Keep(*opened.attributes);
  if (!o_.removes || !opened.attributes) return;
  if (const Status removed = in_.fs.RemoveFile(name); !removed) Fail("zstd: error 1 : " + name + ": " + std::string(removed.error().Text()));
}

void FileWork::JoinInto(const std::vector<std::string>& names, const std::string& target) {
  if (names.size() == 1 && names[0] != kStdin) {
    auto opened = Open(names[0]);
    if (!opened) return;
    InputSource source(*opened->input);
    Replace(names[0], target, source, *opened);
    return;
  }
  for (const std::string& name : names) {
    const auto there = in_.fs.Stat(target), here = in_.fs.Stat(name);
    if (!there || !here || !IsSameFile(*there, *here)) continue;
    Fail("zstd: Refusing to open an output file which will overwrite the input file ");
    return;
  }
  if (!is_many_ && !MakeWay(names[0], target)) return;
  auto file = in_.fs.Open(target, vfs::OpenFlags::Write());
  if (!file) {
    Fail("zstd: " + target + ": " + std::string(file.error().Text()));
    return;
  }
  for (const std::string& name : names) {
    auto opened = Open(name);
    if (!opened) continue;
    InputSource source(opened->input ? *opened->input : in_.in);
    Sizes sizes;
    Convert(name, target, source, **file, *opened, sizes);
  }
}

std::string FileWork::Padded(std::string name) {
  if (name.size() < 20) name.resize(20, ' ');
  return name;
}

}  // namespace paddock::zstd
