// What . and source share.
#pragma once

#include "shell/builtins/builtin.h"

namespace paddock::shell {

int RunSource(Shell& shell, const BuiltinCall& call);

}  // namespace paddock::shell
