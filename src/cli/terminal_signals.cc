#include "cli/terminal_signals.h"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

#include "base/check.h"
#include "base/clock.h"

namespace paddock::cli {
namespace {

constexpr int kHandled[] = {SIGINT, SIGQUIT, SIGWINCH, SIGTERM, SIGHUP};
constexpr int64_t kSecondPressNs = 1'000'000'000;

// What the handler sees and sets; there is one terminal.
std::atomic<sandbox::ShellSession*> session_now{nullptr};
std::atomic<bool> is_in_command{false};
std::atomic<int64_t> last_press{0};
std::atomic<bool> was_interrupted{false};
std::atomic<bool> was_resized{false};
std::atomic<int> hang_up_signal{0};

int64_t MonotonicNow() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void OnInterrupt(sandbox::ShellSession& session) {
  was_interrupted = true;
  const int64_t now = MonotonicNow();
  const int64_t before = last_press.exchange(now);
  if (is_in_command && before != 0 && now - before < kSecondPressNs) session.Kill();
  else session.Signal(SIGINT);
}

void OnSignal(int signal) {
  const int saved_errno = errno;
  if (sandbox::ShellSession* session = session_now.load()) {
    switch (signal) {
      case SIGINT: OnInterrupt(*session); break;
      case SIGQUIT: session->Signal(SIGQUIT); break;
      case SIGWINCH:
        was_resized = true;
        session->Signal(SIGWINCH);
        break;
      default:
        hang_up_signal = signal;
        session->Kill();
        break;
    }
  }
  errno = saved_errno;
}

}  // namespace

TerminalSignals::TerminalSignals(sandbox::ShellSession& session) {
  PADDOCK_CHECK(session_now.load() == nullptr);
  session_now = &session;
  struct sigaction action {};
  action.sa_handler = OnSignal;   // without SA_RESTART: a wait for a key must end
  sigemptyset(&handled_);
  for (size_t i = 0; i < std::size(kHandled); ++i) {
    sigaddset(&handled_, kHandled[i]);
    sigaction(kHandled[i], &action, &saved_[i]);
  }
  LeaveCommand();
}

TerminalSignals::~TerminalSignals() {
  for (size_t i = 0; i < std::size(kHandled); ++i) sigaction(kHandled[i], &saved_[i], nullptr);
  std::signal(SIGTSTP, SIG_DFL);
  session_now = nullptr;
}

bool TerminalSignals::TakeInterrupt() { return was_interrupted.exchange(false); }
bool TerminalSignals::TakeResize() { return was_resized.exchange(false); }
int TerminalSignals::hang_up() const { return hang_up_signal; }

void TerminalSignals::EnterCommand() {
  last_press = 0;
  is_in_command = true;
  std::signal(SIGTSTP, SIG_DFL);
}

void TerminalSignals::LeaveCommand() {
  is_in_command = false;
  // Ctrl-Z stops the whole program while a command runs, but not at the prompt with its terminal modes.
  std::signal(SIGTSTP, SIG_IGN);
}

bool TerminalSignals::WaitReadable(int descriptor, std::chrono::nanoseconds until) {
  sigset_t outside;
  sigprocmask(SIG_BLOCK, &handled_, &outside);
  bool is_ready = false;
  if (!was_interrupted && !was_resized && hang_up_signal == 0) {
    pollfd polled{descriptor, POLLIN, 0};
    timespec timeout{};
    const timespec* limit = nullptr;
    if (until != std::chrono::nanoseconds::max()) {
      const auto left = std::max(until - SystemClock().MonotonicNow(), std::chrono::nanoseconds{0});
      timeout.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
      timeout.tv_nsec = (left % std::chrono::seconds{1}).count();
      limit = &timeout;
    }
    is_ready = ppoll(&polled, 1, limit, &outside) > 0;
  }
  sigprocmask(SIG_SETMASK, &outside, nullptr);
  return is_ready;
}

}  // namespace paddock::cli
