// The headers of a tar archive (POSIX pax).
#pragma once

#include <string>

#include "store/trees/tar_reader.h"

namespace paddock::trees {

// What stands in front of an entry's content: a ustar header, behind a pax record for what that has no room for. `type` is not
// kSocket, which tar cannot hold. The content is padded to whole blocks of 512 bytes; two blocks of zeros end the archive.
std::string EncodeTarHeader(const TarEntry& entry);

}  // namespace paddock::trees
