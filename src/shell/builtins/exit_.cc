// exit - ends the shell

#include "shell/builtins/builtin.h"
#include "shell/builtins/arguments.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  int failure = 0;
  const bool is_end = shell.traps.innermost == kTrapExit;
  const auto status = StatusArgument(shell, call, is_end ? shell.traps.status_before : shell.last_status, &failure);
  if (!status && failure == 1) return 1;
  shell.last_status = status.value_or(failure);
  if (shell.is_interactive) shell.err().Write("exit\n");
  shell.flow = Flow::kExit;
  return shell.last_status;
}

}  // namespace

extern const Builtin kBuiltin_exit_;
const Builtin kBuiltin_exit_ = {
    .name = "exit",
    .usage = "[n]",
    .help = "Exit the shell with a status of N, or of the last command executed.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
