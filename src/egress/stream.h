// Stream: a byte stream as a fiber sees it, and Input, the buffer from which parsers read one.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "egress/reactor.h"

namespace paddock::egress {

// One fiber may read while another writes. Errors of all: kTimedOut, kCancelled after Abort() or the engine's stop, and the
// peer's.
class Stream {
 public:
  virtual ~Stream() = default;
  // Waits for at least one byte. 0 is the end.
  virtual Result<size_t> Read(std::span<char> to, Deadline deadline) = 0;
  // Returns when all is written.
  virtual Status Write(std::string_view bytes, Deadline deadline) = 0;
  // Tells the peer that nothing more comes; reading goes on.
  virtual Status FinishWriting(Deadline deadline) = 0;
  // Ends every wait of the stream, now and later.
  virtual void Abort() = 0;
};

// Ends a stream whose peer may still be sending, so that the peer reads what was written last: nothing more is written, and
// what comes is thrown away for two seconds at most.
void EndGently(Stream& stream, Reactor& reactor);

class Input {
 public:
  explicit Input(Stream& stream) : stream_(&stream) {}

  // What was read and not consumed yet.
  std::string_view view() const { return std::string_view(buffer_).substr(begin_); }
  // Reads more; returns how much, 0 at the end. Errors: kLimit when view() has `most` bytes already.
  Result<size_t> Fill(size_t most, Deadline deadline);
  void Consume(size_t count);
  // Returns when view() has at least `count` bytes. Errors: kBrokenPipe when the end comes first.
  Status Need(size_t count, Deadline deadline);
  // Replaces the stream, keeps the bytes.
  void set_stream(Stream& stream) { stream_ = &stream; }
  Stream& stream() { return *stream_; }

 private:
  Stream* stream_;
  std::string buffer_;
  size_t begin_ = 0;
};

}  // namespace paddock::egress
