// 7z l, t, x and e.

#include <algorithm>
#include <cstdio>

#include "base/budget.h"
#include "codec/coder.h"
#include "commands/archive/7z.h"
#include "commands/file_facts.h"
#include "text/mode.h"

namespace paddock::seven_zip {
namespace {

using codec::SevenZipItem;

// A file that is made, and its path.
struct Target {
  vfs::OpenFilePtr file;
  std::string path;
};

class Archiver {
 public:
  Archiver(Invocation& in, Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)), says_(!options.is_bare && !options.to_stdout && (options.messages != '0' || options.command == "l")), messages_(StreamOf(in, options.command == "l" ? '1' : options.messages)), command_(options.command[0]) {}

  ExitStatus Run() {
    const bool says_all = says_ && o_.messages != '0';
    if (says_all) messages_.Write("\nScanning the drive for archives:\n");
    const auto attributes = in_.fs.Stat(o_.archive);
    if (!attributes || attributes->is_directory()) {
      const Error error = attributes ? Error(Code::kIsDirectory) : attributes.error();
      const std::string text = "errno=" + std::to_string(static_cast<int>(error.code)) + " : " + std::string(error.Text()) + "\n";
      return Complain("\nERROR: " + text + o_.archive + "\n\n\n\nSystem ERROR:\n" + text);
    }
    static constexpr auto kVerb = [](char command) { return command == 'l' ? "Listing" : command == 't' ? "Testing" : "Extracting"; };
    if (says_all) messages_.Write("1 file, " + SizeText(attributes->size) + "\n");
    if (says_) messages_.Write(std::string("\n") + kVerb(command_) + " archive: " + o_.archive + "\n");
    if (says_ && command_ == 'l') messages_.Write("\n");
    auto opened = OpenPacked(in_, o_, zone_);
    if (!opened) return CannotOpen(opened.error());
    packed_ = std::move(*opened);
    if (packed_->type != "7z" && o_.is_technical) return in_.Fail("-slt is not supported for archives of the type " + packed_->type, kFatal);
    const std::string whole = packed_->volume_facts.empty() ? o_.archive : o_.archive.substr(0, o_.archive.size() - 4);
    if (says_) messages_.Write(packed_->volume_facts + "--\nPath = " + whole + "\nType = " + packed_->type + "\n" + packed_->facts + "\n");
    return command_ == 'l' ? List() : Extract();
  }

 private:
  ExitStatus Complain(const std::string& text) {
    TellError(in_, o_, text);
    return status_ = kFatal;
  }

  ExitStatus CannotOpen(const Error& error) {
    const std::string name = o_.archive;
    std::string text = (command_ == 'l' ? "\nERROR: " + name + " : " : "ERROR: " + name + "\n");
    if (error.code == Code::kSyntax) text += "Cannot open the file as archive\n\n";
    else text += name + "\nOpen ERROR: Cannot open the file as [7z] archive\n\n\nERRORS:\n" + std::string(error.Text()) + "\n";
    Complain(text + (command_ == 'l' ? "\n" : ""));
    if (says_) messages_.Write(command_ == 'l' ? "\nErrors: 1\n" : "\nCan't open as archive: 1\nFiles: 0\nSize:       0\nCompressed: 0\n");
    return kFatal;
  }

  bool IsWanted(const SevenZipItem& item) {
    in_.budget.Step(4);
    const std::vector<std::string> path = Parts(item.name);
    const auto matches = [&](const Wildcard& wildcard) { return Matches(wildcard, path, in_.budget); };
    if (std::any_of(o_.unwanted.begin(), o_.unwanted.end(), matches)) return false;
    return o_.wanted.empty() || std::any_of(o_.wanted.begin(), o_.wanted.end(), matches);
  }

