// return - ends a function or a sourced script

#include "shell/builtins/builtin.h"
#include "shell/builtins/arguments.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  bool may_return = false;
  for (const Frame& frame : shell.frames) may_return |= frame.is_function || frame.is_source;
  if (!may_return) {
    shell.Complain("return", "can only `return' from a function or sourced script");
    shell.was_misused = true;
    return 2;
  }
  int failure = 0;
  const bool is_trap = shell.traps.innermost != kNoTrap && shell.traps.innermost != kTrapDebug;
  const auto status = StatusArgument(shell, call, is_trap ? shell.traps.status_before : shell.last_status, &failure);
  if (!status && failure == 1) return 1;
  shell.status_before_return = shell.last_status;
  shell.last_status = status.value_or(failure);
  shell.flow = Flow::kReturn;
  return shell.last_status;
}

}  // namespace

extern const Builtin kBuiltin_return_;
const Builtin kBuiltin_return_ = {
    .name = "return",
    .usage = "[n]",
    .help = "Return from a shell function or sourced script with the value N.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
