// The calls of the mount API as the wall uses them: detached clones by descriptor, flags on whole trees.
#pragma once

#include <sys/mount.h>

#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::process_wall {

inline constexpr uint64_t kAlways = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// errno, as "WHAT NAME: why".
Error MountFailure(std::string_view what, std::string_view name);

// Whether a clone takes the mounts below it along.
enum class Reach { kOne, kTree };

// Clones a mount that is private already: the clone has its flags. Links are not followed in the last component.
Result<Descriptor> CloneOwn(int directory, const char* path, Reach reach, std::string_view name);
// Clones any mount and adds flags to the whole clone. A clone is a peer of what was cloned: what is mounted on a shared one
// would appear on the host, too, and a mount that the host makes later would appear inside. So it is made private.
Result<Descriptor> CloneMount(int directory, const char* path, Reach reach, uint64_t set, std::string_view name);

bool IsDirectory(int descriptor);

}  // namespace paddock::process_wall
