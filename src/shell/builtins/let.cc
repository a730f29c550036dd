// let - evaluates arithmetic

#include "shell/builtins/builtin.h"
#include "shell/expand/arithmetic.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  size_t i = 1;
  if (i < call.args.size() && call.args[i] == "--") ++i;
  if (i >= call.args.size()) {
    shell.Complain("let", "expression expected");
    return 1;
  }
  int64_t last = 0;
  for (; i < call.args.size(); ++i) {
    const auto value = EvaluateText(shell, call.args[i], "let");
    if (!value) return 1;
    last = *value;
  }
  return last == 0 ? 1 : 0;
}

}  // namespace

extern const Builtin kBuiltin_let;
const Builtin kBuiltin_let = {
    .name = "let",
    .usage = "arg [arg ...]",
    .help = "Evaluate arithmetic expressions.",
    .run = Run,
};

}  // namespace paddock::shell
