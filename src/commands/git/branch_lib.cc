// git branch, checkout, switch and tag.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/pretty.h"
#include "commands/git/revision.h"
#include "commands/git/status.h"
#include "text/pattern.h"

namespace paddock::git {

// In stage_lib.cc.
Result<size_t> RestoreFiles(Git& git, const std::optional<FlatTree>& source, bool to_index, bool to_files, bool deletes, int stage, const std::vector<std::string>& operands);

namespace {

struct BranchOptions {
  bool deletes = false, force_deletes = false, moves = false, force_moves = false, copies = false, force = false, list = false, all = false, remotes = false, verbose = false, quiet = false, current = false, unset_upstream = false, track = false, no_track = false;
  std::string upstream, format;
  std::vector<std::string> contains, merged, no_merged;
};
template <auto kMember>
Status TakeCommitish(BranchOptions& options, std::string_view value) {
  (options.*kMember).emplace_back(value);
  return {};
}
constexpr Option kBranchOptions[] = {
    Flag<&BranchOptions::deletes>('d', "delete", "delete a merged branch"), Flag<&BranchOptions::force_deletes>('D', nullptr, "delete a branch"),
    Flag<&BranchOptions::moves>('m', "move", "rename a branch"), Flag<&BranchOptions::force_moves>('M', nullptr, "even if the name is taken"),
    Flag<&BranchOptions::copies>('c', "copy", "copy a branch"), Flag<&BranchOptions::force>('f', "force", "set a branch that exists"),
    Flag<&BranchOptions::list>('l', "list", "list branches that match"), Flag<&BranchOptions::all>('a', "all", "list remote branches, too"),
    Flag<&BranchOptions::remotes>('r', "remotes", "list (or delete) remote branches"), Flag<&BranchOptions::verbose>('v', "verbose", "with id and subject"),
    Flag<&BranchOptions::quiet>('q', "quiet", "say nothing"), Flag<&BranchOptions::current>(0, "show-current", "show the name of the current branch"),
    Value<&BranchOptions::upstream>('u', "set-upstream-to", "BRANCH", "set what it tracks"), Flag<&BranchOptions::unset_upstream>(0, "unset-upstream", "track nothing"),
    Flag<&BranchOptions::track>('t', "track", "track the branch that it starts from"), Flag<&BranchOptions::no_track>(0, "no-track", "track nothing"),
    Value<&BranchOptions::format>(0, "format", "FORMAT", "%(refname), %(refname:short), %(objectname)"),
    CallOptional<TakeCommitish<&BranchOptions::contains>>(0, "contains", "COMMIT", "branches that contain COMMIT"),
    CallOptional<TakeCommitish<&BranchOptions::merged>>(0, "merged", "COMMIT", "branches that COMMIT contains"),
    CallOptional<TakeCommitish<&BranchOptions::no_merged>>(0, "no-merged", "COMMIT", "branches that it does not"),
};

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

void ForgetBranchConfig(Git& git, const std::string& branch) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  const auto edited = text ? EditConfigSection(*text, "branch." + branch, std::nullopt) : std::nullopt;
  if (edited) static_cast<void>(vfs::WriteFile(git.in.fs, git.GitPath("config"), *edited).has_value());
}

Result<Oid> StartPoint(Git& git, const std::string& name) {
  auto id = ResolveObject(git, name);
  if (!id && name == "HEAD") return Error(Code::kNoEntry, "not a valid object name: '" + ShortRef(git.HeadBranch().value_or("HEAD")) + "'");
  if (!id) return Error(Code::kNoEntry, "not a valid object name: '" + name + "'");
  auto commit = git.objects.Peel(*id, ObjectType::kCommit);
  if (!commit) return Error(Code::kInvalid, "not a valid branch point: '" + name + "'");
  return commit;
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

Result<ExitStatus> MoveBranch(Git& git, const BranchOptions& options, const std::vector<std::string>& names) {
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

std::string FormatRef(Git& git, std::string_view format, const std::string& name, const Oid& id) {
  std::string text;
  while (!format.empty()) {
    const size_t open = format.find("%(");
    text += format.substr(0, open);
    if (open == std::string_view::npos) break;
    const size_t close = format.find(')', open);
    if (close == std::string_view::npos) break;
    const std::string_view field = format.substr(open + 2, close - open - 2);
    if (field == "refname") text += name;
    else if (field == "refname:short") text += ShortRef(name);
    else if (field == "objectname") text += id.Hex();
    else if (field == "objectname:short") text += git.objects.Abbreviate(id);
    else if (field == "HEAD") text += git.HeadBranch() == name ? "*" : " ";
    else if (field == "subject" || field == "contents:subject") {
      const auto commit = git.objects.ReadCommit(id);
      if (commit) text += SubjectOf(commit->message);
    }
    format.remove_prefix(close + 1);
  }
  return text;
}

Result<bool> IsWanted(Git& git, History& history, const BranchOptions& options, const Oid& id) {
  for (const std::string& name : options.contains) {
    PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, name));
    PADDOCK_ASSIGN(const bool contains, history.IsAncestor(commit, id));
    if (!contains) return false;
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
  if (!current && head && !options.remotes && patterns.empty()) rows.push_back({"(HEAD detached " + DetachedText(git) + ")", "HEAD", *head, true});
  for (const char* prefix : {"refs/heads/", "refs/remotes/"}) {
    const bool is_remote = std::string_view(prefix) == "refs/remotes/";
    if (is_remote ? !options.all && !options.remotes : options.remotes) continue;
    for (const auto& [ref, id] : git.refs.List(prefix)) {
      std::string name = is_remote && options.all ? ref.substr(5) : ShortRef(ref);
      const bool matches = patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&, &full = ref](const std::string& pattern) { return Pattern(pattern).Matches(ShortRef(full), git.in.budget); });
      PADDOCK_ASSIGN(const bool is_wanted, IsWanted(git, history, options, id));
      if (matches && is_wanted) rows.push_back({name, ref, id, current == ref});
    }
  }
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  for (const Row& row : rows) {
    git.in.budget.Step();
    if (!options.format.empty()) {
      git.Print(FormatRef(git, options.format, row.ref, row.id) + "\n");
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
        if (tracking && tracking->is_gone) line += " [gone]";
        else if (tracking && (tracking->ahead > 0 || tracking->behind > 0)) {
          line += " [" + (tracking->ahead > 0 ? "ahead " + std::to_string(tracking->ahead) : "") + (tracking->ahead > 0 && tracking->behind > 0 ? ", " : "") + (tracking->behind > 0 ? "behind " + std::to_string(tracking->behind) : "") + "]";
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
  for (auto* commits : {&options.contains, &options.merged, &options.no_merged}) {
    for (std::string& commit : *commits) {
      if (!commit.empty()) continue;
      commit = names.empty() ? "HEAD" : names[0];
      if (!names.empty()) names.erase(names.begin());
    }
  }
  if (options.current) {
    if (const auto branch = git.HeadBranch()) git.Print(ShortRef(*branch) + "\n");
    return 0;
  }
  if (options.deletes || options.force_deletes) return DeleteBranches(git, options, names);
  if (options.moves || options.force_moves || options.copies) return MoveBranch(git, options, names);
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
  const bool lists = options.list || names.empty() || !options.contains.empty() || !options.merged.empty() || !options.no_merged.empty() || options.all || options.remotes;
  if (lists) return ListBranches(git, options, names);
  if (names.size() > 2) return git.Complain("usage: git branch [<options>] <branch-name> [<start-point>]", 129);
  PADDOCK_TRY(CreateBranch(git, names[0], names.size() == 2 ? names[1] : "HEAD", options.force, options.track, options.no_track, options.quiet));
  return 0;
}

struct CheckoutOptions {
  std::string create, reset, orphan;
  bool force = false, quiet = false, detach = false, track = false, no_track = false, ours = false, theirs = false, no_guess = false;
};
constexpr Option kCheckoutOptions[] = {
    Value<&CheckoutOptions::create>('b', nullptr, "BRANCH", "create and check out a branch"), Value<&CheckoutOptions::reset>('B', nullptr, "BRANCH", "create or reset it"),
    Value<&CheckoutOptions::orphan>(0, "orphan", "BRANCH", "a branch without history"), Flag<&CheckoutOptions::force>('f', "force", "throw local changes away"),
    Flag<&CheckoutOptions::quiet>('q', "quiet", "say nothing"), Flag<&CheckoutOptions::detach>('d', "detach", "check out the commit itself"),
    Flag<&CheckoutOptions::track>('t', "track", "track the branch it starts from"), Flag<&CheckoutOptions::no_track>(0, "no-track", "track nothing"),
    Flag<&CheckoutOptions::ours>('2', "ours", "take our side of a conflict"), Flag<&CheckoutOptions::theirs>('3', "theirs", "take their side of a conflict"),
    Flag<&CheckoutOptions::no_guess>(0, "no-guess", "do not look for remote branches"),
};
constexpr Option kSwitchOptions[] = {
    Value<&CheckoutOptions::create>('c', "create", "BRANCH", "create and switch to a branch"), Value<&CheckoutOptions::reset>('C', "force-create", "BRANCH", "create or reset it"),
    Value<&CheckoutOptions::orphan>(0, "orphan", "BRANCH", "a branch without history"), Flag<&CheckoutOptions::force>('f', "force", "throw local changes away"),
    Flag<&CheckoutOptions::force>(0, "discard-changes", "likewise"), Flag<&CheckoutOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&CheckoutOptions::detach>('d', "detach", "switch to the commit itself"), Flag<&CheckoutOptions::track>('t', "track", "track the branch it starts from"),
    Flag<&CheckoutOptions::no_track>(0, "no-track", "track nothing"), Flag<&CheckoutOptions::no_guess>(0, "no-guess", "do not look for remote branches"),
};

// The one remote branch of that name.
std::optional<std::string> GuessRemote(Git& git, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& [ref, id] : git.refs.List("refs/remotes/")) {
    const size_t slash = ref.find('/', 13);
    if (slash != std::string::npos && ref.substr(slash + 1) == name) found.push_back(ref);
  }
  if (found.size() != 1) return std::nullopt;
  return found[0];
}

std::string OneLine(Git& git, const Oid& id) {
  const auto commit = git.objects.ReadCommit(id);
  return git.objects.Abbreviate(id) + " " + (commit ? SubjectOf(commit->message) : "");
}

// Moves HEAD and the files.
Result<ExitStatus> SwitchTo(Git& git, const CheckoutOptions& options, const std::optional<std::string>& branch_ref, const Oid& target, const std::string& shown, bool is_new) {
  const auto head = git.Head();
  const auto old_branch = git.HeadBranch();
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  FlatTree from;
  if (head) {
    PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
  }
  if (index.HasConflicts() && !options.force) {
    for (const IndexEntry& entry : index.entries()) {
      if (entry.stage != 0) {
        git.Print(entry.path + ": needs merge\n");
        break;
      }
    }
    return git.Complain("you need to resolve your current index first");
  }
  PADDOCK_ASSIGN(const FlatTree to, git.FlattenCommit(target));
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, to, index, "checkout", options.force));
  if (!done) return 1;
  PADDOCK_TRY(git.WriteIndex(index));
  const std::string old_name = old_branch ? ShortRef(*old_branch) : head ? head->Hex() : "";
  const std::string message = "checkout: moving from " + old_name + " to " + shown;
  if (!old_branch && head && !options.quiet && *head != target) {
    git.Say("Previous HEAD position was " + OneLine(git, *head) + "\n");
  }
  if (branch_ref) {
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", *branch_ref));
  } else {
    PADDOCK_TRY(git.refs.WriteDirect("HEAD", target));
  }
  if (head || !is_new) PADDOCK_TRY(git.refs.Log("HEAD", head.value_or(Oid{}), target, git.Who(), message));
  if (options.force) ForgetMerge(git);
  if (options.quiet) return 0;
  // What stays changed.
  PADDOCK_ASSIGN(std::vector<FileDiff> changed, CompareWithFiles(git, to, index));
  for (const FileDiff& file : CompareTrees(to, IndexFiles(index))) {
    if (std::none_of(changed.begin(), changed.end(), [&file](const FileDiff& other) { return other.new_path == file.new_path; })) changed.push_back(file);
  }
  std::sort(changed.begin(), changed.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  for (const FileDiff& file : changed) git.Print(std::string(1, file.status) + "\t" + git.Shown(file.new_path) + "\n");
  if (!branch_ref) {
    if (old_branch && !options.detach && git.config.GetBool("advice.detachedhead", true)) {
      git.Say("Note: switching to '" + shown + "'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, and you can discard any commits you make in this\n"
              "state without impacting any branches by switching back to a branch.\n\nIf you want to create a new branch to retain commits you create, you may\ndo so (now or later) by using -c with the switch command. Example:\n\n"
              "  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\nTurn off this advice by setting config variable advice.detachedHead to false\n\n");
    }
    git.Say("HEAD is now at " + OneLine(git, target) + "\n");
    return 0;
  }
  const std::string name = ShortRef(*branch_ref);
  if (is_new) git.Say(std::string(options.reset.empty() ? "Switched to a new branch '" : "Switched to and reset branch '") + name + "'\n");
  else git.Say((old_branch == branch_ref ? "Already on '" : "Switched to branch '") + name + "'\n");
  PADDOCK_ASSIGN(const auto tracking, TrackingOf(git, name));
  if (tracking && !is_new) git.Print(TrackingText(*tracking));
  return 0;
}

Result<ExitStatus> CreateAndSwitch(Git& git, const CheckoutOptions& options, const std::vector<std::string>& operands) {
  const bool resets = !options.reset.empty();
  const std::string name = resets ? options.reset : options.create;
  const std::string ref = "refs/heads/" + name;
  std::string start = operands.empty() ? "HEAD" : operands[0];
  if (start == "-") start = PreviousBranch(git, 1).value_or("-");
  if (!IsRefName(ref) || name.starts_with('-')) return Error(Code::kInvalid, "'" + name + "' is not a valid branch name");
  if (!resets && git.refs.Exists(ref)) return Error(Code::kExists, "a branch named '" + name + "' already exists");
  if (operands.empty() && !git.Head()) {
    // No commit yet: only the name changes.
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", ref));
    if (!options.quiet) git.Say("Switched to a new branch '" + name + "'\n");
    return 0;
  }
  auto object = ResolveObject(git, start);
  if (!object) return Error(Code::kNoEntry, "'" + start + "' is not a commit and a branch '" + name + "' cannot be created from it");
  PADDOCK_ASSIGN(const Oid target, StartPoint(git, start));
  const bool exists = git.refs.Exists(ref);
  CheckoutOptions inner = options;
  if (!exists) inner.reset.clear();
  const auto source = FindRef(git, start);
  // The files first: if they stand in the way there is no new branch.
  const auto head = git.Head();
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (head != target) {
    FlatTree from;
    if (head) {
      PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const FlatTree to, git.FlattenCommit(target));
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, to, index, "checkout", options.force));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
  }
  PADDOCK_TRY(git.refs.Write(ref, target, git.Who(), exists ? "branch: Reset to " + start : "branch: Created from " + start));
  PADDOCK_ASSIGN(const ExitStatus status, SwitchTo(git, inner, ref, target, name, true));
  if (status == 0 && !options.no_track && source && (source->starts_with("refs/remotes/") || (options.track && source->starts_with("refs/heads/")))) PADDOCK_TRY(SetUpstream(git, name, *source, options.quiet));
  return status;
}

