// What du and df share: the unit they count in, and which mount a file is on.
#pragma once

#include <string>
#include <string_view>

#include "proc/command.h"
#include "text/block_size.h"

namespace paddock {

// The unit that DU_BLOCK_SIZE (or whatever `own_variable` is), BLOCK_SIZE, BLOCKSIZE and POSIXLY_CORRECT ask for;
// 1024 otherwise.
BlockSize UnitFromEnvironment(const Environment& environment, const char* own_variable);

// The canonical path of the mount that holds a file; "?" when the file is not there. `follow` is for a symlink.
std::string MountPointOf(Invocation& in, const std::string& path, vfs::Follow follow);

}  // namespace paddock
