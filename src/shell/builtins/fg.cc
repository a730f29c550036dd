// fg - moves a job to the foreground

#include "proc/signals.h"
#include "shell/builtins/builtin.h"
#include "shell/exec/jobs.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("fg"), "");
  if (options.Next() != 0) return 2;
  if (!shell.options.Get(SetOption::kMonitor)) {
    shell.Complain("fg", "no job control");
    return 1;
  }
  const auto operands = options.operands();
  Job* job = operands.empty() ? shell.jobs().current() : shell.jobs().Find(operands[0]);
  if (job == nullptr) {
    shell.Complain("fg", (operands.empty() ? std::string("current") : operands[0]) + ": no such job");
    return 1;
  }
  for (const int pid : job->pids) [[maybe_unused]] const Status ignored = shell.kernel().Signal(shell.process(), pid, proc::kSigCont);
  job->is_stopped = false;
  shell.out().WriteLine(job->text);
  shell.out().Flush();
  // The job has the terminal for as long as it is waited for.
  const int number = job->number;
  shell.kernel().set_foreground_group(shell.kernel().foreground_group() == 0 ? 0 : job->group);
  const int status = shell.CallWords({"wait", "%" + std::to_string(number)}, {.only_builtins = true});
  shell.kernel().set_foreground_group(shell.kernel().foreground_group() == 0 ? 0 : shell.process().group());
  shell.SettleInterrupt(status == 128 + proc::kSigInt);
  return status;
}

}  // namespace

extern const Builtin kBuiltin_fg;
const Builtin kBuiltin_fg = {
    .name = "fg",
    .usage = "[job_spec]",
    .help = "Move job to the foreground.",
    .run = Run,
};

}  // namespace paddock::shell
