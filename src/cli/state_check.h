// What paddock doctor says of the directory in which Paddock keeps overlays, quarantine and a daemon's data.
#pragma once

#include <sys/types.h>

#include <string>

#include "sandbox/diagnosis.h"

namespace paddock::cli {

// `base`: of StateDirectory(), may be empty; the directory is "paddock" in it. `user`: whose it should be. Leaves nothing behind.
sandbox::Check CheckStateDirectory(const std::string& base, uid_t user);

}  // namespace paddock::cli
