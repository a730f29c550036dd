// unset - removes variables and functions

#include "shell/builtins/builtin.h"
#include "shell/state/assign.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("unset"), "fvn");
  bool only_functions = false;
  bool only_variables = false;
  bool nameref_itself = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    only_functions |= letter == 'f';
    only_variables |= letter == 'v';
    nameref_itself |= letter == 'n';
  }
  if (only_functions && only_variables) {
    shell.Complain("unset", "cannot simultaneously unset a function and a variable");
    return 1;
  }
  int status = 0;
  for (const std::string& name : options.operands()) {
    const std::string base = name.substr(0, name.find('['));
    if (!only_functions && !IsName(base)) {
      if (!only_variables && shell.FindFunction(name) != nullptr) {
        shell.RemoveFunction(name);
        continue;
      }
      if (only_variables || name.find('[') != std::string::npos) {
        shell.Complain("unset", "`" + name + "': not a valid identifier");
        status = 1;
      }
      continue;
    }
    const bool is_variable = !only_functions && shell.variables.Find(Name(base)) != nullptr;
    if (is_variable || only_variables || nameref_itself) {
      if (!UnsetVariable(shell, name, nameref_itself)) status = 1;
      continue;
    }
    if (const Function* function = shell.FindFunction(name)) {
      if (function->is_readonly) {
        shell.Complain("unset", name + ": cannot unset: readonly function");
        status = 1;
      } else {
        shell.RemoveFunction(name);
      }
    }
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_unset;
const Builtin kBuiltin_unset = {
    .name = "unset",
    .usage = "[-f] [-v] [-n] [name ...]",
    .help = "Unset values and attributes of shell variables and functions.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
