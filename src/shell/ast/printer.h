// Printer: syntax trees back to text, in exactly the layout in which Bash shows functions
// (`declare -f`, `type`), jobs, BASH_COMMAND and `coproc`.
#pragma once

#include <string>

#include "shell/ast/ast.h"

namespace paddock::shell {

// "name () \n{ \n    body\n}" with bash's spaces, without a newline at the end.
std::string PrintFunction(const std::string& name, const Statement& definition);
// The value of the environment variable BASH_FUNC_name%%: "() {  body\n}".
std::string PrintExportedFunction(const Statement& definition);
// One command on one line, as jobs and $BASH_COMMAND show it.
std::string PrintStatement(const Statement& statement);
// The inside of $(…) and <(…), as bash keeps it in a word.
std::string PrintSubstitution(const StatementList& list);
std::string PrintList(const StatementList& list);

}  // namespace paddock::shell
