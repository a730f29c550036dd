// What break and continue share.
#pragma once

#include "shell/builtins/builtin.h"

namespace paddock::shell {

// Leaves as many loops as the argument says, and goes on as `flow` says with the last of them; the status. `name` is for complaints.
int JumpFromLoops(Shell& shell, const BuiltinCall& call, const char* name, Flow flow);

}  // namespace paddock::shell
