#include "cli/foreground.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>

#include "cli/line_editor.h"
#include "vfs/file_system.h"

namespace paddock::cli {
namespace {

// The exec that signals of the terminal are for. A real process gets them itself, and is killed when it does not heed
// the first; a virtual one is cancelled.
std::atomic<sandbox::Process*> running{nullptr};
std::atomic<sandbox::Controllable*> controllable{nullptr};
std::atomic<int> interrupts{0};
std::atomic<int> cancelling{0};
std::atomic<int> output_failure{0};   // errno of the first write to stdout that failed

// Output that nobody takes is waited for until the time limit, or for a second after a signal; then it is dropped, so that
// the wait for room does not keep the exec from its end. A program may live on after SIGINT: that drops one piece only.
constexpr int kLookMs = 100;
constexpr int64_t kPatienceNs = 1'000'000'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
std::atomic<int64_t> give_up_at{kNever};        // of the monotonic clock
std::atomic<int64_t> give_up_once_at{kNever};

int64_t Now() {   // for signal handlers, too
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

bool HasGivenUp() { return Now() >= std::min(give_up_at.load(), give_up_once_at.load()); }

void SetGiveUp(std::chrono::nanoseconds time_limit) {
  const int64_t now = Now();
  give_up_once_at.store(kNever);
  give_up_at.store(time_limit.count() > 0 && time_limit.count() < kNever - now ? now + time_limit.count() : kNever);
}

void OnSignal(int signal) {
  const int saved_errno = errno;
  if (sandbox::Process* process = running.load()) {
    sandbox::Controllable* const target = controllable.load();
    if (signal == SIGWINCH) {
      if (target != nullptr) target->Resize(GetWindowSize(0));
    } else if (target != nullptr && interrupts.fetch_add(1) == 0) {
      target->Signal(signal);
      if (signal == SIGINT) give_up_once_at.store(Now() + kPatienceNs);
      else give_up_at.store(std::min(give_up_at.load(), Now() + kPatienceNs));
    } else {
      cancelling.store(signal);
      give_up_at.store(std::min(give_up_at.load(), Now() + kPatienceNs));
      process->Cancel();
    }
  }
  errno = saved_errno;
}

// The caller's terminal in raw mode, and as it was again at the end.
class RawTerminal {
 public:
  RawTerminal() {
    if (tcgetattr(0, &before_) != 0) return;
    termios raw = before_;
    cfmakeraw(&raw);
    is_raw_ = tcsetattr(0, TCSADRAIN, &raw) == 0;
  }
  ~RawTerminal() {
    if (is_raw_) tcsetattr(0, TCSADRAIN, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_{};
  bool is_raw_ = false;
};

}  // namespace

int EndOutput(int status) {
  errno = 0;
  const bool has_failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  const int failure = output_failure != 0 ? output_failure.load() : has_failed ? (errno != 0 ? errno : EIO) : 0;
  if (failure == 0) return status;
  if (failure == EPIPE) return status != 0 ? status : 128 + SIGPIPE;   // as a program that the signal ends
  std::fprintf(stderr, "paddock: stdout: %s\n", std::strerror(failure));
  return status != 0 ? status : 1;
}

bool WriteAll(int descriptor, std::string_view bytes) {
  struct stat status{};
  const bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  while (!bytes.empty()) {
    pollfd room{descriptor, POLLOUT, 0};
    const int ready = poll(&room, 1, HasGivenUp() ? 0 : kLookMs);
    if (ready == 0 && HasGivenUp()) {
      give_up_once_at.store(kNever);
      return true;
    }
    if (ready <= 0) continue;
    // As much as a pipe with room takes without waiting.
    const ssize_t count = write(descriptor, bytes.data(), is_file ? bytes.size() : std::min<size_t>(bytes.size(), PIPE_BUF));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0 && errno == EPIPE) return false;
    if (count <= 0) {   // a full disk: EndOutput() tells, whatever comes of the rest
      if (descriptor == STDOUT_FILENO && output_failure == 0) output_failure = count < 0 ? errno : EIO;
      return true;
    }
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

void WriteOutput(sandbox::Stream stream, std::string_view bytes) {
  if (WriteAll(stream == sandbox::Stream::kStdout ? 1 : 2, bytes)) return;
  sandbox::Process* const process = running.load();
  if (process == nullptr) return;
  cancelling.store(SIGPIPE);
  process->Cancel();
}

Status CheckDirectory(sandbox::Sandbox& sandbox, const std::string& cwd) {
  if (cwd.empty()) return {};
  auto* const files = dynamic_cast<sandbox::HasFiles*>(&sandbox);
  if (files == nullptr) return {};   // the exec says it
  const auto stat = files->files().Stat(cwd);
  if (stat && stat->is_directory()) return {};
  return Error(Code::kNoEntry, "--cwd " + cwd + ": no such directory inside the sandbox");
}

Result<sandbox::ExecResult> RunForeground(sandbox::Sandbox& sandbox, sandbox::ExecSpec exec,
                                          sandbox::StdinSource input, sandbox::OutputHandler handler) {
  PADDOCK_TRY(CheckDirectory(sandbox, exec.cwd));
  const bool has_terminal = exec.terminal.has_value();
  const std::chrono::nanoseconds time_limit = exec.limits.time;
  PADDOCK_ASSIGN(auto process, sandbox.Start(std::move(exec), std::move(input), std::move(handler)));
  controllable.store(dynamic_cast<sandbox::Controllable*>(process.get()));
  cancelling.store(0);
  interrupts.store(0);
  SetGiveUp(time_limit);
  running.store(process.get());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) std::signal(signal, OnSignal);
  std::optional<RawTerminal> terminal;
  if (has_terminal) terminal.emplace();
  sandbox::ExecResult result = process->Wait();
  running.store(nullptr);
  return result;
}

int CancellingSignal() { return cancelling.load(); }

}  // namespace paddock::cli
