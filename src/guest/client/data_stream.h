// The client's end of a stream of bytes: a file that is read or written, a connection, a watch.
#pragma once

#include <span>
#include <string>

#include "guest/client/connection.h"
#include "guest/protocol/flow.h"

namespace paddock::guest {

class DataStream final : public Connection::Stream {
 public:
  explicit DataStream(Connection& connection) : connection_(connection) {}

  Status Receive(const Frame& frame, Connection::Lock& lock) override;
  void ConnectionChanged() override {
    if (on_change) on_change();
  }

  // All with the connection's lock.
  // Moves what has come to the caller, and grants as much again.
  std::string Take();
  size_t Take(std::span<char> buffer);
  // Lets as much more come as has been taken of `received` by hand.
  void Grant(size_t bytes);
  // What may be sent at once.
  size_t Room() const;
  // At most Room() bytes.
  void SendNow(std::string_view bytes);
  // Waits until `is_true` or the stream is over. The agent's failure as an error about `what`.
  Status Wait(Connection::Lock& lock, Deadline deadline, std::string_view what, const std::function<bool()>& is_true);
  // Sends all of `bytes`, waiting for credit.
  Status Write(Connection::Lock& lock, std::string_view bytes, Deadline deadline, std::string_view what);
  void SendEnd() { connection_.Send(number, FrameType::kEnd, kChannelIn); }
  // Tells the agent that the stream is of no use any more.
  void Drop();

  uint32_t number = 0;
  std::string received;                 // at most the window
  std::optional<std::string> opened;    // the payload of kOpened
  std::optional<std::string> reply;
  std::optional<Failure> failure;
  bool has_ended = false;               // nothing more comes
  std::function<void()> on_change;      // called with the lock held when any of this has changed, or Room(); may be empty

 private:
  Status TakeIn(const Frame& frame);

  Connection& connection_;
  ReceiveWindow window_;
  SendCredit credit_;
};

// A stream that is dropped when the caller leaves it, however that happens. To be made and destroyed with the lock held.
struct StreamDropper {
  DataStream& stream;
  ~StreamDropper() { stream.Drop(); }
};

}  // namespace paddock::guest
