#include "guest/client/client.h"

#include "guest/client/connection.h"
#include "guest/client/failure.h"
#include "guest/client/process_state.h"

namespace paddock::guest {
namespace {

// The stream of a request with one reply.
class Question final : public Connection::Stream {
 public:
  Status Receive(const Frame& frame, Connection::Lock&) override {
    if (frame.header.type == FrameType::kReply) {
      reply = std::string(frame.payload);
      return {};
    }
    if (frame.header.type != FrameType::kError) return Error(Code::kInvalid, "guest protocol: not an answer");
    PADDOCK_ASSIGN(failure, DecodeFailure(frame.payload));
    return {};
  }

  std::optional<std::string> reply;
  std::optional<Failure> failure;
};

}  // namespace

Client::Client(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

Client::~Client() { connection_->Close(Error(Code::kCancelled, "guest client closed")); }

std::unique_ptr<Client> Client::ConnectLater(int input_fd, int output_fd) {
  auto connection = std::make_shared<Connection>(input_fd, output_fd);
  {
    const auto lock = connection->Acquire();
    Hello hello;
    hello.software = "paddock";
    connection->Send(0, FrameType::kHello, 0, Encode(hello));
  }
  return std::unique_ptr<Client>(new Client(std::move(connection)));   // allow(raw-new): the constructor is private
}

Result<std::unique_ptr<Client>> Client::Connect(int input_fd, int output_fd, Deadline deadline) {
  auto client = ConnectLater(input_fd, output_fd);
  auto lock = client->connection_->Acquire();
  PADDOCK_TRY(client->connection_->Wait(lock, deadline, [&] { return client->connection_->hello().has_value(); }));
  lock.unlock();
  return client;
}

uint64_t Client::features() const {
  const auto lock = connection_->Acquire();
  return connection_->hello() ? connection_->hello()->features : 0;
}

Result<std::unique_ptr<GuestProcess>> Client::Launch(const ExecRequest& request, ProcessHandlers handlers) {
  if (request.arguments.empty()) return Error(Code::kInvalid, "no program to start");
  auto state = std::make_shared<GuestProcess::State>(*connection_, request.arguments[0], std::move(handlers), request.output_window);
  state->has_input = request.has_input;
  const auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(state->stream, connection_->Open(state, FrameType::kStart, Encode(request)));
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestProcess>(new GuestProcess(connection_, std::move(state)));
}

Result<std::unique_ptr<GuestProcess>> Client::Start(const ExecRequest& request, ProcessHandlers handlers, Deadline deadline) {
  PADDOCK_ASSIGN(auto process, Launch(request, std::move(handlers)));
  PADDOCK_TRY(process->WaitStarted(deadline));
  return process;
}

Result<std::unique_ptr<GuestProcess>> Client::Attach(const AttachRequest& request, ProcessHandlers handlers, Deadline deadline) {
  auto state = std::make_shared<GuestProcess::State>(*connection_, "process " + std::to_string(request.process),
                                                     std::move(handlers), request.output_window);
  state->is_attached = true;
  std::unique_ptr<GuestProcess> process;
  {
    const auto lock = connection_->Acquire();
    PADDOCK_ASSIGN(state->stream, connection_->Open(state, FrameType::kAttach, Encode(request)));
    // allow(raw-new): the constructor is private
    process.reset(new GuestProcess(connection_, std::move(state)));
  }
  PADDOCK_TRY(process->WaitStarted(deadline));
  return process;
}

Result<std::string> Client::Ask(FrameType type, std::string_view request, Deadline deadline) {
  auto question = std::make_shared<Question>();
  auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(const uint32_t stream, connection_->Open(question, type, request));
  const Status status = connection_->Wait(lock, deadline, [&] { return question->reply || question->failure; });
  if (!status) {
    connection_->Send(stream, FrameType::kReset);
    connection_->Forget(stream);
    return status.error();
  }
  if (question->failure) return ErrorOf(*question->failure, "guest");
  return std::move(*question->reply);
}

Result<std::vector<ProcessInfo>> Client::ListProcesses(Deadline deadline) {
  PADDOCK_ASSIGN(const std::string reply, Ask(FrameType::kListProcesses, {}, deadline));
  return DecodeProcesses(reply);
}

Status Client::KillAll(Deadline deadline) {
  PADDOCK_TRY(Ask(FrameType::kKillAll, {}, deadline));
  return {};
}

Status Client::Shutdown(Deadline deadline) {
  PADDOCK_TRY(Ask(FrameType::kShutdown, {}, deadline));
  return {};
}

void Client::StartReader() { connection_->StartReader(); }

int Client::descriptor() const { return connection_->input_fd(); }

Status Client::Poll(Deadline deadline) { return connection_->Poll(deadline); }

}  // namespace paddock::guest
