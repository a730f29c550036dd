#include "cli/client/terminal_session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>

#include "base/descriptor.h"
#include "cli/client/follow_output.h"
#include "cli/client/raw_terminal.h"
#include "cli/present.h"
#include "tools/schema/parse_json.h"

namespace paddock::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSilence = std::chrono::seconds(60);   // a daemon that hears nothing asks after 15
constexpr auto kPatience = std::chrono::seconds(15);
constexpr char kNewLineKeys[] = "\r\n";

// Signals as something to poll.
class SignalDescriptor {
 public:
  SignalDescriptor() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH}) sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
    file_.Reset(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~SignalDescriptor() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalDescriptor(const SignalDescriptor&) = delete;
  SignalDescriptor& operator=(const SignalDescriptor&) = delete;

  int get() const { return file_.get(); }
  int Take() {
    signalfd_siginfo info{};
    return read(file_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_;
  Descriptor file_;
};

// Finds "~." behind a new line in what is typed.
class LeaveKeys {
 public:
  // What of the keys goes to the program. Sets `leaves`.
  std::string Take(std::string_view keys, bool& leaves) {
    std::string rest;
    for (const char key : keys) {
      if (state_ == State::kTilde) {
        state_ = State::kMiddle;
        if (key == '.') {
          leaves = true;
          return rest;
        }
        rest += '~';
        if (key == '~') continue;   // one of two
      }
      if (state_ == State::kBegin && key == '~') {
        state_ = State::kTilde;
        continue;
      }
      rest += key;
      state_ = std::string_view(kNewLineKeys).find(key) == std::string_view::npos ? State::kMiddle : State::kBegin;
    }
    return rest;
  }

 private:
  enum class State { kBegin, kTilde, kMiddle };
  State state_ = State::kBegin;
};

// One connection: a thread shows what comes.
class Connection {
 public:
  Connection(std::unique_ptr<net::WebSocketClient> socket, std::shared_ptr<net::Cancellation> cancellation, RawTerminal& terminal, uint64_t offset, const TerminalTarget& target)
      : socket_(std::move(socket)), cancellation_(std::move(cancellation)), terminal_(terminal), offset_(offset), outlives_(target.outlives), needs_terminal_(target.may_lack_terminal), over_(eventfd(0, EFD_CLOEXEC)) {
    socket_->SetReceiveTime(kSilence);
    thread_ = std::thread([this] {
      Receive();
      eventfd_write(over_.get(), 1);
    });
  }
  ~Connection() { Stop(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int over() const { return over_.get(); }   // readable at the end
  void Type(std::string_view keys) {
    sent_ = Clock::now().time_since_epoch().count();
    if (!socket_->SendBinary(keys)) cancellation_->Cancel();
  }
  void Tell(const json::object& message) { static_cast<void>(socket_->SendText(json::serialize(message))); }

  void Stop() {
    if (!thread_.joinable()) return;
    static_cast<void>(socket_->Close());
    cancellation_->Cancel();
    thread_.join();
  }
  // After the end.
  uint64_t offset() const { return offset_; }
  const std::optional<json::object>& process() const { return process_; }
  const Error& error() const { return error_; }
  bool may_come_back() const { return may_come_back_; }

 private:
  void Receive() {
    while (true) {
      auto message = socket_->Receive();
      if (!message && is_refused_) return;
      if (!message && message.error().code == Code::kTimedOut && Clock::now().time_since_epoch().count() - sent_ < std::chrono::nanoseconds(kSilence).count()) continue;
      if (!message || !*message) {
        const bool is_broken = !message || socket_->close_code() != net::kCloseNormal;
        may_come_back_ = !message || socket_->close_code() == net::kCloseGoingAway;
        if (is_broken) error_ = Error(Code::kUnavailable, !message ? "the connection to the daemon broke" : "the daemon ended it: " + Harmless(socket_->close_reason()));
        return;
      }
      if ((*message)->is_text) {
        Hear((*message)->payload);
        continue;
      }
      offset_ += (*message)->payload.size();
      if (!terminal_.Show((*message)->payload, cancellation_->fd())) {
        error_ = Error(Code::kIo, "our terminal is gone");
        return;
      }
    }
  }
  void Hear(const std::string& text) {
    auto parsed = tools::ParseJson(text, {.max_bytes = 1 << 20, .max_depth = 32});
    if (!parsed || !parsed->is_object()) return;
    json::object& message = parsed->as_object();
    if (json::value* process = message.if_contains("exit"); process != nullptr && process->is_object()) process_ = std::move(process->as_object());
    if (const json::value* offset = message.if_contains("offset"); offset != nullptr && offset->is_number()) offset_ = offset->to_number<uint64_t>();
    if (const json::value* lost = message.if_contains("lost_bytes"); lost != nullptr && lost->is_number()) offset_ += lost->to_number<uint64_t>();
    if (const json::value* error = message.if_contains("error"); error != nullptr && error->is_object()) {
      // The answer to our size: it has not begun yet, or has just ended, or has none.
      if (outlives_ && TextOf(error->as_object(), "message").ends_with("has no terminal, or has ended")) {
        if (!needs_terminal_ || process_) return;
        error_ = Error(Code::kNotSupported, "it has no terminal, or has ended; 'paddock logs' shows what it wrote, with -f also what it will write");
        is_refused_ = true;
        socket_->SetReceiveTime(std::chrono::seconds(1));   // if it has ended, that is told by now
        return;
      }
      terminal_.Show("\r\npaddock: " + Harmless(TextOf(error->as_object(), "message")) + "\r\n", cancellation_->fd());
    }
  }

  const std::unique_ptr<net::WebSocketClient> socket_;
  const std::shared_ptr<net::Cancellation> cancellation_;
  RawTerminal& terminal_;
  uint64_t offset_;
  const bool outlives_, needs_terminal_;
  bool is_refused_ = false;
  std::optional<json::object> process_;
  Error error_{Code::kUnavailable, "the daemon ended the terminal without a word"};
  bool may_come_back_ = false;
  std::atomic<int64_t> sent_{0};
  Descriptor over_;
  std::thread thread_;
};

json::object ResizeMessage(const sandbox::WindowSize& size) { return {{"resize", {{"columns", size.columns}, {"rows", size.lines}}}}; }

class Session {
 public:
  Session(Link& link, const TerminalTarget& target) : link_(link), target_(target) {}

  Result<int> Run() {
    auto connection = Connect();
    if (!connection) return connection.error();
    terminal_.emplace();
    auto status = Serve(std::move(*connection));
    if (!is_exited_) terminal_->Tidy();
    terminal_.reset();
    if (has_left_ && status_ == 0 && !target_.when_left.empty()) std::fprintf(stderr, "%s\n", target_.when_left.c_str());
    return status;
  }

 private:
  struct Opened {
    std::unique_ptr<net::WebSocketClient> socket;
    std::shared_ptr<net::Cancellation> cancellation;
  };
  Result<Opened> Connect() {
    Opened opened{.socket = nullptr, .cancellation = std::make_shared<net::Cancellation>()};
    PADDOCK_ASSIGN(opened.socket, link_.OpenWebSocket(target_.target(RawTerminal::CurrentSize(), offset_), opened.cancellation));
    return opened;
  }

  Result<int> Serve(Opened opened) {
    while (true) {
      Connection connection(std::move(opened.socket), opened.cancellation, *terminal_, offset_, target_);
      if (target_.outlives) connection.Tell(ResizeMessage(RawTerminal::CurrentSize()));   // it may have changed meanwhile
      if (const auto status = Pump(connection)) return *status;
      connection.Stop();
      offset_ = connection.offset();
      if (connection.process()) {
        is_exited_ = true;
        terminal_->Leave();   // what StatusOfProcess() prints is for a usual terminal
        return StatusOfProcess(*connection.process());
      }
      if (!target_.outlives || !connection.may_come_back()) return connection.error();
      auto again = Reconnect();
      if (!again) return again.error();
      if (has_left_) return status_;
      opened = std::move(*again);
    }
  }

  // Until the connection's end, or ours: our exit status then.
  std::optional<int> Pump(Connection& connection) {
    while (true) {
      pollfd waits[3] = {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}, {connection.over(), POLLIN, 0}};
      if (poll(waits, 3, -1) < 0 && errno != EINTR) return std::nullopt;
      if (waits[2].revents != 0) return std::nullopt;
      if (waits[1].revents != 0) {
        for (int number = signals_.Take(); number != 0; number = signals_.Take()) {
          if (Obey(number, &connection)) return status_;
        }
      }
      if (waits[0].revents == 0) continue;
      char keys[4096];
      const ssize_t got = read(STDIN_FILENO, keys, sizeof keys);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) {   // the terminal is gone
        Obey(SIGHUP, &connection);
        return status_;
      }
      const std::string typed = leave_keys_.Take(std::string_view(keys, static_cast<size_t>(got)), has_left_);
      if (!typed.empty()) connection.Type(typed);
      if (has_left_) return 0;
    }
  }

  // True if it ends us, with status_.
  bool Obey(int number, Connection* connection) {
    if (number == SIGWINCH && connection != nullptr) connection->Tell(ResizeMessage(RawTerminal::CurrentSize()));
    if ((number == SIGINT || number == SIGQUIT) && connection != nullptr) connection->Tell({{"signal", number}});
    if (number == SIGTSTP) {
      terminal_->Leave();
      raise(SIGSTOP);
      terminal_->Enter();
      if (connection != nullptr) connection->Tell(ResizeMessage(RawTerminal::CurrentSize()));
    }
    if (number != SIGTERM && number != SIGHUP) return false;
    if (connection != nullptr) connection->Tell({{"signal", SIGHUP}});
    status_ = 128 + number;
    has_left_ = true;
    return true;
  }

  // Meanwhile the keys that leave, and signals, do what they do.
  Result<Opened> Reconnect() {
    const auto until = Clock::now() + kPatience;
    while (true) {
      auto opened = Connect();
      if (opened || opened.error().code != Code::kUnavailable || Clock::now() > until) return opened;
      pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {signals_.get(), POLLIN, 0}};
      const auto next = Clock::now() + std::chrono::milliseconds(300);
      while (Clock::now() < next) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now()).count() + 1;
        if (poll(waits, 2, static_cast<int>(left)) <= 0) continue;
        char keys[256];
        const ssize_t got = waits[0].revents != 0 ? read(STDIN_FILENO, keys, sizeof keys) : 0;
        if (got > 0) static_cast<void>(leave_keys_.Take(std::string_view(keys, static_cast<size_t>(got)), has_left_));
        const int number = waits[1].revents != 0 ? signals_.Take() : 0;
        if (number != 0) Obey(number, nullptr);
        if (has_left_) return Opened{};
      }
    }
  }

  Link& link_;
  const TerminalTarget& target_;
  SignalDescriptor signals_;   // before any thread
  std::optional<RawTerminal> terminal_;
  LeaveKeys leave_keys_;
  uint64_t offset_ = 0;
  int status_ = 0;
  bool has_left_ = false, is_exited_ = false;
};

}  // namespace

Result<int> RunTerminalSession(Link& link, const TerminalTarget& target) {
  if (isatty(STDIN_FILENO) != 1) return Error(Code::kNotTty, "stdin is no terminal");
  return Session(link, target).Run();
}

Result<int> RunRemoteShell(Link& link, const std::string& sandbox, const std::string& cwd) {
  const TerminalTarget target{.target = [&](const sandbox::WindowSize& size, uint64_t) {
    return SandboxPath(sandbox, "/terminal?columns=" + std::to_string(size.columns) + "&rows=" + std::to_string(size.lines)) + (cwd.empty() ? "" : "&cwd=" + EncodePercent(cwd));
  }, .outlives = false, .when_left = {}};
  return RunTerminalSession(link, target);
}

}  // namespace paddock::cli
