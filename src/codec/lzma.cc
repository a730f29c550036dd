// xz and the older lzma format, by liblzma. The messages are xz 5.4's.

#include <lzma.h>

#include <string>

#include "base/check.h"
#include "codec/coder.h"
#include "codec/library_memory.h"

namespace paddock::codec {
namespace {

struct Stream {
  explicit Stream(Budget* budget) : memory(budget) {
    allocator.alloc = [](void* owner, size_t items, size_t size) { return static_cast<LibraryMemory*>(owner)->Take(items * size); };
    allocator.free = [](void*, void* block) { LibraryMemory::GiveBack(block); };
    allocator.opaque = &memory;
    lzma.allocator = &allocator;
  }
  ~Stream() { lzma_end(&lzma); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void Set(std::string_view in, char* out, size_t room) {
    lzma.next_in = reinterpret_cast<const uint8_t*>(in.data());
    taken_from = lzma.avail_in = in.size();
    lzma.next_out = reinterpret_cast<uint8_t*>(out);
    made_into = lzma.avail_out = room;
  }
  Coder::Step Done(bool is_between) const { return {taken_from - lzma.avail_in, made_into - lzma.avail_out, is_between}; }

  LibraryMemory memory;
  lzma_allocator allocator{};
  lzma_stream lzma = LZMA_STREAM_INIT;
  size_t taken_from = 0, made_into = 0;
};

class Decoder final : public Coder {
 public:
  Decoder(Budget* budget, const XzDecoderOptions& options) : stream_(budget) {
    const uint32_t flags = (options.is_single_stream ? 0u : LZMA_CONCATENATED) | (options.ignores_check ? LZMA_IGNORE_CHECK : 0u);
    switch (options.format) {
      case XzDecoderOptions::Format::kAuto: state_ = lzma_auto_decoder(&stream_.lzma, options.memory_limit, flags); break;
      case XzDecoderOptions::Format::kXz: state_ = lzma_stream_decoder(&stream_.lzma, options.memory_limit, flags); break;
      case XzDecoderOptions::Format::kLzma: state_ = lzma_alone_decoder(&stream_.lzma, options.memory_limit); break;
    }
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (state_ == LZMA_STREAM_END) return Step{0, 0, true};
    if (state_ != LZMA_OK) return Failure(state_);
    stream_.Set(in, out, room);
    const lzma_ret code = lzma_code(&stream_.lzma, ends ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_STREAM_END) {
      state_ = code;
      return stream_.Done(true);
    }
    has_begun_ = has_begun_ || !in.empty();
    const bool is_stuck = ends && in.empty() && stream_.lzma.avail_out == room;
    if ((code == LZMA_OK || code == LZMA_BUF_ERROR) && is_stuck) {
      if (!has_begun_) return Error(Code::kSyntax, "File format not recognized");
      return Error(Code::kCorrupt, "Unexpected end of input");
    }
    if (code != LZMA_OK && code != LZMA_BUF_ERROR) {
      state_ = code;
      return Failure(code);
    }
    return stream_.Done(false);
  }

 private:
  Error Failure(lzma_ret code) {
    switch (code) {
      case LZMA_MEM_ERROR: return stream_.memory.Refusal();
      case LZMA_MEMLIMIT_ERROR: return {Code::kLimit, "Memory usage limit reached"};
      case LZMA_FORMAT_ERROR: return {Code::kSyntax, "File format not recognized"};
      case LZMA_OPTIONS_ERROR: return {Code::kNotSupported, "Unsupported options"};
      default: return {Code::kCorrupt, "Compressed data is corrupt"};
    }
  }

