// : - does nothing, successfully

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell&, const BuiltinCall&) { return 0; }

}  // namespace

extern const Builtin kBuiltin_colon_;
const Builtin kBuiltin_colon_ = {
    .name = ":",
    .usage = "",
    .help = "Null command. No effect; the command does nothing.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
