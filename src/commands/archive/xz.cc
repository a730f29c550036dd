// xz, unxz, xzcat, lzma, unlzma, lzcat - compress or decompress .xz and .lzma files
//
// usage: xz [OPTION]... [FILE]...
//
// Exit status: 0; 1 for an error, 2 for a warning.
// Source: XZ Utils 5.4.1.
// Differs: one thread whatever -T says, which only makes it slower; one block a stream. Refused: filter chains (--x86, --lzma2=… and the like), raw streams,
// --block-size, --block-list, --flush-timeout, --files, -l with -v.

#include <algorithm>
#include <cstdio>

#include "commands/archive/packed_file.h"
#include "commands/file_facts.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "text/numbers.h"

namespace paddock {
namespace {

enum class Way { kPack, kUnpack, kTest, kList };
enum class Form { kAuto, kXz, kLzma };

struct Options {
  Way way = Way::kPack;
  Form form = Form::kAuto;
  bool to_stdout = false, force = false, keeps = false, extreme = false, single_stream = false, ignores_check = false, no_warnings = false, no_sparse = false, robot = false;
  bool shows_help = false, shows_version = false;
  int quiet = 0, verbose = 0, level = 6;
  codec::XzCheck check = codec::XzCheck::kCrc64;
  uint64_t pack_limit = UINT64_MAX, unpack_limit = UINT64_MAX;
  std::optional<std::string> suffix;
  uint64_t threads = 1;
};

Status BeQuiet(Options& options, std::string_view) {
  ++options.quiet;
  return {};
}
Status BeVerbose(Options& options, std::string_view) {
  ++options.verbose;
  return {};
}
Status ToStdout(Options& options, std::string_view) {
  options.to_stdout = true;
  return {};
}
Status SetForm(Options& options, std::string_view text) {
  if (text == "auto") options.form = Form::kAuto;
  else if (text == "xz") options.form = Form::kXz;
  else if (text == "lzma" || text == "alone") options.form = Form::kLzma;
  else return Error(Code::kInvalid, std::string(text) + ": Unknown file format type");
  return {};
}
Status SetCheck(Options& options, std::string_view text) {
  constexpr std::pair<std::string_view, codec::XzCheck> kChecks[] = {{"none", codec::XzCheck::kNone}, {"crc32", codec::XzCheck::kCrc32}, {"crc64", codec::XzCheck::kCrc64}, {"sha256", codec::XzCheck::kSha256}};
  for (const auto& [name, check] : kChecks) {
    if (name != text) continue;
    options.check = check;
    return {};
  }
  return Error(Code::kInvalid, std::string(text) + ": Unsupported integrity check type");
}
Status SetSuffix(Options& options, std::string_view text) {
  if (text.empty() || text.find('/') != std::string_view::npos) return Error(Code::kInvalid, std::string(text) + ": Invalid filename suffix");
  options.suffix = std::string(text);
  return {};
}
Status SetThreads(Options& options, std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return Error(Code::kInvalid, std::string(text) + ": Value is not a non-negative decimal integer");
  const auto count = ParseSizeBetween(text, 0, 16384, "");
  if (!count) return Error(Code::kInvalid, "Value of the option `threads' must be in the range [0, 16384]");
  options.threads = *count;
  return {};
}
Result<uint64_t> Limit(std::string_view text) {
  if (text == "max" || text == "0") return UINT64_MAX;
  if (text.ends_with('%')) {
    const auto share = ParseSizeBetween(text.substr(0, text.size() - 1), 1, 100, "");
    if (share) return UINT64_MAX;   // of a memory that is the exec's own limit
    return Error(Code::kInvalid, "Value of the option `memlimit' must be in the range [1, 100]");
  }
  std::string plain(text);
  if (plain.ends_with("iB") || plain.ends_with("B")) plain.resize(plain.size() - (plain.ends_with("iB") ? 2 : 1));
  if (plain.ends_with('k')) plain.back() = 'K';
  const auto value = ParseCount(plain, "KMG");
  if (!value) return Error(Code::kInvalid, std::string(text) + ": Value is not a non-negative decimal integer");
  return *value;
}
Status SetPackLimit(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.pack_limit, Limit(text));
  return {};
}
Status SetUnpackLimit(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.unpack_limit, Limit(text));
  return {};
}
Status SetLimit(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.pack_limit, Limit(text));
  options.unpack_limit = options.pack_limit;
  return {};
}

