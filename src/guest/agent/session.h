// Session: what an agent makes of a client's frames. No I/O of its own on the connection: frames come in by Receive(),
// answers go to the outbox.
#pragma once

#include <memory>
#include <unordered_map>

#include "guest/agent/process_table.h"
#include "guest/agent/stream.h"

namespace paddock::guest {

struct AgentOptions;

class Session {
 public:
  Session(EventLoop& loop, Outbox& outbox, Machine& machine, const AgentOptions& options);

  // Puts the agent's Hello into the outbox; with greets_second, Receive() does.
  void Greet();
  // Handles one frame. An error is a violation of the protocol: say why with kFailure and end the connection.
  Status Receive(const Frame& frame);
  // Drops the streams that are over by themselves. Not from within one of their calls.
  void Sweep();
  ProcessTable& processes() { return processes_; }
  bool WantsShutdown() const { return wants_shutdown_; }

 private:
  Status ReceiveControl(const Frame& frame);
  void SendHello();
  Status Open(const MessageAssembler::Message& request);
  Result<std::unique_ptr<Stream>> OpenFiles(const MessageAssembler::Message& request, const StreamPlace& place);
  Result<std::unique_ptr<Stream>> OpenPort(const MessageAssembler::Message& request, const StreamPlace& place);
  Status DoSystem(const MessageAssembler::Message& request);
  // A stream of the agent's for a connection of `listener`.
  bool Accept(uint32_t listener, Descriptor connection, std::string_view peer);
  void AnswerCall(uint32_t stream, int error_number, std::string_view reply = {});
  void Answer(uint32_t stream, std::string_view message) { outbox_.Message(stream, FrameType::kReply, message); }

  static constexpr size_t kMaxStreams = 16 * 1024;

  EventLoop& loop_;
  Outbox& outbox_;
  Machine& machine_;
  const uint64_t features_;
  const std::string software_;
  const bool greets_second_;
  bool was_greeted_ = false;
  bool wants_shutdown_ = false;
  uint32_t last_stream_ = 0;   // of the client's
  uint32_t last_own_ = 0;
  std::vector<uint32_t> finished_;
  MessageAssembler assembler_;
  ProcessTable processes_;
  std::unordered_map<uint32_t, std::unique_ptr<Stream>> streams_;
};

}  // namespace paddock::guest
