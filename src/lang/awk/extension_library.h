// The awk program that gawk's library inplace needs, for systems whose tree has none.
#pragma once

#include <string_view>

namespace paddock::awk {

// Empty when there is none of that name.
std::string_view BuiltInProgram(std::string_view path);

}  // namespace paddock::awk
