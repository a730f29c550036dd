// Answers whose bytes come out of a sandbox. A browser that is led to one saves it; it neither shows, runs nor guesses at it, as the page
// would then be one of the daemon's own.
#pragma once

#include <string_view>

#include "net/request.h"

namespace paddock::api {

// The headers of such an answer; `name` is what a file of it is called, any bytes.
net::Headers ForeignBytes(const char* type, std::string_view name);

}  // namespace paddock::api
