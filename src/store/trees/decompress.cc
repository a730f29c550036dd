#include "store/trees/decompress.h"

#include <algorithm>
#include <string>
#include <utility>

#include "codec/coder.h"

namespace paddock::trees {
namespace {

constexpr size_t kBufferBytes = 128 << 10;
constexpr uint64_t kMemoryLimit = 256ull << 20;  // of a decoder's window
constexpr uint64_t kFreeBytes = 64 << 20;        // that are no bomb whatever their ratio

// Takes its input as it is.
class PlainCoder final : public codec::Coder {
 public:
  Result<Step> Run(std::string_view in, bool, char* out, size_t room) override {
    const size_t count = std::min(in.size(), room);
    in.copy(out, count);
    return Step{count, count, true};
  }
};

class Decompressed final : public ByteSource {
 public:
  Decompressed(ByteSource& in, Block first, codec::CoderPtr decoder, const DecompressLimits& limits)
      : in_(in), block_(std::move(first)), decoder_(std::move(decoder)), limits_(limits), buffer_(kBufferBytes, '\0'), in_bytes_(block_.bytes.size()) {}

  Result<Block> ReadBlock(size_t max) override {
    if (start_ == end_) PADDOCK_TRY(Fill());
    const size_t count = std::min(max, end_ - start_);
    const Block block{nullptr, std::string_view(buffer_).substr(start_, count)};
    start_ += count;
    return block;
  }
  void GiveBack(size_t count) override { start_ -= count; }

 private:
  Status Fill() {
    start_ = end_ = 0;
    while (end_ == 0 && !is_finished_) {
      if (pos_ == block_.bytes.size() && !is_at_end_) {
        PADDOCK_ASSIGN(block_, in_.ReadBlock(kBufferBytes));
        pos_ = 0;
        in_bytes_ += block_.bytes.size();
        is_at_end_ = block_.bytes.empty();
      }
      const auto step_or = decoder_->Run(block_.bytes.substr(pos_), is_at_end_, buffer_.data(), buffer_.size());
      if (!step_or) return step_or.error().code == Code::kLimit ? Error(Code::kLimit, "compressed data that needs more than 256 MiB to unpack")
                                                                 : Error(Code::kSyntax, "damaged compressed data: " + std::string(step_or.error().Text()));
      const codec::Coder::Step& step = *step_or;
      pos_ += step.taken;
      end_ = step.made;
      out_bytes_ += step.made;
      if (step.taken > 0 || step.made > 0) is_between_ = step.is_between;
      else if (step.is_between) is_between_ = true;
      if (step.taken == 0 && step.made == 0) {
        if (is_at_end_ && is_between_) {
          is_finished_ = true;
          return {};
        }
        if (is_at_end_) return Error(Code::kSyntax, "compressed data ends too early");
        if (pos_ < block_.bytes.size()) return Error(Code::kSyntax, "something follows the compressed data");
      }
    }
    if (out_bytes_ > limits_.max_bytes) return Error(Code::kLimit, "more than " + std::to_string(limits_.max_bytes) + " bytes to unpack");
    if (out_bytes_ > kFreeBytes && out_bytes_ / limits_.max_ratio > in_bytes_) {
      return Error(Code::kLimit, "every byte unpacks to more than " + std::to_string(limits_.max_ratio) + "; this is no ordinary archive");
    }
    return {};
  }

  ByteSource& in_;
  Block block_;
  size_t pos_ = 0;
  codec::CoderPtr decoder_;
  const DecompressLimits limits_;
  std::string buffer_;
  size_t start_ = 0;
  size_t end_ = 0;
  uint64_t in_bytes_;
  uint64_t out_bytes_ = 0;
  bool is_at_end_ = false;
  bool is_finished_ = false;
  bool is_between_ = true;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> Decompress(ByteSource& in, const DecompressLimits& limits) {
  // Sources hand out a few bytes at a time if they like.
  auto head = std::make_shared<std::string>();
  while (head->size() < 6) {
    PADDOCK_ASSIGN(const Block block, in.ReadBlock(kBufferBytes));
    if (block.bytes.empty()) break;
    *head += block.bytes;
  }
  const std::string_view bytes = *head;
  codec::CoderPtr decoder;
  switch (codec::Recognize(bytes)) {
    case codec::Format::kGzip: decoder = codec::NewGzipDecoder(nullptr); break;
    case codec::Format::kZstd: decoder = codec::NewZstdDecoder(nullptr); break;
    case codec::Format::kXz: decoder = codec::NewXzDecoder(nullptr, {.memory_limit = kMemoryLimit}); break;
    case codec::Format::kBzip2: decoder = codec::NewBzip2Decoder(nullptr); break;
    default: decoder = std::make_unique<PlainCoder>();
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<Decompressed>(in, Block{head, bytes}, std::move(decoder), limits));
}

}  // namespace paddock::trees
