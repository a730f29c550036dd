// A change as text: what `git diff` would print of it, and one line of `git diff --stat`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "overlay/changes.h"

namespace paddock::overlay {

// Larger files are told to differ, not shown.
inline constexpr uint64_t kLargestShown = 8 << 20;

struct DiffStyle {
  bool is_terminal = false;   // control characters of the content are shown as ^X, since they would reach the terminal
  bool has_color = false;
};

// The patch of one change, with lines beginning with "# " for what a patch cannot say (refused, protected, conflict).
// `has_children` tells that changes below a directory follow, which say it all.
std::string PatchOf(int workspace, int upper, const Change& change, bool has_children, const DiffStyle& style);

// Lines added and removed; nothing for what is not shown as text.
struct LineCounts {
  uint64_t added = 0;
  uint64_t removed = 0;
};
std::optional<LineCounts> CountLines(int workspace, int upper, const Change& change);

// Why a change needs a second look, for listings: "refused: a fifo; protected: .vscode"; empty if it does not.
std::string NotesOf(const Change& change);

}  // namespace paddock::overlay
