// What test and [ share.
#pragma once

#include "shell/builtins/builtin.h"

namespace paddock::shell {

int RunTest(Shell& shell, const BuiltinCall& call);

}  // namespace paddock::shell
