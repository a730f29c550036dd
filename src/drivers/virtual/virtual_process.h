// VirtualProcess: one exec in a virtual sandbox: a script or a command, run to its end by Wait().
#pragma once

#include "base/budget.h"
#include "sandbox/sandbox.h"

namespace paddock::proc {
class Process;
}

namespace paddock::sandbox {

class VirtualSandbox;

class VirtualProcess : public Process {
 public:
  VirtualProcess(VirtualSandbox& sandbox, ExecSpec spec, StdinSource input, OutputHandler handler);
  ExecResult Wait() override;
  void Cancel() override;

 protected:
  VirtualSandbox& sandbox() { return sandbox_; }

 private:
  int RunInside(proc::Process& process);

  VirtualSandbox& sandbox_;
  ExecSpec spec_;
  StdinSource input_;
  OutputHandler handler_;
  Budget budget_;
};

// At a terminal, whose keys are signals.
class VirtualTerminalProcess final : public VirtualProcess, public Controllable {
 public:
  using VirtualProcess::VirtualProcess;
  void Signal(int signal) override;
  void Resize(WindowSize size) override;   // COLUMNS and LINES stay what they were at the start
};

}  // namespace paddock::sandbox
