// zip -F and -FF: a new archive of what an old one still has.

#include <map>

#include "base/budget.h"
#include "commands/archive/zip.h"

namespace paddock::zip {
namespace {

constexpr size_t kLocalSize = 30, kRecordSize = 46, kEndSize = 22, kPiece = 256 << 10;
constexpr std::string_view kLocal = "PK\3\4", kRecord = "PK\1\2", kEnd = "PK\5\6";

uint64_t Number(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[at + i - 1]);
  return value;
}

class Fixer {
 public:
  Fixer(Invocation& in, const Options& options) : in_(in), o_(options) {}

  ExitStatus Run() {
    if (!o_.output) {
      in_.out.Write("\tzip warning: fix options -F and -FF require --out:\n                     zip -F indamagedarchive --out outfixedarchive\n");
      return Fail("Invalid command arguments (fix options require --out)", kBadUsage, true);
    }
    name_ = o_.operands.empty() || o_.operands[0] == "-" ? std::string() : WithEnd(o_.operands[0]);
    if (name_.empty()) return Fail("Invalid command arguments (can't use -F or -FF on stdin)", kBadUsage, true);
    Say(o_.scans ? "Fix archive (-FF) - salvage what can\n" : "Fix archive (-F) - assume mostly intact archive\n");
    out_name_ = WithEnd(*o_.output);
    draft_ = out_name_ + ".tmp";
    const ExitStatus status = o_.scans ? Salvage() : Copy();
    if (file_) {
      file_.reset();
      Status done;
      if (status == 0) done = in_.fs.Rename(draft_, out_name_);
      if (status != 0 || !done) static_cast<void>(in_.fs.RemoveFile(draft_));
      if (!done) return Fail("Could not create output file (" + out_name_ + ")", kCannotCreate, true);
    }
    return status;
  }

 private:
  static std::string WithEnd(const std::string& name) { return vfs::BaseName(name).find('.') == std::string::npos ? name + ".zip" : name; }
  void Say(const std::string& text) {
    if (!o_.quiet) in_.out.Write(text);
  }
  ExitStatus Fail(const std::string& message, ExitStatus status, bool is_apart) {
    in_.out.Write((is_apart ? "\nzip error: " : "zip error: ") + message + "\n");
    return status;
  }

  bool Create() {
    auto file = in_.fs.Open(draft_, {.read = true, .write = true, .create = true, .truncate = true});
    if (file) file_ = *file;
    return file_ != nullptr;
  }

  // -F: the directory is right, if not where it says.
  ExitStatus Copy() {
    auto old = ZipFile::Open(in_.fs, name_, in_.budget);
    if (!old && old.error().code == Code::kNoEntry) {
      in_.out.Write("\tzip warning: No .zip file found\n        (If all you have are splits (.z01, .z02, ...) and no .zip, try -FF)\nzip I/O error: No such file or directory\n");
      return Fail("File not found or no read permission (" + name_ + ")", kUnreadable, false);
    }
    if (!old) {
      in_.out.Write(
          "\tzip warning: bad archive - missing end signature\n\tzip warning: (If downloaded, was binary mode used?  If not, the\n"
          "\tzip warning:  archive may be scrambled and not recoverable)\n\tzip warning: Can't use -F to fix (try -FF)\n");
      return Fail("Zip file structure invalid (" + name_ + ")", kFormat, true);
    }
    const int64_t off = (*old)->directory().displacement;
    Say(off == 0 ? "Zip entry offsets do not need adjusting\n" : "Zip entry offsets appear off by " + std::to_string(off) + " bytes - correcting...\n");
    if (!Create()) return Fail("Could not create output file (" + out_name_ + ")", kCannotCreate, true);
    ZipWriter writer(in_, file_, nullptr);
    for (const ZipEntry& entry : (*old)->directory().entries) {
      in_.budget.Step(8);
      Say(" copying: " + entry.name + "\n");
      if (const Status copied = writer.Copy(**old, entry); !copied) {
        if (copied.error().code != Code::kCorrupt) return Fail("Output file write failure (" + draft_ + ")", kCannotWrite, true);
        in_.out.Write("\tzip warning: error reading local header\n");
        return Fail("Zip file structure invalid (" + name_ + ")", kFormat, true);
      }
    }
    if (!writer.Finish((*old)->directory().comment)) return Fail("Output file write failure (" + draft_ + ")", kCannotWrite, true);
    return 0;
  }

