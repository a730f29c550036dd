// What a client knows of one process; the stream object of GuestProcess.
#pragma once

#include <string>

#include "guest/client/connection.h"
#include "guest/client/process.h"
#include "guest/protocol/flow.h"

namespace paddock::guest {

class GuestProcess::State final : public Connection::Stream {
 public:
  State(Connection& connection, std::string name, ProcessHandlers handlers, uint32_t output_window);

  Status Receive(const Frame& frame, Connection::Lock& lock) override;

  // All members are guarded by the connection's lock.
  struct Output {
    uint64_t first = 0;         // offset of the first byte
    uint64_t next = 0;          // offset of the next to come
    ReceiveWindow window;
    std::string buffered;       // not read yet, at most the window
    size_t buffer_begin = 0;
    bool has_ended = false;
  };

  // Counts bytes as taken by the user, and grants more.
  void Consume(Channel channel, size_t bytes);
  Output& output(Channel channel) { return outputs_[channel == Channel::kOut ? 0 : 1]; }

  Connection& connection;       // outlived by GuestProcess, which holds it
  const std::string name;
  ProcessHandlers handlers;
  uint32_t stream = 0;
  bool is_attached = false;     // by Attach(): the input window comes with kStarted
  std::optional<Started> started;
  std::optional<Failure> failure;
  std::optional<ExitStatus> exit;
  bool was_taken_over = false;  // another client attached
  SendCredit input_credit;
  bool has_input = false;
  bool input_is_closed = false;       // inside
  bool input_has_ended = false;       // by CloseInput()
  std::optional<uint32_t> tree_kill_left;
  bool tree_kill_is_under_way = false;
  bool tree_has_ended = false;
  bool is_detached = false;
  bool is_calling = false;            // a handler runs, without the lock

 private:
  // Calls a handler without the lock.
  template <class Handler, class... Arguments>
  void Call(Connection::Lock& lock, const Handler& handler, const Arguments&... arguments) {
    if (!handler) return;
    is_calling = true;
    lock.unlock();
    handler(arguments...);
    lock.lock();
    is_calling = false;
  }
  Status ReceiveOutput(const Frame& frame, Connection::Lock& lock);
  Status ReceiveStarted(std::string_view payload);
  Status ReceiveExited(std::string_view payload, Connection::Lock& lock);

  Output outputs_[2];
};

}  // namespace paddock::guest
