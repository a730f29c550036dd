#include "commands/git/reflog.h"

namespace paddock::git {

Status ExpireLog(Git& git, History& history, const std::string& name, int64_t before, int64_t unreachable_before) {
  const std::vector<ReflogEntry> entries = git.refs.ReadLog(name);
  if (entries.empty()) return {};
  std::set<Oid> reachable;
  if (const auto tip = git.refs.Read(name)) {
    if (auto commit = git.objects.Peel(*tip, ObjectType::kCommit)) {
      PADDOCK_ASSIGN(reachable, history.Ancestors({*commit}));
    }
  }
  std::vector<ReflogEntry> kept;
  for (const ReflogEntry& entry : entries) {
    git.in.budget.Step();
    const int64_t time = ParseSignature(entry.who).time;
    const bool is_reachable = (entry.before.is_null() || reachable.contains(entry.before)) && reachable.contains(entry.after);
    if (time < before || (time < unreachable_before && !is_reachable)) continue;
    kept.push_back(entry);
  }
  if (kept.size() == entries.size()) return {};
  return git.refs.WriteLog(name, kept);
}

}  // namespace paddock::git
