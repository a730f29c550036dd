// Outbox: what waits to be written to the client. Answers and events go in as they arise; data is asked for only when
// little is waiting, from one source after the other, one frame each: so that a flood on one stream delays the others and
// the answers by no more than a few frames, and the memory does not grow with it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "guest/protocol/frame.h"
#include "guest/protocol/messages.h"

namespace paddock::guest {

class Outbox {
 public:
  // Something with data to send.
  class Source {
   public:
    virtual ~Source() = default;
    // Appends at most one frame of data. True when there may be more to send now.
    virtual bool Produce(Outbox& outbox) = 0;

   private:
    friend class Outbox;
    bool is_scheduled_ = false;
  };

  void Frame(uint32_t stream, FrameType type, uint16_t flags = 0, std::string_view payload = {}) {
    AppendFrame(bytes_, stream, type, flags, payload);
  }
  void Message(uint32_t stream, FrameType type, std::string_view message) { AppendMessage(bytes_, stream, type, message); }
  void Error(uint32_t stream, int error_number, Step step = Step::kNone, std::string_view text = {}) {
    Frame(stream, FrameType::kError, 0, Encode(Failure{error_number, step, std::string(text)}));
  }
  // Output of a process, in two pieces as a ring has it; together at most kMaxOutputBytes.
  void Output(uint32_t stream, uint16_t channel, uint64_t offset, std::string_view one, std::string_view two);
  static constexpr size_t kMaxOutputBytes = kMaxPayloadBytes - 8;

  // Asks `source` for data when there is room, in turn with the others. Idempotent.
  void Schedule(Source& source);
  void Unschedule(Source& source);

  // Fills up with data and writes what `fd` takes, but no more than a few rounds: requests want to be read as well. False
  // when writing failed: the client is gone.
  bool Flush(int fd);
  bool IsEmpty() const { return begin_ == bytes_.size() && sources_.empty(); }
  // So much is waiting that no further request should be read.
  bool IsCrowded() const { return bytes_.size() - begin_ > kCrowdedBytes; }

 private:
  static constexpr size_t kEnoughBytes = 128 * 1024;
  static constexpr size_t kCrowdedBytes = 1024 * 1024;
  static constexpr int kMostRounds = 4;
  static constexpr int kMostTurns = 16;   // of sources, each round

  void Fill();

  std::string bytes_;
  size_t begin_ = 0;
  std::deque<Source*> sources_;
};

}  // namespace paddock::guest
