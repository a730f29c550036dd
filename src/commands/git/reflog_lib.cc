#include "commands/git/reflog.h"

#include "commands/git/reach.h"

namespace paddock::git {

Status ThinLog(Git& git, const std::string& name, const std::vector<ReflogEntry>& entries, const std::vector<bool>& drops, const ReflogChange& change) {
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
  PADDOCK_TRY(git.refs.WriteLog(name, kept));
  if (change.updates_ref && !kept.empty() && !git.refs.ReadSymbolic(name)) PADDOCK_TRY(git.refs.WriteDirect(name, kept.back().after));
  return {};
}

Status ExpireLog(Git& git, History& history, const std::string& name, int64_t before, int64_t unreachable_before, const ReflogChange& change) {
  const std::vector<ReflogEntry> entries = git.refs.ReadLog(name);
  if (entries.empty()) return {};
  std::set<Oid> reachable;
  if (const auto tip = git.refs.Read(name)) {
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
    drops.push_back(is_stale || time < before || (time < unreachable_before && !is_reachable));
  }
  return ThinLog(git, name, entries, drops, change);
}

}  // namespace paddock::git
