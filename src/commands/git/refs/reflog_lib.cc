#include "commands/git/refs/reflog.h"

#include "commands/git/history/reach.h"
#include "commands/git/work/linked_trees.h"

namespace paddock::git {

Status ThinLog(Git& git, Refs& refs, const std::string& name, const std::vector<ReflogEntry>& entries, const std::vector<bool>& drops, const ReflogChange& change) {
  std::vector<ReflogEntry> kept;
  Oid last;
  for (size_t i = 0; i < entries.size(); ++i) {
    git.in.budget.Step();
    if (change.verbose) git.Print((!drops[i] ? "keep " : change.is_dry && change.tells_dry ? "would prune " : "prune ") + entries[i].message + "\n");
    if (drops[i]) continue;
    kept.push_back(entries[i]);
    if (change.rewrites) kept.back().before = last;
    last = entries[i].after;
  }
  if (change.is_dry || (kept.size() == entries.size() && !change.updates_ref)) return {};
  PADDOCK_TRY(refs.WriteLog(name, kept));
  if (change.updates_ref && !kept.empty() && !refs.ReadSymbolic(name)) PADDOCK_TRY(refs.WriteDirect(name, kept.back().after));
  return {};
}

Status ExpireLog(Git& git, Refs& refs, History& history, const std::string& name, const ReflogLimits& limits, const ReflogChange& change) {
  const std::vector<ReflogEntry> entries = refs.ReadLog(name);
  if (entries.empty()) return {};
  std::set<Oid> reachable;
  if (const auto tip = refs.Read(name)) {
    if (auto commit = git.objects.Peel(*tip, ObjectType::kCommit)) {
      PADDOCK_ASSIGN(reachable, history.Ancestors({*commit}));
    }
  }
  std::vector<bool> drops;
  for (const ReflogEntry& entry : entries) {
    git.in.budget.Step();
    const int64_t time = ParseSignature(entry.who).time;
    const bool is_reachable = (entry.before.is_null() || reachable.contains(entry.before)) && reachable.contains(entry.after);
    bool is_stale = false;
    for (const Oid& id : {entry.before, entry.after}) is_stale |= change.fixes_stale && !id.is_null() && !ReachObjects(git, {id}).has_value();
    drops.push_back(is_stale || time < limits.before || (time < limits.unreachable_before && !is_reachable));
  }
  return ThinLog(git, refs, name, entries, drops, change);
}

Status ExpireAllLogs(Git& git, const ReflogLimits& limits, const ReflogChange& change, bool one_worktree) {
  History history(git);
  std::vector<std::string> names = {"HEAD"};
  for (const auto& [name, id] : git.refs.List("refs/")) names.push_back(name);
  for (const std::string& name : names) PADDOCK_TRY(ExpireLog(git, git.refs, history, name, limits, change));
  if (one_worktree) return {};
  PADDOCK_ASSIGN(const std::vector<LinkedTree> trees, LinkedTrees(git));
  for (const LinkedTree& tree : trees) {
    if (tree.git_dir == git.git_dir) continue;
    Refs refs(git.in.fs, tree.git_dir, git.common_dir, git.in.budget);
    names = OwnRefNames(refs);
    for (const std::string& name : names) PADDOCK_TRY(ExpireLog(git, refs, history, name, limits, change));
  }
  return {};
}

}  // namespace paddock::git
