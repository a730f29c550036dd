// format-patch --base: what a series is made for.
#include <algorithm>

#include "commands/git/diff/commit_patch_id.h"
#include "commands/git/mail/patch_series.h"

namespace paddock::git {
namespace {

// The one common ancestor of them all; nothing when there is none, or several.
Result<std::optional<Oid>> OneBase(History& history, std::vector<Oid> ids) {
  std::optional<Oid> base = ids[0];
  for (size_t i = 1; i < ids.size() && base; ++i) {
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(*base, ids[i]));
    base = bases.size() == 1 ? std::optional(bases[0]) : std::nullopt;
  }
  return base;
}

// The base of --base=auto; nothing where none is needed.
Result<std::optional<Oid>> AutomaticBase(Git& git, History& history, const PatchSeriesOptions& options, const std::vector<Oid>& commits) {
  const auto branch = git.HeadBranch();
  const auto upstream = branch ? UpstreamOf(git, ShortRef(*branch)) : std::nullopt;
  const auto id = upstream ? git.refs.Read(*upstream) : std::nullopt;
  if (!id) {
    if (options.may_lack_base) return std::optional<Oid>();
    return Error(Code::kNoEntry, "failed to get upstream, if you want to record base commit automatically,\nplease use git branch --set-upstream-to to track a remote branch.\nOr you could specify base commit by --base=<base-commit-id> manually");
  }
  std::vector<Oid> all = {*id};
  // Of all commits the last one is the nearest; each has to be reached.
  all.push_back(commits.back());
  PADDOCK_ASSIGN(const std::optional<Oid> base, OneBase(history, all));
  if (!base && !options.may_lack_base) return Error(Code::kNoEntry, "could not find exact merge base");
  return base;
}

}  // namespace

Result<std::string> SeriesBaseText(Git& git, History& history, const PatchSeriesOptions& options, const std::vector<Oid>& commits) {
  if (!options.base || commits.empty()) return std::string();
  std::optional<Oid> base;
  if (*options.base == "auto") {
    PADDOCK_ASSIGN(base, AutomaticBase(git, history, options, commits));
    if (!base) return std::string();
  } else {
    auto id = ResolveCommit(git, *options.base);
    if (!id) return Error(Code::kNoEntry, "unknown commit " + *options.base);
    base = *id;
  }
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const bool leads, history.IsAncestor(*base, id));
    if (leads) continue;
    if (options.may_lack_base) return std::string();
    return Error(Code::kInvalid, "base commit should be the ancestor of revision list");
  }
  if (std::find(commits.begin(), commits.end(), *base) != commits.end()) {
    if (options.may_lack_base) return std::string();
    return Error(Code::kInvalid, "base commit shouldn't be in revision list");
  }
  std::string text = "\nbase-commit: " + base->Hex() + "\n";
  Selection selection;
  selection.included = commits;
  selection.excluded = {*base};
  PADDOCK_ASSIGN(std::vector<Oid> between, WalkHistory(git, history, selection, {.is_topological = true}));
  std::reverse(between.begin(), between.end());
  for (const Oid& id : between) {
    if (std::find(commits.begin(), commits.end(), id) != commits.end()) continue;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (node->commit.parents.size() > 1) continue;
    PADDOCK_ASSIGN(const std::optional<Oid> patch, CommitPatchId(git, node->commit, true));
    text += "prerequisite-patch-id: " + patch.value_or(Oid{}).Hex() + "\n";
  }
  return text;
}

}  // namespace paddock::git
