// StreamFrames: takes apart what an engine sends on an attached stream without a terminal: frames with a head of 8 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace paddock::docker {

enum class EngineStream { kStdin = 0, kStdout = 1, kStderr = 2 };

// Holds nothing but an unfinished head. One thread.
class StreamFrames {
 public:
  using Take = std::function<Status(EngineStream stream, std::string_view bytes)>;
  // Gives the bodies' bytes as they come; a frame may come in many pieces. Errors: kInvalid for a head that is none, those of `take`.
  Status Feed(std::string_view bytes, const Take& take);
  // At the end of the stream. Errors: kBrokenPipe within a frame.
  Status Finish() const;

 private:
  std::array<unsigned char, 8> head_{};
  size_t head_bytes_ = 0;
  uint32_t left_ = 0;   // of the body
  EngineStream stream_ = EngineStream::kStdout;
};

}  // namespace paddock::docker
