// set -x: what the shell shows before it runs something, for the parts that know what that is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "shell/ast/ast.h"
#include "shell/shell.h"

namespace paddock::shell {

// Writes a line behind PS4.
void TraceLine(Shell& shell, std::string_view line);
void TraceWords(Shell& shell, std::span<const std::string> words);
// The words as TraceWords() shows them.
std::string TraceText(std::span<const std::string> words);
// A compound assignment as it was written, or an expanded value.
void TraceAssignment(Shell& shell, const Assignment& assignment, const std::string& value);
void TraceValue(Shell& shell, std::string_view name, bool is_append, std::string_view value);
// One word between single quotes, always.
std::string TraceSingleQuoted(std::string_view word);
void TraceFor(Shell& shell, const Statement& statement);
void TraceCase(Shell& shell, const Word& subject);
// An expression after its expansions.
void TraceArithmetic(Shell& shell, std::string_view expression);

}  // namespace paddock::shell
