// declare - set variable values and attributes

#include "shell/builtins/declare.h"

namespace paddock::shell {

extern const Builtin kBuiltin_declare;

namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  return RunDeclare(shell, call, kBuiltin_declare, DeclareKind::kDeclare);
}

}  // namespace

const Builtin kBuiltin_declare = {
    .name = "declare",
    .usage = "[-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
    .help = "Set variable values and attributes.",
    .is_declaration = true,
    .run = Run,
};

}  // namespace paddock::shell