  std::optional<TimePoint> MomentOf(const SevenZipItem& item) const {
    if (!item.modified) return std::nullopt;
    const uint64_t ticks = *item.modified;
    return TimePoint{static_cast<int64_t>(ticks / 10000000) - 11644473600, static_cast<int32_t>(ticks % 10000000 * 100)};
  }
  std::string Date(const std::optional<TimePoint>& moment) {
    if (!moment) return std::string();
    return FormatTime("%Y-%m-%d %H:%M:%S", zone_.ToLocal(moment->seconds), *moment, in_.budget);
  }

  // What the folder takes, told with its first file.
  std::optional<uint64_t> PackedSize(size_t index) {
    const SevenZipItem& item = packed_->archive.items[index];
    if (!item.has_stream) return 0;
    if (is_told_.empty()) {
      is_told_.resize(packed_->archive.items.size());
      std::vector<bool> has_first(packed_->archive.folders.size());
      for (size_t i = 0; i < packed_->archive.items.size(); ++i) {
        if (!packed_->archive.items[i].has_stream) continue;
        is_told_[i] = !has_first[packed_->archive.items[i].folder];
        has_first[packed_->archive.items[i].folder] = true;
      }
    }
    if (!is_told_[index]) return std::nullopt;
    const codec::SevenZipFolder& folder = packed_->archive.folders[item.folder];
    uint64_t size = 0;
    for (size_t i = 0; i < folder.packed.size() && folder.first_packed + i < packed_->archive.streams.size(); ++i) size += packed_->archive.streams[folder.first_packed + i].size;
    return size;
  }

  void ShowItem(size_t index) {
    const SevenZipItem& item = packed_->archive.items[index];
    const auto packed = PackedSize(index);
    std::string date = Date(MomentOf(item));
    char row[64];
    if (item.modified) {
      std::snprintf(row, sizeof row, ".%07u", static_cast<unsigned>(*item.modified % 10000000));
      date += row;
    }
    const uint32_t bits = item.attributes.value_or(0);
    std::string attributes = item.is_directory ? "D" : "";
    for (const auto& [bit, letter] : {std::pair(1u, 'R'), std::pair(2u, 'H'), std::pair(4u, 'S'), std::pair(0x20u, 'A')}) {
      if ((bits & bit) != 0) attributes += letter;
    }
    if (const auto mode = item.unix_mode()) {
      const uint32_t type = *mode & 0170000;
      attributes += " " + ModeString(type == 0040000 ? 'd' : type == 0120000 ? 'l' : '-', *mode & 07777);
    }
    std::string crc, method;
    if (item.crc) {
      std::snprintf(row, sizeof row, "%08X", *item.crc);
      crc = row;
    }
    if (item.has_stream) {
      for (const codec::SevenZipCoder& coder : packed_->archive.folders[item.folder].coders) method.insert(0, codec::SevenZipMethodName(coder, true) + (method.empty() ? "" : " "));
    }
    messages_.Write("Path = " + item.name + "\nSize = " + std::to_string(item.size) + "\nPacked Size = " + (packed ? std::to_string(*packed) : "") + "\nModified = " + date + "\nAttributes = " + attributes +
                  "\nCRC = " + crc + "\nEncrypted = " + (item.has_stream && packed_->archive.folders[item.folder].is_encrypted() ? "+" : "-") + "\nMethod = " + method +
                  "\nBlock = " + (item.has_stream ? std::to_string(item.folder) : "") + "\n\n");
  }

  std::string Row(const std::string& date, const std::string& attributes, uint64_t size, const std::optional<uint64_t>& packed) {
    char row[120];
    const std::string text = packed_->has_sizes ? std::to_string(size) : "";
    std::snprintf(row, sizeof row, "%19s %5s %12s %12s  ", date.c_str(), attributes.c_str(), text.c_str(), packed ? std::to_string(*packed).c_str() : "");
    return row;
  }

