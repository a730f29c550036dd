#include <algorithm>
#include <csignal>

#include "api/rest/shapes.h"
#include "api/rest/terminal/terminal.h"

namespace paddock::api {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kMostInput = 1 << 20;   // that a process has not read yet

// Passes input on without making a thread of the server's wait.
class Feeder : public std::enable_shared_from_this<Feeder> {
 public:
  Feeder(registry::Registry& registry, std::shared_ptr<registry::RunningProcess> process, std::shared_ptr<TerminalSocket> socket)
      : registry_(registry), process_(std::move(process)), socket_(std::move(socket)) {}

  void Take(std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    if (is_over_) return;
    if (waiting_.size() + bytes.size() > kMostInput) {
      is_over_ = true;
      return socket_->Close(net::kCloseTooBig, "the process does not read its input");
    }
    waiting_ += bytes;
    if (is_writing_ || !WriteOn(Clock::now()) || waiting_.empty()) return;
    is_writing_ = true;
    const Status detached = registry_.Detach([self = shared_from_this()] { self->Work(); });
    if (detached) return;
    is_over_ = true;
    socket_->Close(net::kCloseInternal, detached.error().Text());
  }
  void CloseInput() {
    const std::lock_guard lock(mutex_);
    closes_ = true;
    if (!is_writing_ && waiting_.empty()) (void)process_->CloseInput();
  }
  void End() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }

 private:
  // False: the process takes no more.
  bool WriteOn(Clock::time_point until) {
    while (!waiting_.empty()) {
      const auto written = process_->WriteSome(waiting_, until);
      if (!written) {
        is_over_ = true;
        waiting_.clear();
        return false;
      }
      if (*written == 0) return true;
      waiting_.erase(0, *written);
    }
    return true;
  }
  void Work() {
    while (true) {
      std::string piece;
      {
        const std::lock_guard lock(mutex_);
        if (is_over_ || waiting_.empty()) {
          is_writing_ = false;
          if (closes_) (void)process_->CloseInput();
          return;
        }
        piece = waiting_.substr(0, 4096);
      }
      const auto written = process_->WriteSome(piece, Clock::now() + std::chrono::milliseconds(200));
      const std::lock_guard lock(mutex_);
      if (!written) is_over_ = true;
      else waiting_.erase(0, *written);
    }
  }

  registry::Registry& registry_;
  const std::shared_ptr<registry::RunningProcess> process_;
  const std::shared_ptr<TerminalSocket> socket_;
  std::mutex mutex_;
  std::string waiting_;
  bool is_writing_ = false, is_over_ = false, closes_ = false;
};

void Obey(const TerminalRequest& request, registry::RunningProcess& process, Feeder& feeder, TerminalSocket& socket) {
  Status done;
  if (request.resize) {
    done = process.Resize({.columns = static_cast<uint32_t>(request.resize->columns), .lines = static_cast<uint32_t>(request.resize->rows)});
  }
  if (done && request.signal) done = process.Signal(static_cast<int>(*request.signal));
  if (request.close_input.value_or(false)) feeder.CloseInput();
  if (!done) socket.Tell({{"error", {{"code", NameOf(done.error().code)}, {"message", std::string(done.error().Text())}}}});
}

class ProcessTerminal final : public Terminal {
 public:
  ProcessTerminal(registry::Registry& registry, std::shared_ptr<registry::RunningProcess> process, std::shared_ptr<TerminalSocket> socket)
      : registry_(registry), process_(std::move(process)), socket_(std::move(socket)), feeder_(std::make_shared<Feeder>(registry, process_, socket_)) {}

  void Begin() override {
    process_->WhenEnded([process = std::weak_ptr(process_), socket = socket_] {
      if (const auto ended = process.lock()) TellExit(*socket, ended->Info());
    });
  }
  void OnBytes(std::string_view bytes) override { feeder_->Take(bytes); }
  void OnRequest(const TerminalRequest& request) override { Obey(request, *process_, *feeder_, *socket_); }
  void OnGone() override {
    feeder_->End();
    HangUp(registry_, process_);
  }

 private:
  registry::Registry& registry_;
  const std::shared_ptr<registry::RunningProcess> process_;
  const std::shared_ptr<TerminalSocket> socket_;
  const std::shared_ptr<Feeder> feeder_;
};

