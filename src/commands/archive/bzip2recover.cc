// bzip2recover - recover data from damaged bzip2 files
//
// usage: bzip2recover FILE
//
// Writes each block of FILE, damaged or not, to a file of its own: rec00001FILE, rec00002FILE, …
//
// Exit status: 0, or 1 for a usage error, when no block was found, and when reading or writing fails.
// Source: bzip2 1.0.8.
// Differs: --help shows this help instead of looking for a file of that name.

#include <cstdio>
#include <string>
#include <vector>

#include "proc/command.h"

namespace paddock {
namespace {

constexpr uint64_t kBlockSign = 0x314159265359, kEndSign = 0x177245385090, kSignMask = 0xffffffffffff;
constexpr uint64_t kSignBits = 48, kLeastBits = 130, kLeastRest = 39;   // what is shorter holds nothing
constexpr size_t kMostBlocks = 50000;

struct Span {
  uint64_t first, last;   // bits
};

// Bits, the highest of a byte first.
class BitSink {
 public:
  explicit BitSink(Output& out) : out_(out) {}
  void Put(uint64_t value, int bits) {
    for (int i = bits - 1; i >= 0; --i) PutBit(static_cast<int>(value >> i & 1));
  }
  void PutBit(int bit) {
    byte_ = byte_ << 1 | bit;
    if (++count_ < 8) return;
    out_.Put(static_cast<char>(byte_));
    byte_ = count_ = 0;
  }
  void Finish() {
    while (count_ > 0) PutBit(0);
    out_.Flush();
  }

 private:
  Output& out_;
  int byte_ = 0, count_ = 0;
};

class Recovery {
 public:
  Recovery(Invocation& in, const std::string& name) : in_(in), name_(name) {}

  ExitStatus Run() {
    auto file = in_.fs.Open(name_, vfs::OpenFlags::Read());
    if (!file) return Fail("can't read `" + name_ + "'");
    Say("searching for block boundaries ...");
    if (const Status found = Find(**file); !found) {
      Say("I/O error reading `" + name_ + "', possible reason follows.");
      Say(std::string(found.error().Text()));
      return Fail("warning: output file(s) may be incomplete.");
    }
    if (spans_.size() > kMostBlocks) return Fail("`" + name_ + "' appears to contain more than " + std::to_string(kMostBlocks) + " blocks");
    if (spans_.empty()) return Fail("sorry, I couldn't find any block boundaries.");
    Say("splitting into blocks");
    auto again = in_.fs.Open(name_, vfs::OpenFlags::Read());
    if (!again) return Fail("can't read `" + name_ + "'");
    const ExitStatus status = Split(**again);
    if (status == 0) Say("finished");
    return status;
  }

 private:
  void Say(const std::string& text) { in_.err.Write("bzip2recover: " + text + "\n"); }
  ExitStatus Fail(const std::string& text) { return Say(text), 1; }

  // A block goes from behind its sign to the bit before the next one.
  Status Find(vfs::OpenFile& file) {
    Input input(file, in_.budget);
    uint64_t window = 0, bits = 0;
    uint64_t begin = 0;   // of the block at work
    size_t number = 0, signs = 0;
    bool is_within = false;
    const auto end = [&](uint64_t at) {
      if (!is_within || at < begin + kLeastBits) return;
      in_.err.Write("   block " + std::to_string(++number) + " runs from " + std::to_string(begin) + " to " + std::to_string(at) + "\n");
      spans_.push_back({begin, at});
    };
    while (!input.at_end()) {
      const std::string_view bytes = input.Peek();
      in_.budget.Step(static_cast<int64_t>(bytes.size() / 2 + 1));
      for (const char c : bytes) {
        for (int i = 7; i >= 0; --i) {
          window = window << 1 | (static_cast<uint8_t>(c) >> i & 1);
          ++bits;
          const uint64_t sign = window & kSignMask;
          if (sign != kBlockSign && sign != kEndSign) continue;
          end(bits < kSignBits + 1 ? 0 : bits - kSignBits - 1);
          if (spans_.size() > kMostBlocks) return {};
          is_within = true;
          ++signs;
          begin = bits;
        }
      }
      input.Consume(bytes.size());
    }
    if (is_within && bits >= begin && bits - begin >= kLeastRest) {
      in_.err.Write("   block " + std::to_string(signs) + " runs from " + std::to_string(begin) + " to " + std::to_string(bits) + " (incomplete)\n");
    }
    return input.status();
  }

  std::string NameOf(size_t number) const {
    char head[32];
    std::snprintf(head, sizeof head, "rec%05zu", number);
    const size_t slash = name_.rfind('/') + 1;
    std::string name = name_.substr(0, slash) + head + name_.substr(slash);
    return name.ends_with(".bz2") ? name : name + ".bz2";
  }

  ExitStatus Split(vfs::OpenFile& file) {
    Input input(file, in_.budget);
    uint64_t at = 0;   // bits read
    int byte = 0;
    const auto next = [&]() -> int {
      if (at % 8 == 0) byte = input.Get();
      return byte < 0 ? -1 : byte >> (7 - at++ % 8) & 1;
    };
    for (size_t i = 0; i < spans_.size(); ++i) {
      const Span span = spans_[i];
      while (at < span.first) {
        in_.budget.Step();
        if (next() < 0) break;
      }
      const std::string name = NameOf(i + 1);
      in_.err.Write("   writing block " + std::to_string(i + 1) + " to `" + name + "' ...\n");
      auto target = in_.fs.Open(name, {.write = true, .create = true, .exclusive = true}, 0600);
      if (!target) return Fail("can't write `" + name + "'");
      Output out(**target);
      BitSink sink(out);
      sink.Put(0x425a6839, 32);   // BZh9
      sink.Put(kBlockSign, kSignBits);
      uint64_t sum = 0;   // the block's checksum comes first, and is the whole file's here
      while (at <= span.last) {
        if (at % 1024 == 0) in_.budget.Step(16);
        const uint64_t place = at - span.first;
        const int bit = next();
        if (bit < 0) break;
        if (place < 32) sum = sum << 1 | static_cast<uint64_t>(bit);
        sink.PutBit(bit);
      }
      sink.Put(kEndSign, kSignBits);
      sink.Put(sum, 32);
      sink.Finish();
      if (!out.status()) {
        Say("I/O error writing `" + name + "', possible reason follows.");
        Say(std::string(out.status().error().Text()));
        return Fail("warning: output file(s) may be incomplete.");
      }
    }
    return 0;
  }

  Invocation& in_;
  const std::string name_;
  std::vector<Span> spans_;
};

ExitStatus Run(Invocation& in) {
  in.err.Write("bzip2recover 1.0.8: extracts blocks from damaged .bz2 files.\n");
  if (in.args.size() != 2) {
    in.err.Write("bzip2recover: usage is `bzip2recover damaged_file_name'.\n\trestrictions on size of recovered file: None\n");
    return 1;
  }
  if (in.args[1] == "--help") return in.out.Write(HelpText(in.command, in.name())), 0;
  return Recovery(in, in.args[1]).Run();
}

}  // namespace

extern const Command kCommand_bzip2recover;
const Command kCommand_bzip2recover = {
    .name = "bzip2recover",
    .summary = "recover data from damaged bzip2 files",
    .synopsis = "FILE",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