  Stream stream_;
  lzma_ret state_ = LZMA_OK;
  bool has_begun_ = false;
};

uint32_t Preset(const XzEncoderOptions& options) { return static_cast<uint32_t>(options.level) | (options.is_extreme ? LZMA_PRESET_EXTREME : 0); }

class Encoder final : public Coder {
 public:
  Encoder(Budget* budget, const XzEncoderOptions& options) : stream_(budget) {
    constexpr lzma_check kChecks[] = {LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
    if (!options.is_lzma && options.dictionary > 0) {
      lzma_options_lzma settings;
      PADDOCK_CHECK(!lzma_lzma_preset(&settings, Preset(options)));
      settings.dict_size = options.dictionary;
      const lzma_filter filters[2] = {{LZMA_FILTER_LZMA2, &settings}, {LZMA_VLI_UNKNOWN, nullptr}};
      state_ = lzma_stream_encoder(&stream_.lzma, filters, kChecks[static_cast<size_t>(options.check)]);
      return;
    }
    if (!options.is_lzma) {
      state_ = lzma_easy_encoder(&stream_.lzma, Preset(options), kChecks[static_cast<size_t>(options.check)]);
      return;
    }
    lzma_options_lzma settings;
    PADDOCK_CHECK(!lzma_lzma_preset(&settings, Preset(options)));
    state_ = lzma_alone_encoder(&stream_.lzma, &settings);
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (state_ != LZMA_OK) return stream_.memory.Refusal();
    stream_.Set(in, out, room);
    const lzma_ret code = lzma_code(&stream_.lzma, ends ? LZMA_FINISH : LZMA_RUN);
    if (code == LZMA_MEM_ERROR) return stream_.memory.Refusal();
    PADDOCK_CHECK(code == LZMA_OK || code == LZMA_STREAM_END || code == LZMA_BUF_ERROR);
    return stream_.Done(code == LZMA_STREAM_END);
  }

 private:
  Stream stream_;
  lzma_ret state_ = LZMA_OK;
};

}  // namespace

CoderPtr NewXzDecoder(Budget* budget, const XzDecoderOptions& options) { return std::make_unique<Decoder>(budget, options); }
CoderPtr NewXzEncoder(Budget* budget, const XzEncoderOptions& options) { return std::make_unique<Encoder>(budget, options); }

Result<XzInfo> ReadXzInfo(uint64_t size, const std::function<Result<std::string>(uint64_t offset, size_t count)>& read, Budget* budget) {
  Stream stream(budget);
  lzma_index* index = nullptr;
  if (lzma_file_info_decoder(&stream.lzma, &index, UINT64_MAX, size) != LZMA_OK) return stream.memory.Refusal();
  std::string piece;
  uint64_t at = 0;
  lzma_ret code = LZMA_OK;
  while (code == LZMA_OK || code == LZMA_SEEK_NEEDED) {
    if (code == LZMA_SEEK_NEEDED) {
      at = stream.lzma.seek_pos;
      stream.lzma.avail_in = 0;
    }
    if (stream.lzma.avail_in == 0) {
      auto more = read(at, 64 << 10);
      if (!more) return more.error();
      piece = std::move(*more);
      at += piece.size();
      stream.lzma.next_in = reinterpret_cast<const uint8_t*>(piece.data());
      stream.lzma.avail_in = piece.size();
      if (piece.empty()) return Error(Code::kCorrupt, "Unexpected end of input");
    }
    code = lzma_code(&stream.lzma, LZMA_RUN);
  }
  if (code == LZMA_MEM_ERROR) return stream.memory.Refusal();
  if (code == LZMA_FORMAT_ERROR) return Error(Code::kSyntax, "File format not recognized");
  if (code != LZMA_STREAM_END) return Error(Code::kCorrupt, "Compressed data is corrupt");
  XzInfo info{.streams = lzma_index_stream_count(index), .blocks = lzma_index_block_count(index), .packed = lzma_index_file_size(index), .plain = lzma_index_uncompressed_size(index)};
  info.checks = lzma_index_checks(index);
  lzma_index_iter iter;
  lzma_index_iter_init(&iter, index);
  while (!lzma_index_iter_next(&iter, LZMA_INDEX_ITER_STREAM)) info.padding += iter.stream.padding;
  lzma_index_end(index, &stream.allocator);
  return info;
}
std::string XzCheckNames(uint32_t checks) {
  std::string names;
  for (uint32_t i = 0; i <= LZMA_CHECK_ID_MAX; ++i) {
    if ((checks >> i & 1) == 0) continue;
    names += names.empty() ? "" : ",";
    names += i == LZMA_CHECK_NONE ? "None" : i == LZMA_CHECK_CRC32 ? "CRC32" : i == LZMA_CHECK_CRC64 ? "CRC64" : i == LZMA_CHECK_SHA256 ? "SHA-256" : "Unknown-" + std::to_string(i);
  }
  return names;
}
uint64_t XzEncoderMemory(const XzEncoderOptions& options) { return lzma_easy_encoder_memusage(Preset(options)); }

}  // namespace paddock::codec
