// unzip - list, test and extract compressed files in a ZIP archive
//
// usage: unzip [-Z] [-cflptTuvz[abjnoqsCDKLX$/:]] file[.zip] [file(s) ...] [-x xfile(s) ...] [-d exdir]
//
// Exit status: 0; 1 for a warning, 2 for an error in the archive, 3 for a severe one, 9 when there is none, 10 for wrong options, 11 when
// no file matched, 12 for an archive that is a bomb, 50 when the disk is full, 81 for what cannot be unpacked, 82 for a wrong password.
// Source: Info-ZIP UnZip 6.00.
// Differs: zipinfo -v and -M are refused; names are shown as they are with -U in every locale; one archive at a time.

#include "commands/archive/unzip.h"

#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/file/backup.h"
#include "commands/file_facts.h"

namespace paddock {
namespace {

using codec::ZipEntry;
using unzip::Mode;
using unzip::Options;

constexpr ExitStatus kWarning = 1, kDamaged = 2, kSevere = 3, kNoArchive = 9, kBadUsage = 10, kNothingFound = 11, kBomb = 12, kDiskFull = 50, kUnsupported = 81, kBadPassword = 82;

constexpr std::string_view kUsage =
    "UnZip 6.00 as Paddock has it.\n\n"
    "Usage: unzip [-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]\n"
    "  Default action is to extract files in list, except those in xlist, to exdir.\n\n"
    "  -p  extract files to pipe, no messages     -l  list files (short format)\n"
    "  -f  freshen existing files, create none    -t  test compressed archive data\n"
    "  -u  update files, create if necessary      -z  display archive comment only\n"
    "  -v  list verbosely                         -T  timestamp archive to latest\n"
    "  -x  exclude files that follow (in xlist)   -d  extract files into exdir\n"
    "  -c  as -p, with names                      -Z  zipinfo: one line a file\n"
    "modifiers:\n"
    "  -n  never overwrite existing files         -q  quiet mode (-qq => quieter)\n"
    "  -o  overwrite files WITHOUT prompting      -a  convert line ends of text files\n"
    "  -j  junk paths (do not make directories)   -aa treat ALL files as text\n"
    "  -C  match filenames case-insensitively     -L  make (some) names lowercase\n"
    "  -X  restore UID/GID info                   -K  keep setuid/setgid/tacky permissions\n"
    "  -D  no times of directories (-DD: at all)  -P  password\n"
    "  -B  keep backups of replaced files         -W  ? and * do not match /\n"
    "  -:  allow names that lead outside          -^  allow control characters in names\n"
    "  -V  keep version numbers of VMS            -F  keep file types of Acorn\n"
    "  -b  treat all files as binary              -U  escape what the locale has not (nothing)\n"
    "of other systems, wrong here as on every Unix:\n"
    "  -A  -E  -J  -N  -S  -Y  -i\n"
    "with -Z, and for zipinfo:\n"
    "  -1  names only                             -2  names, with what -h, -t and -z ask for\n"
    "  -s  short lines, as ls -l has them         -m  with the compression in percent\n"
    "  -l  with the compressed size               -h  a header line\n"
    "  -t  totals                                 -z  the archive's comment\n";

class Unzipper {
 public:
  Unzipper(Invocation& in, Options& options, ZipFile& zip) : in_(in), o_(options), zip_(zip), zone_(LocalZone(in.env)) {
    has_free_hand_ = o_.always;
  }

  ExitStatus Run(unzip::Selection& selection) {
    if (zip_.HasOverlaps()) {
      Say("error: invalid zip file with overlapped components (possible zip bomb)\n");
      return kBomb;
    }
    const bool makes_files = o_.mode != Mode::kTest && o_.mode != Mode::kPipe && o_.mode != Mode::kScreen;
    if (makes_files && o_.directory && !MakeTarget(*o_.directory)) return kDamaged;
    uint64_t taken = 0;
    for (const ZipEntry& entry : zip_.directory().entries) {
      in_.budget.Step(16);
      if (!selection.Has(entry, in_.budget)) continue;
      ++taken;
      Take(entry);
      if (is_over_) break;
    }
    FinishLinks();
    FinishDirectories();
    const bool all_found = selection.Finish(in_, o_.mode == Mode::kTest ? &in_.out : &in_.err);
    if (!all_found && status_ <= kWarning) Worsen(kNothingFound);
    if (o_.mode == Mode::kTest && o_.quiet < 2) {
      const std::string count = std::to_string(taken) + (taken == 1 ? " file" : " files");
      if (status_ != 0) in_.out.Write("At least one error was detected in " + o_.archive + ".\n");
      else if (!o_.wanted.empty() || !o_.unwanted.empty()) in_.out.Write("No errors detected in " + o_.archive + " for the " + count + " tested.\n");
      else in_.out.Write("No errors detected in compressed data of " + o_.archive + ".\n");
    }
    return status_;
  }

