// git branch.
#include "commands/git/branch.h"

#include <strings.h>

#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/ref_field.h"
#include "commands/git/revision.h"
#include "commands/git/status.h"
#include "text/pattern.h"

namespace paddock::git {

Status SetConfig(Git& git, const std::string& key, std::optional<std::string_view> value) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  return vfs::WriteFile(git.in.fs, git.GitPath("config"), EditConfig(text ? *text : "", key, value, false));
}

// Makes `branch` track a full reference.
Status SetUpstream(Git& git, const std::string& branch, const std::string& ref, bool is_quiet) {
  std::string remote = ".", merge = ref;
  if (ref.starts_with("refs/remotes/")) {
    const std::string rest = ref.substr(13);
    remote = rest.substr(0, rest.find('/'));
    merge = "refs/heads/" + rest.substr(rest.find('/') + 1);
  }
  PADDOCK_TRY(SetConfig(git, "branch." + branch + ".remote", remote));
  PADDOCK_TRY(SetConfig(git, "branch." + branch + ".merge", merge));
  if (!is_quiet) git.Print("branch '" + branch + "' set up to track '" + ShortRef(ref) + "'.\n");
  return {};
}

Result<Oid> StartPoint(Git& git, const std::string& name) {
  auto id = ResolveObject(git, name);
  if (!id && (name == "HEAD" || git.HeadBranch() == "refs/heads/" + name)) return Error(Code::kNoEntry, "not a valid object name: '" + ShortRef(git.HeadBranch().value_or("HEAD")) + "'");
  if (!id) return Error(Code::kNoEntry, "not a valid object name: '" + name + "'");
  auto commit = git.objects.Peel(*id, ObjectType::kCommit);
  if (!commit) return Error(Code::kInvalid, "not a valid branch point: '" + name + "'");
  return commit;
}

namespace {

struct BranchOptions {
  bool deletes = false, force_deletes = false, moves = false, force_moves = false, copies = false, force = false, list = false, all = false, remotes = false, verbose = false, quiet = false, current = false, unset_upstream = false, track = false, no_track = false;
  std::string upstream, format;
  bool force_copies = false, ignores_case = false, reflog = false;
  int64_t verbosity = 0;
  std::vector<std::string> contains, no_contains, merged, no_merged, points_at, sorts;
};
Status TakeVerbose(BranchOptions& options, std::string_view) {
  options.verbose = true;
  ++options.verbosity;
  return {};
}
template <auto kMember>
Status TakeCommitish(BranchOptions& options, std::string_view value) {
  (options.*kMember).emplace_back(value);
  return {};
}
constexpr Option kBranchOptions[] = {
    Flag<&BranchOptions::deletes>('d', "delete", "delete a merged branch"), Flag<&BranchOptions::force_deletes>('D', nullptr, "delete a branch"),
    Flag<&BranchOptions::moves>('m', "move", "rename a branch"), Flag<&BranchOptions::force_moves>('M', nullptr, "even if the name is taken"),
    Flag<&BranchOptions::force_copies>('C', nullptr, "copy a branch, even if the name is taken"), Flag<&BranchOptions::ignores_case>('i', "ignore-case", "A and a are the same, in order and in patterns"),
    Flag<&BranchOptions::reflog>(0, "create-reflog", "with a reflog (always)"), Value<&BranchOptions::sorts>(0, "sort", "FIELD", "in order of FIELD, '-' before it turns that round"),
    CallOptional<TakeCommitish<&BranchOptions::no_contains>>(0, "no-contains", "COMMIT", "branches that do not contain COMMIT"), Value<&BranchOptions::points_at>(0, "points-at", "OBJECT", "branches that are at OBJECT"),
    Flag<&BranchOptions::copies>('c', "copy", "copy a branch"), Flag<&BranchOptions::force>('f', "force", "set a branch that exists"),
    Flag<&BranchOptions::list>('l', "list", "list branches that match"), Flag<&BranchOptions::all>('a', "all", "list remote branches, too"),
    Flag<&BranchOptions::remotes>('r', "remotes", "list (or delete) remote branches"), Call<TakeVerbose>('v', "verbose", nullptr, "with id and subject; twice: with what it tracks"),
    Flag<&BranchOptions::quiet>('q', "quiet", "say nothing"), Flag<&BranchOptions::current>(0, "show-current", "show the name of the current branch"),
    Value<&BranchOptions::upstream>('u', "set-upstream-to", "BRANCH", "set what it tracks"), Flag<&BranchOptions::unset_upstream>(0, "unset-upstream", "track nothing"),
    Flag<&BranchOptions::track>('t', "track", "track the branch that it starts from"), Flag<&BranchOptions::no_track>(0, "no-track", "track nothing"),
    Value<&BranchOptions::format>(0, "format", "FORMAT", "as of git for-each-ref"),
    CallOptional<TakeCommitish<&BranchOptions::contains>>(0, "contains", "COMMIT", "branches that contain COMMIT"),
    CallOptional<TakeCommitish<&BranchOptions::merged>>(0, "merged", "COMMIT", "branches that COMMIT contains"),
    CallOptional<TakeCommitish<&BranchOptions::no_merged>>(0, "no-merged", "COMMIT", "branches that it does not"),
};

void ForgetBranchConfig(Git& git, const std::string& branch) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  const auto edited = text ? EditConfigSection(*text, "branch." + branch, std::nullopt) : std::nullopt;
  if (edited) static_cast<void>(vfs::WriteFile(git.in.fs, git.GitPath("config"), *edited).has_value());
}

