// HostVolume: a directory of the host as a volume. The only code of the virtual tier that opens host files.
//
// Every access goes through openat2() with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS
// below one directory descriptor, so nothing (symlink, "..", rename race, mount) leads outside; symlinks
// of the host are shown as symlinks and followed, if at all, by Namespace inside the sandbox's own tree.
// Device nodes and sockets of the host cannot be opened; set-user-id bits are never passed on.
#pragma once

#include <string>

#include "vfs/volume.h"

namespace paddock::vfs {

enum class HostAccess { kReadOnly, kReadWrite };

// Errors: those of opening `directory`.
Result<VolumePtr> MakeHostVolume(const std::string& directory, HostAccess access);

}  // namespace paddock::vfs
