// A shell in a small memory tree for unit tests and fuzz targets: no programs, HOME and a UTF-8 locale.
#pragma once

#include <functional>
#include <memory>

#include "base/budget.h"
#include "proc/kernel.h"
#include "shell/exec/program.h"
#include "shell/shell.h"
#include "vfs/memory_volume.h"

namespace paddock::shell {

// Nothing outside can wake a test; the clock is all there is to wait for.
class NoSources final : public IdleWaiter {
 public:
  void Wait(Nanoseconds) override {}
  void Interrupt() override {}
  bool HasSources() const override { return false; }
};

// Runs `body` with a fresh shell inside a process. Returns the limit that stopped it, or kNone.
inline LimitKind WithShell(const std::function<void(Shell&)>& body,
                           const Limits& limits = {.steps = 200'000, .memory_bytes = 64u << 20}) {
  const ShellHost host({});
  Budget budget(limits, SystemClock());
  auto root = std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{});
  NoSources waiter;
  proc::Kernel kernel(std::make_unique<vfs::Namespace>(root), SystemClock(), waiter);
  root->set_scheduler(&kernel.scheduler());
  kernel.set_budget(&budget);
  kernel.StartInitial(
      {0, 0}, [](proc::Process&) {},
      [&](proc::Process& process) {
        Environment environment;
        environment.Set("HOME", "/home");
        environment.Set("LANG", "C.UTF-8");
        Shell shell(process, host, environment);
        body(shell);
        return 0;
      });
  kernel.RunUntil([&] { return !kernel.HasLiveProcesses(); });
  kernel.EndAll();
  return budget.stopped_by();
}

}  // namespace paddock::shell