  // A piece of the old archive, kept for the next look.
  std::string_view At(uint64_t at, size_t size) {
    if (at < window_at_ || at + size > window_at_ + window_.size()) {
      window_.clear();
      window_at_ = at;
      while (window_.size() < std::max(size, kPiece) && old_->Seek(static_cast<int64_t>(at + window_.size()), vfs::Whence::kStart)) {
        const auto block = old_->ReadBlock(kPiece);
        if (!block || block->bytes.empty()) break;
        in_.budget.Step(static_cast<int64_t>(block->bytes.size() / 64 + 1));
        window_ += block->bytes;
      }
    }
    return std::string_view(window_).substr(static_cast<size_t>(at - window_at_), size);
  }

  // -FF: everything that looks like a member.
  ExitStatus Salvage() {
    auto old = in_.fs.Open(name_, vfs::OpenFlags::Read());
    const auto attributes = old ? (*old)->GetAttributes() : Result<vfs::Attributes>(old.error());
    if (!attributes || !attributes->is_file()) {
      in_.out.Write("\tzip warning: could not open input archive: " + name_ + "\n");
      return Fail("File not found or no read permission (" + name_ + ")", kUnreadable, true);
    }
    old_ = *old;
    size_ = attributes->size;
    if (const ExitStatus status = FindEnd(); status != 0) return status;
    Say("Scanning for entries...\n");
    if (!Create()) return Fail("Could not create output file (" + out_name_ + ")", kCannotCreate, true);
    for (uint64_t at = 0; at + kEndSize <= size_;) {
      const std::string_view look = At(at, 4);
      if (look == kLocal) {
        const auto next = TakeMember(at);
        if (!next) return Fail("Output file write failure (" + draft_ + ")", kCannotWrite, true);
        at = *next;
      } else if (look == kRecord) {
        at = TakeRecord(at);
      } else if (look == kEnd) {
        Say("EOCDR found ( 1 " + Padded(at) + ")...\n");
        comment_ = std::string(At(at + kEndSize, static_cast<size_t>(Number(At(at, kEndSize), 20, 2))));
        at += kEndSize;
      } else {
        in_.budget.Step();
        at = NextSign(at + 1);
      }
    }
    if (entries_.empty()) {
      in_.out.Write("\tzip warning: no entries found\n");
      return Fail("Zip file structure invalid (" + name_ + ")", kFormat, true);
    }
    return Finish() ? 0 : Fail("Output file write failure (" + draft_ + ")", kCannotWrite, true);
  }

  static std::string Padded(uint64_t number) {
    const std::string text = std::to_string(number);
    return std::string(text.size() < 6 ? 6 - text.size() : 0, ' ') + text;
  }

  ExitStatus FindEnd() {
    const uint64_t from = size_ > kEndSize + 0xffff ? size_ - kEndSize - 0xffff : 0;
    std::string tail(At(from, static_cast<size_t>(size_ - from)));
    if (tail.rfind(kEnd) != std::string::npos && tail.rfind(kEnd) + kEndSize <= tail.size()) {
      Say(" Found end record (EOCDR) - says expect single disk archive\n");
      return 0;
    }
    if (o_.quiet) return 0;
    in_.out.Write("\tzip warning: Missing end (EOCDR) signature - either this archive\n                     is not readable or the end is damaged\nIs this a single-disk archive?  (y/n): ");
    in_.out.Flush();
    const auto answer = in_.in.ReadLine();
    if (answer && !answer->text.empty() && (answer->text[0] | 0x20) == 'y') {
      in_.out.Write("  Assuming single-disk archive\n");
      return 0;
    }
    in_.out.Write("\n");
    return Fail("Invalid command arguments (split archives are not supported)", kBadUsage, true);
  }

  // Where the next 'P' is, or the end.
  uint64_t NextSign(uint64_t at) {
    while (at < size_) {
      const std::string_view rest = At(at, 1);
      if (rest.empty()) return size_;
      const std::string_view window = std::string_view(window_).substr(static_cast<size_t>(at - window_at_));
      const size_t found = window.find("PK");
      if (found != std::string_view::npos) return at + found;
      at += window.size() > 1 ? window.size() - 1 : 1;
    }
    return size_;
  }

