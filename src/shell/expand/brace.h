// Brace expansion of a word: a{b,c}d, {1..9..2}.
//
// The results are made one after the other and handed on, so that a product of ranges costs no memory of
// its own.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "shell/ast/ast.h"

namespace paddock::shell {

class Shell;

// A stretch of a result: unquoted text, or another part of the word.
struct BracePiece {
  const WordPart* part = nullptr;   // null: `text`
  std::string_view text;
};

// Calls `emit` with the pieces of each result in order; stops and returns false when it does. A word
// without a brace expression gives itself.
bool ExpandBraces(Shell& shell, const Word& word,
                  const std::function<bool(std::span<const BracePiece>)>& emit);

}  // namespace paddock::shell
