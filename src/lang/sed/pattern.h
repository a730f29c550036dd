// Regular expressions of sed as text.
#pragma once

#include <string>

#include "lang/sed/parser.h"

namespace paddock::sed {

// A pattern whose escapes are made into what they mean and, with --posix or POSIXLY_CORRECT, without GNU's operators. kSyntax: a bad escape.
Result<std::string> ConvertPattern(const std::string& text, const ParseOptions& options, Budget& budget);

}  // namespace paddock::sed