Result<ExitStatus> DeleteBranches(Git& git, const BranchOptions& options, const std::vector<std::string>& names) {
  if (names.empty()) return Error(Code::kInvalid, "branch name required");
  ExitStatus status = 0;
  History history(git);
  for (const std::string& name : names) {
    const std::string ref = (options.remotes ? "refs/remotes/" : "refs/heads/") + name;
    const auto id = git.refs.Read(ref);
    if (git.HeadBranch() == ref && !git.work_tree.empty()) {
      status = git.Complain("Cannot delete branch '" + name + "' checked out at '" + git.work_tree + "'");
      continue;
    }
    if (!id) {
      status = git.Complain(std::string(options.remotes ? "remote-tracking branch '" : "branch '") + name + "' not found.");
      continue;
    }
    if (!options.force_deletes && !options.force && !options.remotes) {
      const auto upstream = UpstreamOf(git, name);
      auto base = upstream ? git.refs.Read(*upstream) : std::optional<Oid>();
      if (!base) base = git.Head();
      bool is_merged = false;
      if (base) {
        PADDOCK_ASSIGN(is_merged, history.IsAncestor(*id, *base));
      }
      if (!is_merged) {
        status = git.Complain("The branch '" + name + "' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D " + name + "'.");
        continue;
      }
    }
    PADDOCK_TRY(git.refs.Remove(ref));
    ForgetBranchConfig(git, name);
    if (!options.quiet) git.Print(std::string(options.remotes ? "Deleted remote-tracking branch " : "Deleted branch ") + name + " (was " + git.objects.Abbreviate(*id) + ").\n");
  }
  return status;
}

Result<ExitStatus> MoveBranch(Git& git, BranchOptions& options, const std::vector<std::string>& names) {
  if (options.force_copies) options.copies = options.force_moves = true;
  if (names.empty() || names.size() > 2) return Error(Code::kInvalid, names.empty() ? "branch name required" : "too many arguments for a rename operation");
  const auto current = git.HeadBranch();
  if (names.size() == 1 && !current) return Error(Code::kInvalid, "cannot rename the current branch while not on any.");
  const std::string from = names.size() == 2 ? names[0] : ShortRef(*current), to = names.back();
  const std::string old_ref = "refs/heads/" + from, new_ref = "refs/heads/" + to;
  if (!IsRefName(new_ref) || to.starts_with('-')) return Error(Code::kInvalid, "'" + to + "' is not a valid branch name");
  const auto id = git.refs.Read(old_ref);
  if (!id && !(current == old_ref && !git.Head())) return Error(Code::kNoEntry, "no branch named '" + from + "'");
  if (from != to && git.refs.Exists(new_ref) && !options.force_moves && !options.force) return Error(Code::kExists, "a branch named '" + to + "' already exists");
  if (id) {
    const std::vector<ReflogEntry> log = git.refs.ReadLog(old_ref);
    if (!options.copies && from != to) PADDOCK_TRY(git.refs.Remove(old_ref));
    PADDOCK_TRY(git.refs.WriteDirect(new_ref, *id));
    if (!log.empty()) {
      PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, vfs::DirectoryName(git.GitPath("logs/" + new_ref))));
      PADDOCK_TRY(git.refs.WriteLog(new_ref, log));
    }
    PADDOCK_TRY(git.refs.Log(new_ref, *id, *id, git.Who(), "Branch: renamed " + old_ref + " to " + new_ref));
  }
  if (current == old_ref && !options.copies) {
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", new_ref));
    if (id) PADDOCK_TRY(git.refs.Log("HEAD", *id, *id, git.Who(), "Branch: renamed " + old_ref + " to " + new_ref));
  }
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  const auto edited = text && !options.copies ? EditConfigSection(*text, "branch." + from, "branch." + to) : std::nullopt;
  if (edited) PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("config"), *edited));
  return 0;
}

