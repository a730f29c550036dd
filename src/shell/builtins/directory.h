// Changing the working directory, for cd, pushd and popd.
#pragma once

#include <string>

#include "shell/shell.h"

namespace paddock::shell {

// Goes to `path` and sets PWD and OLDPWD. Logical: ".." takes back the name before it; physical: symlinks
// are resolved first.
Status ChangeDirectory(Shell& shell, const std::string& path, bool is_physical);

}  // namespace paddock::shell
