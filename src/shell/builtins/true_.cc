// true - returns success

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell&, const BuiltinCall&) { return 0; }

}  // namespace

extern const Builtin kBuiltin_true_;
const Builtin kBuiltin_true_ = {
    .name = "true",
    .usage = "",
    .help = "Return a successful result.",
    .run = Run,
};

}  // namespace paddock::shell
