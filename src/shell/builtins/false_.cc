// false - returns failure

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell&, const BuiltinCall&) { return 1; }

}  // namespace

extern const Builtin kBuiltin_false_;
const Builtin kBuiltin_false_ = {
    .name = "false",
    .usage = "",
    .help = "Return an unsuccessful result.",
    .run = Run,
};

}  // namespace paddock::shell
