// 7z - list, test and extract 7z archives
//
// usage: 7z l|t|x|e [SWITCH]... ARCHIVE [NAME]...
//
// Exit status: 0; 2 for an error in the archive or a file that could not be made, 7 for a wrong command line, 255 when a question gets no answer.
// Source: 7-Zip's manual; p7zip as Debian 12 has it.
// Differs: the first two lines name this program; reads only, and only archives in the format 7z; no PPMd, BCJ2, Deflate64 and no encryption
// (each refused by name); one archive at a time, without volumes; a few switches;
// with a name given, t counts only what it names, not what stands in front of it in its block; -aou keeps a link that is renamed.

#include <algorithm>
#include <cstdio>

#include "base/budget.h"
#include "codec/coder.h"
#include "codec/seven_zip.h"
#include "commands/file_facts.h"
#include "proc/command.h"
#include "text/mode.h"
#include "text/time_format.h"

namespace paddock {
namespace {

using codec::SevenZipItem;

constexpr ExitStatus kFatal = 2, kBadUsage = 7, kBreak = 255;
constexpr std::string_view kBanner = "\n7-Zip as Paddock has it: reads archives\np7zip Version 16.02\n";
constexpr std::string_view kHelp =
    "Usage: 7z <command> [<switches>...] <archive_name> [<file_names>...]\n\n"
    "<Commands>\n"
    "  e : extract files without their directories\n"
    "  l : list the archive\n"
    "  t : test the archive\n"
    "  x : extract files with full paths\n"
    "Writing archives (a, d, u, rn) is not supported.\n\n"
    "<Switches>\n"
    "  -- : no switches behind this\n"
    "  -ao{a|s|t|u} : files in the way: replace, skip, rename them, rename what comes\n"
    "  -ba : listing without headers\n"
    "  -bb[0-3] : name each file\n"
    "  -bd : no progress indicator (there is none)\n"
    "  -i[r]!wildcard : include names\n"
    "  -o{Directory} : where to extract\n"
    "  -p{Password} : for archives that are not encrypted after all; those that are, are refused\n"
    "  -r[-] : names match below every directory\n"
    "  -slt : list with technical information\n"
    "  -so : write data to standard output\n"
    "  -t{Type} : 7z, the only one there is\n"
    "  -x[r]!wildcard : exclude names\n"
    "  -y : yes to all questions\n";

enum class Clash { kAsk, kReplace, kSkip, kRenameNew, kRenameOld };

struct Wildcard {
  std::vector<std::string> parts;
  bool is_recursive = false;
};

struct Options {
  char command = 0;
  Clash clash = Clash::kAsk;
  bool is_bare = false, is_technical = false, to_stdout = false, is_recursive = false;
  int log = 0;
  std::string directory, archive;
  std::vector<Wildcard> wanted, unwanted;
};

std::vector<std::string> Parts(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    if (end > 0) parts.emplace_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return parts;
}

// * and ? over one component; goes back to the last star only, so that it takes text × pattern at most.
bool MatchesPart(std::string_view pattern, std::string_view text, Budget& budget) {
  size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    budget.Step();
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      // A question mark stands for a character, not a byte of it.
      while (pattern[p] == '?' && t < text.size() && (text[t] & 0xc0) == 0x80) ++t;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// True for what the pattern names and for all that is below it.
bool Matches(const Wildcard& wildcard, const std::vector<std::string>& path, Budget& budget) {
  const std::vector<std::string>& parts = wildcard.parts;
  if (parts.size() > path.size() || parts.empty()) return false;
  const size_t last = wildcard.is_recursive ? path.size() - parts.size() : 0;
  for (size_t start = 0; start <= last; ++start) {
    size_t same = 0;
    while (same < parts.size() && MatchesPart(parts[same], path[start + same], budget)) ++same;
    if (same == parts.size()) return true;
  }
  return false;
}

std::string SizeText(uint64_t size) {
  std::string text = std::to_string(size) + " bytes";
  if (size == 0) return text;
  const int bits = size >= 10ull << 30 ? 30 : size >= 10ull << 20 ? 20 : 10;
  return text + " (" + std::to_string((size >> bits) + ((size & ((1ull << bits) - 1)) != 0 ? 1 : 0)) + (bits == 10 ? " KiB)" : bits == 20 ? " MiB)" : " GiB)");
}

// A file that is made, and its path.
struct Target {
  vfs::OpenFilePtr file;
  std::string path;
};

class Archiver {
 public:
  Archiver(Invocation& in, Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)), says_(!options.is_bare && !options.to_stdout) {}

  ExitStatus Run() {
    if (says_) in_.out.Write("\nScanning the drive for archives:\n");
    auto opened = in_.fs.Open(o_.archive, vfs::OpenFlags::Read());
    const auto attributes = opened ? (*opened)->GetAttributes() : Result<vfs::Attributes>(opened.error());
    if (!attributes || attributes->is_directory()) {
      const Error error = attributes ? Error(Code::kIsDirectory) : attributes.error();
      const std::string text = "errno=" + std::to_string(static_cast<int>(error.code)) + " : " + std::string(error.Text()) + "\n";
      return Complain("\nERROR: " + text + o_.archive + "\n\n\n\nSystem ERROR:\n" + text);
    }
    file_ = *opened;
    read_ = [this](uint64_t offset, size_t size) { return ReadAt(offset, size); };
    static constexpr auto kVerb = [](char command) { return command == 'l' ? "Listing" : command == 't' ? "Testing" : "Extracting"; };
    if (says_) in_.out.Write("1 file, " + SizeText(attributes->size) + "\n\n" + kVerb(o_.command) + " archive: " + o_.archive + "\n");
    if (says_ && o_.command == 'l') in_.out.Write("\n");
    auto archive = codec::ReadSevenZip(attributes->size, read_, in_.budget);
    if (!archive) return CannotOpen(archive.error());
    archive_ = std::move(*archive);
    NameItems();
    if (says_) ShowArchive();
    return o_.command == 'l' ? List() : Extract();
  }

 private:
  ExitStatus Complain(const std::string& text) {
    in_.out.Flush();
    in_.err.Write(text);
    return status_ = kFatal;
  }

  Result<std::string> ReadAt(uint64_t offset, size_t size) {
    PADDOCK_TRY(file_->Seek(static_cast<int64_t>(offset), vfs::Whence::kStart));
    std::string bytes;
    while (bytes.size() < size) {
      PADDOCK_ASSIGN(const Block block, file_->ReadBlock(size - bytes.size()));
      if (block.bytes.empty()) break;
      in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
      bytes += block.bytes;
    }
    return bytes;
  }

  ExitStatus CannotOpen(const Error& error) {
    const std::string name = o_.archive;
    std::string text = (o_.command == 'l' ? "\nERROR: " + name + " : " : "ERROR: " + name + "\n");
    if (error.code == Code::kSyntax) text += "Cannot open the file as archive\n\n";
    else text += name + "\nOpen ERROR: Cannot open the file as [7z] archive\n\n\nERRORS:\n" + std::string(error.Text()) + "\n";
    Complain(text + (o_.command == 'l' ? "\n" : ""));
    if (says_) in_.out.Write(o_.command == 'l' ? "\nErrors: 1\n" : "\nCan't open as archive: 1\nFiles: 0\nSize:       0\nCompressed: 0\n");
    return kFatal;
  }

  // What has no name is called as the archive is.
  void NameItems() {
    std::string name = vfs::BaseName(o_.archive);
    name.erase(std::min(name.rfind('.'), name.size()));
    for (SevenZipItem& item : archive_.items) {
      if (item.name.empty()) item.name = name;
    }
  }

  bool IsWanted(const SevenZipItem& item) {
    in_.budget.Step(4);
    const std::vector<std::string> path = Parts(item.name);
    const auto matches = [&](const Wildcard& wildcard) { return Matches(wildcard, path, in_.budget); };
    if (std::any_of(o_.unwanted.begin(), o_.unwanted.end(), matches)) return false;
    return o_.wanted.empty() || std::any_of(o_.wanted.begin(), o_.wanted.end(), matches);
  }

  void ShowArchive() {
    in_.out.Write("--\nPath = " + o_.archive + "\nType = 7z\nPhysical Size = " + std::to_string(archive_.physical_size) + "\nHeaders Size = " + std::to_string(archive_.headers_size) + "\n");
    // Each method once, by its id; of several dictionaries the largest.
    std::vector<const codec::SevenZipCoder*> methods;
    bool is_solid = false;
    for (const codec::SevenZipFolder& folder : archive_.folders) {
      in_.budget.Step();
      is_solid = is_solid || folder.items > 1;
      for (const codec::SevenZipCoder& coder : folder.coders) {
        const auto same = std::find_if(methods.begin(), methods.end(), [&](const auto* method) { return method->id == coder.id; });
        if (same == methods.end()) methods.push_back(&coder);
        else if (Dictionary(coder) > Dictionary(**same)) *same = &coder;
      }
    }
    std::sort(methods.begin(), methods.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
    std::string text;
    for (const auto* method : methods) text += (text.empty() ? "" : " ") + codec::SevenZipMethodName(*method, false);
    if (!text.empty()) in_.out.Write("Method = " + text + "\n");
    in_.out.Write(std::string("Solid = ") + (is_solid ? "+" : "-") + "\nBlocks = " + std::to_string(archive_.folders.size()) + "\n\n");
  }
  // As far as two of one method are compared: the size is in the last bytes, the lowest first.
  static std::string Dictionary(const codec::SevenZipCoder& coder) { return std::string(coder.properties.rbegin(), coder.properties.rend()); }

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
    const SevenZipItem& item = archive_.items[index];
    if (!item.has_stream) return 0;
    if (is_told_.empty()) {
      is_told_.resize(archive_.items.size());
      std::vector<bool> has_first(archive_.folders.size());
      for (size_t i = 0; i < archive_.items.size(); ++i) {
        if (!archive_.items[i].has_stream) continue;
        is_told_[i] = !has_first[archive_.items[i].folder];
        has_first[archive_.items[i].folder] = true;
      }
    }
    if (!is_told_[index]) return std::nullopt;
    const codec::SevenZipFolder& folder = archive_.folders[item.folder];
    uint64_t size = 0;
    for (size_t i = 0; i < folder.packed.size() && folder.first_packed + i < archive_.streams.size(); ++i) size += archive_.streams[folder.first_packed + i].size;
    return size;
  }

  void ShowItem(size_t index) {
    const SevenZipItem& item = archive_.items[index];
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
      for (const codec::SevenZipCoder& coder : archive_.folders[item.folder].coders) method.insert(0, codec::SevenZipMethodName(coder, true) + (method.empty() ? "" : " "));
    }
    in_.out.Write("Path = " + item.name + "\nSize = " + std::to_string(item.size) + "\nPacked Size = " + (packed ? std::to_string(*packed) : "") + "\nModified = " + date + "\nAttributes = " + attributes +
                  "\nCRC = " + crc + "\nEncrypted = " + (item.has_stream && archive_.folders[item.folder].is_encrypted() ? "+" : "-") + "\nMethod = " + method +
                  "\nBlock = " + (item.has_stream ? std::to_string(item.folder) : "") + "\n\n");
  }

