// The order of names that contain version numbers: "a2" before "a10" (sort -V, ls -v).
//
// Source: GNU coreutils manual, "Version sort ordering"; the Debian rules for version strings.
#pragma once

#include <string_view>

namespace paddock {

// Compares file names: negative, zero or positive. Empty, ".", ".." and hidden names come first; suffixes
// like ".tar.gz" only count when the rest is equal. Zero also for some names that differ ("a0" and "a00").
int CompareVersionNames(std::string_view a, std::string_view b);

// Compares plain version strings, without the rules about file names.
int CompareVersions(std::string_view a, std::string_view b);

}  // namespace paddock
