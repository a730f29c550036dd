#include "store/trees/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.h"

namespace paddock::trees {
namespace {

constexpr size_t kBufferBytes = 128 << 10;
constexpr uint64_t kMemoryLimit = 256ull << 20;  // of a decoder's window
constexpr uint64_t kFreeBytes = 64 << 20;        // that are no bomb whatever their ratio

// One kind of compression. Takes from `in` and appends to the buffer.
class Decoder {
 public:
  struct Step {
    size_t taken = 0;
    size_t made = 0;
    bool is_between = false;  // the end may come here
  };
  virtual ~Decoder() = default;
  virtual Result<Step> Run(std::string_view in, char* out, size_t room) = 0;
};

class PlainDecoder final : public Decoder {
 public:
  Result<Step> Run(std::string_view in, char* out, size_t room) override {
    const size_t count = std::min(in.size(), room);
    in.copy(out, count);
    return Step{count, count, true};
  }
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() { PADDOCK_CHECK(inflateInit2(&stream_, 15 + 16) == Z_OK); }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  Result<Step> Run(std::string_view in, char* out, size_t room) override {
    if (is_done_) {
      // Another member may follow, or zeros that fill a block.
      size_t zeros = 0;
      while (zeros < in.size() && in[zeros] == '\0') ++zeros;
      if (zeros > 0) return Step{zeros, 0, true};
      inflateReset(&stream_);
      is_done_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room);
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return Error(Code::kSyntax, "damaged gzip data");
    is_done_ = code == Z_STREAM_END;
    return Step{in.size() - stream_.avail_in, room - stream_.avail_out, is_done_};
  }

 private:
  z_stream stream_{};
  bool is_done_ = false;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    PADDOCK_CHECK(context_ != nullptr);
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, 27);
  }
  Result<Step> Run(std::string_view in, char* out, size_t room) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, room, 0};
    const size_t hint = ZSTD_decompressStream(context_.get(), &to, &from);
    if (ZSTD_isError(hint)) return Error(Code::kSyntax, std::string("damaged zstd data: ") + ZSTD_getErrorName(hint));
    return Step{from.pos, to.pos, hint == 0};
  }

 private:
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
};

class XzDecoder final : public Decoder {
 public:
  XzDecoder() { PADDOCK_CHECK(lzma_stream_decoder(&stream_, kMemoryLimit, LZMA_CONCATENATED) == LZMA_OK); }
  ~XzDecoder() override { lzma_end(&stream_); }
  Result<Step> Run(std::string_view in, char* out, size_t room) override {
    stream_.next_in = reinterpret_cast<const uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<uint8_t*>(out);
    stream_.avail_out = room;
    // No more input is how the end of concatenated streams is told.
    const lzma_ret code = lzma_code(&stream_, in.empty() ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_MEMLIMIT_ERROR) return Error(Code::kLimit, "xz data that needs more than 256 MiB to unpack");
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR) return Error(Code::kSyntax, "damaged xz data");
    return Step{in.size() - stream_.avail_in, room - stream_.avail_out, code == LZMA_STREAM_END};
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Decompressed final : public ByteSource {
 public:
  Decompressed(ByteSource& in, Block first, std::unique_ptr<Decoder> decoder, const DecompressLimits& limits)
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
      PADDOCK_ASSIGN(const Decoder::Step step, decoder_->Run(block_.bytes.substr(pos_), buffer_.data(), buffer_.size()));
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
  std::unique_ptr<Decoder> decoder_;
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
  std::unique_ptr<Decoder> decoder;
  if (bytes.substr(0, 2) == "\x1f\x8b") decoder = std::make_unique<GzipDecoder>();
  else if (bytes.substr(0, 4) == "\x28\xb5\x2f\xfd") decoder = std::make_unique<ZstdDecoder>();
  else if (bytes.substr(0, 6) == std::string_view("\xfd\x37zXZ\0", 6)) decoder = std::make_unique<XzDecoder>();
  else decoder = std::make_unique<PlainDecoder>();
  return std::unique_ptr<ByteSource>(
      std::make_unique<Decompressed>(in, Block{head, bytes}, std::move(decoder), limits));
}

}  // namespace paddock::trees