  std::string Row(const std::string& date, const std::string& attributes, uint64_t size, const std::optional<uint64_t>& packed) {
    char row[120];
    std::snprintf(row, sizeof row, "%19s %5s %12llu %12s  ", date.c_str(), attributes.c_str(), static_cast<unsigned long long>(size), packed ? std::to_string(*packed).c_str() : "");
    return row;
  }

  ExitStatus List() {
    static constexpr std::string_view kRule = "------------------- ----- ------------ ------------  ------------------------\n";
    if (says_ && o_.is_technical) in_.out.Write("----------\n");
    else if (says_) in_.out.Write("   Date      Time    Attr         Size   Compressed  Name\n" + std::string(kRule));
    uint64_t size = 0, packed = 0, files = 0, folders = 0;
    bool knows_packed = false;
    std::optional<TimePoint> latest;
    for (size_t i = 0; i < archive_.items.size(); ++i) {
      const SevenZipItem& item = archive_.items[i];
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
      in_.out.Write(Row(Date(moment), attributes, item.size, taken) + item.name + "\n");
    }
    if (!says_ || o_.is_technical) return status_;
    if (!knows_packed && files > 0) packed = archive_.physical_size;
    in_.out.Write(std::string(kRule) + Row(Date(latest), "", size, packed) + std::to_string(files) + " files" + (folders > 0 ? ", " + std::to_string(folders) + " folders" : "") + "\n");
    return status_;
  }

