// A TOML 1.0 document as one JSON text, members in the order in which they were written.
//
// An own parser and not toml++, which policies are read with: that one sorts keys, counts no work and asserts on
// hostile text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::toml_text {

// Appends the JSON of the document. Dates and times become strings as Python's isoformat() has them. The error is a
// sentence with its place: "Duplicate keys! (line 2 column 1 char 6)".
Status ToJson(std::string_view text, std::string& json, Budget& budget);

}  // namespace paddock::toml_text
