// A shell in a small memory tree for fuzz targets: no programs, a few variables and files.
#pragma once

#include <functional>
#include <memory>

#include "base/budget.h"
#include "io/poll_waiter.h"
#include "proc/kernel.h"
#include "shell/exec/program.h"
#include "shell/shell.h"
#include "vfs/memory_volume.h"

namespace paddock::shell {

// Runs `body` with a fresh shell inside a process; a limit that is reached ends it quietly.
inline void WithShell(const std::function<void(Shell&)>& body) {
  static const ShellHost host({});
  const Limits limits{.steps = 200'000, .memory_bytes = 64u << 20, .time = std::chrono::seconds(5)};
  Budget budget(limits, SystemClock());
  auto root = std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{});
  io::PollWaiter waiter;
  proc::Kernel kernel(std::make_unique<vfs::Namespace>(root), SystemClock(), waiter);
  root->set_scheduler(&kernel.scheduler());
  kernel.set_budget(&budget);
  kernel.StartInitial({1000, 1000}, [](proc::Process&) {},
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
}

}  // namespace paddock::shell
