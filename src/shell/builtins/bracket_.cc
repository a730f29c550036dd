// [ - evaluates a conditional expression, up to ]

#include "shell/builtins/test.h"

namespace paddock::shell {

extern const Builtin kBuiltin_bracket_;
const Builtin kBuiltin_bracket_ = {
    .name = "[",
    .usage = "arg... ]",
    .help = "Evaluate conditional expression. A synonym for the `test' builtin, but the last argument must be `]'.",
    .run = RunTest,
};

}  // namespace paddock::shell