  ExitStatus List() {
    static constexpr std::string_view kRule = "------------------- ----- ------------ ------------  ------------------------\n";
    if (says_ && o_.is_technical) messages_.Write("----------\n");
    else if (says_) messages_.Write("   Date      Time    Attr         Size   Compressed  Name\n" + std::string(kRule));
    uint64_t size = 0, packed = 0, files = 0, folders = 0;
    bool knows_packed = false;
    std::optional<TimePoint> latest;
    for (size_t i = 0; i < packed_->archive.items.size(); ++i) {
      const SevenZipItem& item = packed_->archive.items[i];
      if (!IsWanted(item)) continue;
      (item.is_directory ? folders : files) += 1;
      const auto moment = MomentOf(item);
      if (moment && (!latest || *latest < *moment)) latest = moment;
      const auto taken = PackedSize(i);
      size += item.size;
      packed += taken.value_or(0);
      knows_packed = knows_packed || taken;
      if (o_.is_technical) {
        ShowItem(i);
        continue;
      }
      std::string attributes = item.is_directory ? "D...." : ".....";
      static constexpr std::pair<uint32_t, char> kBits[] = {{1, 'R'}, {2, 'H'}, {4, 'S'}, {0x20, 'A'}};
      for (size_t k = 0; k < 4; ++k) {
        if ((item.attributes.value_or(0) & kBits[k].first) != 0) attributes[k + 1] = kBits[k].second;
      }
      messages_.Write(Row(Date(moment), attributes, item.size, packed_->has_sizes ? taken : std::nullopt) + item.name + "\n");
    }
    if (!says_ || o_.is_technical) return status_;
    if (!knows_packed && files > 0) packed = packed_->archive.physical_size;
    messages_.Write(std::string(kRule) + Row(Date(latest), "", size, packed) + std::to_string(files) + " files" + (folders > 0 ? ", " + std::to_string(folders) + " folders" : "") + "\n");
    if (packed_->volumes > 1) messages_.Write("\nArchives: 1\nVolumes: " + std::to_string(packed_->volumes) + "\nTotal archives size: " + std::to_string(packed_->volumes_size) + "\n");
    return status_;
  }

  ExitStatus Extract() {
    uint64_t size = 0;
    for (size_t i = 0; i < packed_->archive.items.size() && !is_over_; ++i) {
      const SevenZipItem& item = packed_->archive.items[i];
      if (!IsWanted(item) || item.is_anti) continue;
      // 7z counts links of tar archives as nothing.
      if (packed_->type != "tar" || (item.unix_mode().value_or(0) & 0170000) != 0120000) {
        (item.is_directory ? folders_ : files_) += 1;
        size += item.size;
      }
      Take(i);
    }
    FinishLinks();
    FinishDirectories();
    if (is_over_ && status_ == kBreak) return status_;
    if (!says_) return status_;
    if (errors_ > 0) {
      const std::string count = std::to_string(errors_);
      messages_.Write("\nSub items Errors: " + count + "\n\nArchives with Errors: 1\n\nSub items Errors: " + count + "\n");
      return status_;
    }
    if (files_ + folders_ == 0) messages_.Write("\nNo files to process\n");
    messages_.Write("Everything is Ok\n\n");
    if (folders_ > 0) messages_.Write("Folders: " + std::to_string(folders_) + "\n");
    if (folders_ > 0 || files_ != 1) messages_.Write("Files: " + std::to_string(files_) + "\n");
    messages_.Write("Size:       " + std::to_string(packed_->is_open_ended ? unpacked_ : size) + "\nCompressed: " + std::to_string(packed_->archive.physical_size) + "\n");
    return status_;
  }

  void Fail(const std::string& text) {
    Complain("ERROR: " + text + "\n");
    ++errors_;
  }

