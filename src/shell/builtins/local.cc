// local - define local variables

#include "shell/builtins/declare.h"

namespace paddock::shell {

extern const Builtin kBuiltin_local;

namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  return RunDeclare(shell, call, kBuiltin_local, DeclareKind::kLocal);
}

}  // namespace

const Builtin kBuiltin_local = {
    .name = "local",
    .usage = "[option] name[=value] ...",
    .help = "Define local variables.",
    .is_declaration = true,
    .run = Run,
};

}  // namespace paddock::shell