  ExitStatus Extract() {
    uint64_t size = 0;
    for (size_t i = 0; i < archive_.items.size() && !is_over_; ++i) {
      const SevenZipItem& item = archive_.items[i];
      if (!IsWanted(item) || item.is_anti) continue;
      (item.is_directory ? folders_ : files_) += 1;
      size += item.size;
      Take(i);
    }
    FinishLinks();
    FinishDirectories();
    if (is_over_ && status_ == kBreak) return status_;
    if (!says_) return status_;
    if (errors_ > 0) {
      const std::string count = std::to_string(errors_);
      in_.out.Write("\nSub items Errors: " + count + "\n\nArchives with Errors: 1\n\nSub items Errors: " + count + "\n");
      return status_;
    }
    if (files_ + folders_ == 0) in_.out.Write("\nNo files to process\n");
    in_.out.Write("Everything is Ok\n\n");
    if (folders_ > 0) in_.out.Write("Folders: " + std::to_string(folders_) + "\n");
    if (folders_ > 0 || files_ != 1) in_.out.Write("Files: " + std::to_string(files_) + "\n");
    in_.out.Write("Size:       " + std::to_string(size) + "\nCompressed: " + std::to_string(archive_.physical_size) + "\n");
    return status_;
  }

  void Fail(const std::string& text) {
    Complain("ERROR: " + text + "\n");
    ++errors_;
  }

