// readonly - mark shell variables as unchangeable

#include "shell/builtins/declare.h"

namespace paddock::shell {

extern const Builtin kBuiltin_readonly;

namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  return RunDeclare(shell, call, kBuiltin_readonly, DeclareKind::kReadonly);
}

}  // namespace

const Builtin kBuiltin_readonly = {
    .name = "readonly",
    .usage = "[-aAf] [name[=value] ...] or readonly -p",
    .help = "Mark shell variables as unchangeable.",
    .is_special = true,
    .is_declaration = true,
    .run = Run,
};

}  // namespace paddock::shell
