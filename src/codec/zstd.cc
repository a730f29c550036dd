// zstd, by libzstd.

#define ZSTD_STATIC_LINKING_ONLY   // memory of our own is only to be had so
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

#include "base/budget.h"
#include "base/check.h"
#include "codec/coder.h"
#include "codec/library_memory.h"

namespace paddock::codec {
namespace {

ZSTD_customMem MemoryOf(LibraryMemory& memory) {
  return {[](void* owner, size_t size) { return static_cast<LibraryMemory*>(owner)->Take(size); },
          [](void*, void* block) { LibraryMemory::GiveBack(block); }, &memory};
}

class Decoder final : public Coder {
 public:
  Decoder(Budget* budget, const ZstdDecoderOptions& options)
      : memory_(budget), dictionary_(options.dictionary), context_(ZSTD_createDCtx_advanced(MemoryOf(memory_)), ZSTD_freeDCtx) {
    if (!context_) return;
    ZSTD_DCtx_setMaxWindowSize(context_.get(), std::clamp<uint64_t>(options.window_max, 1024, uint64_t{1} << 31));
    if (options.ignores_check) ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_forceIgnoreChecksum, ZSTD_d_ignoreChecksum);
    if (dictionary_.empty()) return;
    if (options.is_prefix) ZSTD_DCtx_refPrefix(context_.get(), dictionary_.data(), dictionary_.size());
    else if (ZSTD_isError(ZSTD_DCtx_loadDictionary_byReference(context_.get(), dictionary_.data(), dictionary_.size()))) context_.reset();
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (!context_) return memory_.Refusal();
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, room, 0};
    if (in.empty() && is_between_) {
      if (ends && !has_frames_) return Error(Code::kSyntax, "unexpected end of file");
      return Step{0, 0, true};
    }
    const size_t hint = ZSTD_decompressStream(context_.get(), &to, &from);
    if (ZSTD_isError(hint)) return Failure(hint, in);
    if (ends && in.empty() && to.pos == 0 && hint != 0) return Error(Code::kCorrupt, "premature end");
    is_between_ = hint == 0;
    has_frames_ = has_frames_ || is_between_;
    return Step{from.pos, to.pos, is_between_};
  }

 private:
  Error Failure(size_t code, std::string_view in) {
    switch (ZSTD_getErrorCode(code)) {
      case ZSTD_error_memory_allocation: return memory_.Refusal();
      case ZSTD_error_prefix_unknown:
        if (has_frames_ && is_between_) return {Code::kNotSupported, in.size() < 4 ? "unknown header" : "unsupported format"};
        return {Code::kSyntax, "unsupported format"};
      case ZSTD_error_frameParameter_windowTooLarge: return {Code::kLimit, ZSTD_getErrorName(code)};
      default: return {Code::kCorrupt, ZSTD_getErrorName(code)};
    }
  }

  LibraryMemory memory_;
  std::string dictionary_;
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
  bool is_between_ = true, has_frames_ = false;
};

class Encoder final : public Coder {
 public:
  Encoder(Budget* budget, const ZstdEncoderOptions& options)
      : memory_(budget), dictionary_(options.dictionary), context_(ZSTD_createCCtx_advanced(MemoryOf(memory_)), ZSTD_freeCCtx) {
    if (!context_) return;
    ZSTD_CCtx* context = context_.get();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, options.level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, options.has_checksum ? 1 : 0);
    if (options.long_window_log > 0) {
      ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
      ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, options.long_window_log);
    }
    if (options.window_log > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, options.window_log);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, options.has_size ? 1 : 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, options.has_dictionary_id ? 1 : 0);
    if (options.size_hint > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_srcSizeHint, static_cast<int>(std::min<uint64_t>(options.size_hint, INT32_MAX)));
    if (options.target_block > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_targetCBlockSize, static_cast<int>(std::min<uint64_t>(options.target_block, 1 << 17)));
    const auto choice = [](bool on) { return on ? ZSTD_ps_enable : ZSTD_ps_disable; };
    if (options.compresses_literals) ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, choice(*options.compresses_literals));
    if (options.finds_by_rows) ZSTD_CCtx_setParameter(context, ZSTD_c_useRowMatchFinder, choice(*options.finds_by_rows));
    if (options.size) ZSTD_CCtx_setPledgedSrcSize(context, *options.size);
    if (dictionary_.empty()) return;
    if (options.is_prefix) ZSTD_CCtx_refPrefix(context, dictionary_.data(), dictionary_.size());
    else if (ZSTD_isError(ZSTD_CCtx_loadDictionary_byReference(context, dictionary_.data(), dictionary_.size()))) context_.reset();
  }

  Result<Step> Run(std::string_view in, bool ends, char* out, size_t room) override {
    if (!context_) return memory_.Refusal();
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out, room, 0};
    const size_t left = ZSTD_compressStream2(context_.get(), &to, &from, ends ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) {
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) return memory_.Refusal();
      return Error(Code::kIo, ZSTD_getErrorName(left));   // the file has not the size that it had
    }
    return Step{from.pos, to.pos, ends && left == 0};
  }

 private:
  LibraryMemory memory_;
  std::string dictionary_;
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context_;
};

}  // namespace

