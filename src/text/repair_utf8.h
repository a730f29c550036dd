// Text that must be UTF-8, as in JSON.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

// The text with U+FFFD for each malformed byte.
std::string RepairUtf8(std::string_view text);

}  // namespace paddock
