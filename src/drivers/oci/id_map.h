// A user namespace that only serves to show the files of one owner as another's (MOUNT_ATTR_IDMAP).
#pragma once

#include <cstdint>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::oci {

struct Owner {
  uint32_t uid = 0, gid = 0;
  bool operator==(const Owner&) const = default;
};

// What belongs to `on_disk` is `in_use`'s, both ways; nothing else can be made. Needs root. Any thread.
Result<Descriptor> MakeIdMap(Owner on_disk, Owner in_use);

}  // namespace paddock::oci