Result<ExitStatus> CheckoutCommit(Git& git, const CheckoutOptions& options, std::string name, bool needs_detach) {
  if (name == "-" || name == "@{-1}") {
    const auto previous = PreviousBranch(git, 1);
    if (!previous) return git.Complain("pathspec '" + name + "' did not match any file(s) known to git");
    name = *previous;
  }
  const std::string ref = "refs/heads/" + name;
  if (!options.detach && IsRefName(ref) && git.refs.Exists(ref)) {
    PADDOCK_ASSIGN(const Oid target, StartPoint(git, ref));
    return SwitchTo(git, options, ref, target, name, false);
  }
  auto id = ResolveCommit(git, name);
  if (!id && !options.no_guess) {
    if (const auto remote = GuessRemote(git, name)) {
      CheckoutOptions inner = options;
      inner.create = name;
      inner.track = true;
      return CreateAndSwitch(git, inner, {ShortRef(*remote)});
    }
  }
  if (!id) return needs_detach ? Error(Code::kNoEntry, "invalid reference: " + name) : Error(Code::kNoEntry);
  if (needs_detach && !options.detach) {
    const auto found = FindRef(git, name);
    const std::string what = found && found->starts_with("refs/tags/") ? "tag" : found && found->starts_with("refs/remotes/") ? "remote branch" : "commit";
    return Error(Code::kInvalid, "a branch is expected, got " + what + " '" + name + "'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.");
  }
  return SwitchTo(git, options, std::nullopt, *id, name, false);
}

