// HostVolume: a directory of the host as a volume. The only code of the virtual tier that opens
// host files.
//
// Every access goes through openat2() with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
// RESOLVE_NO_SYMLINKS below one directory descriptor (beneath.h), so nothing (symlink, "..", rename
// race) leads outside; symlinks of the host are shown as symlinks and followed, if at all, by
// Namespace inside the sandbox's own tree. What somebody swaps under our hands is at worst not
// found. File systems mounted below the directory are part of it.
//
// Device nodes, sockets and FIFOs of the host are shown and cannot be opened or made. Set-user-id
// and set-group-id bits are neither shown nor set. Paths longer than PATH_MAX are kNameTooLong.
//
// Owners: the host's owner of the directory, and the user this program runs as unless that is root,
// appear as `owner`; the host's root stays 0, everybody else is 65534. Files made here belong to
// the directory's owner. chown is kNotPermitted unless it changes nothing. Access for what View
// permits is in the end the host's decision, with the rights of this program; run it as the user
// whose directory it serves.
#pragma once

#include <string>

#include "vfs/volume.h"

namespace paddock::vfs {

enum class HostAccess { kReadOnly, kReadWrite };

// Errors: those of opening `directory`; kNotDirectory.
Result<VolumePtr> MakeHostVolume(const std::string& directory, HostAccess access,
                                 const Credentials& owner = {});

}  // namespace paddock::vfs
