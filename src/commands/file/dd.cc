// dd - copy a file block by block, converting it on the way
//
// usage: dd [OPERAND]...
//
// Exit status: 0, or 1 when something could not be read, written or understood.
// Source: POSIX dd, GNU coreutils 9.1.
// Differs: the flags that speak to a disk or its cache (direct, dsync, sync, nocache, noatime) find nothing to change in memory.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands/file/dd_settings.h"
#include "commands/file/dd_table.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

// "3.0 kB", "2.9 MiB": rounded to nearest, one decimal below ten.
std::string ShownSize(double value, double base, bool at_least_one_unit) {
  static constexpr const char* kSi[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
  static constexpr const char* kIec[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  int power = 0;
  while (power < 8 && (value >= base - (power == 0 ? 0 : 0.5) || (power == 0 && at_least_one_unit))) value /= base, ++power;
  char text[40];
  std::snprintf(text, sizeof text, power > 0 && value < 9.95 ? "%.1f %s" : "%.0f %s", value, (base == 1000 ? kSi : kIec)[power]);
  return text;
}

class Copy {
 public:
  Copy(Invocation& in, DdSettings& settings) : in_(in), s_(settings) {}

  ExitStatus Run() {
    for (const auto& [size, name] : {std::pair(s_.input_block, "input"), std::pair(s_.output_block, "output")}) {
      if (size <= in_.budget.limits().memory_bytes) continue;
      return in_.Fail("memory exhausted by " + std::string(name) + " buffer of size " + std::to_string(size) + " bytes (" +
                      ShownSize(static_cast<double>(size), 1024, false) + ")");
    }
    if (!OpenInput() || !OpenOutput()) return 1;
    in_.process.set_disposition(proc::kSigUsr1, proc::Process::Disposition::kCatch);
    if (in_.process.disposition(proc::kSigInt) != proc::Process::Disposition::kIgnore) {
      in_.process.set_disposition(proc::kSigInt, proc::Process::Disposition::kCatch);
    }
    start_ = last_progress_ = in_.clock.MonotonicNow();
    MakeTable();
    status_ = 0;
    if (Skip() && Seek()) CopyBlocks();
    else status_ = 1;
    if (s_.count && s_.count->number == 0) DropCaches();
    if (!Close()) return 1;
    Report();
    return in_.err.status() ? status_ : 1;
  }

 private:
  std::string Shown(std::string_view name) const { return QuoteFile(name, in_.locale.is_utf8); }
  std::string Subject(const std::optional<std::string>& name, const char* standard) const {
    return QuoteSubject(name ? *name : standard, in_.locale.is_utf8);
  }
  std::string InputSubject() const { return Subject(s_.input, "standard input"); }
  std::string OutputSubject() const { return Subject(s_.output, "standard output"); }
  std::string InputName() const { return s_.input.value_or("standard input"); }
  std::string OutputName() const { return s_.output.value_or("standard output"); }
  bool Fail(const std::string& what, const Error& error) {
    in_.Fail(what, error);
    return false;
  }

  bool OpenInput() {
    const auto flag = [this](uint32_t bit) { return (s_.input_flags & bit) != 0; };
    if (s_.input) {
      vfs::OpenFlags flags = vfs::OpenFlags::Read();
      flags.directory = flag(DdSettings::kDirectory);
      flags.no_follow = flag(DdSettings::kNoFollow);
      flags.nonblocking = flag(DdSettings::kNonblock);
      auto opened = in_.fs.Open(*s_.input, flags);
      if (!opened && flags.directory && opened.error().code == Code::kIsDirectory) {
        return Fail("error reading " + Shown(*s_.input), opened.error());
      }
      if (!opened) return Fail("failed to open " + Shown(*s_.input), opened.error());
      input_ = std::move(*opened);
    } else {
      input_ = in_.process.descriptors().Get(0);
    }
    if (input_) {
      if (const auto found = input_->GetAttributes()) input_attributes_ = *found;
    }
    if (!s_.input && flag(DdSettings::kDirectory) && !input_attributes_.is_directory()) {
      return Fail("setting flags for 'standard input'", Code::kNotDirectory);
    }
    return true;
  }

  uint64_t SeekBytes() const { return Bytes(s_.seek, s_.output_block); }
  static uint64_t Bytes(const DdCount& count, uint64_t block) {
    uint64_t bytes = count.number;
    if (!count.is_bytes && __builtin_mul_overflow(count.number, block, &bytes)) return UINT64_MAX;
    return bytes;
  }

  bool OpenOutput() {
    const auto flag = [this](uint32_t bit) { return (s_.output_flags & bit) != 0; };
    if (!s_.output) {
      output_ = in_.process.descriptors().Get(1);
      if (flag(DdSettings::kDirectory)) return Fail("setting flags for 'standard output'", Code::kNotDirectory);
      return true;
    }
    const bool cuts = !s_.has(DdSettings::kNoTruncate);
    if (cuts && SeekBytes() > INT64_MAX) {
      in_.Fail("offset too large: cannot truncate to a length of seek=" + std::to_string(s_.seek.number) + " (" +
               std::to_string(s_.output_block) + "-byte) blocks");
      return false;
    }
    if (flag(DdSettings::kDirectory) && !s_.has(DdSettings::kNoCreate)) {
      return Fail("failed to open " + Shown(*s_.output), Code::kInvalid);
    }
    vfs::OpenFlags flags{.write = true};
    flags.append = flag(DdSettings::kAppend);
    flags.create = !s_.has(DdSettings::kNoCreate);
    flags.exclusive = s_.has(DdSettings::kExclusive);
    flags.truncate = cuts && SeekBytes() == 0;
    flags.directory = flag(DdSettings::kDirectory);
    flags.no_follow = flag(DdSettings::kNoFollow);
    flags.nonblocking = flag(DdSettings::kNonblock);
    auto opened = in_.fs.Open(*s_.output, flags);
    if (!opened) return Fail("failed to open " + Shown(*s_.output), opened.error());
    output_ = std::move(*opened);
    if (cuts && SeekBytes() > 0) {
      const auto found = output_->GetAttributes();
      const Status cut = output_->Truncate(SeekBytes());
      if (!cut && found && found->is_file()) {
        return Fail("failed to truncate to " + std::to_string(SeekBytes()) + " bytes in output file " + Shown(*s_.output), cut.error());
      }
    }
    return true;
  }

  void MakeTable() {
    for (size_t i = 0; i < 256; ++i) table_[i] = static_cast<unsigned char>(i);
    const auto translate = [this](const ByteTable& by) {
      for (unsigned char& byte : table_) byte = by[byte];
    };
    if (s_.has(DdSettings::kAscii)) translate(kEbcdicToAscii);
    for (unsigned char& byte : table_) {
      if (s_.has(DdSettings::kUpper) && byte >= 'a' && byte <= 'z') byte = static_cast<unsigned char>(byte - 32);
      if (s_.has(DdSettings::kLower) && byte >= 'A' && byte <= 'Z') byte = static_cast<unsigned char>(byte + 32);
    }
    if (s_.has(DdSettings::kEbcdic) || s_.has(DdSettings::kIbm)) {
      translate(s_.has(DdSettings::kEbcdic) ? kAsciiToEbcdic : kAsciiToIbm);
      newline_ = static_cast<char>(kAsciiToEbcdic['\n']);
      space_ = static_cast<char>(kAsciiToEbcdic[' ']);
    }
    is_translated_ = s_.has(DdSettings::kAscii) || s_.has(DdSettings::kEbcdic) || s_.has(DdSettings::kIbm) ||
                     s_.has(DdSettings::kUpper) || s_.has(DdSettings::kLower);
  }

  // --- the two ends ---------------------------------------------------------------------------------------------

  // One read(2) of at most `size` bytes into block_. False on error.
  bool Read(uint64_t size) {
    block_.clear();
    view_ = {};
    if (!input_) {
      error_ = Code::kBadDescriptor;
      return false;
    }
    const bool fills = input_attributes_.type == vfs::FileType::kFile || input_attributes_.type == vfs::FileType::kCharDevice;
    const bool repeats = (fills && !input_->is_terminal()) || (s_.input_flags & DdSettings::kFullBlock) != 0;
    while (true) {
      LookAtSignals();
      const uint64_t left = size - block_.size();
      if (left == 0) break;
      auto piece = input_->ReadBlock(left);
      if (!piece && piece.error().code == Code::kInterrupted) continue;
      if (!piece) {
        error_ = piece.error();
        if (block_.empty()) return false;
        break;
      }
      if (piece->bytes.empty()) break;
      in_.budget.Step(static_cast<int64_t>(piece->bytes.size() / 64) + 1);
      if (block_.empty() && (piece->bytes.size() == size || !repeats)) {
        held_ = std::move(*piece);
        view_ = held_.bytes;
        return true;
      }
      in_.budget.WillAllocate(piece->bytes.size());
      block_ += piece->bytes;
      if (!repeats) break;
    }
    view_ = block_;
    return true;
  }

  bool Skip() {
    uint64_t left = Bytes(s_.skip, s_.input_block);
    if (left == 0) return true;
    const bool is_overflow = left > INT64_MAX;
    if (input_ && input_attributes_.is_file()) {
      if (is_overflow) return Fail(InputSubject() + ": cannot skip", Code::kOverflow);
      const auto here = input_->Seek(0, vfs::Whence::kCurrent);
      if (here) {
        const uint64_t rest = input_attributes_.size > *here ? input_attributes_.size - *here : 0;
        if (left > rest && s_.report != DdSettings::Report::kNone) in_.Fail(InputSubject() + ": cannot skip to specified offset");
        (void)input_->Seek(static_cast<int64_t>(std::min(left, rest)), vfs::Whence::kCurrent);
        return true;
      }
    }
    if (input_ && input_attributes_.type == vfs::FileType::kCharDevice && !input_->is_terminal()) return true;
    // A read of whatever size counts as a block, but one that brings less than that is complained about.
    uint64_t missing = left;
    uint64_t blocks = s_.skip.is_bytes ? s_.skip.number / s_.input_block : s_.skip.number;
    uint64_t rest = s_.skip.is_bytes ? s_.skip.number % s_.input_block : 0;
    while (blocks > 0 || rest > 0) {
      in_.budget.Step();
      if (!Read(blocks > 0 ? s_.input_block : rest)) {
        if (!s_.has(DdSettings::kNoError)) return Fail("error reading " + Shown(InputName()), error_);
        in_.Fail("error reading " + Shown(InputName()), error_);
        return false;
      }
      if (view_.empty()) break;
      missing -= std::min<uint64_t>(missing, view_.size());
      if (blocks > 0) --blocks;
      else rest = 0;
    }
    if (missing > 0 && s_.report != DdSettings::Report::kNone) in_.Fail(InputSubject() + ": cannot skip to specified offset");
    return true;
  }

  bool Seek() {
    const uint64_t bytes = SeekBytes();
    if (bytes == 0) return true;
    if (bytes > INT64_MAX) return Fail(OutputSubject() + ": cannot seek", Code::kOverflow);
    if (!output_) return Fail(OutputSubject() + ": cannot seek", Code::kBadDescriptor);
    const auto found = output_->GetAttributes();
    if (found && found->type == vfs::FileType::kCharDevice) return true;
    if (const auto moved = output_->Seek(static_cast<int64_t>(bytes), vfs::Whence::kCurrent); !moved) {
      return Fail(OutputSubject() + ": cannot seek", moved.error());
    }
    return true;
  }

  // Writes one output block. False after a complaint.
  bool WriteBlock(std::string_view bytes) {
    if (bytes.empty()) return true;
    in_.budget.Step(static_cast<int64_t>(bytes.size() / 64) + 1);
    Status written;
    ends_in_hole_ = false;
    if (s_.has(DdSettings::kSparse) && output_ && bytes.find_first_not_of('\0') == std::string_view::npos &&
        output_->Seek(static_cast<int64_t>(bytes.size()), vfs::Whence::kCurrent)) {
      ends_in_hole_ = true;
    } else {
      // Standard output has no descriptor of its own that could be opened for appending.
      if (!s_.output && output_ && (s_.output_flags & DdSettings::kAppend) != 0) (void)output_->Seek(0, vfs::Whence::kEnd);
      written = s_.output ? output_->Write(bytes) : in_.process.Write(1, bytes);
    }
    if (!written) {
      status_ = 1;
      return Fail("error writing " + Shown(OutputName()), written.error());
    }
    written_bytes_ += bytes.size();
    ++(bytes.size() == s_.output_block ? full_out_ : partial_out_);
    return true;
  }

  // Collects output into blocks.
  bool Emit(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t room = s_.output_block - pending_.size();
      if (pending_.empty() && bytes.size() >= room) {
        if (!WriteBlock(bytes.substr(0, room))) return false;
        bytes.remove_prefix(room);
        continue;
      }
      const std::string_view part = bytes.substr(0, room);
      pending_ += part;
      bytes.remove_prefix(part.size());
      if (pending_.size() == s_.output_block) {
        const bool ok = WriteBlock(pending_);
        pending_.clear();
        if (!ok) return false;
      }
    }
    return true;
  }

  // --- conversion ----------------------------------------------------------------------------------------------

  void Swap(std::string& bytes) {
    if (odd_) bytes.insert(bytes.begin(), *odd_);
    odd_.reset();
    if (bytes.size() % 2 == 1) {
      odd_ = bytes.back();
      bytes.pop_back();
    }
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
  }

  bool Convert(std::string_view bytes) {
    if (!is_translated_ && !s_.has(DdSettings::kSwab)) return Arrange(bytes);
    std::string changed(bytes);
    if (is_translated_) {
      for (char& c : changed) c = static_cast<char>(table_[static_cast<unsigned char>(c)]);
    }
    if (s_.has(DdSettings::kSwab)) Swap(changed);
    return Arrange(changed);
  }

  bool Arrange(std::string_view bytes) {
    if (s_.has(DdSettings::kBlock)) return Block(bytes);
    if (s_.has(DdSettings::kUnblock)) return Unblock(bytes);
    return Emit(bytes);
  }

  // Pads with blanks to the end of the record.
  bool Pad() {
    uint64_t left = column_ < s_.record ? s_.record - column_ : 0;
    std::string spaces(std::min<uint64_t>(left, 4096), space_);
    while (left > 0) {
      in_.budget.Step();
      const std::string_view part = std::string_view(spaces).substr(0, left);
      if (!Emit(part)) return false;
      left -= part.size();
    }
    return true;
  }

  bool Block(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t end = bytes.find(newline_);
      const std::string_view text = bytes.substr(0, end);
      if (column_ < s_.record && !Emit(text.substr(0, s_.record - column_))) return false;
      if (!text.empty()) {
        if (column_ <= s_.record && column_ + text.size() > s_.record) ++truncated_;
        column_ += text.size();
      }
      if (end == std::string_view::npos) return true;
      if (!Pad()) return false;
      column_ = 0;
      bytes.remove_prefix(end + 1);
    }
    return true;
  }

  bool Unblock(std::string_view bytes) {
    for (const char c : bytes) {
      if (column_++ >= s_.record) {
        column_ = 1;
        spaces_ = 0;
        if (!Emit(std::string_view(&newline_, 1))) return false;
      }
      if (c == space_) {
        ++spaces_;
        continue;
      }
      for (; spaces_ > 0; --spaces_) {
        if (!Emit(std::string_view(&space_, 1))) return false;
      }
      if (!Emit(std::string_view(&c, 1))) return false;
    }
    return true;
  }

  // --- the loop ------------------------------------------------------------------------------------------------

  void CopyBlocks() {
    uint64_t blocks = 0;
    uint64_t bytes_left = 0;
    const bool has_count = s_.count.has_value();
    if (has_count) {
      blocks = s_.count->is_bytes ? s_.count->number / s_.input_block : s_.count->number;
      bytes_left = s_.count->is_bytes ? s_.count->number % s_.input_block : 0;
    }
    while (true) {
      in_.budget.Step();
      LookAtSignals();
      ShowProgress();
      const uint64_t done = full_in_ + partial_in_;
      if (has_count && done >= blocks + (bytes_left > 0 ? 1 : 0)) break;
      if (!Read(has_count && done >= blocks ? bytes_left : s_.input_block)) {
        in_.Fail("error reading " + Shown(InputName()), error_);
        status_ = 1;
        if (!s_.has(DdSettings::kNoError)) break;
        Report();
        continue;
      }
      if (view_.empty()) break;
      if (!HandleBlock()) return;
    }
    Finish();
  }

  bool HandleBlock() {
    std::string_view bytes = view_;
    std::string padded;
    if (bytes.size() < s_.input_block) {
      ++partial_in_;
      if (s_.has(DdSettings::kSync)) {
        in_.budget.WillAllocate(s_.input_block);
        padded = bytes;
        padded.resize(s_.input_block, s_.has(DdSettings::kBlock) || s_.has(DdSettings::kUnblock) ? ' ' : '\0');
        bytes = padded;
      }
    } else {
      ++full_in_;
    }
    if (s_.has(DdSettings::kTwoBuffers)) return Convert(bytes);
    return WriteBlock(bytes);
  }

  // What close(2) would say of descriptors that were never open.
  bool Close() {
    if (!input_) return Fail("closing input file 'standard input'", Code::kBadDescriptor);
    return output_ ? true : Fail("closing output file 'standard output'", Code::kBadDescriptor);
  }

  // Only files can be told to reach the disk.
  void Synchronize() {
    if (!output_ || !(s_.has(DdSettings::kDataSync) || s_.has(DdSettings::kFileSync))) return;
    const auto found = output_->GetAttributes();
    if (found && (found->is_file() || found->is_directory())) return;
    status_ = 1;
    Fail("fsync failed for " + Shown(OutputName()), Code::kInvalid);
  }

  void Finish() {
    if (odd_) {
      const char last = *odd_;
      odd_.reset();
      if (!Arrange(std::string_view(&last, 1))) return;
    }
    if (s_.has(DdSettings::kBlock) && column_ > 0 && !Pad()) return;
    if (s_.has(DdSettings::kUnblock) && column_ > 0 && !Emit(std::string_view(&newline_, 1))) return;
    if (!WriteBlock(pending_)) return;
    Synchronize();
    if (!ends_in_hole_) return;
    const auto here = output_->Seek(0, vfs::Whence::kCurrent);
    const auto found = output_->GetAttributes();
    if (here && found && found->is_file() && found->size < *here) {
      if (const Status cut = output_->Truncate(*here); !cut) {
        status_ = 1;
        Fail("failed to truncate to " + std::to_string(*here) + " bytes in output file " + Shown(OutputName()), cut.error());
      }
    }
  }

  // --- reports -------------------------------------------------------------------------------------------------

  // count=0 with nocache only drops what is cached, which a pipe has none of.
  void DropCaches() {
    const auto is_pipe = [](const vfs::OpenFilePtr& file) {
      const auto found = file == nullptr ? Result<vfs::Attributes>(Code::kBadDescriptor) : file->GetAttributes();
      return found && found->type == vfs::FileType::kFifo;
    };
    if ((s_.input_flags & DdSettings::kNoCache) != 0 && is_pipe(input_)) {
      in_.Fail("failed to discard cache for: " + Shown(InputName()), Code::kIllegalSeek);
      status_ = 1;
    }
    if ((s_.output_flags & DdSettings::kNoCache) != 0 && is_pipe(output_)) {
      in_.Fail("failed to discard cache for: " + Shown(OutputName()), Code::kIllegalSeek);
      status_ = 1;
    }
  }

  void LookAtSignals() {
    if (!in_.process.HasCaught()) return;
    while (const int signal = in_.process.TakeCaught()) {
      Report();
      if (signal != proc::kSigInt) continue;
      in_.process.set_disposition(signal, proc::Process::Disposition::kDefault);
      in_.process.Raise(signal);
      in_.process.Poll();
    }
  }

  std::string TransferText(bool is_progress) const {
    const double seconds = std::chrono::duration<double>(in_.clock.MonotonicNow() - start_).count();
    const auto bytes = static_cast<double>(written_bytes_);
    std::string text = std::to_string(written_bytes_) + (written_bytes_ == 1 ? " byte" : " bytes");
    if (written_bytes_ >= 1000) {
      text += " (" + ShownSize(bytes, 1000, false);
      if (written_bytes_ >= 1024) text += ", " + ShownSize(bytes, 1024, false);
      text += ")";
    }
    char time[48];
    std::snprintf(time, sizeof time, is_progress ? " copied, %.0f s, " : " copied, %g s, ", seconds);
    return text + time + (seconds > 0 ? ShownSize(bytes / seconds, 1000, true) : "Infinity B") + "/s";
  }

  void ShowProgress() {
    if (s_.report != DdSettings::Report::kProgress) return;
    const Nanoseconds now = in_.clock.MonotonicNow();
    if (now - last_progress_ < std::chrono::seconds(1)) return;
    last_progress_ = now;
    is_in_progress_ = true;
    in_.err.Write("\r" + TransferText(true));
  }

  void Report() {
    if (s_.report == DdSettings::Report::kNone) return;
    std::string text = is_in_progress_ ? "\n" : "";
    is_in_progress_ = false;
    text += std::to_string(full_in_) + "+" + std::to_string(partial_in_) + " records in\n" + std::to_string(full_out_) + "+" +
            std::to_string(partial_out_) + " records out\n";
    if (truncated_ > 0) text += std::to_string(truncated_) + (truncated_ == 1 ? " truncated record\n" : " truncated records\n");
    if (s_.report != DdSettings::Report::kNoTransfer) text += TransferText(false) + "\n";
    in_.err.Write(text);
  }

  Invocation& in_;
  DdSettings& s_;
  vfs::OpenFilePtr input_, output_;
  vfs::Attributes input_attributes_;
  ByteTable table_{};
  bool is_translated_ = false;
  char newline_ = '\n', space_ = ' ';
  paddock::Block held_;
  std::string block_;        // a block that came in pieces
  std::string_view view_;    // what was read
  Error error_;
  std::string pending_;      // output that is no full block yet
  std::optional<char> odd_;  // swab: a byte that waits for its partner
  uint64_t column_ = 0, spaces_ = 0;
  uint64_t full_in_ = 0, partial_in_ = 0, full_out_ = 0, partial_out_ = 0, truncated_ = 0, written_bytes_ = 0;
  bool ends_in_hole_ = false, is_in_progress_ = false;
  Nanoseconds start_{0}, last_progress_{0};
  ExitStatus status_ = 1;
};

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  DdSettings settings;
  if (const auto failed = ParseDdOperands(in, operands, settings)) return *failed;
  return Copy(in, settings).Run();
}

}  // namespace

