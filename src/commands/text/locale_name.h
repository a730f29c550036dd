// The name of the locale that the environment gives a category, where more of it matters than how text is encoded.
#pragma once

#include <string_view>

namespace paddock {

class Environment;

// By LC_ALL, else `category` ("LC_TIME"), else LANG; "C" when none is set.
std::string_view LocaleName(const Environment& environment, std::string_view category);
// Whether that is "C" or "POSIX", in which some words and dates are as they were before locales.
bool IsPosixLocale(const Environment& environment, std::string_view category);

}  // namespace paddock
