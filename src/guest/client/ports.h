// GuestPorts: connections to servers inside, and servers inside whose connections come out to the host.
//
// All calls are safe from any thread and fail with the connection's error when it has ended, or with kTimedOut.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "guest/client/time.h"
#include "guest/protocol/port_messages.h"

namespace paddock::guest {

class Connection;
class DataStream;

// A stream of bytes both ways. Dropping it closes it inside.
class GuestConnection {
 public:
  ~GuestConnection();
  GuestConnection(const GuestConnection&) = delete;

  // For one that waits:
  // At least one byte, or 0 when the other end has closed its half. The agent's errno when the connection broke.
  Result<size_t> Read(std::span<char> buffer, Deadline deadline = kNoDeadline);
  // Writes all, waiting for the program inside to read.
  Status Write(std::string_view bytes, Deadline deadline = kNoDeadline);
  // The other end sees the end of what was written; it can still answer.
  void CloseWrite();

  // For one that does not wait, instead of the above but CloseWrite():
  struct Now {
    bool is_open = false;     // it stands; a dialled one does not at first
    bool has_arrived = false; // TakeArrived() gives something
    bool has_ended = false;   // nothing arrives behind that
    bool is_broken = false;   // of no use any more
    size_t room = 0;          // what SendNow() takes
  };
  Now Look() const;
  // Has `handler` called on any thread when Look() may say something new. The connection is locked meanwhile: it may only note that.
  void Watch(std::function<void()> handler);
  // As much as the window is at most; more comes when it has been granted.
  std::string TakeArrived();
  void Grant(size_t bytes);
  // `bytes`: at most `room`, by the one thread that sends.
  void SendNow(std::string_view bytes);
  // Both ways have ended: leaves it to the agent to hand over the rest, where a drop would cut it.
  void Leave();

  // For people: who connected; empty of a dialled connection.
  const std::string& peer() const { return peer_; }

 private:
  friend class GuestPorts;
  friend class GuestListener;
  GuestConnection(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string peer);
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<DataStream> stream_;
  const std::string peer_;
  bool is_left_ = false;
};

// Connections that came to a server inside and wait to be taken.
struct ArrivalQueue {
  size_t most = 128;                  // more are closed
  std::function<void()> on_arrival;   // as of GuestConnection::Watch(), when one has come or the connection to the agent has ended
};

// A server inside, until it is dropped; connections that it gave live on.
class GuestListener {
 public:
  ~GuestListener();
  GuestListener(const GuestListener&) = delete;
  uint16_t port() const { return port_; }
  Result<std::unique_ptr<GuestConnection>> Accept(Deadline deadline = kNoDeadline);
  // One that waits already; null when none does.
  std::unique_ptr<GuestConnection> TryAccept();

 private:
  friend class GuestPorts;
  class State;
  GuestListener(std::shared_ptr<Connection> connection, std::shared_ptr<State> state, uint16_t port);
  std::unique_ptr<GuestConnection> TakeFirst();   // with the lock
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<State> state_;
  const uint16_t port_;
};

class GuestPorts {
 public:
  explicit GuestPorts(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  // Error code: the errno inside (ECONNREFUSED has no Code of its own: kIo), kInvalid for what is no address.
  Result<std::unique_ptr<GuestConnection>> Dial(const DialRequest& request, Deadline deadline = kNoDeadline);
  // As Dial(), without waiting: Look() tells when it stands, or is broken.
  Result<std::unique_ptr<GuestConnection>> DialLater(const DialRequest& request);
  Result<std::unique_ptr<GuestListener>> Listen(const ListenRequest& request, Deadline deadline = kNoDeadline, ArrivalQueue queue = {});

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace paddock::guest