  // Nothing when it cannot be written; else where to go on.
  std::optional<uint64_t> TakeMember(uint64_t at) {
    const std::string head(At(at, kLocalSize));
    if (head.size() < kLocalSize) return size_;
    ZipEntry entry;
    entry.needed = static_cast<uint16_t>(Number(head, 4, 2));
    entry.flags = static_cast<uint16_t>(Number(head, 6, 2));
    entry.method = static_cast<uint16_t>(Number(head, 8, 2));
    entry.dos_time = static_cast<uint16_t>(Number(head, 10, 2));
    entry.dos_date = static_cast<uint16_t>(Number(head, 12, 2));
    entry.crc = static_cast<uint32_t>(Number(head, 14, 4));
    entry.packed = Number(head, 18, 4);
    entry.size = Number(head, 22, 4);
    entry.version = 0;
    entry.host = 0;
    const auto name_size = static_cast<size_t>(Number(head, 26, 2)), extra_size = static_cast<size_t>(Number(head, 28, 2));
    entry.name = std::string(At(at + kLocalSize, name_size));
    const uint64_t data = at + kLocalSize + name_size + extra_size;
    uint64_t end = data + entry.packed;
    if ((entry.flags & codec::kZipHasDescriptor) != 0) {
      const auto descriptor = FindDescriptor(data);
      if (!descriptor) {
        in_.out.Write("\tzip warning: no end of the data found:  " + entry.name + "\n");
        return NextSign(at + 4);
      }
      const std::string_view numbers = At(*descriptor, 16);
      entry.crc = static_cast<uint32_t>(Number(numbers, 4, 4));
      entry.packed = Number(numbers, 8, 4);
      entry.size = Number(numbers, 12, 4);
      end = *descriptor + 16;
    }
    if (entry.name.size() < name_size || end > size_) {
      in_.out.Write("\tzip warning: error reading entry:  " + entry.name + "\n\tzip warning: skipping this entry...\n");
      return NextSign(at + 4);
    }
    Say(" copying: " + entry.name + "  (" + std::to_string(entry.packed) + " bytes)\n");
    entry.offset = written_;
    by_name_[entry.name] = entries_.size();
    entries_.push_back(std::move(entry));
    for (uint64_t from = at; from < end;) {
      const std::string_view bytes = At(from, static_cast<size_t>(std::min<uint64_t>(end - from, kPiece)));
      if (bytes.empty() || !file_->Write(bytes)) return std::nullopt;
      from += bytes.size();
      written_ += bytes.size();
    }
    return end;
  }

  // By its sign, and by the size in it.
  std::optional<uint64_t> FindDescriptor(uint64_t data) {
    for (uint64_t at = NextSign(data); at + 16 <= size_; at = NextSign(at + 2)) {
      in_.budget.Step();
      const std::string_view numbers = At(at, 16);
      if (numbers.size() == 16 && numbers.substr(0, 4) == "PK\7\10" && Number(numbers, 8, 4) == at - data) return at;
    }
    return std::nullopt;
  }

  // What the directory knows besides: the mode, the comment.
  uint64_t TakeRecord(uint64_t at) {
    if (!has_directory_) Say("Central Directory found...\n");
    has_directory_ = true;
    const std::string head(At(at, kRecordSize));
    if (head.size() < kRecordSize) return size_;
    const auto name_size = static_cast<size_t>(Number(head, 28, 2)), extra_size = static_cast<size_t>(Number(head, 30, 2)), comment_size = static_cast<size_t>(Number(head, 32, 2));
    const std::string rest(At(at + kRecordSize, name_size + extra_size + comment_size));
    if (rest.size() < name_size + extra_size + comment_size) {
      in_.out.Write("\tzip warning: error reading entry:  Invalid argument\n\tzip warning: skipping this entry...\n");
      return size_;
    }
    const std::string name = rest.substr(0, name_size);
    const auto place = by_name_.find(name);
    if (place == by_name_.end()) {
      in_.out.Write("no local entry: " + name + "\n");
    } else {
      ZipEntry* const found = &entries_[place->second];
      found->version = static_cast<uint8_t>(head[4]);
      found->host = static_cast<uint8_t>(head[5]);
      found->internal = static_cast<uint16_t>(Number(head, 36, 2));
      found->external = static_cast<uint32_t>(Number(head, 38, 4));
      found->extra = rest.substr(name_size, extra_size);
      found->comment = rest.substr(name_size + extra_size);
    }
    return at + kRecordSize + rest.size();
  }

  bool Finish() {
    const uint64_t start = written_;
    for (const ZipEntry& entry : entries_) {
      in_.budget.Step(4);
      const std::string record = codec::EncodeZipRecord(entry);
      if (!file_->Write(record)) return false;
      written_ += record.size();
    }
    return file_->Write(codec::EncodeZipEnd(entries_.size(), start, written_ - start, comment_)).has_value();
  }

  Invocation& in_;
  const Options& o_;
  std::string name_, out_name_, draft_, comment_;
  vfs::OpenFilePtr old_, file_;
  uint64_t size_ = 0, written_ = 0, window_at_ = 0;
  std::string window_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, size_t, std::less<>> by_name_;
  bool has_directory_ = false;
};

}  // namespace

ExitStatus Fix(Invocation& in, const Options& options) { return Fixer(in, options).Run(); }

}  // namespace paddock::zip
