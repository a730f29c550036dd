// Files with conflict markers: their conflicts in a form that does not tell whose side is whose.
// Source: git-rerere(1), technical/rerere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "git/object.h"

namespace paddock::git {

struct ConflictText {
  std::string text;    // with bare markers, the sides in order, and without the common ancestor
  std::string id;      // 40 digits: the same for the same conflicts, whatever is around them
  bool has_conflict = false;
};
// Nothing when the markers do not fit together.
std::optional<ConflictText> NormalizeConflicts(std::string_view text, size_t marker_size, Budget& budget);

}  // namespace paddock::git
