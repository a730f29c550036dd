// builtin - runs a builtin

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("builtin"), "");
  if (options.Next() != 0) return 2;
  const auto operands = options.operands();
  if (operands.empty()) return 0;
  if (FindBuiltin(operands[0]) == nullptr || IsDisabled(shell, operands[0])) {
    shell.Complain("builtin", operands[0] + ": not a shell builtin");
    return 1;
  }
  return shell.CallWords({operands.begin(), operands.end()}, {.skip_functions = true, .only_builtins = true});
}

}  // namespace

extern const Builtin kBuiltin_builtin_;
const Builtin kBuiltin_builtin_ = {
    .name = "builtin",
    .usage = "[shell-builtin [arg ...]]",
    .help = "Execute shell builtins.",
    .run = Run,
};

}  // namespace paddock::shell
