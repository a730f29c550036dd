// command - runs a command, skipping functions, or tells what it is

#include "shell/builtins/builtin.h"
#include "shell/builtins/lookup.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("command"), "pvV");
  bool default_path = false;
  bool describes = false;
  bool is_verbose = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    default_path |= letter == 'p';
    describes |= letter == 'v';
    is_verbose |= letter == 'V';
  }
  const auto operands = options.operands();
  if (operands.empty()) return 0;
  if (describes || is_verbose) {
    bool any = false;
    for (const std::string& name : operands) {
      const bool found = DescribeCommand(shell, name, {.reusable = !is_verbose, .use_default_path = default_path});
      if (!found && is_verbose) shell.Complain("command", name + ": not found");
      any |= found;
    }
    return any ? 0 : 1;
  }
  return shell.CallWords({operands.begin(), operands.end()}, {.skip_functions = true, .default_path = default_path});
}

}  // namespace

extern const Builtin kBuiltin_command;
const Builtin kBuiltin_command = {
    .name = "command",
    .usage = "[-pVv] command [arg ...]",
    .help = "Execute a simple command or display information about commands.",
    .run = Run,
};

}  // namespace paddock::shell