extern const Command kCommand_dd;
const Command kCommand_dd = Define<Options, Run>({
    .name = "dd",
    .summary = "copy a file, converting and formatting according to the operands",
    .synopsis = "[OPERAND]...\nOPTION",
    .details =
        "  if=FILE      read from FILE instead of standard input\n"
        "  of=FILE      write to FILE instead of standard output\n"
        "  bs=BYTES     read and write up to BYTES bytes at a time (default: 512); overrides ibs and obs\n"
        "  ibs=BYTES    read up to BYTES bytes at a time\n"
        "  obs=BYTES    write BYTES bytes at a time\n"
        "  cbs=BYTES    size of the records of block and unblock\n"
        "  count=N      copy only N input blocks\n"
        "  skip=N       (or iseek=N) skip N input blocks first\n"
        "  seek=N       (or oseek=N) skip N output blocks first\n"
        "  conv=CONVS   convert: ascii ebcdic ibm block unblock lcase ucase sparse swab sync excl nocreat notrunc\n"
        "               noerror fdatasync fsync, with commas between\n"
        "  iflag=FLAGS  how to read: append direct directory dsync sync fullblock nonblock noatime nocache noctty nofollow\n"
        "  oflag=FLAGS  how to write: the same but fullblock\n"
        "  status=LEVEL none: errors only; noxfer: no line about the transfer; progress: a line each second\n\n"
        "BYTES and N may end in c (1), w (2), b (512), kB (1000), K (1024), MB, M, GB, G, T, P, E, Z, Y, KiB and so on, and\n"
        "be products like 2x512. N that ends in B counts bytes. The signal USR1 makes dd print its counts and go on.\n",
});

}  // namespace paddock
