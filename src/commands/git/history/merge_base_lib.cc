// git merge-base and cherry.
#include <algorithm>

#include "commands/git/history/log.h"
#include "commands/git/work/commit.h"

namespace paddock::git {
namespace {

struct BaseOptions {
  bool all = false, is_ancestor = false, octopus = false, independent = false, fork_point = false;
};
constexpr Option kBaseOptions[] = {
    Flag<&BaseOptions::all>('a', "all", "all of the best ones"), Flag<&BaseOptions::is_ancestor>(0, "is-ancestor", "tell by the exit status whether the first leads to the second"),
    Flag<&BaseOptions::octopus>(0, "octopus", "of all commits at once, for a merge of several"), Flag<&BaseOptions::independent>(0, "independent", "those that no other one of them leads to"),
    Flag<&BaseOptions::fork_point>(0, "fork-point", "where a branch left REF, which may have moved since"),
};

// Without what another one leads to; each once.
Result<std::vector<Oid>> Independent(History& history, const std::vector<Oid>& ids) {
  std::vector<Oid> kept;
  for (size_t i = 0; i < ids.size(); ++i) {
    bool is_covered = std::find(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i), ids[i]) != ids.begin() + static_cast<std::ptrdiff_t>(i);
    for (const Oid& other : ids) {
      if (is_covered || other == ids[i]) continue;
      PADDOCK_ASSIGN(is_covered, history.IsAncestor(ids[i], other));
    }
    if (!is_covered) kept.push_back(ids[i]);
  }
  return kept;
}

Result<std::vector<Oid>> OctopusBases(History& history, const std::vector<Oid>& ids) {
  std::vector<Oid> bases = {ids[0]};
  for (size_t i = 1; i < ids.size(); ++i) {
    std::vector<Oid> next;
    for (const Oid& base : bases) {
      PADDOCK_ASSIGN(const std::vector<Oid> found, history.MergeBases(base, ids[i]));
      next.insert(next.end(), found.begin(), found.end());
    }
    bases = std::move(next);
  }
  return Independent(history, bases);
}

// The best base of one commit and all the others, as if these were merged.
Result<std::vector<Oid>> ManyBases(History& history, const std::vector<Oid>& ids) {
  std::vector<Oid> found;
  for (size_t i = 1; i < ids.size(); ++i) {
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(ids[0], ids[i]));
    found.insert(found.end(), bases.begin(), bases.end());
  }
  return ids.size() == 2 ? found : Independent(history, found);
}

Result<ExitStatus> ForkPoint(Git& git, History& history, const std::vector<std::string>& names) {
  const auto ref = FindRef(git, names[0]);
  if (!ref) return Error(Code::kNoEntry, "No such ref: '" + names[0] + "'");
  const std::string tip_name = names.size() == 2 ? names[1] : "HEAD";
  const auto tip = ResolveCommit(git, tip_name);
  if (!tip) return Error(Code::kNoEntry, "Not a valid object name: '" + tip_name + "'");
  std::vector<Oid> ids = {*tip};
  const auto add = [&](const Oid& id) {
    if (!id.is_null() && git.objects.ReadCommit(id) && std::find(ids.begin() + 1, ids.end(), id) == ids.end()) ids.push_back(id);
  };
  const std::vector<ReflogEntry> log = git.refs.ReadLog(*ref);
  if (!log.empty()) add(log[0].before);
  for (const ReflogEntry& entry : log) {
    git.in.budget.Step(static_cast<int64_t>(1 + ids.size() / 16));
    add(entry.after);
  }
  if (log.empty()) add(git.refs.Read(*ref).value_or(Oid{}));
  PADDOCK_ASSIGN(const std::vector<Oid> bases, ManyBases(history, ids));
  // It has to be one that the reference once was.
  if (bases.size() != 1 || std::find(ids.begin() + 1, ids.end(), bases[0]) == ids.end()) return 1;
  git.Print(bases[0].Hex() + "\n");
  return 0;
}