  void Take(size_t index) {
    const SevenZipItem& item = packed_->archive.items[index];
    const bool makes = (command_ == 'x' || command_ == 'e') && !o_.to_stdout;
    Target target;
    bool is_skipped = false;
    if (makes) {
      target.path = PathFor(item);
      if (target.path.empty()) return;
      if (item.is_directory) {
        Announce('-', item);
        if (const Status made = vfs::MakeDirectories(in_.fs, target.path); !made) return Fail("Cannot create folder : " + Reason(made.error()) + " : " + target.path);
        made_directories_.emplace_back(target.path, index);
        return;
      }
      is_skipped = !Decide(item, target.path);
      if (is_over_) return;
    }
    Announce(is_skipped ? '.' : makes ? '-' : 'T', item);
    if (item.is_directory || is_skipped) return;
    if (item.has_stream) {
      if (const Status reached = Reach(index); !reached) return Fail(std::string(reached.error().Text()) + " : " + item.name);
    }
    if (makes && !Create(target)) return;
    const bool is_link = makes && (item.unix_mode().value_or(0) & 0170000) == 0120000;
    std::string link;
    const Status done = Unpack(index, target.file.get(), is_link ? &link : nullptr);
    if (!done) Fail(std::string(done.error().Text()) + " : " + item.name);
    if (is_link && done) links_.push_back({target.path, link, index});
    target.file.reset();
    if (makes) SetFacts(item, target.path);
  }

  void Announce(char what, const SevenZipItem& item) {
    if (o_.log > 0 && says_) messages_.Write(std::string(1, what) + " " + item.name + (item.is_directory ? "/" : "") + "\n");
  }

  static std::string Reason(const Error& error) { return "errno=" + std::to_string(static_cast<int>(error.code)) + " : " + std::string(error.Text()); }

  // Below the directory, whatever the name says.
  std::string PathFor(const SevenZipItem& item) {
    std::string path;
    const std::vector<std::string> parts = Parts(item.name);
    for (const std::string& part : parts) {
      if (part == "." || part == "..") continue;
      if (command_ == 'e') path = part;
      else path += (path.empty() ? "" : "/") + part;
    }
    return path.empty() || o_.directory.empty() ? path : vfs::JoinPath(o_.directory, path);
  }

  // The path with the next free number in its name.
  std::string FreeName(const std::string& path) {
    const size_t slash = path.rfind('/') + 1;
    size_t dot = path.rfind('.');
    if (dot == std::string::npos || dot < slash) dot = path.size();
    for (uint64_t i = 1;; ++i) {
      in_.budget.Step(8);
      const std::string name = path.substr(0, dot) + "_" + std::to_string(i) + path.substr(dot);
      if (!in_.fs.Stat(name, vfs::Follow::kNo)) return name;
    }
  }

  // False when the file stays away. `path` may become another.
  bool Decide(const SevenZipItem& item, std::string& path) {
    const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!found) return true;
    Clash clash = o_.clash;
    if (clash == Clash::kAsk) {
      const auto answer = Ask(item, path, *found);
      if (!answer) return false;
      clash = *answer;
    }
    if (clash == Clash::kSkip) return false;
    if (clash == Clash::kRenameNew) path = FreeName(path);
    else if (clash == Clash::kRenameOld) static_cast<void>(in_.fs.Rename(path, FreeName(path)));
    else if (!found->is_directory()) static_cast<void>(in_.fs.RemoveFile(path));   // not written through a symlink
    return true;
  }

