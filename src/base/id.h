// Ids of objects: a prefix that says the kind, and 100 random bits: "sbx_" and 20 of a-z2-7.
#pragma once

#include <string>
#include <string_view>

namespace paddock {

// `prefix` with its underscore: "snap_". Any thread.
std::string NewId(std::string_view prefix);

// Whether `text` is what NewId(prefix) makes.
bool IsId(std::string_view text, std::string_view prefix);

}  // namespace paddock
