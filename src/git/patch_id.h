// Ids of patches: the same for the same change, wherever in a file it is and however its lines are numbered.
// Source: git-patch-id(1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "git/object.h"

namespace paddock::git {

enum class PatchIdKind { kUnstable, kStable, kVerbatim };   // kStable: in whatever order the files come; kVerbatim: blanks count, too

struct NamedPatchId {
  Oid patch;
  Oid commit;   // null when the patch stands below none
};
// Of the patches in a text like that of git log -p or format-patch, each below the line of its commit.
std::vector<NamedPatchId> PatchIdsOf(std::string_view text, PatchIdKind kind, Budget& budget);
// Of a commit, whose files have these patches: stable, and a binary file counts once. Nothing when there is no patch.
std::optional<Oid> PatchIdOfFiles(const std::vector<std::string>& patches, Budget& budget);

}  // namespace paddock::git
