// The directory stack, for pushd, popd and dirs: entry 0 is the working directory, the rest is
// Shell::directory_stack.
#pragma once

#include <optional>
#include <string>

#include "shell/builtins/builtin.h"

namespace paddock::shell {

// "+2", "-0": true when `word` is meant as a place in the stack.
bool IsStackPlace(std::string_view word);
// The entry that it names, counted from 0. Nothing after a complaint, with the status in `*status`.
std::optional<size_t> FindStackPlace(Shell& shell, const Builtin& builtin, const std::string& word, int* status);
// How dirs prints: all in a line, each on one (-p), with numbers (-v); home as ~ unless told (-l).
struct StackStyle {
  bool is_long = false;
  bool one_a_line = false;
  bool has_numbers = false;
};
void PrintStack(Shell& shell, const StackStyle& style, std::optional<size_t> only = {});
// Goes to `path` as pushd and popd do; false after a complaint.
bool GoTo(Shell& shell, const Builtin& builtin, const std::string& path);

}  // namespace paddock::shell
