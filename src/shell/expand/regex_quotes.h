// What is quoted in the regex of [[ =~ ]].
#pragma once

#include <string>
#include <string_view>

namespace paddock::shell {

// Stands before each quoted byte while the word is expanded; no value of the shell holds it.
inline constexpr char kRegexQuote = '\0';

// The regex of a word with such marks: quoted characters are taken for themselves. In a bracket expression a quoted character is one
// of the set, and a quoted ']' does not end it; a backslash there would be one of the set, too.
std::string RegexOfMarked(std::string_view marked);

}  // namespace paddock::shell
