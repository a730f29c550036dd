// 7z a, u, d and rn.

#include <algorithm>
#include <map>
#include <set>

#include "base/budget.h"
#include "codec/coder.h"
#include "codec/tar.h"
#include "commands/archive/7z.h"
#include "commands/archive/packed_file.h"
#include "commands/archive/zip_writer.h"
#include "commands/file_facts.h"

namespace paddock::seven_zip {
namespace {

using codec::SevenZipItem;

constexpr uint64_t kTicksTo1970 = 116444736000000000;

// A file that is to go into the archive.
struct Found {
  std::string path, name;
  vfs::Attributes attributes;
  std::string link;                   // of a symlink
  bool is_stdin = false, replaces = false;

  uint64_t size() const { return attributes.is_symlink() ? link.size() : attributes.is_directory() ? 0 : attributes.size; }
  bool has_data() const { return is_stdin || size() > 0; }
};

struct Kept {
  size_t item;                        // of the old archive
  std::string name;
};

// The separator comes before everything.
bool IsBefore(const std::string& a, const std::string& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
    return rank(x) < rank(y);
  });
}

class CountingSink final : public ByteSink {
 public:
  explicit CountingSink(ByteSink& to) : to_(to) {}
  Status Write(std::string_view bytes) override {
    count_ += bytes.size();
    return to_.Write(bytes);
  }
  uint64_t count() const { return count_; }

 private:
  ByteSink& to_;
  uint64_t count_ = 0;
};

class FileSink final : public ByteSink {
 public:
  explicit FileSink(vfs::OpenFilePtr file) : file_(std::move(file)) {}
  Status Write(std::string_view bytes) override { return file_->Write(bytes); }

 private:
  vfs::OpenFilePtr file_;
};

struct Counts {
  uint64_t folders = 0, files = 0, bytes = 0;
  void Add(bool is_directory, uint64_t size) {
    (is_directory ? folders : files) += 1;
    bytes += size;
  }
  bool is_empty() const { return folders + files == 0; }
  std::string Text() const {
    std::string text;
    if (folders > 0) text = std::to_string(folders) + (folders == 1 ? " folder, " : " folders, ");
    return text + std::to_string(files) + (files == 1 ? " file, " : " files, ") + SizeText(bytes);
  }
};

