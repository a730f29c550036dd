// typeset - set variable values and attributes. A synonym for `declare'

#include "shell/builtins/declare.h"

namespace paddock::shell {

extern const Builtin kBuiltin_typeset;

namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  return RunDeclare(shell, call, kBuiltin_typeset, DeclareKind::kDeclare);
}

}  // namespace

const Builtin kBuiltin_typeset = {
    .name = "typeset",
    .usage = "[-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
    .help = "Set variable values and attributes. A synonym for `declare'.",
    .is_declaration = true,
    .run = Run,
};

}  // namespace paddock::shell
