// suspend - stops the shell

#include "proc/signals.h"
#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("suspend"), "f");
  bool is_forced = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    is_forced = true;
  }
  if (!is_forced && !shell.options.Get(SetOption::kMonitor)) {
    shell.Complain("suspend", "cannot suspend: no job control");
    return 1;
  }
  shell.process().Raise(proc::kSigStop);
  shell.process().Poll();
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_suspend;
const Builtin kBuiltin_suspend = {
    .name = "suspend",
    .usage = "[-f]",
    .help = "Suspend shell execution.",
    .run = Run,
};

}  // namespace paddock::shell
