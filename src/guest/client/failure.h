// Failures that the agent reports, as errors of ours.
#pragma once

#include <string_view>

#include "base/error.h"
#include "guest/protocol/messages.h"

namespace paddock::guest {

// "WHAT: STEP: No such file or directory", with the errno as the code where we have one (kIo otherwise).
Error ErrorOf(const Failure& failure, std::string_view what);

}  // namespace paddock::guest
