// exec - replaces the shell by a command, or keeps redirections

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("exec"), "cla:");
  bool clears = false;
  bool is_login = false;
  std::string argv0;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    clears |= letter == 'c';
    is_login |= letter == 'l';
    if (letter == 'a') argv0 = options.argument();
  }
  const auto operands = options.operands();
  if (operands.empty()) {
    shell.keeps_redirects = true;
    return 0;
  }
  if (is_login) argv0 = "-" + (argv0.empty() ? operands[0] : argv0);
  const int status = shell.Exec({operands.begin(), operands.end()}, clears, argv0);
  if (shell.flow == Flow::kNone && !shell.is_interactive && !shell.options.Get(ShoptOption::kExecfail)) {
    shell.last_status = status;
    shell.flow = Flow::kExit;
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_exec_;
const Builtin kBuiltin_exec_ = {
    .name = "exec",
    .usage = "[-cl] [-a name] [command [argument ...]] [redirection ...]",
    .help = "Replace the shell with the given command.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
