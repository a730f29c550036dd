// enable - turns builtins on and off

#include <algorithm>

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("enable"), "adnpsf:");
  bool all = false;
  bool disables = false;
  bool prints = false;
  bool special = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    if (letter == 'f' || letter == 'd') {
      shell.Complain("enable", "dynamic loading not available");
      return 1;
    }
    all |= letter == 'a';
    disables |= letter == 'n';
    prints |= letter == 'p';
    special |= letter == 's';
  }
  const auto operands = options.operands();
  if (operands.empty() || prints) {
    for (const Builtin* builtin : AllBuiltins()) {
      const bool is_off = IsDisabled(shell, builtin->name);
      if (special && !builtin->is_special) continue;
      if (!all && is_off != disables) continue;
      shell.out().WriteLine(std::string(is_off ? "enable -n " : "enable ") + builtin->name);
    }
    return 0;
  }
  int status = 0;
  for (const std::string& name : operands) {
    if (FindBuiltin(name) == nullptr) {
      shell.Complain("enable", name + ": not a shell builtin");
      status = 1;
      continue;
    }
    std::erase(shell.disabled_builtins, name);
    if (disables) shell.disabled_builtins.push_back(name);
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_enable;
const Builtin kBuiltin_enable = {
    .name = "enable",
    .usage = "[-a] [-dnps] [-f filename] [name ...]",
    .help = "Enable and disable shell builtins.",
    .run = Run,
};

}  // namespace paddock::shell