  // Nothing when all is over.
  std::optional<Clash> Ask(const SevenZipItem& item, const std::string& path, const vfs::Attributes& there) {
    in_.out.Write("\nWould you like to replace the existing file:\n  Path:     " + path + "\n  Size:     " + SizeText(there.size) + "\n  Modified: " + Date(ToTimePoint(there.modify_time)) +
                  "\nwith the file from archive:\n  Path:     " + item.name + "\n  Size:     " + SizeText(item.size) + "\n  Modified: " + Date(MomentOf(item)) + "\n? ");
    while (true) {
      messages_.Write("(Y)es / (N)o / (A)lways / (S)kip all / A(u)to rename all / (Q)uit? ");
      in_.out.Flush();
      const auto line = in_.in.ReadLine();
      if (!line) {
        messages_.Write("\n");
        Complain("\n\nBreak signaled\n");
        status_ = kBreak;
        is_over_ = true;
        return std::nullopt;
      }
      const char answer = line->text.size() == 1 ? static_cast<char>(line->text[0] | 0x20) : '\0';
      if (answer != '\0' && std::string_view("ynasuq").find(answer) != std::string_view::npos) messages_.Write("\n");
      if (answer == 'y') return Clash::kReplace;
      if (answer == 'n') return Clash::kSkip;
      if (answer == 'a') return o_.clash = Clash::kReplace;
      if (answer == 's') return o_.clash = Clash::kSkip;
      if (answer == 'u') return o_.clash = Clash::kRenameNew;
      if (answer == 'q') {
        Complain("\n\nBreak signaled\n");
        status_ = kBreak;
        is_over_ = true;
        return std::nullopt;
      }
    }
  }

  bool Create(Target& target) {
    const size_t slash = target.path.rfind('/');
    Status made;
    if (slash != std::string::npos && slash > 0) made = vfs::MakeDirectories(in_.fs, target.path.substr(0, slash));
    if (!made && made.error().code == Code::kExists) made = Code::kNotDirectory;
    if (made) {
      auto file = in_.fs.Open(target.path, {.write = true, .create = true, .exclusive = true});
      if (file) {
        target.file = *file;
        return true;
      }
      made = file.error();
    }
    Fail("Cannot open output file : " + Reason(made.error()) + " : " + target.path);
    return false;
  }

  // The bytes of an item that was reached to the file, to `link`, to standard output or nowhere.
  Status Unpack(size_t index, vfs::OpenFile* file, std::string* link) {
    const SevenZipItem& item = packed_->archive.items[index];
    if (!item.has_stream) return {};
    uint32_t crc = 0;
    const bool is_encrypted = packed_->archive.folders[item.folder].is_encrypted();
    for (uint64_t left = packed_->is_open_ended ? UINT64_MAX : item.size; left > 0;) {
      auto block_or = ReadPlain(left);
      if (!block_or && is_encrypted && block_or.error().code == Code::kCorrupt) return Error(Code::kCorrupt, "Data Error in encrypted file. Wrong password?");
      PADDOCK_ASSIGN(const Block block, std::move(block_or));
      if (block.bytes.empty()) break;
      crc = codec::Crc32(crc, block.bytes);
      unpacked_ += block.bytes.size();
      left -= block.bytes.size();
      if (link != nullptr && link->size() + block.bytes.size() <= 4096) link->append(block.bytes);
      else if (link != nullptr) return Error(Code::kCorrupt, "Data Error");
      else if (file != nullptr) PADDOCK_TRY(file->Write(block.bytes));
      else if (o_.to_stdout && command_ != 't') in_.out.Write(block.bytes);
    }
    if (item.crc && crc != *item.crc) return Error(Code::kCorrupt, is_encrypted ? "CRC Failed in encrypted file. Wrong password?" : "CRC Failed");
    return {};
  }

  Result<Block> ReadPlain(uint64_t most) {
    auto block = source_->ReadBlock(static_cast<size_t>(std::min<uint64_t>(most, 128 << 10)));
    if (block && block->bytes.empty() && packed_->is_open_ended) return block;
    if (!block || block->bytes.empty()) source_status_ = Error(Code::kCorrupt, block || block.error().Text() != "Unexpected end of data" ? "Data Error" : "Unexpected end of data");
    if (!source_status_) return source_status_.error();
    in_.budget.Step(static_cast<int64_t>(block->bytes.size() / 64 + 1));
    return block;
  }

