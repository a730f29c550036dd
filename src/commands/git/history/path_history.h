// History as it looks from some paths: which commits changed them, and which parents lead to such commits.
// Source: git-log(1) "History Simplification".
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "commands/git/history/log.h"

namespace paddock::git {

class PathHistory {
 public:
  // `excluded`: commits that the range leaves out. `decorated`: with --simplify-by-decoration, what has a reference.
  PathHistory(Git& git, History& history, const LogOptions& options, Pathspec& paths, std::set<Oid> excluded, std::optional<std::set<Oid>> decorated)
      : git_(git), history_(history), options_(options), paths_(paths), excluded_(std::move(excluded)), decorated_(std::move(decorated)) {}

  struct Step {
    std::vector<Oid> parents;          // that are followed
    std::vector<bool> same;            // whether the paths are the same there
    bool is_same = false;              // as in all that matter
    bool pulls = false;                // a merge that brought the state of the paths from elsewhere
  };
  Result<const Step*> Get(const Oid& id);
  // --simplify-merges, once the commits are known (children before parents). Those that are left, in the same order.
  Result<std::vector<Oid>> SimplifyMerges(const std::vector<Oid>& order);
  // Whether it is shown. `keeps_shape`: merges that tie others together are.
  Result<bool> Shows(const Oid& id, bool keeps_shape);
  // The next commits up the line that are not like their parents.
  Result<std::vector<Oid>> RewrittenParents(const Oid& id);

 private:
  Result<bool> IsSameAs(const Commit& commit, size_t parent);
  Result<bool> IsEmpty(const Oid& id);
  bool IsRelevant(const Oid& id) const { return !excluded_.contains(id); }
  // The only parent that matters; nothing when there are several.
  std::optional<Oid> OneParent(const Step& step) const;
  void Judge(Step& step) const;

  Git& git_;
  History& history_;
  const LogOptions& options_;
  Pathspec& paths_;
  std::set<Oid> excluded_;
  std::optional<std::set<Oid>> decorated_;
  std::map<Oid, Step> steps_;
  std::set<Oid> cut_;   // with --remove-empty: where the paths began
};

}  // namespace paddock::git
