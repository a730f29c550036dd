// Revisions: names of commits and other objects, ranges, and walks through history.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// The object that a name means ("HEAD~2", "v1^{tree}", "a1b2c3", "main:src/x.c", ":x", "@{1}"). Errors: kNoEntry, without a message
// unless there is more to say than that it is unknown.
Result<Oid> ResolveObject(Git& git, std::string_view name);
// The same, down to a commit. The message of the error is complete ("bad revision 'x'").
Result<Oid> ResolveCommit(Git& git, std::string_view name);
// "ambiguous argument 'x': unknown revision or path not in the working tree. …".
Error AmbiguousArgument(std::string_view name);
// The same, unless the reason tells more: about a reflog or an upstream.
Error UnknownRevision(std::string_view name, const Error& why);
// The full reference that a short one means.
std::optional<std::string> FindRef(Git& git, std::string_view name);
// "main" of "refs/heads/main", "origin/main", "v1": as short as it goes.
std::string ShortRef(std::string_view name);
// The branch that @{upstream} of a branch (short name) means, as a full name.
std::optional<std::string> UpstreamOf(Git& git, const std::string& branch);
// The branch before the `count`th last checkout; nothing if there was none.
std::optional<std::string> PreviousBranch(Git& git, size_t count);

// What a command line selects.
struct Selection {
  std::vector<Oid> included, excluded;
  std::vector<std::string> names;      // of the included ones, as written
  std::vector<std::string> paths;
  bool has_symmetric = false;          // a...b
  std::vector<Oid> bases;              // of a...b
  std::vector<Oid> left;               // a, of a...b
  std::map<Oid, std::string> sources;  // the name by which each came in, as written
};
// Takes one revision or range; false when it is none.
Result<bool> TakeRevision(Git& git, const std::string& argument, Selection& selection);
// Revisions first, then files; what is neither is an error.
Result<Selection> ParseSelection(Git& git, const Args& args);
// All references below `prefix`, and HEAD for "refs/".
void IncludeRefs(Git& git, std::string_view prefix, Selection& selection);

// Commits that were read, each once.
class History {
 public:
  explicit History(Git& git) : git_(git) {}
  struct Node {
    Commit commit;
    int64_t time = 0;   // of the committer
  };
  // The node stays where it is.
  Result<const Node*> Get(const Oid& id);
  // Everything that the ids lead to, themselves included.
  Result<std::set<Oid>> Ancestors(const std::vector<Oid>& ids);
  Result<bool> IsAncestor(const Oid& ancestor, const Oid& of);
  // The best common ancestors: none of them leads to another.
  Result<std::vector<Oid>> MergeBases(const Oid& a, const Oid& b);

 private:
  Git& git_;
  std::unordered_map<Oid, Node, OidHash> nodes_;
  std::optional<std::set<Oid>> shallow_;
};

struct WalkOptions {
  bool is_topological = false;
  bool first_parent = false;
  bool by_author_date = false;
  bool is_by_date = false;   // topological, but newest first where there is a choice
  // Which parents are followed, when it is not those of the commit.
  std::function<Result<std::vector<Oid>>(const Oid&)> parents = {};
};
// The selected commits one after the other, newest first: no more is read than what was asked for. Not for topological order.
class HistoryWalk {
 public:
  // `options` outlives the walk.
  HistoryWalk(Git& git, History& history, const WalkOptions& options) : git_(git), history_(history), options_(options) {}
  Status Begin(const Selection& selection);
  // Nothing: that was all.
  Result<std::optional<Oid>> Next();

 private:
  Status Add(const Oid& id);

  Git& git_;
  History& history_;
  const WalkOptions& options_;
  std::set<Oid> excluded_;
  std::unordered_set<Oid, OidHash> seen_;
  std::multimap<int64_t, Oid> queue_;   // by time, newest first; what came first stays first among equals
};

// The selected commits, newest first (a child before its parents when topological).
Result<std::vector<Oid>> WalkHistory(Git& git, History& history, const Selection& selection, const WalkOptions& options);

}  // namespace paddock::git