 private:
  void Say(const std::string& text) {
    in_.out.Flush();
    (o_.mode == Mode::kTest ? in_.out : in_.err).Write(text);
  }
  void Worsen(ExitStatus status) { status_ = std::max(status_, status); }
  static std::string Padded(const std::string& name) { return name + std::string(name.size() < 22 ? 22 - name.size() : 0, ' ') + "  "; }
  // "  inflating: NAME", unless it is to be quiet.
  void Announce(const char* what, const std::string& name) {
    if (o_.quiet == 0 && o_.mode != Mode::kPipe) in_.out.Write(what + name);
  }

  void Take(const ZipEntry& entry) {
    if (codec::CoderPtr probe = ZipDecoder(entry.method, in_.budget); probe == nullptr) {
      Say("   skipping: " + Padded(entry.name) + "unsupported compression method " + std::to_string(entry.method) + "\n");
      Worsen(kUnsupported);
      return;
    }
    const uint32_t mode = entry.unix_mode().value_or(0);
    const bool is_link = (mode & 0170000) == 0120000;
    if (o_.mode == Mode::kTest || o_.mode == Mode::kPipe || o_.mode == Mode::kScreen) {
      if (entry.is_directory() && o_.mode != Mode::kTest) return;
      Stream(entry);
      return;
    }
    auto name = NameFor(entry);
    if (!name) return;
    const std::string path = o_.directory ? vfs::JoinPath(*o_.directory, *name) : *name;
    if (entry.is_directory()) {
      if (!o_.junks) MakeDirectory(entry, path, true);
      return;
    }
    // The password comes first: making room may take away what is there.
    if (!HasKey(entry)) return;
    const auto final_path = Decide(entry, path);
    if (!final_path) return;
    const size_t slash = final_path->rfind('/');
    if (slash != std::string::npos && slash > 0) {
      if (const Status made = vfs::MakeDirectories(in_.fs, final_path->substr(0, slash)); !made) {
        Say("checkdir error:  cannot create " + final_path->substr(0, slash) + "\n                 " + std::string(made.error().Text()) + "\n                 unable to process " + entry.name + ".\n");
        Worsen(kDamaged);
        return;
      }
    }
    if (is_link) Link(entry, *final_path);
    else Extract(entry, *final_path, mode);
  }

  // The directory of -d, but not what is above it.
  bool MakeTarget(std::string_view path) {
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (in_.fs.Stat(path, vfs::Follow::kYes)) return true;
    const Status made = in_.fs.MakeDirectory(path, 0777);
    if (!made) Say("checkdir:  cannot create extraction directory: " + std::string(path) + "\n           " + std::string(made.error().Text()) + "\n");
    return made.has_value();
  }

