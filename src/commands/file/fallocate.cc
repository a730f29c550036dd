// fallocate - preallocate or deallocate space of a file
//
// usage: fallocate [options] -l LENGTH FILE
//        fallocate -d [-o OFFSET] [-l LENGTH] FILE
//
// Exit status: 0, or 1 for an error.
// Source: util-linux 2.38.
// Differs: files keep no holes, so that -d finds none and -p writes zeros; blocks of -c and -i are 4096 bytes.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool collapses = false, digs = false, inserts = false, keeps_size = false, punches = false, zeroes = false, is_posix = false, verbose = false, wants_help = false, wants_version = false;
  std::optional<std::string> length, offset;
};
constexpr Option kOptions[] = {
    Flag<&Options::collapses>('c', "collapse-range", "remove a range from the file"),
    Flag<&Options::digs>('d', "dig-holes", "detect zeroes and replace with holes"),
    Flag<&Options::inserts>('i', "insert-range", "insert a hole at range, shifting existing data"),
    Value<&Options::length>('l', "length", "num", "length for range operations, in bytes"),
    Flag<&Options::keeps_size>('n', "keep-size", "maintain the apparent size of the file"),
    Value<&Options::offset>('o', "offset", "num", "offset for range operations, in bytes"),
    Flag<&Options::punches>('p', "punch-hole", "replace a range with a hole (implies -n)"),
    Flag<&Options::zeroes>('z', "zero-range", "zero and ensure allocation of a range"),
    Flag<&Options::is_posix>('x', "posix", "allocate as posix_fallocate(3) does"),
    Flag<&Options::verbose>('v', "verbose", "verbose mode"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

// "10", "0x10", "1.5M", "3MiB" and "2KB", which is 2000.
std::optional<uint64_t> ReadSize(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  double value = 0;
  uint64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole, is_hexadecimal ? 16 : 10);
  if (error != std::errc()) return std::nullopt;
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  value = static_cast<double>(whole);
  if (rest.starts_with('.') && !is_hexadecimal) {
    double part = 0.1;
    for (rest.remove_prefix(1); !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; rest.remove_prefix(1), part /= 10) value += (rest[0] - '0') * part;
  }
  if (!rest.empty()) {
    const size_t power = std::string_view("KMGTPE").find(static_cast<char>(rest[0] >= 'a' && rest[0] <= 'z' ? rest[0] - 'a' + 'A' : rest[0]));
    if (power == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(1);
    if (!rest.empty() && rest != "iB" && rest != "B") return std::nullopt;
    value *= std::pow(rest == "B" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  if (value > 9e18) return std::nullopt;
  return rest.empty() && value == static_cast<double>(whole) ? whole : static_cast<uint64_t>(value);
}

// "1.5 KiB".
std::string HumanSize(uint64_t size) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(size);
  size_t unit = 0;
  for (; value >= 1024; value /= 1024) ++unit;
  char text[48];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string number = text;
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return number + " " + kUnits[unit];
}

class Allocator {
 public:
  Allocator(Invocation& in, const Options& options, std::string path) : in_(in), o_(options), path_(std::move(path)) {}

  ExitStatus Run(uint64_t offset, uint64_t length) {
    const bool makes = !(o_.keeps_size || o_.collapses || o_.inserts || o_.punches || o_.zeroes || o_.digs);
    auto file = in_.fs.Open(path_, {.read = true, .write = true, .create = makes});
    if (!file) return in_.Fail("cannot open " + path_, file.error());
    file_ = std::move(*file);
    const auto attributes = file_->GetAttributes();
    if (!attributes) return in_.Fail("stat of " + path_ + " failed", attributes.error());
    size_ = attributes->size;
    const Status done = Do(offset, length);
    if (!done) return in_.Fail("fallocate failed", done.error());
    const char* const what = o_.digs ? "converted to sparse holes" : o_.punches ? "hole created" : o_.collapses ? "removed" : o_.inserts ? "inserted" : o_.zeroes ? "zeroed" : "allocated";
    if (o_.verbose) {
      const uint64_t shown = o_.digs ? 0 : length;
      in_.out.WriteLine(path_ + ": " + HumanSize(shown) + " (" + std::to_string(shown) + " bytes) " + what + ".");
    }
    return 0;
  }

 private:
  static constexpr uint64_t kBlock = 4096;

  Status Do(uint64_t offset, uint64_t length) {
    const uint64_t end = offset + length;
    if (o_.digs) return {};
    if (o_.collapses || o_.inserts) return Shift(offset, length);
    if (o_.punches) return WriteZeros(offset, std::min(end, size_));
    if (o_.zeroes) PADDOCK_TRY(WriteZeros(offset, std::min(end, size_)));
    if (end > size_ && !o_.keeps_size) return file_->Truncate(end);
    return {};
  }
  Status WriteZeros(uint64_t from, uint64_t to) {
    if (from >= to) return {};
    PADDOCK_TRY(file_->Seek(static_cast<int64_t>(from), vfs::Whence::kStart));
    const std::string zeros(1 << 16, '\0');
    for (uint64_t left = to - from; left > 0;) {
      in_.budget.Step(64);
      const size_t part = static_cast<size_t>(std::min<uint64_t>(left, zeros.size()));
      PADDOCK_TRY(file_->Write(std::string_view(zeros).substr(0, part)));
      left -= part;
    }
    return {};
  }
  // What is behind the range goes forward over it, or back from it.
  Status Shift(uint64_t offset, uint64_t length) {
    if (offset % kBlock != 0 || length % kBlock != 0 || offset >= size_) return Code::kInvalid;
    if (o_.collapses) {
      if (offset + length >= size_) return Code::kInvalid;
      for (uint64_t at = offset; at + length < size_;) {
        PADDOCK_ASSIGN(const size_t moved, Move(at + length, at, size_ - at - length));
        at += moved;
      }
      return file_->Truncate(size_ - length);
    }
    PADDOCK_TRY(file_->Truncate(size_ + length));
    for (uint64_t left = size_ - offset; left > 0;) {   // from the end on
      const uint64_t part = std::min<uint64_t>(left, kPiece);
      PADDOCK_ASSIGN(const size_t moved, Move(offset + left - part, offset + left - part + length, part));
      if (moved < part) return Code::kIo;
      left -= part;
    }
    return WriteZeros(offset, offset + length);
  }
  static constexpr uint64_t kPiece = 1 << 16;
  Result<size_t> Move(uint64_t from, uint64_t to, uint64_t most) {
    const size_t wanted = static_cast<size_t>(std::min(most, kPiece));
    std::string bytes;
    PADDOCK_TRY(file_->Seek(static_cast<int64_t>(from), vfs::Whence::kStart));
    while (bytes.size() < wanted) {
      in_.budget.Step(16);
      PADDOCK_ASSIGN(const Block block, file_->ReadBlock(wanted - bytes.size()));
      if (block.bytes.empty()) break;
      bytes += block.bytes;
    }
    if (bytes.empty()) return Code::kIo;
    PADDOCK_TRY(file_->Seek(static_cast<int64_t>(to), vfs::Whence::kStart));
    PADDOCK_TRY(file_->Write(bytes));
    return bytes.size();
  }

  Invocation& in_;
  const Options& o_;
  std::string path_;
  vfs::OpenFilePtr file_;
  uint64_t size_ = 0;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.collapses + options.digs + options.punches + options.zeroes > 1) {
    return in.Fail("mutually exclusive arguments: --collapse-range --dig-holes --punch-hole --zero-range");
  }
  std::optional<uint64_t> length, offset = 0;
  if (options.length) {
    length = ReadSize(*options.length);
    if (!length || *length == 0) return in.Fail("invalid length value specified");
  }
  if (options.offset) offset = ReadSize(*options.offset);
  if (operands.empty()) return in.Fail("no filename specified");
  if (operands.size() > 1) return in.Fail("unexpected number of arguments");
  if (!options.digs && !length) return in.Fail("no length argument specified");
  if (!offset) return in.Fail("invalid offset value specified");
  if (*offset + length.value_or(0) > INT64_MAX) return in.Fail("fallocate failed", Error(Code::kFileTooBig));
  return Allocator(in, options, operands[0]).Run(*offset, length.value_or(0));
}

}  // namespace

extern const Command kCommand_fallocate;
const Command kCommand_fallocate = Define<Options, Run>({
    .name = "fallocate",
    .summary = "preallocate or deallocate space of a file",
    .synopsis = "[options] <filename>",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
