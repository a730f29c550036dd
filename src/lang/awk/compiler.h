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

class BigMath;

struct CompileOptions {
  bool profiles = false;
  bool lints = false;
  bool reads_non_decimal = false;  // -n
  const BigMath* math = nullptr;   // of a program that runs with -M
};

// `sources` moves into the program. When it is profiled it counts how often it comes by each statement, block, case label and
// pattern of a rule, under the node's id.
Program Compile(const SyntaxTree& tree, std::vector<Source> sources, const CompileOptions& options, Budget& budget);

}  // namespace paddock::awk
