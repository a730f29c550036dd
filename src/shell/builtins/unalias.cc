// unalias - removes aliases

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("unalias"), "a");
  bool all = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    all = true;
  }
  if (!all && options.operands().empty()) return UsageError(shell, *FindBuiltin("unalias"));
  if (all) {
    shell.MutableAliases().clear();
    return 0;
  }
  int status = 0;
  for (const std::string& name : options.operands()) {
    if (shell.MutableAliases().erase(name) == 0) {
      shell.Complain("unalias", name + ": not found");
      status = 1;
    }
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_unalias;
const Builtin kBuiltin_unalias = {
    .name = "unalias",
    .usage = "[-a] name [name ...]",
    .help = "Remove each NAME from the list of defined aliases.",
    .run = Run,
};

}  // namespace paddock::shell
