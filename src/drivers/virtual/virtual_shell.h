// VirtualShell: an interactive session in a virtual sandbox. Every step (a prompt, a line, a completion) is an
// exec of its own with its own budget, in the same shell process; what a step leaves is kept for the next.
#pragma once

#include <functional>

#include "proc/kernel.h"
#include "sandbox/shell_session.h"

namespace paddock::shell {
class Shell;
}

namespace paddock::sandbox {

class VirtualSandbox;

class VirtualShell final : public ShellSession {
 public:
  VirtualShell(VirtualSandbox& sandbox, SessionSpec spec, OutputHandler output);
  ~VirtualShell() override;

  Prompt PrimaryPrompt() override;
  Prompt SecondaryPrompt() override;
  bool IsIncomplete(std::string_view text) override;
  std::optional<std::string> HistoryEntry(std::string_view text) override;
  ExecResult Run(std::string_view text) override;
  void EndInput() override;
  void NoteInterrupt() override;
  void Leave() override;
  std::optional<int> ended() const override { return ended_; }
  Completions Complete(std::string_view line, size_t cursor) override;
  void Resize(WindowSize size) override;
  void Idle(int descriptor, std::chrono::nanoseconds until) override;
  void Signal(int signal) override;
  void Kill() override;

 private:
  // Runs `step` with the session's shell and keeps what it leaves, or not.
  enum class After { kKeep, kDrop };
  ExecResult Step(const std::function<int(shell::Shell&)>& step, After after = After::kKeep);
  int RunStep(proc::Process& process, const std::function<int(shell::Shell&)>& step, After after);
  void UpdateWindow(shell::Shell& shell) const;
  ExecResult RunExec(const Limits& limits, std::string cwd, const proc::Kernel::Body& body);

  VirtualSandbox& sandbox_;
  SessionSpec spec_;
  OutputHandler output_;
  proc::DescriptorTable descriptors_;   // of the shell, between steps
  WindowSize size_;
  std::optional<int> ended_;
  std::optional<int> failed_status_;    // $? after a line that was stopped
  int ends_in_a_row_ = 0;
};

}  // namespace paddock::sandbox
