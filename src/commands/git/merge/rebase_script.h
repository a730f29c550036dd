// The list of a rebase as it is made first: which commits, in which order, with the merges among them if that is wanted.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "commands/git/merge/rebase.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {

struct RebaseScriptOptions {
  bool keeps_merges = false;       // as label, reset and merge …
  bool moves_cousins = false;      // … those beside the upstream, too
  bool drops_empty = false, autosquash = false, updates_refs = false;
  std::vector<std::string> commands;   // after each commit
  std::set<Oid> known;                 // that the upstream has as others
  std::optional<Oid> bottom;           // what stands for `onto`
  std::string own_branch;              // full name of the branch that is rebased
  bool is_root_onto = false;           // all commits, onto one that is named
};
// `commits`: oldest first, parents before children.
Result<std::vector<TodoItem>> MakeRebaseScript(Git& git, History& history, const std::vector<Oid>& commits, const RebaseScriptOptions& options);

}  // namespace paddock::git
