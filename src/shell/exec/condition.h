// [[ … ]], and the primaries that test and [ share with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shell/ast/ast.h"

namespace paddock::shell {

class Shell;

void RunConditional(Shell& shell, const Statement& statement);

// True for "-f", "-z", "-v" … / "-eq", "=", "-nt" ….
bool IsUnaryTest(std::string_view op);
bool IsBinaryTest(std::string_view op);
// A unary primary on its expanded operand.
bool TestUnary(Shell& shell, std::string_view op, const std::string& operand);
// A binary primary of test and [: strings compare by bytes, numbers must be integers: nothing (with
// "integer expression expected" printed after `builtin`) when one is not.
std::optional<bool> TestBinary(Shell& shell, std::string_view op, const std::string& left,
                               const std::string& right, std::string_view builtin);

}  // namespace paddock::shell
