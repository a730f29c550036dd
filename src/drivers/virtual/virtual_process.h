// VirtualProcess: one exec in a virtual sandbox: a script or a command, run to its end by Wait().
#pragma once

#include "base/budget.h"
#include "sandbox/sandbox.h"

namespace paddock::proc {
class Process;
}

namespace paddock::sandbox {

class VirtualSandbox;

class VirtualProcess final : public Process {
 public:
  VirtualProcess(VirtualSandbox& sandbox, ExecSpec spec, StdinSource input, OutputHandler handler);
  ExecResult Wait() override;
  void Cancel() override;

 private:
  int RunInside(proc::Process& process);

  VirtualSandbox& sandbox_;
  ExecSpec spec_;
  StdinSource input_;
  OutputHandler handler_;
  Budget budget_;
};

}  // namespace paddock::sandbox