Result<ExitStatus> Orphan(Git& git, const CheckoutOptions& options, bool clears) {
  const std::string ref = "refs/heads/" + options.orphan;
  if (!IsRefName(ref)) return Error(Code::kInvalid, "'" + options.orphan + "' is not a valid branch name");
  if (git.refs.Exists(ref)) return Error(Code::kExists, "a branch named '" + options.orphan + "' already exists");
  if (clears) {
    PADDOCK_ASSIGN(Index index, git.ReadIndex());
    FlatTree from;
    if (const auto head = git.Head()) {
      PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, {}, index, "checkout", options.force));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
  }
  PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", ref));
  if (!options.quiet) git.Say("Switched to a new branch '" + options.orphan + "'\n");
  return 0;
}

Result<ExitStatus> RunCheckout(Git& git, CheckoutOptions& options, Args& args) {
  if (!options.orphan.empty()) return Orphan(git, options, false);
  if (!options.create.empty() || !options.reset.empty()) return CreateAndSwitch(git, options, args.operands);
  std::vector<std::string> operands = args.operands;
  std::optional<FlatTree> source;
  if (operands.empty() && !args.has_dashes) {
    const auto head = git.Head();
    if (!head) return 0;
    return SwitchTo(git, options, git.HeadBranch(), *head, git.HeadBranch() ? ShortRef(*git.HeadBranch()) : head->Hex(), false);
  }
  if (!operands.empty()) {
    const bool is_commit = operands.size() == 1 && args.paths.empty();
    if (is_commit) {
      auto result = CheckoutCommit(git, options, operands[0], false);
      if (result || result.error().code != Code::kNoEntry || !result.error().message.empty()) return result;
      if (args.has_dashes) return Error(Code::kInvalid, "invalid reference: " + operands[0]);
    } else if (auto id = ResolveObject(git, operands[0])) {
      PADDOCK_ASSIGN(source, git.FlattenCommit(*id));
      operands.erase(operands.begin());
    }
  }
  operands.insert(operands.end(), args.paths.begin(), args.paths.end());
  auto count = RestoreFiles(git, source, source.has_value(), true, false, options.ours ? 2 : options.theirs ? 3 : 0, operands);
  if (!count && count.error().code == Code::kConflict) return 1;
  if (!count) return count.error();
  if (!options.quiet && !args.has_dashes) {
    const std::string from = source ? git.objects.Abbreviate(*git.objects.Peel(*ResolveObject(git, args.operands[0]), ObjectType::kTree)) : "the index";
    git.Say("Updated " + std::to_string(*count) + (*count == 1 ? " path from " : " paths from ") + from + "\n");
  }
  return 0;
}

