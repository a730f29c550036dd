// gawk -o and -p: the program in gawk's layout, with its comments or with counts of how often each part ran.
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

// The expression as gawk writes it: blanks around operators, parentheses where the program has them or where it takes some for safety.
// Names of the namespace `space` go without it.
std::string ExpressionText(const Node& node, const std::string& space, Budget& budget);

// The whole program, from a tree parsed with ParseInput::keeps_form. `counts`, by node, is null without a profile; comments
// are left out of one.
std::string PrettyPrint(const SyntaxTree& tree, const std::vector<uint64_t>* counts, Budget& budget);

// gawk -g: what is marked for translation, in the order of the program.
std::string TranslationTemplate(const SyntaxTree& tree, const std::vector<Source>& sources, Budget& budget);

}  // namespace paddock::awk
