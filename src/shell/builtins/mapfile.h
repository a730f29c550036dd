// What mapfile and readarray share.
#pragma once

#include "shell/builtins/builtin.h"

namespace paddock::shell {

int RunMapfile(Shell& shell, const BuiltinCall& call);

}  // namespace paddock::shell
