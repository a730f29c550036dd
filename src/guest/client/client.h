// Client: the host's side of a guest agent (docs/guest-protocol.md). A driver builds a wall, puts the agent in it and gives
// the byte stream to a Client; everything that is done inside goes through it.
//
//   auto client = Client::Connect(fd, fd, In(5s));
//   auto process = (*client)->Start({.arguments = {"make", "-j2"}, .environment = {"PATH=/usr/bin"}, .directory = "/work"},
//                                   {.on_output = [](Channel, uint64_t, std::string_view bytes) { … }});
//   auto status = (*process)->Wait();
//
// Threads: every call is safe from any thread. The client has none of its own: a call that waits reads the connection for all.
// Where output must flow while nobody waits, call StartReader() once, or Poll() whenever descriptor() can be read.
// Trust: the agent may be in the hands of the code inside. Every message is checked; what the client holds is bounded by
// the windows of its streams; a violation ends the connection with kInvalid, and every wait with it.
#pragma once

#include <memory>
#include <vector>

#include "guest/client/files.h"
#include "guest/client/ports.h"
#include "guest/client/process.h"
#include "guest/client/trees.h"

namespace paddock::guest {

using ExecRequest = StartRequest;

class Client {
 public:
  // Takes two descriptors, or one for both ways (a socket): they are made non-blocking, and closed with the client. Waits for the
  // agent's greeting. Errors: kUnavailable (no agent, no version in common), kInvalid (not an agent), kTimedOut.
  static Result<std::unique_ptr<Client>> Connect(int input_fd, int output_fd, Deadline deadline);
  // As Connect(), without waiting: requests may be sent before the agent has even started.
  static std::unique_ptr<Client> ConnectLater(int input_fd, int output_fd);
  // Closes the connection: the agent ends, and with it everything inside.
  ~Client();
  Client(const Client&) = delete;

  // What the agent has (Feature); 0 before its greeting.
  uint64_t features() const;

  // Starts a program and waits until it runs. Error code: the errno of the step that failed, see GuestProcess::WaitStarted().
  Result<std::unique_ptr<GuestProcess>> Start(const ExecRequest& request, ProcessHandlers handlers = {},
                                              Deadline deadline = kNoDeadline);
  // As Start() without waiting: input may be written and signals be sent at once; Wait() fails when it could not be started.
  Result<std::unique_ptr<GuestProcess>> Launch(const ExecRequest& request, ProcessHandlers handlers = {});
  // Takes over a process by its number, wherever it was attached before, with its output from these offsets on.
  Result<std::unique_ptr<GuestProcess>> Attach(const AttachRequest& request, ProcessHandlers handlers = {},
                                               Deadline deadline = kNoDeadline);
  Result<std::vector<ProcessInfo>> ListProcesses(Deadline deadline = kNoDeadline);
  // Kills everything inside but the agent.
  Status KillAll(Deadline deadline = kNoDeadline);
  GuestFiles files();
  GuestPorts ports();
  GuestTrees trees();
  // What can be measured from within; names and units: guest/agent/usage.h.
  Result<std::vector<UsageValue>> Usage(Deadline deadline = kNoDeadline);
  // After a restore from a snapshot. kNotSupported unless the agent owns its machine (kFeatureSystem). At most kMaxEntropyBytes
  // are used.
  Status SetTime(std::chrono::system_clock::time_point time, Deadline deadline = kNoDeadline);
  Status AddEntropy(std::string_view bytes, Deadline deadline = kNoDeadline);
  // Ends the agent in good order.
  Status Shutdown(Deadline deadline = kNoDeadline);

  // Reads for everybody from now on, on a thread of the client's.
  void StartReader();
  // Can be read when Poll() has something to do. While wants_write() it has too when output_descriptor() can be written.
  int descriptor() const;
  int output_descriptor() const;
  bool wants_write() const;
  // Handles what has come, waiting for it at most until `deadline`; the connection's error when it has ended.
  Status Poll(Deadline deadline);

 private:
  explicit Client(std::shared_ptr<Connection> connection);

  std::shared_ptr<Connection> connection_;
};

}  // namespace paddock::guest
