// For tests: a host volume that opens files as on a kernel of choice.
#pragma once

#include "vfs/host/host_volume.h"
#include "vfs/host/seen_directories.h"

namespace paddock::vfs {

Result<VolumePtr> MakeHostVolumeWith(const std::string& directory, HostAccess access,
                                     const Credentials& owner, bool uses_openat2,
                                     HostMemory memory = HostMemory::kNone);

}  // namespace paddock::vfs
