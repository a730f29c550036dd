// What a commit changes, as an id that other commits with the same change have, too.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "commands/git/refs/revision.h"

namespace paddock::git {

// The stable id of the patch against the first parent; nothing when no file changed.
Result<std::optional<Oid>> CommitPatchId(Git& git, const Commit& commit, bool finds_renames = false);
// Those of `commits` whose change one of `others` makes, too. Merges are passed over.
Result<std::set<Oid>> WithSamePatch(Git& git, History& history, const std::vector<Oid>& commits, const std::vector<Oid>& others);

}  // namespace paddock::git
