// Compressed bytes to plain ones and back, a piece at a time: gzip, raw deflate, bzip2, xz, lzma and zstd by their own libraries, and what
// compress made.
//
// What a coder holds is taken with operator new, so that it counts as memory of the exec, windows that a hostile header asks for
// included: one that does not fit stops the exec at the next Run() (Termination), never inside of a library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stream.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

class Coder {
 public:
  struct Step {
    size_t taken = 0;
    size_t made = 0;
    // The end may come here. A decoder that takes nothing of what is there, makes nothing and says this met bytes that are not its own.
    bool is_between = false;
  };
  virtual ~Coder() = default;
  // Takes from the front of `in`, fills `out`. `ends`: nothing follows `in`. Errors: kSyntax (not this format), kCorrupt (damaged, or it ends too early), kLimit (a limit
  // of memory), kNotSupported, kNoMemory; the messages are those of the format's own tool.
  virtual Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) = 0;
};
using CoderPtr = std::unique_ptr<Coder>;

// What stands in front of a gzip member.
struct GzipHeader {
  std::string name;          // empty: none; bytes beyond the first 4096 are dropped
  uint32_t modify_time = 0;  // seconds since 1970; 0: none
};

class GzipDecoder : public Coder {
 public:
  // Of the first member; complete once anything was made or the end was reached.
  virtual const GzipHeader& header() const = 0;
  // Of the member that ended last.
  virtual uint32_t checksum() const = 0;
  // Zeros followed the last member.
  virtual bool has_padding() const = 0;
};

// Decoders. All but raw deflate take members, streams or frames one behind the other. `budget` may be null: then memory is not limited but
// by the limits given.
std::unique_ptr<GzipDecoder> NewGzipDecoder(Budget* budget);
// One that can take another stream when it is done with one, or has given it up.
class StreamDecoder : public Coder {
 public:
  virtual void Restart() = 0;
};
std::unique_ptr<StreamDecoder> NewInflater(Budget* budget);   // raw deflate, up to its end
CoderPtr NewBzip2Decoder(Budget* budget);
CoderPtr NewPackDecoder();  // one file of pack, as old as that
CoderPtr NewLzwDecoder();   // one file of compress, a quarter of a megabyte of memory
struct XzDecoderOptions {
  enum class Format { kAuto, kXz, kLzma } format = Format::kXz;
  uint64_t memory_limit = UINT64_MAX;
  bool is_single_stream = false;
  bool ignores_check = false;
};
CoderPtr NewXzDecoder(Budget* budget, const XzDecoderOptions& options = {});
struct ZstdDecoderOptions {
  uint64_t window_max = uint64_t{1} << 27;   // bytes; a frame that asks for more is kLimit
  std::string_view dictionary;               // copied
  bool is_prefix = false;                    // the dictionary is what --patch-from names
  bool ignores_check = false;
};
CoderPtr NewZstdDecoder(Budget* budget, const ZstdDecoderOptions& options = {});