constexpr Option kOptions[] = {
    Set<&Options::way, Way::kPack>('z', "compress", "force compression"),
    Set<&Options::way, Way::kUnpack>('d', "decompress", "force decompression"),
    Set<&Options::way, Way::kUnpack>(0, "uncompress", nullptr),
    Set<&Options::way, Way::kTest>('t', "test", "test compressed file integrity"),
    Set<&Options::way, Way::kList>('l', "list", "list information about .xz files"),
    Flag<&Options::robot>(0, "robot", "use machine-parsable messages (with --list)"),
    Flag<&Options::keeps>('k', "keep", "keep (don't delete) input files"),
    Flag<&Options::force>('f', "force", "force overwrite of output file and (de)compress links"),
    Call<ToStdout>('c', "stdout", nullptr, "write to standard output and don't delete input files"),
    Call<ToStdout>(0, "to-stdout", nullptr, nullptr),
    Flag<&Options::single_stream>(0, "single-stream", "decompress only the first stream, and silently ignore possible remaining input data"),
    Flag<&Options::no_sparse>(0, "no-sparse", "do not create sparse files when decompressing (never done)"),
    Call<SetSuffix>('S', "suffix", ".SUF", "use the suffix '.SUF' on compressed files"),
    Call<SetForm>('F', "format", "FMT", "file format to encode or decode: auto (default), xz, lzma"),
    Call<SetCheck>('C', "check", "CHECK", "integrity check type: none, crc32, crc64 (default), sha256"),
    Flag<&Options::ignores_check>(0, "ignore-check", "don't verify the integrity check when decompressing"),
    Set<&Options::level, 0>('0', nullptr, "compression preset 0 to 9; default is 6"),
    Set<&Options::level, 1>('1', "fast", nullptr),
    Set<&Options::level, 2>('2', nullptr, nullptr),
    Set<&Options::level, 3>('3', nullptr, nullptr),
    Set<&Options::level, 4>('4', nullptr, nullptr),
    Set<&Options::level, 5>('5', nullptr, nullptr),
    Set<&Options::level, 6>('6', nullptr, nullptr),
    Set<&Options::level, 7>('7', nullptr, nullptr),
    Set<&Options::level, 8>('8', nullptr, nullptr),
    Set<&Options::level, 9>('9', "best", nullptr),
    Flag<&Options::extreme>('e', "extreme", "try to improve compression ratio by using more CPU time"),
    Call<SetThreads>('T', "threads", "NUM", "use at most NUM threads (one is what there is)"),
    Call<SetPackLimit>(0, "memlimit-compress", "LIMIT", "set memory usage limit for compression"),
    Call<SetUnpackLimit>(0, "memlimit-decompress", "LIMIT", "set memory usage limit for decompression"),
    Call<SetLimit>('M', "memlimit", "LIMIT", "set both"),
    Call<SetLimit>(0, "memory", "LIMIT", nullptr),
    Call<BeQuiet>('q', "quiet", nullptr, "suppress warnings; specify twice to suppress errors too"),
    Call<BeVerbose>('v', "verbose", nullptr, "be verbose"),
    Flag<&Options::no_warnings>('Q', "no-warn", "make warnings not affect the exit status"),
    Flag<&Options::shows_help>('h', "help", "display this help and exit"),
    Flag<&Options::shows_help>('H', "long-help", "display this help and exit"),
    Flag<&Options::shows_version>('V', "version", "display the version number and exit"),
};

