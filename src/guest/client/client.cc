#include "guest/client/client.h"

#include "guest/client/connection.h"
#include "guest/client/process_state.h"
#include "guest/client/request.h"

namespace paddock::guest {
Client::Client(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

Client::~Client() { connection_->Close(Error(Code::kCancelled, "guest client closed")); }

std::unique_ptr<Client> Client::ConnectLater(int input_fd, int output_fd) {
  auto connection = std::make_shared<Connection>(input_fd, output_fd);
  {
    const auto lock = connection->Acquire();
    Hello hello;
    hello.software = "paddock";
    hello.features = kFeatureTakesTreeEnd;
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
  const std::string bytes = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeStart>(bytes, "cannot start '" + state->name + "'"));
  const auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(state->stream, connection_->Open(state, FrameType::kStart, bytes));
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

Result<std::vector<ProcessInfo>> Client::ListProcesses(Deadline deadline) {
  PADDOCK_ASSIGN(const std::string reply, Ask(*connection_, FrameType::kListProcesses, {}, "guest", deadline));
  return DecodeProcesses(reply);
}

Status Client::KillAll(Deadline deadline) {
  PADDOCK_TRY(Ask(*connection_, FrameType::kKillAll, {}, "guest", deadline));
  return {};
}

Status Client::Shutdown(Deadline deadline) {
  PADDOCK_TRY(Ask(*connection_, FrameType::kShutdown, {}, "guest", deadline));
  return {};
}

GuestFiles Client::files() { return GuestFiles(connection_); }

GuestTrees Client::trees() { return GuestTrees(connection_); }

GuestPorts Client::ports() { return GuestPorts(connection_); }

Result<std::vector<UsageValue>> Client::Usage(Deadline deadline) {
  PADDOCK_ASSIGN(const std::string reply, Ask(*connection_, FrameType::kUsage, {}, "guest", deadline));
  return DecodeUsage(reply);
}

Status Client::SetTime(std::chrono::system_clock::time_point time, Deadline deadline) {
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  PADDOCK_TRY(Ask(*connection_, FrameType::kSetTime, EncodeU64(static_cast<uint64_t>(nanoseconds.count())), "guest clock", deadline));
  return {};
}

Status Client::AddEntropy(std::string_view bytes, Deadline deadline) {
  PADDOCK_TRY(Ask(*connection_, FrameType::kAddEntropy, bytes.substr(0, kMaxEntropyBytes), "guest random numbers", deadline));
  return {};
}

void Client::StartReader() { connection_->StartReader(); }

int Client::descriptor() const { return connection_->input_fd(); }

int Client::output_descriptor() const { return connection_->output_fd(); }

bool Client::wants_write() const {
  const auto lock = connection_->Acquire();
  return connection_->HasOutgoing();
}

Status Client::Poll(Deadline deadline) { return connection_->Poll(deadline); }

}  // namespace paddock::guest
