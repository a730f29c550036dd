#include "store/trees/compressor.h"

#include <zstd.h>

#include "base/check.h"

namespace paddock::trees {

Compressor::Compressor(int level) : level_(level), context_(ZSTD_createCCtx()) { PADDOCK_CHECK(context_ != nullptr); }
Compressor::~Compressor() { ZSTD_freeCCtx(context_); }

std::string_view Compressor::Compress(std::string_view bytes) {
  const size_t most = bytes.size() - bytes.size() / 16;
  if (bytes.size() < 64) return {};
  if (buffer_.size() < most) buffer_.resize(most);
  const size_t size = ZSTD_compressCCtx(context_, buffer_.data(), most, bytes.data(), bytes.size(), level_);
  if (ZSTD_isError(size)) return {};
  return std::string_view(buffer_).substr(0, size);
}

}  // namespace paddock::trees