// "212 B", "1.2 KiB".
std::string Amount(uint64_t bytes) {
  if (bytes < 10000) return std::to_string(bytes) + " B";
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (value /= 1024; value > 9999.9 && unit < 3; ++unit) value /= 1024;
  char text[40];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

class Xz {
 public:
  Xz(Invocation& in, const Options& options) : in_(in), o_(options), name_(in.name()) {}

  void Take(const std::string& name) {
    if (o_.way == Way::kList) List(name);
    else if (name == "-") TakeStdin();
    else TakeFile(name);
  }
  void Finish() {
    if (o_.way != Way::kList) return;
    if (o_.robot) in_.out.Write("totals\t" + Fields(total_) + "\t" + std::to_string(listed_) + "\n");
    else if (listed_ > 1) in_.out.Write(std::string(79, '-') + "\n" + Row(total_, std::to_string(listed_) + " files"));
  }
  ExitStatus status() const { return status_ == 2 && o_.no_warnings ? 0 : status_; }

 private:
  void Say(const std::string& text) {
    in_.out.Flush();
    in_.err.Write(text);
  }
  void Fail(const std::string& message) {
    if (o_.quiet < 2) Say(name_ + ": " + message + "\n");
    status_ = 1;
  }
  void Warn(const std::string& message) {
    if (o_.quiet < 1) Say(name_ + ": " + message + "\n");
    if (status_ == 0) status_ = 2;
  }

  static std::string Ratio(const codec::XzInfo& info) {
    const double ratio = info.plain == 0 ? 10 : static_cast<double>(info.packed) / static_cast<double>(info.plain);
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", ratio);
    return ratio > 9.999 ? "---" : text;
  }
  static std::string Fields(const codec::XzInfo& info) {
    return std::to_string(info.streams) + "\t" + std::to_string(info.blocks) + "\t" + std::to_string(info.packed) + "\t" + std::to_string(info.plain) + "\t" + Ratio(info) + "\t" + codec::XzCheckNames(info.checks) + "\t" +
           std::to_string(info.padding);
  }
  static std::string Row(const codec::XzInfo& info, const std::string& name) {
    char row[160];
    std::snprintf(row, sizeof row, "%5llu %7llu  %11s  %11s  %5s  %-7s ", static_cast<unsigned long long>(info.streams), static_cast<unsigned long long>(info.blocks), Amount(info.packed).c_str(),
                  Amount(info.plain).c_str(), Ratio(info).c_str(), codec::XzCheckNames(info.checks).substr(0, 60).c_str());
    return row + name + "\n";
  }
  void List(const std::string& name) {
    if (name == "-") {
      Fail("--list does not support reading from standard input");
      return;
    }
    auto opened = in_.fs.Open(name, vfs::OpenFlags::Read());
    const auto found = opened ? (*opened)->GetAttributes() : Result<vfs::Attributes>(Code::kNoEntry);
    if (!opened || !found) {
      Fail(name + ": " + std::string((opened ? found.error() : opened.error()).Text()));
      return;
    }
    if (found->is_directory()) {
      Warn(name + ": Is a directory, skipping");
      return;
    }
    if (found->size < 32) {
      Fail(name + (found->size == 0 ? ": File is empty" : ": Too small to be a valid .xz file"));
      return;
    }
    const auto read = [&](uint64_t offset, size_t count) -> Result<std::string> {
      PADDOCK_ASSIGN(const uint64_t place, (*opened)->Seek(static_cast<int64_t>(offset), vfs::Whence::kStart));
      static_cast<void>(place);
      in_.budget.Step(64);
      PADDOCK_ASSIGN(const Block block, (*opened)->ReadBlock(count));
      return std::string(block.bytes);
    };
    const auto info = codec::ReadXzInfo(found->size, read, &in_.budget);
    if (!info) {
      Fail(name + ": " + std::string(info.error().Text()));
      return;
    }
    if (o_.robot) in_.out.Write("name\t" + name + "\nfile\t" + Fields(*info) + "\n");
    else in_.out.Write((listed_ == 0 ? "Strms  Blocks   Compressed Uncompressed  Ratio  Check   Filename\n" : "") + Row(*info, name));
    ++listed_;
    total_.streams += info->streams;
    total_.blocks += info->blocks;
    total_.packed += info->packed;
    total_.plain += info->plain;
    total_.padding += info->padding;
    total_.checks |= info->checks;
  }

  void TakeStdin() {
    if (IsTerminal(in_, o_.way == Way::kPack ? 1 : 0)) {
      Fail(o_.way == Way::kPack ? "Compressed data cannot be written to a terminal" : "Compressed data cannot be read from a terminal");
      return;
    }
    InputSource source(in_.in);
    OutputSink out(in_.out);
    NullSink nowhere;
    static_cast<void>(Work("(stdin)", source, o_.way == Way::kTest ? static_cast<ByteSink&>(nowhere) : out));
  }

  std::vector<std::pair<std::string, std::string>> Suffixes() const {
    std::vector<std::pair<std::string, std::string>> list;
    if (o_.suffix) list.emplace_back(*o_.suffix, "");
    if (o_.way == Way::kPack && o_.form != Form::kLzma) list.insert(list.end(), {{".xz", ""}, {".txz", ".tar"}});
    else if (o_.way == Way::kPack) list.insert(list.end(), {{".lzma", ""}, {".tlz", ".tar"}});
    else list.insert(list.end(), {{".xz", ""}, {".txz", ".tar"}, {".lzma", ""}, {".tlz", ".tar"}, {".lz", ""}});
    return list;
  }

  // Nothing after a complaint.
  std::optional<std::string> TargetOf(const std::string& name) {
    for (const auto& [packed, plain] : Suffixes()) {
      if (name.size() <= packed.size() || !name.ends_with(packed) || name[name.size() - packed.size() - 1] == '/') continue;
      if (o_.way == Way::kUnpack) return name.substr(0, name.size() - packed.size()) + plain;
      Warn(name + ": File already has `" + packed + "' suffix, skipping");
      return std::nullopt;
    }
    if (o_.way == Way::kPack) return name + o_.suffix.value_or(o_.form == Form::kLzma ? ".lzma" : ".xz");
    Warn(name + ": Filename has an unknown suffix, skipping");
    return std::nullopt;
  }

  void TakeFile(const std::string& name) {
    in_.budget.Step();
    const bool writes_file = !o_.to_stdout && o_.way != Way::kTest;
    const auto found = in_.fs.Stat(name, writes_file && !o_.force ? vfs::Follow::kNo : vfs::Follow::kYes);
    if (!found) {
      Fail(name + ": " + std::string(found.error().Text()));
      return;
    }
    if (found->is_symlink()) {
      Warn(name + ": Is a symbolic link, skipping");
      return;
    }
    if (found->is_directory()) {
      Warn(name + ": Is a directory, skipping");
      return;
    }
    if (writes_file && !found->is_file()) {
      Warn(name + ": Not a regular file, skipping");
      return;
    }
    if (writes_file && !o_.force && !o_.keeps && !MayTake(name, *found)) return;
    auto opened = in_.fs.Open(name, vfs::OpenFlags::Read());
    if (!opened) {
      Fail(name + ": " + std::string(opened.error().Text()));
      return;
    }
    Input input(**opened, in_.budget);
    InputSource source(input);
    if (!writes_file) {
      OutputSink out(in_.out);
      NullSink nowhere;
      static_cast<void>(Work(name, source, o_.way == Way::kTest ? static_cast<ByteSink&>(nowhere) : out));
      return;
    }
    // What is not in its format is said of the input, before there is an output.
    if (o_.way == Way::kUnpack && !IsKnown(name, source)) return;
    const auto target = TargetOf(name);
    if (!target) return;
    if (!o_.force && in_.fs.Stat(*target, vfs::Follow::kNo)) {
      Fail(*target + ": File exists");
      return;
    }
    auto made = NewFile::Create(in_, *target, o_.force);
    if (!made) {
      Fail(*target + ": " + std::string(made.error().Text()));
      return;
    }
    if (!Work(name, source, made->sink())) return;
    made->Keep(*found);
    if (!o_.keeps) {
      if (const Status removed = in_.fs.RemoveFile(name); !removed) Warn(name + ": Cannot remove: " + std::string(removed.error().Text()));
    }
  }
  bool MayTake(const std::string& name, const vfs::Attributes& found) {
    if ((found.mode & 06000) != 0) Warn(name + ": File has setuid or setgid bit set, skipping");
    else if ((found.mode & 01000) != 0) Warn(name + ": File has sticky bit set, skipping");
    else if (found.links > 1) Warn(name + ": Input file has more than one hard link, skipping");
    else return true;
    return false;
  }
  bool IsKnown(const std::string& name, InputSource& source) {
    const auto head = source.Look(13);
    if (!head) {
      Fail(name + ": Read error: " + std::string(head.error().Text()));
      return false;
    }
    const codec::Format format = codec::Recognize(*head);
    const bool is_lzma = format == codec::Format::kLzma || (head->size() == 13 && format == codec::Format::kPlain && static_cast<unsigned char>((*head)[0]) < 225 && o_.form == Form::kLzma);
    if ((format == codec::Format::kXz && o_.form != Form::kLzma) || (is_lzma && o_.form != Form::kXz)) return true;
    Fail(name + ": File format not recognized");
    return false;
  }

  bool Work(const std::string& name, InputSource& source, ByteSink& out) { return o_.way == Way::kPack ? Pack(name, source, out) : Unpack(name, source, out); }

  bool Pack(const std::string& name, InputSource& source, ByteSink& out) {
    codec::XzEncoderOptions options;
    options.is_lzma = o_.form == Form::kLzma;
    options.level = o_.level;
    options.is_extreme = o_.extreme;
    options.check = o_.check;
    in_.budget.WillAllocate(codec::XzEncoderMemory(options));
    codec::EncodingSink encoder(out, codec::NewXzEncoder(&in_.budget, options), &in_.budget);
    CopyResult copied = CopyStream(in_.budget, source, encoder);
    if (copied.status) {
      copied.status = encoder.Finish();
      copied.is_output = true;
    }
    if (!copied.status) return Broken(name, copied);
    Report(name, encoder.bytes_out(), encoder.bytes_in());
    return true;
  }

  bool Unpack(const std::string& name, InputSource& source, ByteSink& out) {
    const auto head = source.Look(6);
    const codec::Format format = head ? codec::Recognize(*head) : codec::Format::kPlain;
    if (o_.force && o_.to_stdout && o_.way == Way::kUnpack && format != codec::Format::kXz && format != codec::Format::kLzma && head && !head->empty()) {
      const CopyResult copied = CopyStream(in_.budget, source, out);
      return copied.status ? true : Broken(name, copied);
    }
    using Format = codec::XzDecoderOptions::Format;
    codec::XzDecoderOptions options;
    options.format = o_.form == Form::kAuto ? Format::kAuto : o_.form == Form::kXz ? Format::kXz : Format::kLzma;
    options.memory_limit = o_.unpack_limit;
    options.is_single_stream = o_.single_stream;
    options.ignores_check = o_.ignores_check;
    codec::DecodingSource decoder(source, codec::NewXzDecoder(&in_.budget, options), &in_.budget);
    const CopyResult copied = CopyStream(in_.budget, decoder, out);
    if (!copied.status) return Broken(name, copied);
    if (decoder.has_garbage() && !o_.single_stream) {
      Fail(name + ": Compressed data is corrupt");   // an .lzma file with something behind it
      return false;
    }
    Report(name, decoder.bytes_in(), decoder.bytes_out());
    return true;
  }

  bool Broken(const std::string& name, const CopyResult& copied) {
    const Code code = copied.status.error().code;
    const std::string text(copied.status.error().Text());
    in_.out.ClearStatus();
    const bool is_format = code == Code::kSyntax || code == Code::kCorrupt || code == Code::kLimit || code == Code::kNotSupported;
    if (is_format) Fail(name + ": " + text);
    else Fail(copied.is_output ? (o_.to_stdout || name == "(stdin)" ? "(stdout): Write error: " : name + ": Write error: ") + text : name + ": Read error: " + text);
    return false;
  }
  void Report(const std::string& name, uint64_t packed, uint64_t plain) {
    if (o_.verbose == 0 || o_.quiet > 0) return;
    char ratio[40];
    const double share = plain == 0 ? 10 : static_cast<double>(packed) / static_cast<double>(plain);
    if (share > 9.999) std::snprintf(ratio, sizeof ratio, " > 9.999");
    else std::snprintf(ratio, sizeof ratio, " = %.3f", share);
    Say(name + ": " + Amount(packed) + " / " + Amount(plain) + ratio + "\n");
  }

  Invocation& in_;
  const Options& o_;
  std::string name_;
  ExitStatus status_ = 0;
  codec::XzInfo total_;
  uint64_t listed_ = 0;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const std::string name(in.name());
  if (name == "unxz" || name == "xzcat" || name == "unlzma" || name == "lzcat") options.way = Way::kUnpack;
  if (name == "lzma" || name == "unlzma" || name == "lzcat") options.form = Form::kLzma;
  options.to_stdout = name == "xzcat" || name == "lzcat";
  std::vector<std::string> args = {name};
  for (const char* variable : {"XZ_DEFAULTS", "XZ_OPT"}) {
    const std::string_view text = in.env.Get(variable, "");
    for (size_t from = 0; (from = text.find_first_not_of(" \t", from)) != std::string_view::npos;) {
      const size_t end = std::min(text.find_first_of(" \t", from), text.size());
      args.emplace_back(text.substr(from, end - from));
      from = end;
    }
  }
  args.insert(args.end(), in.args.begin() + 1, in.args.end());
  auto parsed = ParseOptions(args, kOptions, &options);
  if (!parsed) {
    if (parsed.error().code == Code::kSyntax) {
      ComplainOfOption(in, parsed.error().Text());
      ComplainOfOption(in, "Try `" + in.args[0] + " --help' for more information.");
    } else {
      in.err.Write(name + ": " + std::string(parsed.error().Text()) + "\n");
    }
    return 1;
  }
  if (options.shows_help || options.shows_version) {
    in.out.Write(options.shows_help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  codec::XzEncoderOptions needs{.level = options.level, .is_extreme = options.extreme};
  if (options.way == Way::kPack && options.pack_limit < codec::XzEncoderMemory(needs)) {
    // The real one would take a smaller dictionary where it may; which does not change what the limit is for.
    in.err.Write(name + ": Memory usage limit is too low for the given filter setup.\n");
    return 1;
  }
  if (options.way == Way::kList && options.verbose > 0) {
    in.err.Write(name + ": --list --verbose is not done here\n");
    return 1;
  }
  Xz xz(in, options);
  if (parsed->operands.empty()) xz.Take("-");
  for (const std::string& operand : parsed->operands) xz.Take(operand);
  xz.Finish();
  return xz.status();
}

constexpr const char* kAliases[] = {"unxz", "xzcat", "lzma", "unlzma", "lzcat"};

}  // namespace

extern const Command kCommand_xz;
const Command kCommand_xz = {
    .name = "xz",
    .aliases = kAliases,
    .summary = "compress or decompress FILEs in the .xz format",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "With no FILE, or when FILE is -, read standard input.\n",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