  // The path below the directory; nothing for what is left out.
  std::optional<std::string> NameFor(const ZipEntry& entry) {
    std::string name = entry.name;
    if (o_.lowers > 1 || (o_.lowers == 1 && !entry.unix_mode())) {
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    }
    if (!entry.unix_mode()) std::replace(name.begin(), name.end(), '\\', '/');
    if (o_.junks) {
      const size_t end = name.find_last_not_of('/');
      const size_t slash = end == std::string::npos ? end : name.rfind('/', end);
      if (slash != std::string::npos) name.erase(0, slash + 1);
    }
    if (!o_.allows_control) std::replace_if(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    std::string safe;
    bool is_absolute = name.starts_with('/') && !o_.allows_outside, leads_out = false;
    for (size_t at = 0; at < name.size();) {
      const size_t end = std::min(name.find('/', at), name.size());
      const std::string part = name.substr(at, end - at);
      at = end + 1;
      if (part == ".." && !o_.allows_outside) leads_out = true;
      else if (!part.empty() && part != ".") safe += (safe.empty() ? "" : "/") + part;
    }
    if (o_.allows_outside && name.starts_with('/')) safe = "/" + safe;
    if (is_absolute) Say("warning:  stripped absolute path spec from " + entry.name + "\n");
    if (leads_out) in_.out.Write("warning:  skipped \"../\" path component(s) in " + entry.name + "\n");
    if (is_absolute || leads_out) Worsen(kWarning);
    if (!safe.empty()) return safe;
    if (!entry.is_directory()) {
      Say("mapname:  conversion of " + entry.name + " failed\n");
      Worsen(kWarning);
    }
    return std::nullopt;
  }

  void MakeDirectory(const ZipEntry& entry, const std::string& path, bool announces) {
    const auto found = in_.fs.Stat(path);
    if (!found) {
      if (o_.freshens) return;
      if (const Status made = vfs::MakeDirectories(in_.fs, path); !made) {
        Say("checkdir error:  cannot create " + path + "\n                 " + std::string(made.error().Text()) + "\n                 unable to process " + entry.name + ".\n");
        Worsen(kDamaged);
        return;
      }
      if (announces) Announce("   creating: ", path + "/\n");
      directories_.push_back({path, entry});
    } else if (!found->is_directory()) {
      Say("checkdir error:  " + path + " exists but is not directory\n                 unable to process " + entry.name + ".\n");
      Worsen(kDamaged);
    }
  }

  // Where the entry goes: asks when something is there. Nothing: nowhere.
  std::optional<std::string> Decide(const ZipEntry& entry, std::string path) {
    while (true) {
      const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
      if (!found) return o_.freshens ? std::nullopt : std::optional(path);
      if (found->is_symlink() && !o_.always) in_.out.Write(path + " exists and is a symbolic link.\n");
      if (o_.freshens || o_.updates) {
        const int64_t there = ToTimePoint(found->modify_time).seconds;
        if (there >= unzip::MomentOf(entry, zone_)) return std::nullopt;
      }
      if (o_.never) return std::nullopt;
      if (has_free_hand_) break;
      Say("replace " + path + "? [y]es, [n]o, [A]ll, [N]one, [r]ename: ");
      const auto line = in_.in.ReadLine();
      if (!line) {
        Say(" NULL\n(EOF or read error, treating as \"[N]one\" ...)\n");
        o_.never = true;
        Worsen(kWarning);
        return std::nullopt;
      }
      const char answer = line->text.empty() ? '\0' : line->text[0];
      if (answer == 'A') has_free_hand_ = true;
      if (answer == 'y' || answer == 'Y' || answer == 'A') break;
      if (answer == 'N') o_.never = true;
      if (answer == 'n' || answer == 'N') return std::nullopt;
      if (answer == 'r' || answer == 'R') {
        Say("new name: ");
        const auto renamed = in_.in.ReadLine();
        if (!renamed || renamed->text.empty()) return std::nullopt;
        const std::string text(renamed->text);
        path = o_.directory && !text.starts_with('/') ? vfs::JoinPath(*o_.directory, text) : text;
        continue;
      }
      Say(std::string("error:  invalid response [") + std::string(line->text.substr(0, 1)) + "]\n");
    }
    if (o_.backs_up) {
      const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
      if (found && !found->is_directory()) static_cast<void>(in_.fs.Rename(path, path + "~"));
    } else if (const auto found = in_.fs.Stat(path, vfs::Follow::kNo); found && !found->is_directory()) {
      static_cast<void>(in_.fs.RemoveFile(path));   // not written through a symlink
    }
    return path;
  }

  // The plain bytes of an entry into `sink`. False after a complaint, which starts behind `lead`.
  bool Unpack(const ZipEntry& entry, ByteSink& sink, const std::string& name, bool is_test) {
    const auto data = zip_.DataOf(entry);
    if (!data) {
      Say("file #" + std::to_string(&entry - zip_.directory().entries.data() + 1) + ":  " + std::string(data.error().Text()) + ":  " + std::to_string(entry.offset) + "\n");
      Worsen(kSevere);
      return false;
    }
    uint64_t from = *data, packed = entry.packed;
    std::optional<codec::ZipCipher> cipher;
    if (entry.is_encrypted()) {
      cipher = Open(entry, from);
      if (!cipher) return false;
      from += 12;
      packed -= 12;
    }
    const std::unique_ptr<ByteSource> stored = zip_.StoredBytes(from, packed, cipher);
    codec::DecodingSource plain(*stored, ZipDecoder(entry.method, in_.budget), &in_.budget);
    uint32_t crc = 0;
    uint64_t size = 0;
    while (true) {
      const auto block = plain.ReadBlock(128 << 10);
      if (!block) {
        const bool is_method = block.error().code == Code::kCorrupt || block.error().code == Code::kSyntax;
        Say((is_test ? "" : std::string()) + "  error:  invalid compressed data to " + (is_method ? (entry.method == codec::kZipBzip2 ? "bunzip" : "inflate") : "read") + " " + name + "\n");
        Worsen(kDamaged);
        return false;
      }
      if (block->bytes.empty()) break;
      crc = codec::Crc32(crc, block->bytes);
      size += block->bytes.size();
      if (const Status written = sink.Write(block->bytes); !written) {
        Say("\n" + name + ":  write error (" + std::string(written.error().Text()) + ")\n");
        Worsen(kDiskFull);
        is_over_ = true;
        return false;
      }
      // What the directory says is all that may come.
      if (size > entry.size) break;
    }
    if (crc == entry.crc && size == entry.size) return true;
    char text[80];
    std::snprintf(text, sizeof text, " bad CRC %08x  (should be %08x)\n", crc, entry.crc);
    const bool has_name = o_.quiet == 0 && o_.mode != Mode::kPipe;
    Say((has_name ? "" : name + std::string(name.size() < 23 ? 23 - name.size() : 0, ' ')) + text);
    Worsen(kDamaged);
    return false;
  }

  // The cipher behind its header of twelve bytes, whose last says whether the password is the one.
  std::optional<codec::ZipCipher> Open(const ZipEntry& entry, uint64_t from) {
    if (!o_.password) {
      if (o_.quiet == 0) Say("   skipping: " + Padded(entry.name) + "unable to get password\n");
      Worsen(5);
      return std::nullopt;
    }
    codec::ZipCipher cipher(*o_.password);
    auto head = zip_.ReadAt(from, 12);
    if (head && head->size() == 12 && entry.packed >= 12) {
      cipher.Decrypt(head->data(), 12);
      const auto check = static_cast<uint8_t>((entry.flags & codec::kZipHasDescriptor) != 0 ? entry.dos_time >> 8 : entry.crc >> 24);
      if (static_cast<uint8_t>((*head)[11]) == check) return cipher;
    }
    if (o_.quiet == 0) Say("   skipping: " + Padded(entry.name) + "incorrect password\n");
    Worsen(kBadPassword);
    return std::nullopt;
  }
  bool HasKey(const ZipEntry& entry) {
    if (!entry.is_encrypted()) return true;
    const auto data = zip_.DataOf(entry);
    return data && Open(entry, *data).has_value();
  }

  static const char* Verb(const ZipEntry& entry) {
    return entry.method == codec::kZipStored ? " extracting: " : entry.method == codec::kZipBzip2 ? " bunzipping: " : "  inflating: ";
  }

  void Stream(const ZipEntry& entry) {
    if (!HasKey(entry)) return;
    if (o_.mode == Mode::kTest) {
      Announce("    testing: ", Padded(entry.name));
      NullSink nowhere;
      if (Unpack(entry, nowhere, entry.name, true)) Announce(" OK\n", "");
      return;
    }
    if (o_.mode == Mode::kScreen) Announce(Verb(entry), Padded(entry.name) + "\n");
    OutputSink out(in_.out);
    TextSink text(out);
    const bool as_text = o_.mode == Mode::kScreen && IsText(entry);
    static_cast<void>(Unpack(entry, as_text ? static_cast<ByteSink&>(text) : out, entry.name, false));
    if (o_.mode == Mode::kScreen && o_.quiet == 0) in_.out.Put('\n');
  }

  // Takes the carriage return out of line ends.
  class TextSink final : public ByteSink {
   public:
    explicit TextSink(ByteSink& to) : to_(to) {}
    Status Write(std::string_view bytes) override {
      std::string plain;
      for (const char c : bytes) {
        if (has_return_ && c != '\n') plain += '\r';
        has_return_ = c == '\r';
        if (!has_return_) plain += c;
      }
      return to_.Write(plain);
    }

   private:
    ByteSink& to_;
    bool has_return_ = false;
  };
  bool IsText(const ZipEntry& entry) const { return o_.text > 1 || (o_.text == 1 && (entry.internal & 1) != 0); }

  void Extract(const ZipEntry& entry, const std::string& path, uint32_t mode) {
    auto opened = in_.fs.Open(path, {.write = true, .create = true, .truncate = true, .no_follow = true}, 0666);
    if (!opened) {
      Say("error:  cannot create " + path + "\n        " + std::string(opened.error().Text()) + "\n");
      Worsen(opened.error().code == Code::kNoSpace || opened.error().code == Code::kQuota ? kDiskFull : kDamaged);
      return;
    }
    const bool as_text = IsText(entry);
    Announce(Verb(entry), Padded(path) + (as_text ? (entry.internal & 1) != 0 ? "[text]  " : "[binary]" : ""));
    TextSink text(**opened);
    const bool is_fine = Unpack(entry, as_text ? static_cast<ByteSink&>(text) : **opened, entry.name, false);
    opened->reset();
    if (is_fine) Announce("\n", "");
    SetAttributes(entry, path, mode);
  }

  void SetAttributes(const ZipEntry& entry, const std::string& path, uint32_t mode) {
    if (o_.keeps_owner) SetOwner(entry, path);
    const uint32_t kept = entry.unix_mode() && mode != 0 ? mode & (o_.keeps_set_id ? 07777 : 0777) : 0666 & ~in_.fs.umask();
    static_cast<void>(in_.fs.SetMode(path, kept));
    if (o_.no_times >= 2) return;
    if (const auto time = FromTimePoint({unzip::MomentOf(entry, zone_), 0})) static_cast<void>(in_.fs.SetTimes(path, time, time));
  }
  void SetOwner(const ZipEntry& entry, const std::string& path) {
    // Info-ZIP's field "ux": version, size and uid, size and gid.
    const size_t at = entry.extra.find(std::string_view("ux\x0b\0\1\4", 6));
    if (at == std::string::npos || entry.extra.size() < at + 15) return;
    const auto number = [&](size_t from) {
      uint32_t value = 0;
      for (size_t i = 4; i > 0; --i) value = value << 8 | static_cast<uint8_t>(entry.extra[from + i - 1]);
      return value;
    };
    if (!in_.fs.SetOwner(path, number(at + 6), number(at + 11))) {
      Say("warning:  cannot set UID " + std::to_string(number(at + 6)) + " and/or GID " + std::to_string(number(at + 11)) + " for " + path + "\n          Operation not permitted\n");
      Worsen(kWarning);
    }
  }

  // Links come last, so that nothing of the archive is written through one.
  void Link(const ZipEntry& entry, const std::string& path) {
    constexpr uint64_t kLongestTarget = 4096;
    if (entry.size > kLongestTarget) {
      Say("warning:  symbolic link (" + path + ") failed: name too long\n");
      Worsen(kWarning);
      return;
    }
    StringSink target;
    if (!Unpack(entry, target, entry.name, false)) return;
    if (target.text.empty() || target.text.find('\0') != std::string::npos) return;
    Announce("    linking: ", Padded(path) + "-> " + target.text + " \n");
    links_.push_back({path, target.text});
  }
  void FinishLinks() {
    if (!links_.empty() && o_.quiet == 0) in_.out.Write("finishing deferred symbolic links:\n");
    for (const auto& [path, target] : links_) {
      in_.budget.Step();
      if (o_.quiet == 0) in_.out.Write("  " + path + std::string(path.size() < 22 ? 22 - path.size() : 0, ' ') + " -> " + target + "\n");
      if (const Status made = in_.fs.MakeSymlink(target, path); !made) {
        Say("symlink error: " + std::string(made.error().Text()) + "\n");
        Worsen(kWarning);
      }
    }
  }
  void FinishDirectories() {
    for (auto it = directories_.rbegin(); it != directories_.rend(); ++it) {
      in_.budget.Step();
      const auto& [path, entry] = *it;
      if (const auto mode = entry.unix_mode(); mode && *mode != 0) static_cast<void>(in_.fs.SetMode(path, *mode & (o_.keeps_set_id ? 07777 : 0777)));
      if (o_.no_times > 0) continue;
      if (const auto time = FromTimePoint({unzip::MomentOf(entry, zone_), 0})) static_cast<void>(in_.fs.SetTimes(path, time, time));
    }
  }

  Invocation& in_;
  Options& o_;
  ZipFile& zip_;
  TimeZone zone_;
  ExitStatus status_ = 0;
  bool has_free_hand_ = false, is_over_ = false;
  std::vector<std::pair<std::string, std::string>> links_;
  std::vector<std::pair<std::string, ZipEntry>> directories_;
};

// Opens the archive by its name, or that with a suffix. Nothing after a complaint.
std::unique_ptr<ZipFile> OpenArchive(Invocation& in, Options& o, ExitStatus& status) {
  std::string name = o.archive;
  for (const char* suffix : {"", ".zip", ".ZIP"}) {
    const auto found = in.fs.Stat(o.archive + suffix);
    if (!found || found->is_directory()) continue;
    name = o.archive + suffix;
    break;
  }
  auto zip = ZipFile::Open(in.fs, name, in.budget);
  const bool is_quiet = o.quiet > 0 || o.mode == Mode::kPipe || o.mode == Mode::kInfo || o.mode == Mode::kStamp;
  Output& said = o.mode == Mode::kTest ? in.out : in.err;
  const bool is_format = !zip && (zip.error().code == Code::kSyntax || zip.error().code == Code::kCorrupt);
  if (zip || is_format) {
    if (!is_quiet) in.out.Write("Archive:  " + name + "\n");
    if (zip && !zip->get()->directory().comment.empty() && !is_quiet && o.mode != Mode::kComment) in.out.Write(unzip::CommentText((*zip)->directory().comment));
  }
  if (zip) {
    const int64_t extra = (*zip)->directory().displacement;
    in.out.Flush();
    if (extra > 0) {
      said.Write("warning [" + name + "]:  " + std::to_string(extra) + " extra bytes at beginning or within zipfile\n  (attempting to process anyway)\n");
      status = kWarning;
    } else if (extra < 0) {
      said.Write("error [" + name + "]:  missing " + std::to_string(-extra) + " bytes in zipfile\n  (attempting to process anyway)\n");
      status = kDamaged;
    }
    o.archive = name;
    return std::move(*zip);
  }
  in.out.Flush();
  if (zip.error().code == Code::kSyntax) {
    said.Write(
        "  End-of-central-directory signature not found.  Either this file is not\n  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"
        "  latter case the central directory and zipfile comment will be found on\n  the last disk(s) of this archive.\n");
    said.Write("unzip:  cannot find zipfile directory in one of " + o.archive + " or\n        " + o.archive + ".zip, and cannot find " + o.archive + ".ZIP, period.\n");
  } else if (is_format) {
    said.Write("error [" + name + "]:  " + std::string(zip.error().Text()) + "\n");
    status = kSevere;
    return nullptr;
  } else {
    said.Write("unzip:  cannot find or open " + o.archive + ", " + o.archive + ".zip or " + o.archive + ".ZIP.\n");
  }
  status = kNoArchive;
  return nullptr;
}

ExitStatus Run(Invocation& in) {
  Options options;
  if (in.args.size() == 1 || (in.args.size() == 2 && (in.args[1] == "-v" || in.args[1] == "-h" || in.args[1] == "--help" || in.args[1] == "-hh"))) {
    in.out.Write(kUsage);
    return 0;
  }
  if (!unzip::ParseArguments(in, options)) {
    in.err.Write(kUsage);
    return kBadUsage;
  }
  ExitStatus status = 0;
  const auto zip = OpenArchive(in, options, status);
  if (zip == nullptr) return status;
  unzip::Selection selection(options, in.locale.is_utf8);
  const auto listed = [&] {
    if (!selection.Finish(in, nullptr)) status = std::max(status, kNothingFound);
    return status;
  };
  const bool is_list = options.mode == Mode::kShort || options.mode == Mode::kLong;
  if (options.directory && (is_list || options.mode == Mode::kPipe || options.mode == Mode::kScreen)) in.err.Write("caution:  not extracting; -d ignored\n");
  switch (options.mode) {
    case Mode::kShort:
    case Mode::kLong:
      unzip::ListEntries(in, options, *zip, selection);
      return listed();
    case Mode::kInfo:
      unzip::ShowInfo(in, options, *zip, selection, options.archive);
      return listed();
    case Mode::kComment:
      if (!zip->directory().comment.empty()) in.out.Write(unzip::CommentText(zip->directory().comment));
      return status;
    case Mode::kStamp: {
      int64_t latest = 0;
      const TimeZone zone = LocalZone(in.env);
      for (const ZipEntry& entry : zip->directory().entries) latest = std::max(latest, unzip::MomentOf(entry, zone));
      if (const auto time = FromTimePoint({latest, 0})) static_cast<void>(in.fs.SetTimes(options.archive, time, time));
      if (options.quiet == 0) in.out.Write("Updated time stamp for " + options.archive + ".\n");
      return status;
    }
    default: return std::max(status, Unzipper(in, options, *zip).Run(selection));
  }
}

constexpr const char* kAliases[] = {"zipinfo"};

}  // namespace

extern const Command kCommand_unzip;
const Command kCommand_unzip = {
    .name = "unzip",
    .aliases = kAliases,
    .summary = "list, test and extract compressed files in a ZIP archive",
    .synopsis = "[-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]",
    .usage_status = 10,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
