// Arithmetic: 64-bit expressions of $(( )), (( )), let, subscripts and integer variables.
//
// Source: Bash manual "Shell Arithmetic". Overflow wraps; division by zero and bad tokens are errors in
// bash's wording: `1/0: division by 0 (error token is "0")`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace paddock::shell {

class Shell;
struct Word;

// An expression compiled once: static text without expansions (loops evaluate it many times).
struct Arithmetic;
// Null when the text needs expansion or does not parse (it is then evaluated as text, with its error).
std::shared_ptr<const Arithmetic> CompileArithmetic(std::string_view text);
std::shared_ptr<const Arithmetic> CompileArithmetic(const Word& word);

// Evaluates; nothing on an error, with the complaint printed ("bash: line 1: …") after `context`
// (a builtin's name such as "let", or empty). shell.flow is not touched: callers decide.
std::optional<int64_t> Evaluate(Shell& shell, const Arithmetic& expression, std::string_view context = {});
std::optional<int64_t> EvaluateText(Shell& shell, std::string_view text, std::string_view context = {});
// Expands the word (as in double quotes), then evaluates.
std::optional<int64_t> EvaluateWord(Shell& shell, const Word& word, std::string_view context = {});

}  // namespace paddock::shell
