// What pack makes: one Huffman code for the whole file, the highest bit of a byte first. All leaves of a level stand behind its inner nodes,
// and the last leaf of the last level is the end of the file.

#include <array>

#include "codec/coder.h"

namespace paddock::codec {
namespace {

constexpr size_t kMostLevels = 25, kMostLeaves = 256;

class Decoder final : public Coder {
 public:
  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    Step step;
    while (part_ != Part::kCodes && step.taken < in.size()) PADDOCK_TRY(TakeHeader(static_cast<uint8_t>(in[step.taken++])));
    if (part_ != Part::kCodes) {
      if (ends) return Error(Code::kCorrupt, "unexpected end of file");
      return step;
    }
    while (!is_done_ && step.made < room) {
      if (bit_count_ == 0) {
        if (step.taken == in.size()) {
          if (ends && step.made == 0) return Error(Code::kCorrupt, "unexpected end of file");
          return step;
        }
        bits_ = static_cast<uint8_t>(in[step.taken++]);
        bit_count_ = 8;
      }
      code_ = code_ << 1 | (bits_ >> --bit_count_ & 1u);
      ++depth_;
      if (code_ < inner_[depth_]) continue;
      const uint32_t leaf = code_ - inner_[depth_];
      if (depth_ == levels_ && leaf + 1 == leaves_[depth_]) {
        is_done_ = true;
        break;
      }
      out[step.made++] = static_cast<char>(literals_[first_literal_[depth_] + leaf]);
      ++made_;
      code_ = 0;
      depth_ = 0;
    }
    if (is_done_ && made_ != size_) {
      if (step.made > 0) return step;   // what came before is shown first
      return Error(Code::kCorrupt, "invalid compressed data--length error");
    }
    step.is_between = is_done_;
    return step;
  }

 private:
  enum class Part { kFixed, kLeaves, kLiterals, kCodes };
  static constexpr size_t kFixedSize = 7;   // magic, size, levels

  Status TakeHeader(uint8_t byte) {
    if (part_ == Part::kFixed) return TakeFixed(byte);
    if (part_ == Part::kLeaves) {
      leaves_[++level_] = byte;
      return level_ == levels_ ? Plan() : Status();
    }
    literals_[literal_count_++] = byte;
    if (literal_count_ == literals_wanted_) part_ = Part::kCodes;
    return {};
  }

  Status TakeFixed(uint8_t byte) {
    if (fixed_ >= 2 && fixed_ < 6) size_ = size_ << 8 | byte;
    if (++fixed_ < kFixedSize) return {};
    levels_ = byte;
    if (levels_ == 0 || levels_ > kMostLevels) return Error(Code::kCorrupt, "invalid compressed data -- Huffman code bit length out of range");
    part_ = Part::kLeaves;
    return {};
  }

  // The levels' leaves are known: where their codes begin.
  Status Plan() {
    leaves_[levels_] += 2;   // the last level has at least two, and says how many more
    uint32_t room = 1;
    for (size_t level = 1; level <= levels_; ++level) {
      room *= 2;
      if (leaves_[level] > room) return Error(Code::kCorrupt, "too many leaves in Huffman tree");
      inner_[level] = room -= leaves_[level];
      first_literal_[level] = literals_wanted_;
      literals_wanted_ += leaves_[level];
    }
    if (room != 0) return Error(Code::kCorrupt, "too few leaves in Huffman tree");
    --literals_wanted_;      // the end of the file has no literal
    if (literals_wanted_ > kMostLeaves) return Error(Code::kCorrupt, "too many leaves in Huffman tree");
    part_ = literals_wanted_ == 0 ? Part::kCodes : Part::kLiterals;
    return {};
  }

  Part part_ = Part::kFixed;
  size_t fixed_ = 0, levels_ = 0, level_ = 0, depth_ = 0;
  uint32_t size_ = 0, made_ = 0;
  std::array<uint32_t, kMostLevels + 1> leaves_{}, inner_{}, first_literal_{};
  std::array<uint8_t, kMostLeaves> literals_{};
  uint32_t literals_wanted_ = 0, literal_count_ = 0;
  uint32_t code_ = 0;
  uint8_t bits_ = 0;
  int bit_count_ = 0;
  bool is_done_ = false;
};

}  // namespace

CoderPtr NewPackDecoder() { return std::make_unique<Decoder>(); }

}  // namespace paddock::codec
