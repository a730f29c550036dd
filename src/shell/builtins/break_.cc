// break - leaves enclosing loops

#include "shell/builtins/loop_jump.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) { return JumpFromLoops(shell, call, "break", Flow::kBreak); }

}  // namespace

extern const Builtin kBuiltin_break_;
const Builtin kBuiltin_break_ = {
    .name = "break",
    .usage = "[n]",
    .help = "Exit for, while, or until loops.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
