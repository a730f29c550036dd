// Two versions of a series of commits, compared commit by commit.
#pragma once

#include <optional>
#include <string>

#include "commands/git/diff/diff_options.h"
#include "commands/git/git.h"

namespace paddock::git {

struct RangeDiffOptions : DiffOptions {
  int64_t creation_factor = 60;   // percent: what a new commit costs
  bool left_only = false, right_only = false, no_dual_colour = false;
  std::optional<std::string> notes;   // as of git log; "": the usual ones
  bool no_notes = false;
};
// What became of each commit of the first range. `first`, `second`: "A..B".
Result<std::string> RangeDiffText(Git& git, const std::string& first, const std::string& second, const RangeDiffOptions& options);
// Whether a word is a range.
bool IsRange(std::string_view word);

}  // namespace paddock::git
