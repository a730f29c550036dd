// The packages that the commands follow: which release of the real tool a command's options, messages and --version are those of.
// Debian 12's throughout.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

// The first line of the real tool's --version, without the end of the line; "" for a command that follows none.
// Scripts tell GNU's tools from others by it and take version numbers out of it.
std::string PackageLine(std::string_view command);

}  // namespace paddock
