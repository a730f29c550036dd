// Removing cgroups at a wall's end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drivers/process/wall/wiped_pages.h"

namespace paddock::process_wall {

// Removes the directories that there are. A process that has ended counts as in its group until the kernel has switched away
// from it for the last time, which may be after its parent has heard: so a busy group is tried again for a while.
void RemoveGroups(const std::vector<std::string>& directories);

// Removes groups beside `directory` that a run left which was killed together with its zygote. A live sandbox always has a
// process in its group, so an empty one that is not quite new is nobody's. The names that it reads are in `buffer` only.
void RemoveOrphanGroups(std::string_view directory, const WipedPages& buffer);

}  // namespace paddock::process_wall
