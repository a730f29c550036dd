// Text to tree.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jq/ast.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

// What is wrong with a program, and where.
struct Complaint {
  std::string message;
  Span span;
};

// Parses a program, or with `is_module` a file of definitions. Null when it does not parse; then there are complaints.
std::unique_ptr<Tree> Parse(std::string_view source, bool is_module, Budget& budget, std::vector<Complaint>& complaints);

}  // namespace paddock::jq