  // Opens the folder of an item and passes over what stands in front of it.
  Status Reach(size_t index) {
    const size_t folder = packed_->archive.items[index].folder;
    if (open_folder_ != folder) {
      open_folder_ = folder;
      next_item_ = index;
      while (next_item_ > 0 && (!packed_->archive.items[next_item_ - 1].has_stream || packed_->archive.items[next_item_ - 1].folder == folder)) --next_item_;
      source_status_ = {};
      auto opened = packed_->open(folder);
      if (opened) source_ = std::move(*opened);
      else source_status_ = opened.error();
    }
    PADDOCK_TRY(source_status_);
    for (; next_item_ < index; ++next_item_) {
      in_.budget.Step();
      for (uint64_t left = packed_->archive.items[next_item_].has_stream ? packed_->archive.items[next_item_].size : 0; left > 0;) {
        PADDOCK_ASSIGN(const Block block, ReadPlain(left));
        left -= block.bytes.size();
      }
    }
    next_item_ = index + 1;
    return {};
  }

  void SetFacts(const SevenZipItem& item, const std::string& path) {
    const auto mode = item.unix_mode();
    if (mode && (*mode & 0170000) != 0120000) static_cast<void>(in_.fs.SetMode(path, *mode & 0777 & ~in_.fs.umask(), vfs::Follow::kNo));
    const auto moment = MomentOf(item);
    const auto time = moment ? FromTimePoint(*moment) : std::nullopt;
    if (time) static_cast<void>(in_.fs.SetTimes(path, std::nullopt, time, vfs::Follow::kNo));
  }

  // Links come last, so that nothing is written through one; an empty file keeps the place till then.
  void FinishLinks() {
    for (const Link& link : links_) {
      in_.budget.Step(8);
      const std::vector<std::string> parts = Parts(link.target);
      std::string target = link.target;
      const auto found = in_.fs.Stat(link.path, vfs::Follow::kNo);
      if (!found || !found->is_file()) continue;   // another file of that name has taken the place
      if (target.empty() || target.find('\0') != std::string::npos || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
        Fail("Dangerous link path was ignored : " + packed_->archive.items[link.item].name + " : " + target);
        continue;
      }
      // An absolute one leads below the directory too.
      if (target.starts_with('/')) target = vfs::NormalizePath(vfs::JoinPath(vfs::JoinPath(in_.fs.cwd(), o_.directory), target.substr(target.find_first_not_of('/') == std::string::npos ? target.size() : target.find_first_not_of('/'))));
      static_cast<void>(in_.fs.RemoveFile(link.path));
      if (const Status made = in_.fs.MakeSymlink(target, link.path); !made) Fail("Cannot create symbolic link : " + Reason(made.error()) + " : " + link.path);
      else SetFacts(packed_->archive.items[link.item], link.path);
    }
  }

  // The innermost first, when nothing more is put into them.
  void FinishDirectories() {
    for (size_t i = made_directories_.size(); i > 0; --i) {
      const auto& [path, item] = made_directories_[i - 1];
      const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
      if (found && found->is_directory()) SetFacts(packed_->archive.items[item], path);
    }
  }

  struct Link {
    std::string path, target;
    size_t item;
  };
  Invocation& in_;
  Options& o_;
  TimeZone zone_;
  bool says_;
  Output& messages_;
  char command_;
  std::unique_ptr<Packed> packed_;
  std::vector<bool> is_told_;
  std::optional<size_t> open_folder_;
  size_t next_item_ = 0;
  std::unique_ptr<ByteSource> source_;
  Status source_status_;
  std::vector<Link> links_;
  std::vector<std::pair<std::string, size_t>> made_directories_;
  uint64_t files_ = 0, folders_ = 0, errors_ = 0, unpacked_ = 0;
  ExitStatus status_ = 0;
  bool is_over_ = false;
};

}  // namespace

ExitStatus Read(Invocation& in, Options& options) { return Archiver(in, options).Run(); }

}  // namespace paddock::seven_zip
