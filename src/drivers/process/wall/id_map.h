// User namespaces: writing their id maps, and making one that only serves to remap the owners of a mount.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"
#include "base/descriptor.h"

namespace paddock::process_wall {

struct IdPair {
  uint32_t inside = 0;
  uint32_t outside = 0;
};

// Writes the maps of a process that waits in a new user namespace. An unprivileged writer maps only itself, and gives
// up setgroups for the namespace.
Status WriteIdMaps(pid_t process, IdPair uid, IdPair gid, bool denies_setgroups);
// A namespace for MOUNT_ATTR_IDMAP, in which id `inside` on disk is `outside` in use. Needs root.
Result<Descriptor> MakeIdMap(IdPair uid, IdPair gid);

}  // namespace paddock::process_wall
