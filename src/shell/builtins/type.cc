// type - tells what a name would run

#include "shell/builtins/builtin.h"
#include "shell/builtins/lookup.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("type"), "afptP");
  DescribeMode mode;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    mode.all |= letter == 'a';
    mode.skip_functions |= letter == 'f';
    mode.path_only |= letter == 'p';
    mode.kind_only |= letter == 't';
    mode.force_path |= letter == 'P';
  }
  int status = 0;
  for (const std::string& name : options.operands()) {
    if (DescribeCommand(shell, name, mode)) continue;
    if (!mode.kind_only && !mode.path_only && !mode.force_path) shell.Complain("type", name + ": not found");
    status = 1;
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_type;
const Builtin kBuiltin_type = {
    .name = "type",
    .usage = "[-afptP] name [name ...]",
    .help = "Display information about command type.",
    .run = Run,
};

}  // namespace paddock::shell
