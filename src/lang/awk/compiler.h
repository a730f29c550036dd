// Turns the tree of a program into instructions.
#pragma once

#include "base/result.h"
#include "lang/awk/ast.h"
#include "lang/awk/program.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

// `sources` moves into the program.
Program Compile(const SyntaxTree& tree, std::vector<Source> sources, Budget& budget);

}  // namespace paddock::awk
