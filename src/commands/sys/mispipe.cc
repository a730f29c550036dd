// mispipe - pipe two commands, returning the exit status of the first
//
// usage: mispipe COMMAND1 COMMAND2
// Both are lines for sh.
//
// Exit status: that of COMMAND1; 1 for a usage error.
// Source: moreutils 0.67.
// Differs: nothing known.

#include "proc/command.h"
#include "proc/kernel.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  if (in.args.size() != 3) return in.Fail("Wrong number of args, aborting");
  vfs::PipeEnds ends = vfs::MakePipe(in.kernel.scheduler());
  int pids[2];
  for (const size_t i : {0, 1}) {
    ChildSpec spec;
    spec.args = {"sh", "-c", in.args[i + 1]};
    spec.environment = &in.env;
    if (i == 0) spec.out = std::move(ends.write);
    else spec.in = std::move(ends.read);
    const auto pid = in.launcher.Spawn(in.process, spec);
    if (!pid) return in.Fail("sh", pid.error());
    pids[i] = *pid;
  }
  const auto first = in.kernel.Wait(in.process, pids[0], Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  const auto second = in.kernel.Wait(in.process, pids[1], Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  return first && second ? first->status : 1;
}

}  // namespace

extern const Command kCommand_mispipe;
const Command kCommand_mispipe = {
    .name = "mispipe",
    .summary = "pipe two commands, returning the exit status of the first",
    .synopsis = "COMMAND1 COMMAND2",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