Result<ExitStatus> RunMergeBase(Git& git, BaseOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  const int modes = options.is_ancestor + options.octopus + options.independent + options.fork_point;
  const size_t least = options.octopus || options.independent || options.fork_point ? 1 : 2, most = options.fork_point || options.is_ancestor ? 2 : SIZE_MAX;
  if (modes > 1) return git.Complain("only one of --is-ancestor, --octopus, --independent and --fork-point can be given", 129);
  if (names.size() < least || (names.size() > most && options.fork_point)) {
    git.Say("usage: git merge-base [-a | --all] <commit> <commit>...\n   or: git merge-base [-a | --all] --octopus <commit>...\n   or: git merge-base --is-ancestor <commit> <commit>\n   or: git merge-base --independent <commit>...\n   or: git merge-base --fork-point <ref> [<commit>]\n");
    return 129;
  }
  if (names.size() > most) return Error(Code::kInvalid, "--is-ancestor takes exactly two commits");
  History history(git);
  if (options.fork_point) return ForkPoint(git, history, names);
  std::vector<Oid> ids;
  for (const std::string& name : names) {
    const auto id = ResolveCommit(git, name);
    if (!id) return Error(Code::kNoEntry, "Not a valid object name " + name);
    ids.push_back(*id);
  }
  if (options.is_ancestor) {
    PADDOCK_ASSIGN(const bool is_ancestor, history.IsAncestor(ids[0], ids[1]));
    return is_ancestor ? 0 : 1;
  }
  PADDOCK_ASSIGN(std::vector<Oid> bases, options.independent ? Independent(history, ids) : options.octopus ? OctopusBases(history, ids) : ManyBases(history, ids));
  if (!options.all && !options.independent && bases.size() > 1) bases.resize(1);
  for (const Oid& id : bases) git.Print(id.Hex() + "\n");
  return bases.empty() ? 1 : 0;
}

struct CherryOptions {
  bool verbose = false;
  std::optional<size_t> digits;
};
Status TakeCherryAbbrev(CherryOptions& options, std::string_view value) {
  int64_t digits = value.empty() ? 0 : -1;
  if (!value.empty() && !ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  options.digits = digits <= 0 ? 0 : static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}
constexpr Option kCherryOptions[] = {
    CallOptional<TakeCherryAbbrev>(0, "abbrev", "N", "ids of N digits"),
    Flag<&CherryOptions::verbose>('v', "verbose", "with subjects"),
};
// Which commits of HEAD have a change that the upstream does not have.
Result<ExitStatus> RunCherry(Git& git, CherryOptions& options, Args& args) {
  std::vector<std::string> names = args.All();
  if (names.size() > 3) return 129;
  if (names.empty()) {
    const auto branch = git.HeadBranch();
    const auto upstream = branch ? UpstreamOf(git, ShortRef(*branch)) : std::nullopt;
    if (!upstream) {
      git.Say("Could not find a tracked remote branch, please specify <upstream> manually.\nusage: git cherry [-v] [<upstream> [<head> [<limit>]]]\n");
      return 129;
    }
    names.push_back(*upstream);
  }
  if (names.size() == 1) names.emplace_back("HEAD");
  std::vector<Oid> ids;
  for (const std::string& name : names) {
    const auto id = ResolveCommit(git, name);
    if (!id) return Error(Code::kInvalid, "unknown commit " + name);
    ids.push_back(*id);
  }
  History history(git);
  Selection selection;
  PADDOCK_ASSIGN(selection.bases, history.MergeBases(ids[0], ids[1]));
  selection.has_symmetric = true;
  selection.left = {ids[0]};
  selection.included = {ids[0], ids[1]};
  selection.excluded = selection.bases;
  if (ids.size() == 3) selection.excluded.push_back(ids[2]);
  LogOptions walk;
  walk.right_only = walk.cherry_mark = true;
  walk.max_parents = 1;
  Pathspec everything;
  LogSides sides;
  PADDOCK_ASSIGN(std::vector<Oid> commits, Select(git, history, walk, selection, everything, sides));
  std::reverse(commits.begin(), commits.end());
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const auto mark = sides.marks.find(id);
    const bool is_known = mark != sides.marks.end() && mark->second == '=';
    git.Print((is_known ? "- " : "+ ") + (options.digits ? git.objects.Abbreviate(id, *options.digits) : id.Hex()) + (options.verbose ? " " + SubjectOf(node->commit.message) : "") + "\n");
  }
  return 0;
}

}  // namespace

extern const Subcommand kMergeBase, kCherry;
const Subcommand kMergeBase = DefineSubcommand<BaseOptions, RunMergeBase>({.name = "merge-base", .summary = "find the best common ancestor", .synopsis = "[-a | --all] <commit> <commit>...\n[-a | --all] --octopus <commit>...\n--is-ancestor <commit> <commit>\n--independent <commit>...\n--fork-point <ref> [<commit>]", .options = kBaseOptions});
const Subcommand kCherry = DefineSubcommand<CherryOptions, RunCherry>({.name = "cherry", .summary = "show which commits the upstream does not have", .synopsis = "[-v] [<upstream> [<head> [<limit>]]]", .options = kCherryOptions});

}  // namespace paddock::git