Result<bool> IsWanted(Git& git, History& history, const BranchOptions& options, const Oid& id) {
  for (const std::string& name : options.contains) {
    PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, name));
    PADDOCK_ASSIGN(const bool contains, history.IsAncestor(commit, id));
    if (!contains) return false;
  }
  for (const std::string& name : options.no_contains) {
    PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, name));
    PADDOCK_ASSIGN(const bool contains, history.IsAncestor(commit, id));
    if (contains) return false;
  }
  for (const std::string& name : options.points_at) {
    auto object = ResolveObject(git, name);
    if (!object) return Error(Code::kNoEntry, "malformed object name '" + name + "'");
    if (*object != id) return false;
  }
  for (const auto* names : {&options.merged, &options.no_merged}) {
    for (const std::string& name : *names) {
      PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, name));
      PADDOCK_ASSIGN(const bool is_in, history.IsAncestor(id, commit));
      if (is_in != (names == &options.merged)) return false;
    }
  }
  return true;
}

// What stands for the branch where there is none.
std::string DetachedName(Git& git) {
  const auto rebased = vfs::ReadFile(git.in.fs, git.GitPath("rebase-merge/head-name"), 4096);
  if (rebased) {
    const std::string name = rebased->substr(0, rebased->find('\n'));
    return name.starts_with("refs/heads/") ? "(no branch, rebasing " + name.substr(11) + ")" : "(no branch, rebasing detached HEAD)";
  }
  return "(HEAD detached " + DetachedText(git) + ")";
}

bool MatchesName(Git& git, const std::string& pattern, const std::string& name, bool ignores_case) {
  PatternFlags flags;
  flags.ignore_case = ignores_case;
  return Pattern(pattern, flags).Matches(name, git.in.budget);
}

Result<ExitStatus> ListBranches(Git& git, const BranchOptions& options, const std::vector<std::string>& patterns) {
  struct Row {
    std::string name, ref;
    Oid id;
    bool is_current;
  };
  std::vector<Row> rows;
  History history(git);
  const auto current = git.HeadBranch();
  const auto head = git.Head();
  if (!current && head && !options.remotes && patterns.empty()) rows.push_back({DetachedName(git), "HEAD", *head, true});
  for (const char* prefix : {"refs/heads/", "refs/remotes/"}) {
    const bool is_remote = std::string_view(prefix) == "refs/remotes/";
    if (is_remote ? !options.all && !options.remotes : options.remotes) continue;
    std::vector<NamedRef> refs;
    for (const auto& [ref, id] : git.refs.List(prefix)) refs.push_back({ref, id});
    if (options.ignores_case) std::stable_sort(refs.begin(), refs.end(), [](const NamedRef& a, const NamedRef& b) { return strcasecmp(a.name.c_str(), b.name.c_str()) < 0; });
    PADDOCK_TRY(SortRefs(git, refs, options.sorts));
    for (const auto& [ref, id] : refs) {
      std::string name = is_remote && options.all ? ref.substr(5) : ShortRef(ref);
      const bool matches = patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&, &full = ref](const std::string& pattern) { return MatchesName(git, pattern, ShortRef(full), options.ignores_case); });
      PADDOCK_ASSIGN(const bool is_wanted, IsWanted(git, history, options, id));
      if (matches && is_wanted) rows.push_back({name, ref, id, current == ref});
    }
  }
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  for (const Row& row : rows) {
    git.in.budget.Step();
    if (!options.format.empty()) {
      PADDOCK_ASSIGN(const std::string text, ExpandRefFormat(git, {row.ref, row.id}, options.format));
      git.Print(text + "\n");
      continue;
    }
    std::string line = (row.is_current ? "* " : "  ") + row.name;
    const auto target = git.refs.ReadSymbolic(row.ref);
    if (target && row.ref != "HEAD") line += " -> " + ShortRef(*target);
    else if (options.verbose) {
      const auto commit = git.objects.ReadCommit(row.id);
      line += std::string(width - row.name.size(), ' ') + " " + git.objects.Abbreviate(row.id);
      if (row.ref.starts_with("refs/heads/")) {
        PADDOCK_ASSIGN(const auto tracking, TrackingOf(git, row.name));
        if (tracking) {
          std::string text = options.verbosity > 1 ? tracking->upstream : "";
          const std::string lead = text.empty() ? "" : ": ";
          if (tracking->is_gone) text += lead + "gone";
          else if (tracking->ahead > 0 && tracking->behind > 0) text += lead + "ahead " + std::to_string(tracking->ahead) + ", behind " + std::to_string(tracking->behind);
          else if (tracking->ahead > 0) text += lead + "ahead " + std::to_string(tracking->ahead);
          else if (tracking->behind > 0) text += lead + "behind " + std::to_string(tracking->behind);
          if (!text.empty()) line += " [" + text + "]";
        }
      }
      if (commit) line += " " + SubjectOf(commit->message);
    }
    git.Print(line + "\n");
  }
  return 0;
}

