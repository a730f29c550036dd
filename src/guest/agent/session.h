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

  // Puts the agent's Hello into the outbox.
  void Greet();
  // Handles one frame. An error is a violation of the protocol: say why with kFailure and end the connection.
  Status Receive(const Frame& frame);
  ProcessTable& processes() { return processes_; }
  bool WantsShutdown() const { return wants_shutdown_; }

 private:
  Status ReceiveControl(const Frame& frame);
  Status Open(const MessageAssembler::Message& request);
  void Answer(uint32_t stream, std::string_view message) { outbox_.Message(stream, FrameType::kReply, message); }

  static constexpr size_t kMaxStreams = 16 * 1024;

  Outbox& outbox_;
  const uint64_t features_;
  const std::string software_;
  bool was_greeted_ = false;
  bool wants_shutdown_ = false;
  uint32_t last_stream_ = 0;
  MessageAssembler assembler_;
  ProcessTable processes_;
  std::unordered_map<uint32_t, std::unique_ptr<Stream>> streams_;
};

}  // namespace paddock::guest
