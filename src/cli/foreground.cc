#include "cli/foreground.h"

#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
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

void OnSignal(int signal) {
  const int saved_errno = errno;
  if (sandbox::Process* process = running.load()) {
    sandbox::Controllable* const target = controllable.load();
    if (signal == SIGWINCH) {
      if (target != nullptr) target->Resize(GetWindowSize(0));
    } else if (target != nullptr && interrupts.fetch_add(1) == 0) {
      target->Signal(signal);
    } else {
      cancelling.store(signal);
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

void WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void WriteOutput(sandbox::Stream stream, std::string_view bytes) {
  WriteAll(stream == sandbox::Stream::kStdout ? 1 : 2, bytes);
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
  PADDOCK_ASSIGN(auto process, sandbox.Start(std::move(exec), std::move(input), std::move(handler)));
  controllable.store(dynamic_cast<sandbox::Controllable*>(process.get()));
  cancelling.store(0);
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
