// GuestProcess: a program that runs, or has run, inside.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "guest/client/time.h"
#include "guest/protocol/messages.h"

namespace paddock::guest {

class Connection;

enum class Channel { kOut, kError };   // a terminal and merged output are kOut

// How a program ended.
struct ExitStatus {
  int code = 0;             // without a signal
  int signal = 0;           // 0: it has exited by itself
  bool dumped_core = false;
  ProcessUsage usage;
};

// Called by whichever thread reads the connection, one at a time and in order, without a lock held. They must not wait for the
// guest (that ends with kBusy) nor destroy the client; while one runs nothing else is read, which is also how it slows the
// program down.
struct ProcessHandlers {
  // Bytes of a channel and the offset of the first from its start. Without this handler output waits for Read().
  std::function<void(Channel channel, uint64_t offset, std::string_view bytes)> on_output;
  // The channel is over: nobody inside holds it open any more.
  std::function<void(Channel channel)> on_end;
  // The program has ended; output may still follow (its children can hold the channels open).
  std::function<void(const ExitStatus& status)> on_exit;
  // Output counts as used up only when GuestProcess::Grant() says so, not when on_output returns: for handlers that pass it on.
  bool grants_later = false;
};

// All calls are safe from any thread. They fail with the connection's error when it has ended (kUnavailable: lost, kInvalid: the
// agent broke the protocol, kCancelled: the client was closed), and with kTimedOut at their deadline.
class GuestProcess {
 public:
  // Kills the program and all that it started, without waiting, unless it has ended or Detach() was called.
  ~GuestProcess();
  GuestProcess(const GuestProcess&) = delete;

  // Waits until the program runs, or could not be started: the error has the errno as its code and names the step and the
  // program; start_failure() says more. Only needed after Client::Launch().
  Status WaitStarted(Deadline deadline = kNoDeadline);
  // Why it could not be started; nothing when it could or when that is not known yet.
  std::optional<Failure> start_failure() const;
  uint64_t number() const;    // for Client::Attach; 0 before it has started
  int pid() const;            // inside; 0 before it has started
  // Offset of the first byte of a channel that comes: more than what Attach() asked for when that is no longer kept.
  uint64_t FirstOffset(Channel channel) const;

  // Writes all of `bytes` to its input; waits while the program does not read. kBrokenPipe when it has closed its input, or
  // ended; kInvalid without input or behind CloseInput().
  Status WriteInput(std::string_view bytes, Deadline deadline = kNoDeadline);
  // How many bytes WriteInput() takes at once without waiting.
  size_t InputRoom() const;
  // The end of its input; on a terminal the end-of-file character. Bytes written before arrive before.
  void CloseInput();

  // The next bytes of a channel: at least one, unless it has ended (0). Only without on_output. Bytes that are not read
  // hold the program up once the window is full.
  Result<size_t> Read(Channel channel, std::span<char> buffer, Deadline deadline = kNoDeadline);
  // All of what is left of a channel, at most `max_bytes` (kLimit when it is more).
  Result<std::string> ReadAll(Channel channel, size_t max_bytes, Deadline deadline = kNoDeadline);

  // With grants_later: so many bytes that on_output got have been used up, and as many more may come.
  void Grant(Channel channel, size_t bytes);

  // Waits for the end of the program. Output may still follow; WaitOutput() waits for the end of that.
  Result<ExitStatus> Wait(Deadline deadline = kNoDeadline);
  // Waits until the handlers have got all output: both channels are over.
  Status WaitOutput(Deadline deadline = kNoDeadline);

  // Sent in order with the input; what has ended is not an error.
  void Signal(int signal, SignalTarget target = SignalTarget::kGroup);
  void Resize(TerminalSize size);
  // Kills the program and all its descendants, also those that left its session, and waits until none is left. kBusy when the
  // kernel does not let go of one.
  Status KillTree(Deadline deadline = kNoDeadline);

  // Leaves the program running without a client; Client::Attach(number()) finds it again. Its output waits in the agent,
  // then in the program.
  void Detach();

 private:
  friend class Client;
  class State;
  GuestProcess(std::shared_ptr<Connection> connection, std::shared_ptr<State> state);

  size_t InputRoomNow() const;   // with the connection's lock

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<State> state_;
};

}  // namespace paddock::guest
