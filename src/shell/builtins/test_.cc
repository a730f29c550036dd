// test - evaluates a conditional expression

#include "shell/builtins/test.h"

namespace paddock::shell {

extern const Builtin kBuiltin_test_;
const Builtin kBuiltin_test_ = {
    .name = "test",
    .usage = "[expr]",
    .help = "Evaluate conditional expression.",
    .run = RunTest,
};

}  // namespace paddock::shell