// Creates or moves a branch. `start` is also what it may track.
Status CreateBranch(Git& git, const std::string& name, const std::string& start, bool is_forced, bool tracks, bool never_tracks, bool is_quiet) {
  const std::string ref = "refs/heads/" + name;
  if (!IsRefName(ref) || name.starts_with('-') || name == "HEAD") return Error(Code::kInvalid, "'" + name + "' is not a valid branch name");
  const bool exists = git.refs.Exists(ref);
  if (exists && !is_forced) return Error(Code::kExists, "a branch named '" + name + "' already exists");
  if (exists && git.HeadBranch() == ref && !git.work_tree.empty()) return Error(Code::kInvalid, "cannot force update the branch '" + name + "' checked out at '" + git.work_tree + "'");
  PADDOCK_ASSIGN(const Oid id, StartPoint(git, start));
  PADDOCK_TRY(git.refs.Write(ref, id, git.Who(), exists ? "branch: Reset to " + start : "branch: Created from " + start));
  const auto source = FindRef(git, start);
  if (!never_tracks && source && (source->starts_with("refs/remotes/") || (tracks && source->starts_with("refs/heads/")))) return SetUpstream(git, name, *source, is_quiet);
  return {};
}

Result<ExitStatus> RunBranch(Git& git, BranchOptions& options, Args& args) {
  std::vector<std::string> names = args.All();
  // --contains COMMIT, too: the commit may be left out only at the end.
  for (auto* commits : {&options.contains, &options.no_contains, &options.merged, &options.no_merged}) {
    for (std::string& commit : *commits) {
      if (!commit.empty()) continue;
      commit = names.empty() ? "HEAD" : names[0];
      if (!names.empty()) names.erase(names.begin());
    }
  }
  for (const std::string& name : options.points_at) {
    if (!ResolveObject(git, name)) return git.Complain("malformed object name '" + name + "'", 129);
  }
  if (options.current) {
    if (const auto branch = git.HeadBranch()) git.Print(ShortRef(*branch) + "\n");
    return 0;
  }
  if (options.deletes || options.force_deletes) return DeleteBranches(git, options, names);
  if (options.moves || options.force_moves || options.copies || options.force_copies) return MoveBranch(git, options, names);
  if (!options.upstream.empty() || options.unset_upstream) {
    const std::string branch = names.empty() ? ShortRef(git.HeadBranch().value_or("")) : names[0];
    if (!git.refs.Exists("refs/heads/" + branch)) return Error(Code::kNoEntry, "no branch named '" + branch + "'");
    if (options.unset_upstream) {
      if (!git.config.Get("branch." + branch + ".merge")) return Error(Code::kInvalid, "Branch '" + branch + "' has no upstream information");
      PADDOCK_TRY(SetConfig(git, "branch." + branch + ".remote", std::nullopt));
      PADDOCK_TRY(SetConfig(git, "branch." + branch + ".merge", std::nullopt));
      return 0;
    }
    const auto ref = FindRef(git, options.upstream);
    if (!ref) return Error(Code::kNoEntry, "the requested upstream branch '" + options.upstream + "' does not exist");
    PADDOCK_TRY(SetUpstream(git, branch, *ref, options.quiet));
    return 0;
  }
  const bool lists = options.list || names.empty() || !options.contains.empty() || !options.no_contains.empty() || !options.points_at.empty() || !options.merged.empty() || !options.no_merged.empty() || options.all || options.remotes;
  if (lists) return ListBranches(git, options, names);
  if (names.size() > 2) return git.Complain("usage: git branch [<options>] <branch-name> [<start-point>]", 129);
  PADDOCK_TRY(CreateBranch(git, names[0], names.size() == 2 ? names[1] : ShortRef(git.HeadBranch().value_or("HEAD")), options.force, options.track, options.no_track, options.quiet));
  return 0;
}

}  // namespace

extern const Subcommand kBranch;
const Subcommand kBranch = DefineSubcommand<BranchOptions, RunBranch>({.name = "branch", .summary = "list, create and delete branches", .synopsis = "[<options>] [-r | -a]\n[<options>] <branch-name> [<start-point>]\n(-d | -D) <branch-name>...\n(-m | -M | -c) [<old-branch>] <new-branch>", .options = kBranchOptions});

}  // namespace paddock::git
