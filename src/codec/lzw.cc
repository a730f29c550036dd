// What compress makes: LZW with codes of 9 to 16 bits, the lowest bit of a byte first.

#include <algorithm>
#include <array>

#include "codec/coder.h"

namespace paddock::codec {
namespace {

constexpr uint32_t kLiterals = 256, kClear = 256;
constexpr int kLeastWidth = 9, kMostWidth = 16;
constexpr uint8_t kWidthMask = 0x1f, kHasClear = 0x80;

class Decoder final : public Coder {
 public:
  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (!status_) return status_.error();
    Step step;
    while (true) {
      while (stacked_ > 0 && step.made < room) out[step.made++] = static_cast<char>(stack_[--stacked_]);
      if (stacked_ > 0) return step;
      while (header_size_ < kHeaderSize && step.taken < in.size()) PADDOCK_TRY(TakeHeader(static_cast<uint8_t>(in[step.taken++])));
      while (bit_count_ <= 48 && step.taken < in.size()) {
        bits_ |= static_cast<uint64_t>(static_cast<uint8_t>(in[step.taken++])) << bit_count_;
        bit_count_ += 8;
      }
      if (skipped_ == 0 && next_ > Widest()) {
        Align();
        ++width_;
      }
      const int dropped = std::min(skipped_, bit_count_);
      Drop(dropped);
      skipped_ -= dropped;
      if (skipped_ > 0 || bit_count_ < width_) {
        if (step.taken < in.size()) continue;
        if (!ends) return step;
        if (header_size_ < kHeaderSize) return Error(Code::kCorrupt, "unexpected end of file");
        step.is_between = true;   // codes that are missing at the end go unnoticed: nothing tells how many there are
        return step;
      }
      const auto code = static_cast<uint32_t>(bits_ & ((1u << width_) - 1));
      Drop(width_);
      grouped_ += width_;
      status_ = Take(code);
      if (status_) continue;
      if (step.made > 0) return step;   // what came before is good
      return status_.error();
    }
  }

 private:
  static constexpr size_t kHeaderSize = 3;

  Status TakeHeader(uint8_t byte) {
    constexpr uint8_t kMagic[] = {0x1f, 0x9d};
    if (header_size_ < 2 && byte != kMagic[header_size_]) return Error(Code::kSyntax, "not in gzip format");
    if (++header_size_ < kHeaderSize) return {};
    width_max_ = byte & kWidthMask;
    if (width_max_ > kMostWidth) return Error(Code::kNotSupported, "compressed with " + std::to_string(width_max_) + " bits, can only handle " + std::to_string(kMostWidth) + " bits");
    if (width_max_ < kLeastWidth) return Error(Code::kCorrupt, "corrupt input.");
    has_clear_ = (byte & kHasClear) != 0;
    next_ = has_clear_ ? kClear + 1 : kLiterals;
    return {};
  }
  // Words beyond this number have wider codes. A limit of nine bits is passed once, as compress does.
  uint32_t Widest() const { return width_ > kLeastWidth && width_ == width_max_ ? 1u << width_ : (1u << width_) - 1; }
  void Drop(int count) {
    bits_ >>= count;
    bit_count_ -= count;
  }
  // Codes of one width come in groups of eight; a change of the width leaves the rest of a group empty.
  void Align() {
    const int group = width_ * 8;
    skipped_ = static_cast<int>((static_cast<uint64_t>(group) - grouped_ % static_cast<uint64_t>(group)) % static_cast<uint64_t>(group));
    grouped_ = 0;
  }

  Status Take(uint32_t code) {
    if (has_clear_ && code == kClear && has_begun_) {
      Align();
      width_ = kLeastWidth;
      next_ = kClear + 1;
      is_fresh_ = true;
      return {};
    }
    if (is_fresh_) {
      if (code >= kLiterals) return Error(Code::kCorrupt, "corrupt input.");
      first_ = static_cast<uint8_t>(code);
      stack_[stacked_++] = first_;
      before_ = code;
      is_fresh_ = false;
      has_begun_ = true;
      return {};
    }
    if (code > next_ || (has_clear_ && code == kClear)) return Error(Code::kCorrupt, "corrupt input.");
    uint32_t at = code;
    if (code == next_) {
      // The word that is being made: the one before, with its first byte again.
      if (next_ >= 1u << width_max_) return Error(Code::kCorrupt, "corrupt input.");
      stack_[stacked_++] = first_;
      at = before_;
    }
    for (; at >= kLiterals; at = prefix_[at]) stack_[stacked_++] = suffix_[at];
    first_ = static_cast<uint8_t>(at);
    stack_[stacked_++] = first_;
    if (next_ < 1u << width_max_) {
      prefix_[next_] = static_cast<uint16_t>(before_);
      suffix_[next_++] = first_;
    }
    before_ = code;
    return {};
  }

  Status status_;   // told once what was made before is out
  size_t header_size_ = 0;
  int width_ = kLeastWidth, width_max_ = kLeastWidth;
  bool has_clear_ = false, has_begun_ = false, is_fresh_ = true;
  uint64_t bits_ = 0, grouped_ = 0;   // what is read and not used; bits of codes since the width changed
  int bit_count_ = 0, skipped_ = 0;
  uint32_t next_ = kLiterals, before_ = 0;
  uint8_t first_ = 0;
  // A word's prefix is always an older one, so that a word is shorter than there are codes.
  std::array<uint16_t, 1 << kMostWidth> prefix_;
  std::array<uint8_t, 1 << kMostWidth> suffix_;
  std::array<uint8_t, (1 << kMostWidth) + 1> stack_;
  size_t stacked_ = 0;
};

}  // namespace

CoderPtr NewLzwDecoder() { return std::make_unique<Decoder>(); }

}  // namespace paddock::codec