Result<ExitStatus> RunSwitch(Git& git, CheckoutOptions& options, Args& args) {
  if (!options.orphan.empty()) return Orphan(git, options, true);
  if (!options.create.empty() || !options.reset.empty()) return CreateAndSwitch(git, options, args.operands);
  if (args.operands.empty()) return options.detach ? CheckoutCommit(git, options, "HEAD", true) : Result<ExitStatus>(Error(Code::kInvalid, "missing branch or commit argument"));
  if (args.operands.size() > 1) return Error(Code::kInvalid, "only one reference expected, " + std::to_string(args.operands.size()) + " given.");
  return CheckoutCommit(git, options, args.operands[0], true);
}

struct TagOptions {
  bool annotates = false, force = false, deletes = false, list = false;
  std::vector<std::string> messages, contains;
  std::string file;
  std::optional<int64_t> lines;
};
Status TakeLines(TagOptions& options, std::string_view value) {
  int64_t lines = 1;
  if (!value.empty()) PADDOCK_TRY(ParseOptionValue(value, lines));
  options.lines = lines;
  return {};
}
constexpr Option kTagOptions[] = {
    Flag<&TagOptions::annotates>('a', "annotate", "make a tag with a message"), Flag<&TagOptions::force>('f', "force", "replace a tag"),
    Flag<&TagOptions::deletes>('d', "delete", "delete tags"), Flag<&TagOptions::list>('l', "list", "list tags that match"),
    Value<&TagOptions::messages>('m', "message", "TEXT", "the message"), Value<&TagOptions::file>('F', "file", "FILE", "the message is in FILE"),
    CallOptional<TakeLines>('n', nullptr, "N", "list with N lines of the message"), Value<&TagOptions::contains>(0, "contains", "COMMIT", "tags that contain COMMIT"),
};

