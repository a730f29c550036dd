// The chunked coding of HTTP/1.1 bodies (RFC 9112 §7.1): out of it, and into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/http_head.h"

namespace paddock {

// Chunked coding, piece by piece. Strict: sizes are hexadecimal digits only, lines end in CRLF, extensions and trailers are
// bounded and checked; extensions are dropped.
class ChunkDecoder {
 public:
  // Reads from the start of `bytes`, appends data to `data`; returns how many bytes were used, all of them unless the end came.
  // Errors: kInvalid, kLimit.
  Result<size_t> Feed(std::string_view bytes, std::string* data);
  bool is_done() const { return state_ == State::kDone; }
  // The fields behind the last chunk; complete when done.
  const std::vector<HeaderField>& trailers() const { return trailers_; }

 private:
  enum class State { kSize, kExtension, kSizeEnd, kData, kDataReturn, kDataEnd, kTrailer, kDone };
  Status FeedByte(char c);
  Status EndTrailerLine();

  State state_ = State::kSize;
  uint64_t left_ = 0;          // of kSize: the size so far; of kData: bytes to come
  int digits_ = 0;
  size_t extension_bytes_ = 0, trailer_bytes_ = 0;
  std::string line_;           // of kTrailer
  std::vector<HeaderField> trailers_;
};

// Appends `data` as one chunk; nothing for an empty one, which would mean the end.
void AppendChunk(std::string* out, std::string_view data);
// What ends a body without trailers.
constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace paddock