class Attachment final : public Terminal, public std::enable_shared_from_this<Attachment> {
 public:
  Attachment(registry::Registry& registry, std::shared_ptr<registry::RunningProcess> process, uint64_t offset, std::shared_ptr<TerminalSocket> socket)
      : process_(std::move(process)), socket_(std::move(socket)), feeder_(std::make_shared<Feeder>(registry, process_, socket_)), offset_(offset) {}

  void Begin() override {
    const std::weak_ptr<Attachment> weak = weak_from_this();
    const auto go = [weak] {
      if (const auto self = weak.lock()) self->Go();
    };
    {
      const uint64_t watcher = process_->output().AddWatcher(go);
      const std::lock_guard lock(mutex_);
      watcher_ = watcher;
    }
    process_->WhenEnded(go);
    Go();
  }
  void OnBytes(std::string_view bytes) override { feeder_->Take(bytes); }
  void OnRequest(const TerminalRequest& request) override { Obey(request, *process_, *feeder_, *socket_); }
  void OnDrained() override { Go(); }
  void OnGone() override {
    feeder_->End();
    uint64_t watcher = 0;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      watcher = watcher_;
    }
    process_->output().RemoveWatcher(watcher);
  }

 private:
  void Go() {
    const std::lock_guard lock(mutex_);
    while (!is_over_) {
      const auto reading = process_->output().Read(offset_, TerminalSocket::kPieceBytes, {});
      if (reading.lost > 0) {
        socket_->Tell({{"lost_bytes", reading.lost}});
        offset_ += reading.lost;
      }
      for (const auto& piece : reading.pieces) {
        if (!stream_ || *stream_ != piece.stream) {
          stream_ = piece.stream;
          socket_->Tell({{"stream", piece.stream == sandbox::Stream::kStdout ? "stdout" : "stderr"}, {"offset", piece.offset}});
        }
        if (!socket_->Offer(piece.bytes)) return;   // OnDrained() goes on
        offset_ = piece.offset + piece.bytes.size();
      }
      const registry::ProcessInfo info = process_->Info();
      if (info.state == registry::ProcessState::kExited && offset_ >= info.output_bytes) {
        is_over_ = true;
        return TellExit(*socket_, info);
      }
      if (reading.pieces.empty() && reading.lost == 0) return;
    }
  }

  const std::shared_ptr<registry::RunningProcess> process_;
  const std::shared_ptr<TerminalSocket> socket_;
  const std::shared_ptr<Feeder> feeder_;
  std::mutex mutex_;
  uint64_t offset_;
  std::optional<sandbox::Stream> stream_;   // of the last bytes
  uint64_t watcher_ = 0;
  bool is_over_ = false;
};

}  // namespace

void HangUp(registry::Registry& registry, const std::shared_ptr<registry::RunningProcess>& process) {
  (void)process->Signal(SIGHUP);   // it may have ended, or take none
  (void)process->CloseInput();
  const Status detached = registry.Detach([process] {
    auto until = Clock::now() + std::chrono::seconds(2);
    while (!process->WaitUntil(until)) {
      process->Cancel();
      until = Clock::now() + std::chrono::seconds(5);
    }
  });
  if (!detached) process->Cancel();
}

Result<std::shared_ptr<Terminal>> MakeProcessTerminal(const TerminalSpec& spec, std::shared_ptr<TerminalSocket> socket) {
  registry::ExecRequest request;
  request.command = spec.command.empty() ? std::vector<std::string>{"bash"} : spec.command;
  request.cwd = spec.cwd;
  request.environment["TERM"] = "xterm-256color";
  request.terminal = spec.size;
  request.has_open_input = true;
  PADDOCK_ASSIGN(auto process, spec.registry.StartProcess(spec.caller, spec.sandbox, std::move(request),
                                                          [socket](sandbox::Stream, std::string_view bytes) { socket->Show(bytes); }));
  return std::shared_ptr<Terminal>(std::make_shared<ProcessTerminal>(spec.registry, std::move(process), std::move(socket)));
}

std::shared_ptr<Terminal> MakeAttachment(registry::Registry& registry, std::shared_ptr<registry::RunningProcess> process, uint64_t offset,
                                         std::shared_ptr<TerminalSocket> socket) {
  return std::make_shared<Attachment>(registry, std::move(process), offset, std::move(socket));
}

}  // namespace paddock::api
