// eval - runs its arguments as shell input

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("eval"), "");
  if (options.Next() != 0) return 2;
  std::string text;
  for (const std::string& word : options.operands()) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  if (text.empty()) return 0;
  return shell.Eval(text, shell.line);
}

}  // namespace

extern const Builtin kBuiltin_eval;
const Builtin kBuiltin_eval = {
    .name = "eval",
    .usage = "[arg ...]",
    .help = "Execute arguments as a shell command.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
