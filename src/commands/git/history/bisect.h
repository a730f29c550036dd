// Which commit to test next, of those between what is known to be good and bad.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "commands/git/refs/revision.h"

namespace paddock::git {

struct BisectMarks {
  std::optional<Oid> bad;
  std::vector<Oid> good, skipped;
};
struct BisectChoice {
  size_t count = 0;              // commits that may be the first bad one
  size_t reached = 0;            // of them, those that the choice leads to
  std::optional<Oid> next;       // nothing: none is left
  std::vector<Oid> skipped;      // the better ones that were passed over
};
// The one that halves what is left best. `paths`: only commits that change them count.
Result<BisectChoice> ChooseBisection(Git& git, History& history, const BisectMarks& marks, Pathspec& paths, bool first_parent);
// How many more tests it takes, about.
size_t BisectSteps(size_t count);

}  // namespace paddock::git
