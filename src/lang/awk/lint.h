// gawk --lint and --lint-old: what in a program is doubtful, or newer than it may be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/awk/ast.h"
#include "lang/awk/source.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

enum class LintLevel : uint8_t {
  kOff,
  kWarn,
  kFatal,         // the first warning ends the run
  kNoExtensions,  // nothing about what is gawk's own
};

struct LintWarning {
  Place place;
  bool has_place = true;
  std::string text;
  bool is_mild = false;  // not fatal by itself even with kFatal: a shadowed variable
};

// What can be said before the program runs, in its order. The tree was parsed with ParseInput::keeps_form.
std::vector<LintWarning> LintProgram(const SyntaxTree& tree, LintLevel level, bool for_old_awk, Budget& budget);

// What kLint looks at: values on top of the stack, or a variable.
enum class LintCheck : uint8_t {
  kGlobal,     // b: slot
  kLocal,      // b: slot
  kField,      // v → v   b: its number
  kComputedField,  // number → the same
  kElement,    // array sub → the same
  kDelete,     // array sub → the same
  kAdd,        // x y → the same
  kCondition,  // an assignment is the condition
  kArguments,  // v… → the same   b: Builtin, and from bit 8 on how many
};

}  // namespace paddock::awk
