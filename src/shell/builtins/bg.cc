// bg - moves a job to the background

#include "proc/signals.h"
#include "shell/builtins/builtin.h"
#include "shell/exec/jobs.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("bg"), "");
  if (options.Next() != 0) return 2;
  if (!shell.options.Get(SetOption::kMonitor)) {
    shell.Complain("bg", "no job control");
    return 1;
  }
  const auto operands = options.operands();
  Job* job = operands.empty() ? shell.jobs().current() : shell.jobs().Find(operands[0]);
  if (job == nullptr) {
    shell.Complain("bg", (operands.empty() ? std::string("current") : operands[0]) + ": no such job");
    return 1;
  }
  for (const int pid : job->pids) [[maybe_unused]] const Status ignored = shell.kernel().Signal(shell.process(), pid, proc::kSigCont);
  job->is_stopped = false;
  shell.out().WriteLine("[" + std::to_string(job->number) + "]+ " + job->text + " &");
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_bg;
const Builtin kBuiltin_bg = {
    .name = "bg",
    .usage = "[job_spec ...]",
    .help = "Move job to the background.",
    .run = Run,
};

}  // namespace paddock::shell
