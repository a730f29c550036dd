// export - set export attribute for shell variables

#include "shell/builtins/declare.h"

namespace paddock::shell {

extern const Builtin kBuiltin_export_;

namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  return RunDeclare(shell, call, kBuiltin_export_, DeclareKind::kExport);
}

}  // namespace

const Builtin kBuiltin_export_ = {
    .name = "export",
    .usage = "[-fn] [name[=value] ...] or export -p",
    .help = "Set export attribute for shell variables.",
    .is_special = true,
    .is_declaration = true,
    .run = Run,
};

}  // namespace paddock::shell
