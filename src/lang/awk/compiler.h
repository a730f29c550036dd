// Turns the tree of a program into instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "lang/awk/ast.h"
#include "lang/awk/program.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

enum class Profiling : uint8_t { kOff, kOn };

// `sources` moves into the program. When it is profiled it counts how often it comes by each statement, block, case label and
// pattern of a rule, under the node's id.
Program Compile(const SyntaxTree& tree, std::vector<Source> sources, Profiling profiling, Budget& budget);

}  // namespace paddock::awk
