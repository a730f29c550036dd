// Numeric arguments of builtins, with bash's complaints.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "shell/builtins/builtin.h"

namespace paddock::shell {

// A decimal integer with an optional sign and blanks around it; nothing if it is none or overflows.
std::optional<int64_t> ParseInteger(std::string_view text);

// The status argument of exit and return: `otherwise` if there is none. Nothing after a complaint ("numeric argument
// required" exits with 2, "too many arguments" returns 1): `*failure` is then the status.
std::optional<int> StatusArgument(Shell& shell, const BuiltinCall& call, int otherwise, int* failure);
// True, after a complaint that abandons what runs, if there are arguments from index `end` on.
bool HasExcess(Shell& shell, const BuiltinCall& call, size_t end);

}  // namespace paddock::shell