// Encoders: the end of the stream is made when `ends` and all was taken; is_between tells that nothing is left to come.
CoderPtr NewGzipEncoder(Budget* budget, int level, const GzipHeader& header = {}, bool is_rsyncable = false);
CoderPtr NewDeflater(Budget* budget, int level);
CoderPtr NewBzip2Encoder(Budget* budget, int level);
enum class XzCheck { kNone, kCrc32, kCrc64, kSha256 };
struct XzEncoderOptions {
  bool is_lzma = false;   // the older format
  int level = 6;
  bool is_extreme = false;
  XzCheck check = XzCheck::kCrc64;
  uint32_t dictionary = 0;   // bytes, of .xz; 0: by the level
};
CoderPtr NewXzEncoder(Budget* budget, const XzEncoderOptions& options = {});
// What that encoder will take.
uint64_t XzEncoderMemory(const XzEncoderOptions& options);
// What the index of an .xz file says. Errors: kSyntax, kCorrupt, kNoMemory, those of `read`.
struct XzInfo {
  uint64_t streams = 0, blocks = 0, packed = 0, plain = 0, padding = 0;
  uint32_t checks = 0;   // a bit for each that is used
};
// Their names, with ',' between them.
std::string XzCheckNames(uint32_t checks);
Result<XzInfo> ReadXzInfo(uint64_t size, const std::function<Result<std::string>(uint64_t offset, size_t count)>& read, Budget* budget);
struct ZstdEncoderOptions {
  int level = 3;                 // negative ones are faster
  bool has_checksum = true;
  int long_window_log = 0;       // 0: no long-distance matching
  std::optional<uint64_t> size;  // of what comes, to be told in the header
  std::string_view dictionary;   // copied
  bool is_prefix = false;        // the dictionary is what --patch-from names
  int window_log = 0;            // 0: by the level
  bool has_dictionary_id = true, has_size = true;
  uint64_t size_hint = 0, target_block = 0;                 // 0: none
  std::optional<bool> compresses_literals, finds_by_rows;   // as libzstd thinks best, else
};
CoderPtr NewZstdEncoder(Budget* budget, const ZstdEncoderOptions& options = {});
// What the headers of a .zst file say. Errors: kSyntax (not zstd), kCorrupt with zstd's reason (then what was known), those of `read`.
struct ZstdInfo {
  uint64_t frames = 0, skippable = 0, packed = 0, plain = 0, window = 0;
  uint32_t dictionary = 0;
  bool knows_plain = true, has_check = false;
  std::string check;   // the last frame's, in hexadecimal
};
// The window that the frame at the front asks for; nothing when it is none.
std::optional<uint64_t> ZstdWindow(std::string_view head);
Result<ZstdInfo> ReadZstdInfo(uint64_t size, const std::function<Result<std::string>(uint64_t offset, size_t count)>& read, Budget* budget);

// CRC-32 as gzip and zip have it, going on from `before`.
uint32_t Crc32(uint32_t before, std::string_view bytes);
// Adler-32 as zlib streams have it, going on from `before` (1 at the start).
uint32_t Adler32(uint32_t before, std::string_view bytes);

enum class Format { kPlain, kGzip, kBzip2, kXz, kLzma, kZstd, kCompress, kLzip, kLzop };
// By the first bytes: ten are enough, and what is unknown is plain.
Format Recognize(std::string_view head);

// Reads through a decoder. Blocks are valid until the next one is read.
class DecodingSource final : public ByteSource {
 public:
  // `in` outlives it. `budget` may be null.
  DecodingSource(ByteSource& in, CoderPtr decoder, Budget* budget);
  ~DecodingSource() override;
  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t count) override { start_ -= count; }

  // At the end: something follows that is not compressed data.
  bool has_garbage() const { return has_garbage_; }
  // What follows at the end, up to the end of `in`.
  Result<Block> ReadGarbage();
  uint64_t bytes_in() const { return bytes_in_; }
  uint64_t bytes_out() const { return bytes_out_; }
  Coder& decoder() { return *decoder_; }

 private:
  Status Fill();

  ByteSource& in_;
  CoderPtr decoder_;
  Budget* budget_;
  Block block_;
  std::string_view rest_;
  std::unique_ptr<char[]> buffer_;
  size_t start_ = 0, end_ = 0;
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
  bool is_at_end_ = false, is_finished_ = false, has_garbage_ = false;
};

// Writes through an encoder.
class EncodingSink final : public ByteSink {
 public:
  // `out` outlives it.
  EncodingSink(ByteSink& out, CoderPtr encoder, Budget* budget);
  ~EncodingSink() override;
  Status Write(std::string_view bytes) override { return Push(bytes, false); }
  // Completes the stream; called once, last.
  Status Finish() { return Push({}, true); }
  uint64_t bytes_in() const { return bytes_in_; }
  uint64_t bytes_out() const { return bytes_out_; }

 private:
  Status Push(std::string_view bytes, bool ends);

  ByteSink& out_;
  CoderPtr encoder_;
  Budget* budget_;
  std::unique_ptr<char[]> buffer_;
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace paddock::codec
