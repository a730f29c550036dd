// For tests: a host volume that opens files as on a kernel of choice.
#pragma once

#include "vfs/host/host_volume.h"

namespace paddock::vfs {

Result<VolumePtr> MakeHostVolumeWith(const std::string& directory, HostAccess access,
                                     const Credentials& owner, bool uses_openat2);

}  // namespace paddock::vfs
