// An XML document as JSON: elements become members, attributes members @name, text beside them #text, repeated elements lists.
//
// An own parser and not libxml2: complaints and their places are expat's, each step is charged, and no entity of the document is ever
// expanded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::xml {

struct ToJsonSettings {
  std::vector<std::string> lists;   // elements that are lists even when there is one of them
  size_t item_depth = 0;            // not the document but each element so deep, one a line
};

// Appends JSON texts, each with a newline. The error (kSyntax) is "ExpatError: mismatched tag: line 1, column 5".
// Source: xmltodict 0.13.
Status ToJson(std::string_view text, const ToJsonSettings& settings, std::string& json, Budget& budget);

}  // namespace paddock::xml