  void Take(size_t index) {
    const SevenZipItem& item = archive_.items[index];
    const bool makes = (o_.command == 'x' || o_.command == 'e') && !o_.to_stdout;
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
    if (o_.log > 0 && says_) in_.out.Write(std::string(1, what) + " " + item.name + (item.is_directory ? "/" : "") + "\n");
  }

  static std::string Reason(const Error& error) { return "errno=" + std::to_string(static_cast<int>(error.code)) + " : " + std::string(error.Text()); }

  // Below the directory, whatever the name says.
  std::string PathFor(const SevenZipItem& item) {
    std::string path;
    const std::vector<std::string> parts = Parts(item.name);
    for (const std::string& part : parts) {
      if (part == "." || part == "..") continue;
      if (o_.command == 'e') path = part;
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
      in_.out.Write("(Y)es / (N)o / (A)lways / (S)kip all / A(u)to rename all / (Q)uit? ");
      in_.out.Flush();
      const auto line = in_.in.ReadLine();
      if (!line) {
        in_.out.Write("\n");
        Complain("\n\nBreak signaled\n");
        status_ = kBreak;
        is_over_ = true;
        return std::nullopt;
      }
      const char answer = line->text.size() == 1 ? static_cast<char>(line->text[0] | 0x20) : '\0';
      if (answer != '\0' && std::string_view("ynasuq").find(answer) != std::string_view::npos) in_.out.Write("\n");
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
    const SevenZipItem& item = archive_.items[index];
    if (!item.has_stream) return {};
    uint32_t crc = 0;
    for (uint64_t left = item.size; left > 0;) {
      PADDOCK_ASSIGN(const Block block, ReadPlain(left));
      crc = codec::Crc32(crc, block.bytes);
      left -= block.bytes.size();
      if (link != nullptr && link->size() + block.bytes.size() <= 4096) link->append(block.bytes);
      else if (link != nullptr) return Error(Code::kCorrupt, "Data Error");
      else if (file != nullptr) PADDOCK_TRY(file->Write(block.bytes));
      else if (o_.to_stdout && o_.command != 't') in_.out.Write(block.bytes);
    }
    if (item.crc && crc != *item.crc) return Error(Code::kCorrupt, "CRC Failed");
    return {};
  }

  Result<Block> ReadPlain(uint64_t most) {
    auto block = source_->ReadBlock(static_cast<size_t>(std::min<uint64_t>(most, 128 << 10)));
    if (!block || block->bytes.empty()) source_status_ = Error(Code::kCorrupt, block || block.error().Text() != "Unexpected end of data" ? "Data Error" : "Unexpected end of data");
    if (!source_status_) return source_status_.error();
    in_.budget.Step(static_cast<int64_t>(block->bytes.size() / 64 + 1));
    return block;
  }

  // Opens the folder of an item and passes over what stands in front of it.
  Status Reach(size_t index) {
    const size_t folder = archive_.items[index].folder;
    if (open_folder_ != folder) {
      open_folder_ = folder;
      next_item_ = index;
      while (next_item_ > 0 && (!archive_.items[next_item_ - 1].has_stream || archive_.items[next_item_ - 1].folder == folder)) --next_item_;
      source_status_ = {};
      if (archive_.folders[folder].is_encrypted()) {
        source_status_ = Error(Code::kNotSupported, "Encryption is not supported");
      } else {
        auto opened = codec::OpenSevenZipFolder(archive_, archive_.folders[folder], read_, in_.budget);
        if (opened) source_ = std::move(*opened);
        else source_status_ = opened.error();
      }
    }
    PADDOCK_TRY(source_status_);
    for (; next_item_ < index; ++next_item_) {
      in_.budget.Step();
      for (uint64_t left = archive_.items[next_item_].has_stream ? archive_.items[next_item_].size : 0; left > 0;) {
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
        Fail("Dangerous link path was ignored : " + archive_.items[link.item].name + " : " + target);
        continue;
      }
      // An absolute one leads below the directory too.
      if (target.starts_with('/')) target = vfs::NormalizePath(vfs::JoinPath(vfs::JoinPath(in_.fs.cwd(), o_.directory), target.substr(target.find_first_not_of('/') == std::string::npos ? target.size() : target.find_first_not_of('/'))));
      static_cast<void>(in_.fs.RemoveFile(link.path));
      if (const Status made = in_.fs.MakeSymlink(target, link.path); !made) Fail("Cannot create symbolic link : " + Reason(made.error()) + " : " + link.path);
      else SetFacts(archive_.items[link.item], link.path);
    }
  }

  // The innermost first, when nothing more is put into them.
  void FinishDirectories() {
    for (size_t i = made_directories_.size(); i > 0; --i) {
      const auto& [path, item] = made_directories_[i - 1];
      const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
      if (found && found->is_directory()) SetFacts(archive_.items[item], path);
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
  vfs::OpenFilePtr file_;
  codec::SevenZipReadAt read_;
  codec::SevenZipArchive archive_;
  std::vector<bool> is_told_;
  std::optional<size_t> open_folder_;
  size_t next_item_ = 0;
  std::unique_ptr<ByteSource> source_;
  Status source_status_;
  std::vector<Link> links_;
  std::vector<std::pair<std::string, size_t>> made_directories_;
  uint64_t files_ = 0, folders_ = 0, errors_ = 0;
  ExitStatus status_ = 0;
  bool is_over_ = false;
};

// True if it is a switch that is known.
bool TakeSwitch(Options& o, const std::string& text) {
  const std::string_view rest = std::string_view(text).substr(1);
  if (rest == "y") o.clash = Clash::kReplace;
  else if (rest == "slt") o.is_technical = true;
  else if (rest == "so") o.to_stdout = true;
  else if (rest == "ba") o.is_bare = true;
  else if (rest == "bd" || rest == "t7z") return true;
  else if (rest.starts_with('p')) return true;   // needed by nothing that is read: what is encrypted is refused by name
  else if (rest == "bb") o.log = 1;
  else if (rest.size() == 3 && rest.starts_with("bb") && rest[2] >= '0' && rest[2] <= '3') o.log = rest[2] - '0';
  else if (rest == "r" || rest == "r-") o.is_recursive = rest == "r";
  else if (rest == "aoa") o.clash = Clash::kReplace;
  else if (rest == "aos") o.clash = Clash::kSkip;
  else if (rest == "aou") o.clash = Clash::kRenameNew;
  else if (rest == "aot") o.clash = Clash::kRenameOld;
  else if (rest.starts_with('o') && rest.size() > 1) o.directory = rest.substr(1);
  else if (rest.starts_with("i!") || rest.starts_with("x!")) (rest[0] == 'i' ? o.wanted : o.unwanted).push_back({Parts(rest.substr(2)), false});
  else if (rest.starts_with("ir!") || rest.starts_with("xr!")) (rest[0] == 'i' ? o.wanted : o.unwanted).push_back({Parts(rest.substr(3)), true});
  else return false;
  return true;
}

ExitStatus Refuse(Invocation& in, std::string_view what, std::string_view argument) {
  in.out.Flush();
  in.err.Write("\n\nCommand Line Error:\n" + std::string(what) + "\n" + (argument.empty() ? "" : std::string(argument) + "\n"));
  return kBadUsage;
}

ExitStatus Run(Invocation& in) {
  Options options;
  std::vector<std::string> operands;
  if (in.args.size() < 2 || in.args[1] == "--help" || in.args[1] == "-h") {
    in.out.Write(std::string(kBanner) + "\n" + std::string(kHelp));
    return 0;
  }
  bool has_switches = true;
  for (const std::string& text : in.args.subspan(1)) {
    if (has_switches && text == "--") has_switches = false;
    else if (!has_switches || !text.starts_with('-') || text.size() < 2) operands.push_back(text);
    else if (!TakeSwitch(options, text)) {
      in.out.Write(kBanner);
      return Refuse(in, text == "-ao" || text == "-o" ? "Too short switch:" : "Unknown switch:", text);
    }
  }
  if (!options.is_bare && !options.to_stdout) in.out.Write(kBanner);
  if (operands.empty() || operands[0].size() != 1 || std::string_view("ltxe").find(operands[0][0]) == std::string_view::npos) {
    static constexpr std::string_view kWriting[] = {"a", "d", "u", "rn"};
    if (!operands.empty() && std::find(std::begin(kWriting), std::end(kWriting), operands[0]) != std::end(kWriting)) return in.Fail("writing archives is not supported", kFatal);
    in.out.Write("\n");
    return Refuse(in, "Unsupported command:", operands.empty() ? "" : operands[0]);
  }
  if (operands.size() < 2) {
    in.out.Write("\n");
    return Refuse(in, "Cannot find archive name", "");
  }
  options.command = operands[0][0];
  options.archive = operands[1];
  for (size_t i = 2; i < operands.size(); ++i) {
    if (has_switches && operands[i].starts_with('@')) return Refuse(in, "List files are not supported:", operands[i]);
    options.wanted.push_back({Parts(operands[i]), options.is_recursive});
  }
  return Archiver(in, options).Run();
}

constexpr const char* kAliases[] = {"7za", "7zr"};

}  // namespace

extern const Command kCommand_7z;
const Command kCommand_7z = {
    .name = "7z",
    .aliases = kAliases,
    .summary = "list, test and extract 7z archives",
    .synopsis = "l|t|x|e [SWITCH]... ARCHIVE [NAME]...",
    .usage_status = 7,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
