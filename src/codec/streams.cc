#include <algorithm>

#include "base/budget.h"
#include "codec/coder.h"

namespace paddock::codec {
namespace {

constexpr size_t kBufferBytes = 128 << 10;
constexpr size_t kBytesAStep = 32;

}  // namespace

Format Recognize(std::string_view head) {
  const auto begins = [head](std::string_view magic) { return head.starts_with(magic); };
  if (begins("\x1f\x8b")) return Format::kGzip;
  if (begins("BZh") && head.size() > 3 && head[3] >= '1' && head[3] <= '9') return Format::kBzip2;
  if (begins(std::string_view("\xfd\x37zXZ\0", 6))) return Format::kXz;
  if (begins("\x28\xb5\x2f\xfd")) return Format::kZstd;
  if (begins("\x1f\x9d")) return Format::kCompress;
  if (begins("LZIP")) return Format::kLzip;
  if (begins(std::string_view("\x89LZO\0", 5))) return Format::kLzop;
  if (begins(std::string_view("\x5d\0\0", 3))) return Format::kLzma;
  return Format::kPlain;
}

DecodingSource::DecodingSource(ByteSource& in, CoderPtr decoder, Budget* budget)
    : in_(in), decoder_(std::move(decoder)), budget_(budget), buffer_(std::make_unique<char[]>(kBufferBytes)) {}
DecodingSource::~DecodingSource() = default;

Result<Block> DecodingSource::ReadBlock(size_t max) {
  if (start_ == end_) PADDOCK_TRY(Fill());
  const size_t count = std::min(max, end_ - start_);
  const Block block{nullptr, std::string_view(buffer_.get() + start_, count)};
  start_ += count;
  return block;
}

Result<Block> DecodingSource::ReadGarbage() {
  if (rest_.empty()) return in_.ReadBlock(kBufferBytes);
  const Block block{nullptr, rest_};
  rest_ = {};
  return block;
}
Status DecodingSource::Fill() {
  start_ = end_ = 0;
  while (end_ == 0 && !is_finished_) {
    if (rest_.empty() && !is_at_end_) {
      PADDOCK_ASSIGN(block_, in_.ReadBlock(kBufferBytes));
      rest_ = block_.bytes;
      is_at_end_ = rest_.empty();
    }
    PADDOCK_ASSIGN(const Coder::Step step, decoder_->Run(rest_, is_at_end_, buffer_.get(), kBufferBytes));
    rest_.remove_prefix(step.taken);
    bytes_in_ += step.taken;
    bytes_out_ += step.made;
    end_ = step.made;
    if (budget_ != nullptr) budget_->Step(static_cast<int64_t>((step.taken + step.made) / kBytesAStep + 1));
    if (step.taken > 0 || step.made > 0) continue;
    if (!step.is_between) return Error(Code::kCorrupt, "unexpected end of file");
    if (!rest_.empty() || is_at_end_) is_finished_ = true;
    has_garbage_ = !rest_.empty();
  }
  return {};
}

EncodingSink::EncodingSink(ByteSink& out, CoderPtr encoder, Budget* budget)
    : out_(out), encoder_(std::move(encoder)), budget_(budget), buffer_(std::make_unique<char[]>(kBufferBytes)) {}
EncodingSink::~EncodingSink() = default;

Status EncodingSink::Push(std::string_view bytes, bool ends) {
  bytes_in_ += bytes.size();
  while (ends || !bytes.empty()) {
    // A piece at a time, so that a large write of slow work is still looked at.
    const std::string_view piece = bytes.substr(0, kBufferBytes);
    PADDOCK_ASSIGN(const Coder::Step step, encoder_->Run(piece, ends, buffer_.get(), kBufferBytes));
    bytes.remove_prefix(step.taken);
    bytes_out_ += step.made;
    if (step.made > 0) PADDOCK_TRY(out_.Write(std::string_view(buffer_.get(), step.made)));
    if (budget_ != nullptr) budget_->Step(static_cast<int64_t>((step.taken + step.made) / kBytesAStep + 1));
    if (ends && step.is_between) return {};
  }
  return {};
}

}  // namespace paddock::codec
