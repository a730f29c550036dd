// The formats of ls-files and ls-tree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::git {

// The text of a format with %(ATOM), %% and %xHH. `value` gives an atom's, or nothing when there is no such one.
// Errors: kSyntax in the words of git `command`; those of `value`.
Result<std::string> ExpandListingFormat(Budget& budget, std::string_view command, std::string_view format,
                                        const std::function<Result<std::optional<std::string>>(std::string_view atom)>& value);

}  // namespace paddock::git
