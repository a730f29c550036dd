// continue - resumes enclosing loops

#include "shell/builtins/loop_jump.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) { return JumpFromLoops(shell, call, "continue", Flow::kContinue); }

}  // namespace

extern const Builtin kBuiltin_continue_;
const Builtin kBuiltin_continue_ = {
    .name = "continue",
    .usage = "[n]",
    .help = "Resume for, while, or until loops.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
