// The candidates that a completion rule gives for a word: what compgen prints and what Tab finds.
#pragma once

#include <string>
#include <vector>

#include "shell/state/completion.h"

namespace paddock::shell {

class Shell;

// Where in a command line the word stands, for the COMP_ variables of functions and commands.
struct CompletionSite {
  std::vector<std::string> words;   // of the command, the word to complete included
  size_t index = 0;                 // its place among them
  std::string line;
  size_t point = 0;                 // the cursor in the line
};

// `site` is null for compgen, which warns about rules that need one.
std::vector<std::string> GenerateCompletions(Shell& shell, const CompletionRule& rule, const std::string& word,
                                             const CompletionSite* site = nullptr);

}  // namespace paddock::shell