class Writer {
 public:
  Writer(Invocation& in, Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)), says_(!options.to_stdout && options.messages != '0') {}

  ExitStatus Run() {
    type_ = TypeByName(o_);
    const std::string base = vfs::BaseName(o_.archive);
    if (base.find('.') == std::string::npos) o_.archive += "." + (type_ == "gzip" ? "gz" : type_ == "bzip2" ? "bz2" : type_);
    if (!o_.volumes.empty() && in_.fs.Stat(o_.archive + ".001")) return in_.Fail(o_.archive + ".001: volumes are not updated", kFatal);
    const bool exists = !o_.to_stdout && o_.volumes.empty() && in_.fs.Stat(o_.archive).has_value();
    if (type_ == "zstd") return System("E_NOTIMPL : Not implemented");
    if (o_.to_stdout && (type_ == "7z" || type_ == "zip")) return in_.Fail("archives of the type " + type_ + " are not written to standard output", kFatal);
    if (exists) {
      if (type_ != "7z" && type_ != "zip") return in_.Fail(o_.archive + ": archives of the type " + type_ + " are not updated", kFatal);
      if (const ExitStatus status = OpenOld(); status != 0) return status;
    }
    const bool adds = o_.command == "a" || o_.command == "u";
    if (adds && o_.stdin_name) FindStdin();
    else if (adds) Scan(exists);
    if ((!adds || o_.stdin_name) && !exists) Say("\n");
    Plan();
    Say((exists ? "Updating archive: " : "Creating archive: ") + o_.archive + "\n\n");
    Counts removed, kept, added;
    for (const size_t item : removed_) removed.Add(Old(item).is_directory, Old(item).size);
    for (const Kept& one : kept_) kept.Add(Old(one.item).is_directory, Old(one.item).size);
    for (const Found& found : found_) added.Add(found.attributes.is_directory(), found.size());
    if (!removed.is_empty()) Say("\nDelete data from archive: " + removed.Text() + "\n");
    if (!kept.is_empty()) Say("Keep old data in archive: " + kept.Text() + "\n");
    Say("Add new data to archive: " + added.Text() + "\n\n");
    const auto written = WriteArchive();
    if (!written) return Problem(written.error());
    Say("\nFiles read from disk: " + std::to_string(read_) + "\nArchive size: " + SizeText(*written) + "\n" + (cut_ > 0 ? "Volumes: " + std::to_string(cut_) + "\n" : ""));
    if (o_.deletes_sources) DeleteSources();
    if (missing_.empty()) {
      Say("Everything is Ok\n");
      return 0;
    }
    std::string text = "\nScan WARNINGS for files and folders:\n\n";
    for (const auto& [path, why] : missing_) text += path + " : " + why + "\n";
    text += "----------------\nScan WARNINGS: " + std::to_string(missing_.size()) + "\n";
    if (o_.messages == '0') TellError(in_, o_, text);   // these are told nevertheless
    else Say(text);
    return kWarning;
  }

 private:
  void Say(const std::string& text) {
    if (says_) StreamOf(in_, o_.messages).Write(text);
  }
  ExitStatus System(const std::string& what) {
    in_.out.Flush();
    TellError(in_, o_, "\n\n\nSystem ERROR:\n" + what + "\n");
    return kFatal;
  }
  ExitStatus Problem(const Error& error) {
    if (error.code == Code::kInvalid) return System("E_INVALIDARG : One or more arguments are invalid");
    return System(Reason(error));
  }
  static std::string Reason(const Error& error) { return "errno=" + std::to_string(static_cast<int>(error.code)) + " : " + std::string(error.Text()); }
  const SevenZipItem& Old(size_t index) const { return old_->archive.items[index]; }

  ExitStatus OpenOld() {
    Say("\nOpen archive: " + o_.archive + "\n");
    auto opened = OpenPacked(in_, o_, zone_);
    if (!opened || (*opened)->type != type_) {
      in_.out.Flush();
      TellError(in_, o_, "\nERROR: " + o_.archive + "\n" + (opened || opened.error().code == Code::kSyntax ? "Cannot open the file as archive" : std::string(opened.error().Text())) + "\n\n");
      return System("Cannot open the file as archive");
    }
    old_ = std::move(*opened);
    Say("--\nPath = " + o_.archive + "\nType = " + old_->type + "\n" + old_->facts + "\n");
    return 0;
  }

  void FindStdin() {
    Found found;
    found.is_stdin = true;
    found.name = o_.stdin_name->empty() ? std::string() : *o_.stdin_name;
    found.attributes.mode = 0644;
    found.attributes.modify_time = in_.clock.RealNow();
    std::string text = in_.in.ReadAll();
    found.attributes.size = text.size();
    stdin_text_ = std::move(text);
    found_.push_back(std::move(found));
  }

  // What there is to add.

  void Scan(bool exists) {
    if (!exists) Say("\n");
    std::vector<Wildcard> patterns;
    std::vector<std::string> operands = o_.operands;
    if (operands.empty() && o_.wanted.empty()) operands = {"."};
    std::string warnings;
    for (const std::string& operand : operands) {
      const bool has_wildcard = operand.find_first_of("*?") != std::string::npos;
      if (has_wildcard || o_.is_recursive) patterns.push_back({Parts(operand), o_.is_recursive});
      else warnings += FindPath(operand);
    }
    patterns.insert(patterns.end(), o_.wanted.begin(), o_.wanted.end());
    if (!patterns.empty()) FindPatterns("", patterns, 0);
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return IsBefore(a.name, b.name); });
    if (!warnings.empty()) {
      in_.out.Flush();
      TellError(in_, o_, warnings);
    }
    Counts counts;
    for (const Found& found : found_) counts.Add(found.attributes.is_directory(), found.attributes.is_symlink() ? 0 : found.size());
    Say("Scanning the drive:\n" + counts.Text() + "\n\n");
  }

  std::string FindPath(const std::string& operand) {
    std::string path = operand;
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const auto attributes = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!attributes) {
      missing_.emplace_back(operand, Reason(attributes.error()));
      return "\nWARNING: " + Reason(attributes.error()) + "\n" + operand + "\n\n";
    }
    const std::vector<std::string> parts = Parts(path);
    const bool is_relative = !path.starts_with('/') && std::find(parts.begin(), parts.end(), "..") == parts.end() && (parts.empty() || parts[0] != ".");
    const std::string last = parts.empty() ? "" : parts.back();
    if (last.empty() || last == "." || last == "..") Walk(path, "", 0);
    else Take(path, is_relative ? path : last, *attributes, 0);
    return {};
  }

  void Take(const std::string& path, const std::string& name, const vfs::Attributes& attributes, int depth) {
    in_.budget.Step(8);
    in_.budget.CheckStack();
    const std::vector<std::string> parts = Parts(name);
    if (std::any_of(o_.unwanted.begin(), o_.unwanted.end(), [&](const Wildcard& wildcard) { return Matches(wildcard, parts, in_.budget); })) return;
    if (!attributes.is_directory() && !attributes.is_file() && !attributes.is_symlink()) return;
    if (path == o_.archive || !names_.insert(name).second) return;
    Found found = {.path = path, .name = name, .attributes = attributes};
    if (attributes.is_symlink()) found.link = in_.fs.ReadLink(path).value_or("");
    found_.push_back(std::move(found));
    if (attributes.is_directory()) Walk(path, name + "/", depth);
  }

  void Walk(const std::string& path, const std::string& prefix, int depth) {
    for (const std::string& name : NamesIn(path)) {
      const std::string below = path == "." ? name : vfs::JoinPath(path, name);
      if (const auto attributes = in_.fs.Stat(below, vfs::Follow::kNo)) Take(below, prefix + name, *attributes, depth + 1);
    }
  }

  std::vector<std::string> NamesIn(const std::string& path) {
    std::vector<std::string> names;
    const auto entries = in_.fs.List(path);
    if (!entries) return names;
    for (const vfs::DirectoryEntry& entry : *entries) names.push_back(entry.name);
    std::sort(names.begin(), names.end());
    return names;
  }

  // Below the working directory; what a pattern names is taken with all that it holds.
  void FindPatterns(const std::string& prefix, const std::vector<Wildcard>& patterns, int depth) {
    in_.budget.CheckStack();
    size_t deepest = 0;
    bool is_recursive = false;
    for (const Wildcard& pattern : patterns) {
      deepest = std::max(deepest, pattern.parts.size());
      is_recursive = is_recursive || pattern.is_recursive;
    }
    for (const std::string& name : NamesIn(prefix.empty() ? "." : prefix)) {
      in_.budget.Step(8);
      const std::string path = prefix.empty() ? name : vfs::JoinPath(prefix, name);
      const auto attributes = in_.fs.Stat(path, vfs::Follow::kNo);
      if (!attributes) continue;
      const std::vector<std::string> parts = Parts(path);
      if (std::any_of(patterns.begin(), patterns.end(), [&](const Wildcard& pattern) { return Matches(pattern, parts, in_.budget); })) Take(path, path, *attributes, depth);
      else if (attributes->is_directory() && (is_recursive || static_cast<size_t>(depth) + 1 < deepest)) FindPatterns(path, patterns, depth + 1);
    }
  }

  // What becomes of what is there.

  static uint64_t TicksOf(const vfs::Attributes& attributes) { return static_cast<uint64_t>(attributes.modify_time.count() / 100 + static_cast<int64_t>(kTicksTo1970)); }

  std::string Renamed(const std::string& name) const {
    for (size_t i = 0; i + 1 < o_.operands.size(); i += 2) {
      const std::string& from = o_.operands[i];
      if (name == from) return o_.operands[i + 1];
      if (name.starts_with(from + "/")) return o_.operands[i + 1] + name.substr(from.size());
    }
    return name;
  }

  bool IsDeleted(const SevenZipItem& item) {
    const std::vector<std::string> path = Parts(item.name);
    const auto matches = [&](const Wildcard& wildcard) { return Matches(wildcard, path, in_.budget); };
    if (std::any_of(o_.unwanted.begin(), o_.unwanted.end(), matches)) return false;
    if (std::any_of(o_.wanted.begin(), o_.wanted.end(), matches)) return true;
    return std::any_of(o_.operands.begin(), o_.operands.end(), [&](const std::string& operand) { return matches({Parts(operand), o_.is_recursive}); });
  }

  // What -u says of a state, else what the command does: '0' drops, '1' keeps what is in the archive, '2' packs the file.
  char ActionOf(char state) const {
    if (const size_t at = o_.actions.find(state); at != std::string::npos) return o_.actions[at + 1];
    if (state == 'p' || state == 'q') return '1';
    return state == 'r' || state == 'y' || o_.command != "u" ? '2' : '1';
  }
  char ActionFor(const SevenZipItem& item, const Found* found) {
    if (found != nullptr) {
      if (!item.modified || !IsNotNewer(*found, item)) return ActionOf('y');
      return ActionOf(IsOlder(*found, item) ? 'x' : 'z');
    }
    const std::vector<std::string> path = Parts(item.name);
    const bool is_asked_for = std::any_of(o_.operands.begin(), o_.operands.end(), [&](const std::string& operand) { return Matches({Parts(operand), o_.is_recursive}, path, in_.budget); });
    return ActionOf(is_asked_for ? 'q' : 'p');
  }
  void Plan() {
    if (old_ == nullptr) return;
    std::map<std::string, size_t, std::less<>> found;
    for (size_t i = 0; i < found_.size(); ++i) found[found_[i].name] = i;
    std::set<size_t> stays;
    for (size_t i = 0; i < old_->archive.items.size(); ++i) {
      in_.budget.Step(4);
      const SevenZipItem& item = Old(i);
      if (o_.command == "d" && IsDeleted(item)) {
        removed_.push_back(i);
        continue;
      }
      const auto same = found.find(item.name);
      const char action = ActionFor(item, same == found.end() ? nullptr : &found_[same->second]);
      if (action == '0') removed_.push_back(i);
      else if (action == '1') kept_.push_back({i, o_.command == "rn" ? Renamed(item.name) : item.name});
      if (same == found.end()) continue;
      if (action == '2') found_[same->second].replaces = true;
      else stays.insert(same->second);
      found.erase(same);
    }
    if (ActionOf('r') == '0') {
      for (const auto& [name, index] : found) stays.insert(index);
    }
    size_t left = 0;
    for (size_t i = 0; i < found_.size(); ++i) {
      if (stays.contains(i)) continue;
      if (left != i) found_[left] = std::move(found_[i]);
      ++left;
    }
    found_.resize(left);
  }

  // To the precision that the archive has.
  bool IsNotNewer(const Found& found, const SevenZipItem& item) const {
    const uint64_t ticks = TicksOf(found.attributes);
    return type_ == "zip" ? ticks / 20000000 <= *item.modified / 20000000 : ticks <= *item.modified;
  }

  bool IsOlder(const Found& found, const SevenZipItem& item) const {
    const uint64_t ticks = TicksOf(found.attributes);
    return type_ == "zip" ? ticks / 20000000 < *item.modified / 20000000 : ticks < *item.modified;
  }

  // Writing.

  Result<uint64_t> WriteArchive() {
    if (o_.to_stdout) {
      OutputSink out(in_.out);
      return type_ == "tar" ? WriteTar(out) : WriteAlone(out);
    }
    const std::string draft = (o_.work ? vfs::JoinPath(*o_.work, vfs::BaseName(o_.archive)) : o_.archive) + ".tmp";
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(draft, {.read = true, .write = true, .create = true, .truncate = true}));
    FileSink sink(file);
    auto written = type_ == "7z" ? WriteSevenZip(*file, sink) : type_ == "zip" ? WriteZip(file) : type_ == "tar" ? WriteTar(sink) : WriteAlone(sink);
    file.reset();
    old_.reset();
    if (written && !o_.volumes.empty()) {
      const auto cut = CutVolumes(in_.fs, draft, o_.archive, o_.volumes, in_.budget);
      if (cut) cut_ = *cut;
      else written = cut.error();
    } else if (written) {
      Status moved = in_.fs.Rename(draft, o_.archive);
      if (!moved && moved.error().code == Code::kCrossDevice) moved = MoveAcross(draft);
      if (!moved) written = moved.error();
    }
    if (!written) static_cast<void>(in_.fs.RemoveFile(draft));
    return written;
  }

  // From a work directory on another mount.
  Status MoveAcross(const std::string& draft) {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr from, in_.fs.Open(draft, vfs::OpenFlags::Read()));
    PADDOCK_ASSIGN(const vfs::OpenFilePtr to, in_.fs.Open(o_.archive, {.write = true, .create = true, .truncate = true}));
    while (true) {
      PADDOCK_ASSIGN(const Block block, from->ReadBlock(128 << 10));
      if (block.bytes.empty()) return in_.fs.RemoveFile(draft);
      in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
      PADDOCK_TRY(to->Write(block.bytes));
    }
  }

  void Announce(const Found& found) {
    if (o_.log > 0 && !found.attributes.is_directory()) Say((found.replaces ? "U " : "+ ") + found.name + "\n");
  }

  // The content; `crc` and `size` are what was really read.
  Status ReadFound(const Found& found, const std::function<Status(std::string_view)>& take) {
    if (found.is_stdin) return take(stdin_text_);
    if (found.attributes.is_symlink()) return take(found.link);
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(found.path, vfs::OpenFlags::Read()));
    while (true) {
      PADDOCK_ASSIGN(const Block block, file->ReadBlock(128 << 10));
      if (block.bytes.empty()) return {};
      in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
      PADDOCK_TRY(take(block.bytes));
    }
  }

  SevenZipItem Describe(const Found& found) const {
    SevenZipItem item;
    item.name = found.name;
    item.is_directory = found.attributes.is_directory();
    item.has_stream = found.has_data();
    item.modified = TicksOf(found.attributes);
    const uint32_t type = item.is_directory ? 0040000 : found.attributes.is_symlink() ? 0120000 : 0100000;
    item.attributes = (item.is_directory ? 0x10u : 0x20u) | 0x8000u | (type | found.attributes.mode) << 16;
    return item;
  }

  Result<uint64_t> WriteSevenZip(vfs::OpenFile& file, FileSink& sink) {
    codec::SevenZipArchive made;
    PADDOCK_TRY(sink.Write(std::string(codec::kSevenZipStart, '\0')));
    AddEmpty(made);
    std::vector<SevenZipItem> filled;
    PADDOCK_TRY(KeepOld(sink, made, filled));
    std::vector<const Found*> data;
    for (const Found& found : found_) {
      if (found.has_data()) data.push_back(&found);
    }
    std::sort(data.begin(), data.end(), [](const Found* a, const Found* b) { return IsBefore(a->name, b->name); });
    const bool is_stored = o_.method.level == 0 || o_.method.id == codec::kSevenZipCopy;
    const size_t at_once = o_.is_solid && !is_stored ? data.size() : 1;
    for (size_t i = 0; i < data.size(); i += at_once) {
      PADDOCK_TRY(Pack(sink, made, std::vector<const Found*>(data.begin() + static_cast<ptrdiff_t>(i), data.begin() + static_cast<ptrdiff_t>(std::min(i + at_once, data.size()))), filled));
    }
    made.items.insert(made.items.end(), std::make_move_iterator(filled.begin()), std::make_move_iterator(filled.end()));
    PADDOCK_ASSIGN(const codec::SevenZipHeaders headers, codec::EncodeSevenZipHeaders(made, o_.hides_names ? o_.password : std::nullopt, in_.budget));
    PADDOCK_TRY(sink.Write(headers.end));
    PADDOCK_TRY(file.Seek(0, vfs::Whence::kStart));
    PADDOCK_TRY(sink.Write(headers.start));
    uint64_t size = codec::kSevenZipStart + headers.end.size();
    for (const codec::SevenZipStream& stream : made.streams) size += stream.size;
    return size;
  }

  // Directories, then files without content, in the order of their names.
  void AddEmpty(codec::SevenZipArchive& made) {
    for (const Kept& kept : kept_) {
      if (Old(kept.item).has_stream) continue;
      made.items.push_back(Old(kept.item));
      made.items.back().name = kept.name;
    }
    for (const Found& found : found_) {
      if (!found.has_data()) {
        Announce(found);
        made.items.push_back(Describe(found));
      }
    }
    std::sort(made.items.begin(), made.items.end(), [](const SevenZipItem& a, const SevenZipItem& b) { return a.is_directory != b.is_directory ? a.is_directory : IsBefore(a.name, b.name); });
  }

  Status Pack(FileSink& sink, codec::SevenZipArchive& made, const std::vector<const Found*>& data, std::vector<SevenZipItem>& filled) {
    uint64_t size = 0;
    for (const Found* found : data) size += found->size();
    const size_t first = filled.size();
    CountingSink counted(sink);
    PADDOCK_ASSIGN(codec::SevenZipFolder folder, codec::PackSevenZipFolder(counted, o_.method, size, o_.password, [&](ByteSink& to) -> Status {
      for (const Found* found : data) {
        Announce(*found);
        ++read_;
        SevenZipItem item = Describe(*found);
        uint32_t crc = 0;
        PADDOCK_TRY(ReadFound(*found, [&](std::string_view bytes) {
          crc = codec::Crc32(crc, bytes);
          item.size += bytes.size();
          return to.Write(bytes);
        }));
        item.has_stream = item.size > 0;   // it may have become empty meanwhile
        if (item.has_stream) item.crc = crc;
        item.folder = made.folders.size();
        filled.push_back(std::move(item));
      }
      return {};
    }, in_.budget));
    FinishFolder(made, std::move(folder), counted.count(), filled, first);
    return {};
  }

  static void FinishFolder(codec::SevenZipArchive& made, codec::SevenZipFolder folder, uint64_t packed, const std::vector<SevenZipItem>& filled, size_t first) {
    folder.items = static_cast<uint64_t>(std::count_if(filled.begin() + static_cast<ptrdiff_t>(first), filled.end(), [](const SevenZipItem& item) { return item.has_stream; }));
    folder.first_packed = made.streams.size();
    made.folders.push_back(std::move(folder));
    made.streams.push_back({0, packed});
  }

  // Folders of the old archive: as they are when all that is in them stays, packed again when only some does.
  Status KeepOld(FileSink& sink, codec::SevenZipArchive& made, std::vector<SevenZipItem>& filled) {
    if (old_ == nullptr) return {};
    const codec::SevenZipArchive& old = old_->archive;
    std::vector<std::vector<size_t>> members(old.folders.size());
    for (size_t i = 0; i < old.items.size(); ++i) {
      if (old.items[i].has_stream) members[old.items[i].folder].push_back(i);
    }
    std::map<size_t, const Kept*> stays;
    for (const Kept& kept : kept_) stays[kept.item] = &kept;
    for (size_t i = 0; i < old.folders.size(); ++i) {
      in_.budget.Step(4);
      const auto count = static_cast<size_t>(std::count_if(members[i].begin(), members[i].end(), [&](size_t item) { return stays.contains(item); }));
      if (count == 0) continue;
      const size_t first = filled.size();
      for (const size_t index : members[i]) {
        const auto kept = stays.find(index);
        if (kept == stays.end()) continue;
        SevenZipItem item = old.items[index];
        item.name = kept->second->name;
        item.folder = made.folders.size();
        filled.push_back(std::move(item));
      }
      if (count == members[i].size()) PADDOCK_TRY(CopyFolder(sink, made, old.folders[i]));
      else PADDOCK_TRY(PackAgain(sink, made, i, members[i], stays, filled, first));
    }
    return {};
  }

  Status CopyFolder(FileSink& sink, codec::SevenZipArchive& made, codec::SevenZipFolder folder) {
    const size_t from = folder.first_packed;
    folder.first_packed = made.streams.size();
    for (size_t i = 0; i < folder.packed.size(); ++i) {
      if (from + i >= old_->archive.streams.size()) return Error(Code::kCorrupt, "Headers Error");
      const codec::SevenZipStream& stream = old_->archive.streams[from + i];
      for (uint64_t done = 0; done < stream.size;) {
        PADDOCK_ASSIGN(const std::string bytes, old_->read(stream.at + done, static_cast<size_t>(std::min<uint64_t>(stream.size - done, 128 << 10))));
        if (bytes.empty()) return Error(Code::kCorrupt, "Unexpected end of data");
        PADDOCK_TRY(sink.Write(bytes));
        done += bytes.size();
      }
      made.streams.push_back({0, stream.size});
    }
    made.folders.push_back(std::move(folder));
    return {};
  }

  Status PackAgain(FileSink& sink, codec::SevenZipArchive& made, size_t folder, const std::vector<size_t>& members, const std::map<size_t, const Kept*>& stays, const std::vector<SevenZipItem>& filled, size_t first) {
    PADDOCK_ASSIGN(const std::unique_ptr<ByteSource> source, old_->open(folder));
    uint64_t size = 0;
    for (size_t i = first; i < filled.size(); ++i) size += filled[i].size;
    const auto password = old_->archive.folders[folder].is_encrypted() ? o_.password : std::nullopt;
    CountingSink counted(sink);
    PADDOCK_ASSIGN(codec::SevenZipFolder packed, codec::PackSevenZipFolder(counted, o_.method, size, password, [&](ByteSink& to) -> Status {
      for (const size_t index : members) {
        for (uint64_t left = Old(index).size; left > 0;) {
          PADDOCK_ASSIGN(const Block block, source->ReadBlock(static_cast<size_t>(std::min<uint64_t>(left, 128 << 10))));
          if (block.bytes.empty()) return Error(Code::kCorrupt, "Unexpected end of data");
          in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
          left -= block.bytes.size();
          if (stays.contains(index)) PADDOCK_TRY(to.Write(block.bytes));
        }
      }
      return {};
    }, in_.budget));
    FinishFolder(made, std::move(packed), counted.count(), filled, first);
    return {};
  }

  Result<uint64_t> WriteZip(const vfs::OpenFilePtr& file) {
    ZipWriter writer(in_, file, nullptr);
    for (const Kept& kept : kept_) {
      in_.budget.Step(4);
      codec::ZipEntry entry = old_->zip->directory().entries[kept.item];
      if (kept.name == Old(kept.item).name) PADDOCK_TRY(writer.Copy(*old_->zip, entry));
      else PADDOCK_TRY(RenameInZip(writer, std::move(entry), kept.name));
    }
    for (const Found& found : found_) PADDOCK_TRY(AddToZip(writer, found));
    PADDOCK_TRY(writer.Finish(old_ == nullptr ? "" : old_->zip->directory().comment));
    PADDOCK_ASSIGN(const vfs::Attributes attributes, file->GetAttributes());
    return attributes.size;
  }

  // The name stands in front of the data too, so that it is packed again.
  Status RenameInZip(ZipWriter& writer, codec::ZipEntry entry, const std::string& name) {
    if (entry.is_encrypted()) return Error(Code::kNotSupported, "encrypted members are not renamed");
    codec::CoderPtr decoder = ZipDecoder(entry.method, in_.budget);
    if (decoder == nullptr) return Error(Code::kNotSupported, "Unsupported Method");
    PADDOCK_ASSIGN(const uint64_t at, old_->zip->DataOf(entry));
    const std::unique_ptr<ByteSource> stored = old_->zip->StoredBytes(at, entry.packed);
    codec::DecodingSource plain(*stored, std::move(decoder), &in_.budget);
    ZipMemberOptions options = {.level = o_.method.level == 0 ? 0 : entry.method == codec::kZipStored ? 0 : std::max(o_.method.level, 1), .method = entry.method};
    entry.name = name + (entry.is_directory() ? "/" : "");
    const ZipWriter::Outcome outcome = writer.Add(entry, plain, options);
    PADDOCK_TRY(outcome.read);
    return outcome.written;
  }

  Status AddToZip(ZipWriter& writer, const Found& found) {
    Announce(found);
    if (!found.attributes.is_directory()) ++read_;
    codec::ZipEntry entry;
    entry.name = found.name + (found.attributes.is_directory() ? "/" : "");
    entry.version = 63;
    // NTFS's times, in tenths of microseconds: modified, accessed, created.
    entry.extra = std::string("\x0a\0\x20\0\0\0\0\0\1\0\x18\0", 12);
    for (const uint64_t ticks : {TicksOf(found.attributes), TicksOf(found.attributes), TicksOf(found.attributes)}) {
      for (unsigned i = 0; i < 64; i += 8) entry.extra += static_cast<char>(ticks >> i & 0xff);
    }
    const uint32_t type = found.attributes.is_directory() ? 0040000 : found.attributes.is_symlink() ? 0120000 : 0100000;
    entry.external = (type | found.attributes.mode) << 16 | (found.attributes.is_directory() ? 0x10u : 0u);
    const auto moment = ToTimePoint(found.attributes.modify_time);
    const CalendarTime time = zone_.ToLocal(moment.seconds);
    if (time.year >= 1980 && time.year < 2108) {
      entry.dos_date = static_cast<uint16_t>((time.year - 1980) << 9 | time.month << 5 | time.day);
      entry.dos_time = static_cast<uint16_t>(time.hour << 11 | time.minute << 5 | time.second / 2);
    }
    if (std::any_of(found.name.begin(), found.name.end(), [](char c) { return (c & 0x80) != 0; })) entry.flags |= codec::kZipIsUtf8;
    ZipMemberOptions options = {.level = std::clamp(o_.method.level, 0, 9), .method = o_.method.level == 0 || found.attributes.is_directory() ? codec::kZipStored : codec::kZipDeflated, .password = o_.password};
    StringSource text(found.is_stdin ? std::string_view(stdin_text_) : std::string_view(found.link));
    if (found.is_stdin || !found.attributes.is_file()) {
      const ZipWriter::Outcome outcome = writer.Add(entry, text, options);
      return outcome.written;
    }
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(found.path, vfs::OpenFlags::Read()));
    class Source final : public ByteSource {
     public:
      explicit Source(vfs::OpenFile& from) : from_(from) {}
      Result<Block> ReadBlock(size_t max) override { return from_.ReadBlock(max); }
      void GiveBack(size_t) override {}

     private:
      vfs::OpenFile& from_;
    } source(*file);
    const ZipWriter::Outcome outcome = writer.Add(entry, source, options);
    PADDOCK_TRY(outcome.read);
    return outcome.written;
  }

  Result<uint64_t> WriteTar(ByteSink& out) {
    CountingSink counted(out);
    for (const Found& found : found_) {
      in_.budget.Step(8);
      Announce(found);
      ++read_;
      codec::TarMember member;
      member.name = found.name + (found.attributes.is_directory() ? "/" : "");
      member.type = found.attributes.is_directory() ? '5' : found.attributes.is_symlink() ? '2' : '0';
      member.mode = found.attributes.mode;
      member.uid = found.attributes.uid;
      member.gid = found.attributes.gid;
      member.link = found.link;
      member.modified = ToTimePoint(found.attributes.modify_time).seconds;
      member.size = member.stored = member.type == '0' ? found.size() : 0;
      PADDOCK_ASSIGN(const std::string header, codec::EncodeTarHeader(member, {}));
      PADDOCK_TRY(counted.Write(header));
      if (member.type != '0') continue;
      // As long as the header says, whatever the file has become.
      uint64_t left = member.size;
      PADDOCK_TRY(ReadFound(found, [&](std::string_view bytes) {
        const std::string_view part = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(left, bytes.size())));
        left -= part.size();
        return counted.Write(part);
      }));
      if (left > 0) return Error(Code::kIo, "the file became shorter");
      PADDOCK_TRY(counted.Write(std::string((codec::kTarBlock - member.size % codec::kTarBlock) % codec::kTarBlock, '\0')));
    }
    PADDOCK_TRY(counted.Write(std::string(2 * codec::kTarBlock, '\0')));
    return counted.count();
  }

  Result<uint64_t> WriteAlone(ByteSink& out) {
    if (found_.size() != 1 || found_[0].attributes.is_directory()) return Error(Code::kInvalid);
    const Found& found = found_[0];
    Announce(found);
    ++read_;
    const int level = std::clamp(o_.method.level, 1, 9);
    codec::CoderPtr encoder;
    if (type_ == "gzip") {
      codec::GzipHeader header = {.name = vfs::BaseName(found.name)};
      header.modify_time = static_cast<uint32_t>(ToTimePoint(found.attributes.modify_time).seconds);
      encoder = codec::NewGzipEncoder(&in_.budget, level, header);
    } else if (type_ == "bzip2") {
      encoder = codec::NewBzip2Encoder(&in_.budget, level);
    } else {
      encoder = codec::NewXzEncoder(&in_.budget, {.level = level, .check = codec::XzCheck::kCrc32, .dictionary = static_cast<uint32_t>(codec::SevenZipDictionary(found.size(), o_.method.dictionary))});
    }
    codec::EncodingSink sink(out, std::move(encoder), &in_.budget);
    PADDOCK_TRY(ReadFound(found, [&](std::string_view bytes) { return sink.Write(bytes); }));
    PADDOCK_TRY(sink.Finish());
    return sink.bytes_out();
  }

  void DeleteSources() {
    for (auto found = found_.rbegin(); found != found_.rend(); ++found) {
      if (found->is_stdin) continue;
      static_cast<void>(found->attributes.is_directory() ? in_.fs.RemoveDirectory(found->path) : in_.fs.RemoveFile(found->path));
    }
    Say("\n");
  }

  Invocation& in_;
  Options& o_;
  TimeZone zone_;
  bool says_;
  std::string type_;
  std::unique_ptr<Packed> old_;
  std::vector<Found> found_;
  std::set<std::string, std::less<>> names_;
  std::vector<Kept> kept_;
  std::vector<size_t> removed_;
  std::vector<std::pair<std::string, std::string>> missing_;
  std::string stdin_text_;
  uint64_t read_ = 0, cut_ = 0;
};

}  // namespace

ExitStatus Write(Invocation& in, Options& options) { return Writer(in, options).Run(); }

}  // namespace paddock::seven_zip
