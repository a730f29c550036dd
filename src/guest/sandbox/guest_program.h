// Where paddock-guest, which every real wall needs, lies on this machine.
#pragma once

#include <string>

#include "base/result.h"

namespace paddock::guest {

// Beside this program. Errors: kUnavailable with the path where it should be.
Result<std::string> FindGuestProgram();

}  // namespace paddock::guest