Result<ExitStatus> ListTags(Git& git, const TagOptions& options, const std::vector<std::string>& patterns) {
  History history(git);
  for (const auto& [ref, id] : git.refs.List("refs/tags/")) {
    const std::string name = ref.substr(10);
    git.in.budget.Step();
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Pattern(pattern).Matches(name, git.in.budget); })) continue;
    bool is_wanted = true;
    for (const std::string& wanted : options.contains) {
      PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, wanted));
      PADDOCK_ASSIGN(const Oid tagged, git.objects.Peel(id, std::nullopt));
      PADDOCK_ASSIGN(is_wanted, history.IsAncestor(commit, tagged));
    }
    if (!is_wanted) continue;
    std::string line = name;
    if (options.lines) {
      line.resize(std::max<size_t>(line.size(), 15), ' ');
      const auto object = git.objects.Read(id);
      if (object && object->type == ObjectType::kTag) line += " " + SubjectOf(ParseTag(object->data).has_value() ? ParseTag(object->data)->message : "");
      else if (object && object->type == ObjectType::kCommit) line += " " + SubjectOf(git.objects.ReadCommit(id)->message);
    }
    git.Print(line + "\n");
  }
  return 0;
}

Result<ExitStatus> RunTag(Git& git, TagOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (options.deletes) {
    ExitStatus status = 0;
    for (const std::string& name : operands) {
      const auto id = git.refs.Read("refs/tags/" + name);
      if (!id) {
        status = git.Complain("tag '" + name + "' not found.");
        continue;
      }
      PADDOCK_TRY(git.refs.Remove("refs/tags/" + name));
      git.Print("Deleted tag '" + name + "' (was " + git.objects.Abbreviate(*id) + ")\n");
    }
    return status;
  }
  if (options.list || operands.empty() || options.lines || !options.contains.empty()) return ListTags(git, options, operands);
  if (operands.size() > 2) return Error(Code::kInvalid, "too many arguments");
  const std::string& name = operands[0];
  const std::string ref = "refs/tags/" + name;
  if (!IsRefName(ref) || name.starts_with('-')) return Error(Code::kInvalid, "'" + name + "' is not a valid tag name.");
  const std::string target = operands.size() == 2 ? operands[1] : "HEAD";
  auto object = ResolveObject(git, target);
  if (!object) return Error(Code::kNoEntry, "Failed to resolve '" + target + "' as a valid ref.");
  const auto old = git.refs.Read(ref);
  if (old && !options.force) return Error(Code::kExists, "tag '" + name + "' already exists");
  Oid id = *object;
  if (options.annotates || !options.messages.empty() || !options.file.empty()) {
    std::string message;
    for (const std::string& part : options.messages) message += (message.empty() ? "" : "\n") + part + "\n";
    if (!options.file.empty()) {
      PADDOCK_ASSIGN(message, vfs::ReadFile(git.in.fs, options.file));
    }
    if (message.empty()) {
      PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("TAG_EDITMSG"), "\n#\n# Write a message for tag:\n#   " + name + "\n# Lines starting with '#' will be ignored.\n"));
      PADDOCK_TRY(git.Edit(git.GitPath("TAG_EDITMSG")));
      PADDOCK_ASSIGN(message, vfs::ReadFile(git.in.fs, git.GitPath("TAG_EDITMSG")));
      if (CleanMessage(message, true).empty()) return Error(Code::kInvalid, "no tag message?");
    }
    Tag tag;
    tag.object = *object;
    PADDOCK_ASSIGN(const Object read, git.objects.Read(*object));
    tag.type = read.type;
    tag.name = name;
    PADDOCK_ASSIGN(tag.tagger, git.Committer());
    tag.message = CleanMessage(message, options.messages.empty());
    PADDOCK_ASSIGN(id, git.objects.Write(ObjectType::kTag, tag.Text()));
  }
  PADDOCK_TRY(git.refs.WriteDirect(ref, id));
  if (old && *old != id) git.Print("Updated tag '" + name + "' (was " + git.objects.Abbreviate(*old) + ")\n");
  return 0;
}

}  // namespace

extern const Subcommand kBranch, kCheckout, kSwitch, kTag;
const Subcommand kBranch = DefineSubcommand<BranchOptions, RunBranch>({.name = "branch", .summary = "list, create and delete branches", .synopsis = "[<options>] [-r | -a]\n[<options>] <branch-name> [<start-point>]\n(-d | -D) <branch-name>...\n(-m | -M | -c) [<old-branch>] <new-branch>", .options = kBranchOptions});
const Subcommand kCheckout = DefineSubcommand<CheckoutOptions, RunCheckout>({.name = "checkout", .summary = "switch branches or restore files", .synopsis = "[<options>] <branch>\n[<options>] [<tree>] -- <file>...", .options = kCheckoutOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kSwitch = DefineSubcommand<CheckoutOptions, RunSwitch>({.name = "switch", .summary = "switch branches", .synopsis = "[<options>] [<branch>]", .options = kSwitchOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kTag = DefineSubcommand<TagOptions, RunTag>({.name = "tag", .summary = "list, create and delete tags", .synopsis = "[-a | -f] [-m <text>] <tagname> [<object>]\n-d <tagname>...\n[-n[<num>]] [-l] [<pattern>...]", .options = kTagOptions});

}  // namespace paddock::git
