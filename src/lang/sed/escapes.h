// The escapes that GNU sed turns into characters before anything else is looked at: \a \f \n \r \t \v, \cX, \dNNN,
// \oNNN, \xHH.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::sed {

enum class EscapeUse {
  kRegex,        // what comes out has its special meaning
  kReplacement,  // & and \ that come out stand for themselves
  kText,         // so does \ in the text of a, i and c
};

// Leaves every other backslash pair as it is.
Result<std::string> ConvertEscapes(std::string_view text, EscapeUse use);

// NUL and line feed change places.
void SwapEnds(std::string& text);

}  // namespace paddock::sed
