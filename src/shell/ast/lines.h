// The line numbers of a syntax tree, one after the other.
//
// Printing a tree and parsing the text gives the same tree with other lines; these put the old ones back.
#pragma once

#include <functional>

#include "shell/ast/ast.h"

namespace paddock::shell {

// Calls visit(line) for every line number in the tree that means something, in an order that the tree alone decides. What `visit` writes is
// written into the tree: only for who made it and has not shown it to anybody.
void VisitLines(const Statement& statement, const std::function<void(int& line)>& visit);

}  // namespace paddock::shell
