// How .gitattributes wants the contents of a file merged: as text, as union of lines, not at all, or by a program.
#pragma once

#include <optional>
#include <string>

#include "commands/git/merge/merge.h"

namespace paddock::git {

struct MergeInput {
  std::string path;   // whose attributes count
  std::string base, ours, theirs;
};
// Nothing where the contents cannot be merged.
Result<std::optional<TextMerge>> MergeContents(Git& git, const MergeInput& input, const Sides& labels, const MergeStyle& style);

}  // namespace paddock::git
