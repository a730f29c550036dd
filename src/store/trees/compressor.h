// Compressor: zstd where it pays. Not an interface of the folder. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;

namespace paddock::trees {

class Compressor {
 public:
  explicit Compressor(int level);
  ~Compressor();

  // The compressed bytes, valid until the next call; empty when they would save less than a sixteenth.
  std::string_view Compress(std::string_view bytes);

 private:
  int level_;
  ZSTD_CCtx_s* context_;
  std::string buffer_;
};

}  // namespace paddock::trees