CoderPtr NewZstdDecoder(Budget* budget, const ZstdDecoderOptions& options) { return std::make_unique<Decoder>(budget, options); }
CoderPtr NewZstdEncoder(Budget* budget, const ZstdEncoderOptions& options) { return std::make_unique<Encoder>(budget, options); }

std::optional<uint64_t> ZstdWindow(std::string_view head) {
  ZSTD_frameHeader frame;
  if (ZSTD_getFrameHeader(&frame, head.data(), head.size()) != 0 || frame.frameType != ZSTD_frame) return std::nullopt;
  return frame.windowSize;
}

Result<ZstdInfo> ReadZstdInfo(uint64_t size, const std::function<Result<std::string>(uint64_t, size_t)>& read, Budget* budget) {
  ZstdInfo info;
  info.packed = size;
  for (uint64_t at = 0; at < size;) {
    if (budget != nullptr) budget->Step(16);
    PADDOCK_ASSIGN(const std::string head, read(at, ZSTD_FRAMEHEADERSIZE_MAX));
    ZSTD_frameHeader frame;
    const size_t more = ZSTD_getFrameHeader(&frame, head.data(), head.size());
    if (ZSTD_isError(more)) return Error(Code::kSyntax);
    if (more > 0) return Error(Code::kCorrupt, "reached end of file with incomplete frame");
    ++info.frames;
    if (frame.frameType == ZSTD_skippableFrame) {
      ++info.skippable;
      at += ZSTD_SKIPPABLEHEADERSIZE + frame.frameContentSize;
      if (at > size) return Error(Code::kCorrupt, "could not find end of skippable frame");
      continue;
    }
    if (frame.frameContentSize == ZSTD_CONTENTSIZE_UNKNOWN) info.knows_plain = false;
    else info.plain += frame.frameContentSize;
    info.window = frame.windowSize;
    info.dictionary = frame.dictID;
    at += frame.headerSize;
    for (bool is_last = false; !is_last;) {
      if (budget != nullptr) budget->Step(16);
      PADDOCK_ASSIGN(const std::string block, read(at, 3));
      if (block.size() < 3) return Error(Code::kCorrupt, "could not read next block header");
      const uint32_t word = static_cast<uint8_t>(block[0]) | static_cast<uint32_t>(static_cast<uint8_t>(block[1])) << 8 | static_cast<uint32_t>(static_cast<uint8_t>(block[2])) << 16;
      is_last = (word & 1) != 0;
      const uint32_t kind = word >> 1 & 3;
      if (kind == 3) return Error(Code::kCorrupt, "unsupported block type");
      at += 3 + (kind == 1 ? 1 : word >> 3);
      if (at > size) return Error(Code::kCorrupt, "could not skip to end of block");
    }
    if (frame.checksumFlag == 0) continue;
    info.has_check = true;
    PADDOCK_ASSIGN(const std::string sum, read(at, 4));
    if (sum.size() < 4) return Error(Code::kCorrupt, "could not read checksum");
    info.check.clear();
    for (size_t i = 4; i > 0; --i) {
      for (const int shift : {4, 0}) info.check += "0123456789abcdef"[static_cast<uint8_t>(sum[i - 1]) >> shift & 15];
    }
    at += 4;
  }
  if (info.frames == 0) return Error(Code::kCorrupt, "reached end of file with incomplete frame");
  return info;
}

}  // namespace paddock::codec
