// The last steps before a wall's process may run code that nobody has read: rights are given up, for good.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

// Empties every capability set and the bounding set, and sets no_new_privs. Errors name the step.
Status DropPrivileges();
// Restricts the process and its children with Landlock, as far as the kernel's ABI goes: reading everywhere, writing
// below `writable` only, no signals and no abstract sockets out of the domain. False if the kernel has no Landlock.
Result<bool> RestrictWithLandlock(const std::vector<std::string>& writable);
// Installs the filters of a profile.
Status InstallSeccomp(SeccompProfile profile);

}  // namespace paddock::process_wall
