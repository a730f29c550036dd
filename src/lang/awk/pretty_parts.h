// What the parts of the pretty-printer share: for pretty*.cc alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/awk/pretty.h"

namespace paddock::awk {

// An operator with an operand on either side, or a getline, without parentheses around it.
bool IsBinary(const Node& node);
// "text" with escapes; what is not printable ASCII is octal.
std::string QuotedText(std::string_view text);
std::string ExpressionList(const std::vector<Node*>& list, std::string_view separator, const std::string& space,
                           Budget& budget);
// A name as it is written inside the namespace `space`, "" for awk's own.
std::string NameWithin(const std::string& space, const std::string& name);

}  // namespace paddock::awk
