// What a policy may refer to of the machine and the user that started this process.
#pragma once

#include <string>

#include "base/result.h"
#include "policy/context.h"

namespace paddock::cli {

// Home (of HOME, or else of the user database), user, PATH and the names of the variables that are set. `workspace` is a path, relative to
// the current directory when it is not absolute; empty: the current directory. Symlinks are resolved in both. Errors:
// kNoEntry and kNotDirectory for a workspace that is no directory.
Result<policy::HostContext> MakeHostContext(const std::string& workspace);

// $XDG_STATE_HOME, or ~/.local/state: where Paddock keeps what outlives a run. As root it is below root's own home,
// whatever HOME says. Empty where there is no home.
std::string StateDirectory();

}  // namespace paddock::cli
