// GuestPorts: connections to servers inside, and servers inside whose connections come out to the host.
//
// All calls are safe from any thread and fail with the connection's error when it has ended, or with kTimedOut.
#pragma once

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
  // At least one byte, or 0 when the other end has closed its half. The agent's errno when the connection broke.
  Result<size_t> Read(std::span<char> buffer, Deadline deadline = kNoDeadline);
  // Writes all, waiting for the program inside to read.
  Status Write(std::string_view bytes, Deadline deadline = kNoDeadline);
  // The other end sees the end of what was written; it can still answer.
  void CloseWrite();
  // For people: who connected; empty of a dialled connection.
  const std::string& peer() const { return peer_; }

 private:
  friend class GuestPorts;
  friend class GuestListener;
  GuestConnection(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string peer);
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<DataStream> stream_;
  const std::string peer_;
};

// A server inside, until it is dropped; connections that it gave live on.
class GuestListener {
 public:
  ~GuestListener();
  GuestListener(const GuestListener&) = delete;
  uint16_t port() const { return port_; }
  // At most kMostWaiting connections wait to be taken; more are closed.
  Result<std::unique_ptr<GuestConnection>> Accept(Deadline deadline = kNoDeadline);
  static constexpr size_t kMostWaiting = 128;

 private:
  friend class GuestPorts;
  class State;
  GuestListener(std::shared_ptr<Connection> connection, std::shared_ptr<State> state, uint16_t port);
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<State> state_;
  const uint16_t port_;
};

class GuestPorts {
 public:
  explicit GuestPorts(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  // Error code: the errno inside (ECONNREFUSED has no Code of its own: kIo), kInvalid for what is no address.
  Result<std::unique_ptr<GuestConnection>> Dial(const DialRequest& request, Deadline deadline = kNoDeadline);
  Result<std::unique_ptr<GuestListener>> Listen(const ListenRequest& request, Deadline deadline = kNoDeadline);

 private:
  std::shared_ptr<Connection> connection_;
};

}  // namespace paddock::guest
