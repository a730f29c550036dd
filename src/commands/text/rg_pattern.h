// What the text of a pattern says before it is compiled.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

// A pattern for these characters alone.
std::string RgEscape(std::string_view text);

// Smart case wants a character that stands for itself; one in an escape or a class with a name does not.
bool RgHasLiteral(std::string_view pattern);
// Smart case: an upper-case letter that stands for itself.
bool RgHasUpper(std::string_view pattern);

// It may match a newline, which lines do not hold.
bool RgHasNewline(std::string_view pattern);
// A brace that neither counts nor belongs to an escape: PCRE would take it literally.
bool RgHasBadRepetition(std::string_view pattern);

}  // namespace paddock
