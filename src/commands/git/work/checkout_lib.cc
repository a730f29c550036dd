// git checkout and switch.
#include <algorithm>
#include <array>

#include "base/option_tables.h"
#include "commands/git/hooks.h"
#include "commands/git/refs/branch.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/linked_trees.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/pathspec_file.h"
#include "commands/git/work/restore.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/status.h"
#include "commands/git/work/unsupported_parts.h"

namespace paddock::git {
namespace {

struct CheckoutOptions {
  std::string create, reset, orphan, conflict, pathspec_file;
  bool force = false, quiet = false, detach = false, track = false, no_track = false, ours = false, theirs = false, guess = false, no_guess = false;
  bool merge = false, patch = false, overlay = false, no_overlay = false, pathspec_nul = false, reflog = false, overwrites = false, no_overwrite = false, shares = false, inherits = false, sees_skipped = false, discards = false, is_switch = false, has_start = false /* of a new branch */, stays = false /* without an operand */, progress = false, no_progress = false, recurses = false, no_recursion = false;
};
Status TakeTrack(CheckoutOptions& options, std::string_view value) {
  if (!value.empty() && value != "direct" && value != "inherit") return Error(Code::kInvalid, "option `--track' expects \"direct\" or \"inherit\"");
  options.track = true;
  options.inherits = value == "inherit";
  return {};
}
constexpr auto kBothOptions = std::to_array<Option>({
    Flag<&CheckoutOptions::guess>(0, "guess", "where there is one, take the remote branch of that name (the default)"),
    Flag<&CheckoutOptions::no_guess>(0, "no-guess", "do not look for remote branches"),
    Value<&CheckoutOptions::orphan>(0, "orphan", "BRANCH", "a branch without history"),
    Flag<&CheckoutOptions::force>('f', "force", "throw local changes away"),
    Flag<&CheckoutOptions::merge>('m', "merge", "merge local changes with the other branch"),
    Value<&CheckoutOptions::conflict>(0, "conflict", "STYLE", "likewise, and show conflicts as merge, diff3 or zdiff3"),
    Flag<&CheckoutOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&CheckoutOptions::detach>('d', "detach", "check out the commit itself"),
    CallOptional<TakeTrack>('t', "track", "MODE", "track the branch that it starts from"),
    Flag<&CheckoutOptions::no_track>(0, "no-track", "track nothing"),
    Flag<&CheckoutOptions::overwrites>(0, "overwrite-ignore", "ignored files may be replaced (the default)"),
    Flag<&CheckoutOptions::no_overwrite>(0, "no-overwrite-ignore", "they may not"),
    Flag<&CheckoutOptions::progress>(0, "progress", "show progress (of what takes more than two seconds, which nothing does)"),
    Flag<&CheckoutOptions::no_progress>(0, "no-progress", "show none"),
    Flag<&CheckoutOptions::recurses>(0, "recurse-submodules", "submodules, too (refused where there are any)"),
    Flag<&CheckoutOptions::no_recursion>(0, "no-recurse-submodules", "not those (the default)"),
    Flag<&CheckoutOptions::shares>(0, "ignore-other-worktrees", "also a branch that another working tree has"),
});
constexpr auto kCheckoutOptions = JoinTables(std::to_array<Option>({
    Value<&CheckoutOptions::create>('b', nullptr, "BRANCH", "create and check out a branch"),
    Value<&CheckoutOptions::reset>('B', nullptr, "BRANCH", "create or reset it"),
    Flag<&CheckoutOptions::reflog>('l', nullptr, "with a reflog (always)"),
    Flag<&CheckoutOptions::ours>('2', "ours", "take our side of a conflict"),
    Flag<&CheckoutOptions::theirs>('3', "theirs", "take their side of a conflict"),
    Flag<&CheckoutOptions::patch>('p', "patch", "ask for each change"),
    Flag<&CheckoutOptions::overlay>(0, "overlay", "remove no files (the default)"),
    Flag<&CheckoutOptions::no_overlay>(0, "no-overlay", "remove files that the commit does not have"),
    Flag<&CheckoutOptions::sees_skipped>(0, "ignore-skip-worktree-bits", "also files with that bit"),
    Value<&CheckoutOptions::pathspec_file>(0, "pathspec-from-file", "FILE", "the files are named in FILE (-: standard input)"),
    Flag<&CheckoutOptions::pathspec_nul>(0, "pathspec-file-nul", "FILE's names end with NUL"),
}), kBothOptions);
constexpr auto kSwitchOptions = JoinTables(std::to_array<Option>({
    Value<&CheckoutOptions::create>('c', "create", "BRANCH", "create and switch to a branch"),
    Value<&CheckoutOptions::reset>('C', "force-create", "BRANCH", "create or reset it"),
    Flag<&CheckoutOptions::discards>(0, "discard-changes", "throw local changes away"),
}), kBothOptions);

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

// Goes to other files with the local changes merged into them.
Result<bool> SwitchMerging(Git& git, const CheckoutOptions& options, const FlatTree& from, const FlatTree& to, Index& index, const std::string& name, const std::string& old_name) {
  PADDOCK_ASSIGN(MergeStyle style, ConfiguredStyle(git));
  if (!options.conflict.empty()) PADDOCK_TRY(TakeConflictStyle(style, options.conflict));
  // Where nothing is in the way it is a plain switch, which leaves the index's own changes alone.
  PADDOCK_ASSIGN(const bool fits, SwitchFiles(git, from, to, index, "", false, options.no_overwrite));
  if (fits) return true;
  std::string staged;
  for (const FileDiff& file : CompareTrees(from, IndexFiles(index))) staged += (staged.empty() ? "" : " ") + file.new_path;
  if (!staged.empty()) return Error(Code::kInvalid, "cannot continue with staged changes in the following files:\n" + staged);
  PADDOCK_ASSIGN(const std::vector<FileDiff> changed, CompareWithFiles(git, IndexFiles(index), index));
  FlatTree local = IndexFiles(index);
  for (const FileDiff& file : changed) {
    PADDOCK_ASSIGN(const auto now, StageFile(git, file.new_path, true));
    if (now) local[file.new_path] = {now->mode, now->id};
    else local.erase(file.new_path);
  }
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git, from, to, local, {name, "local", old_name}, style));
  FlatTree target = merge.tree;
  for (const auto& [path, conflict] : merge.conflicts) {
    if (!conflict.text) continue;
    PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, *conflict.text));
    target[path] = {conflict.mode, id};
  }
  // The files are what `local` says: nothing is lost.
  for (const FileDiff& file : changed) {
    PADDOCK_ASSIGN(auto now, StageFile(git, file.new_path, false));
    if (now) index.Put(std::move(*now));
    else index.Remove(file.new_path);
  }
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, local, target, index, "checkout", false));
  if (!done) return false;
  for (const auto& [path, item] : to) {
    const IndexEntry* now = index.Find(path);
    if ((now != nullptr && now->id == item.id && now->mode == item.mode)) continue;
    // The index is the other branch's, also where the files are in conflict.
    IndexEntry entry;
    entry.path = path;
    entry.mode = item.mode;
    entry.id = item.id;
    index.Put(std::move(entry));
  }
  for (const IndexEntry& entry : std::vector<IndexEntry>(index.entries())) {
    if (!to.contains(entry.path) && !from.contains(entry.path) && merge.conflicts.contains(entry.path)) index.Remove(entry.path);
  }
  return true;
}

// Commits that nothing leads to when a detached HEAD moves on.
Status TellLeftBehind(Git& git, const Oid& head, const std::optional<Oid>& target) {
  constexpr size_t kMost = 4;
  Selection selection;
  selection.included = {head};
  if (target) selection.excluded = {*target};
  for (const auto& [ref, id] : git.refs.List("refs/")) {
    if (const auto commit = git.objects.Peel(id, ObjectType::kCommit)) selection.excluded.push_back(*commit);
  }
  History history(git);
  PADDOCK_ASSIGN(const std::vector<Oid> lost, WalkHistory(git, history, selection, {}));
  if (lost.empty()) {
    git.Say("Previous HEAD position was " + OneLine(git, head) + "\n");
    return {};
  }
  std::string list;
  for (size_t i = 0; i < lost.size() && (i < kMost || lost.size() == kMost + 1); ++i) list += "  " + OneLine(git, lost[i]) + "\n";
  if (lost.size() > kMost + 1) list += " ... and " + std::to_string(lost.size() - kMost) + " more.\n";
  const bool is_one = lost.size() == 1;
  git.Say("Warning: you are leaving " + std::to_string(lost.size()) + (is_one ? " commit" : " commits") + " behind, not connected to\nany of your branches:\n\n" + list + "\n");
  if (git.config.GetBool("advice.detachedhead", true)) {
    git.Say(std::string("If you want to keep ") + (is_one ? "it" : "them") + " by creating a new branch, this may be a good time\nto do so with:\n\n git branch <new-branch-name> " + git.objects.Abbreviate(head) + "\n\n");
  }
  return {};
}

// --discard-changes alone spares what git does not know.
Result<bool> SpareUntracked(Git& git, const CheckoutOptions& options, const FlatTree& to, const Index& index) {
  if (options.force) return true;
  for (const auto& [path, item] : to) {
    git.in.budget.Step();
    const bool is_known = index.Find(path) != nullptr || index.Find(path, 1) != nullptr || index.Find(path, 2) != nullptr || index.Find(path, 3) != nullptr;
    if (is_known || !git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo) || IsIgnored(git, path, false)) continue;
    git.Complain("Untracked working tree file '" + path + "' would be overwritten by merge.");
    return false;
  }
  return true;
}

// A new branch where HEAD is touches nothing, whatever the state of the index; git has that for the plainest form alone.
bool KeepsAll(const CheckoutOptions& options, const std::optional<Oid>& head, const Oid& target) {
  return !options.create.empty() && !options.has_start && head == target && !options.quiet && !options.force && !options.discards && !options.merge && options.conflict.empty();
}

bool IsStoppedByConflicts(Git& git, const CheckoutOptions& options, const Index& index) {
  if (!index.HasConflicts() || options.force || options.discards) return false;
  TellUnmerged(git, index);
  git.Complain("you need to resolve your current index first");
  return true;
}

// Moves HEAD and the files.
Result<ExitStatus> MoveHead(Git& git, const CheckoutOptions& options, const std::optional<std::string>& branch_ref, const Oid& target, const std::string& shown, bool is_new) {
  const auto head = git.Head();
  const auto old_branch = git.HeadBranch();
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  FlatTree from;
  if (head) {
    PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
  }
  const bool keeps_all = is_new && KeepsAll(options, head, target);
  if (!keeps_all && IsStoppedByConflicts(git, options, index)) return 1;
  PADDOCK_ASSIGN(const FlatTree to, git.FlattenCommit(target));
  if (keeps_all) {
    // HEAD alone moves.
  } else if (options.merge || !options.conflict.empty()) {
    PADDOCK_ASSIGN(const bool done, SwitchMerging(git, options, from, to, index, shown, old_branch ? ShortRef(*old_branch) : head ? git.objects.Abbreviate(*head) : ""));
    if (!done) return 1;
  } else {
    if (options.discards) {
      PADDOCK_ASSIGN(const bool is_free, SpareUntracked(git, options, to, index));
      if (!is_free) return 128;
    }
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, to, index, "checkout", options.force || options.discards, options.no_overwrite));
    if (!done) return 1;
  }
  if (!keeps_all) PADDOCK_TRY(git.WriteIndex(index));
  const std::string old_name = old_branch ? ShortRef(*old_branch) : head ? head->Hex() : "";
  const std::string message = "checkout: moving from " + old_name + " to " + shown;
  if (!old_branch && head && !options.quiet && *head != target) {
    PADDOCK_TRY(TellLeftBehind(git, *head, target));
  }
  if (branch_ref) {
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", *branch_ref));
  } else {
    PADDOCK_TRY(git.refs.WriteDirect("HEAD", target));
  }
  if ((head || !is_new) && options.orphan.empty()) PADDOCK_TRY(git.refs.Log("HEAD", head.value_or(Oid{}), target, git.Who(), message));
  if (options.quiet) return 0;
  // What stays changed; a new branch where HEAD is does not look.
  const bool looks = (options.create.empty() && options.reset.empty()) || head != target || options.has_start || (!options.reset.empty() && !options.is_switch);
  std::vector<FileDiff> changed;
  if (looks) {
    PADDOCK_ASSIGN(changed, CompareWithFiles(git, to, index));
  }
  for (const FileDiff& file : looks ? CompareTrees(to, IndexFiles(index)) : std::vector<FileDiff>()) {
    if (std::none_of(changed.begin(), changed.end(), [&file](const FileDiff& other) { return other.new_path == file.new_path; })) changed.push_back(file);
  }
  std::sort(changed.begin(), changed.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  std::string last;
  for (const FileDiff& file : changed) {
    if (file.new_path != last) git.Print(std::string(1, index.Find(file.new_path) == nullptr && to.contains(file.new_path) && file.status == 'M' ? 'U' : file.status) + "\t" + git.Shown(file.new_path) + "\n");
    last = file.new_path;
  }
  if (!branch_ref && options.stays) return 0;
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
  if (options.stays) {
    PADDOCK_ASSIGN(const auto tracked, TrackingOf(git, name));
    if (tracked) git.Print(TrackingText(*tracked));
    return 0;
  }
  if (is_new && old_branch == branch_ref) git.Say("Reset branch '" + name + "'\n");
  else if (is_new) git.Say(std::string(options.reset.empty() ? "Switched to a new branch '" : "Switched to and reset branch '") + name + "'\n");
  else git.Say((old_branch == branch_ref ? "Already on '" : "Switched to branch '") + name + "'\n");
  PADDOCK_ASSIGN(const auto tracking, TrackingOf(git, name));
  if (tracking && (!is_new || !options.reset.empty())) git.Print(TrackingText(*tracking));
  return 0;
}

// git switch leaves nothing half done behind.
Status RefuseInProgress(Git& git, const CheckoutOptions& options) {
  if (!options.is_switch || options.force || options.discards) return {};
  const auto is_there = [&git](const char* name) { return git.in.fs.Stat(git.GitPath(name)).has_value(); };
  const auto refuse = [](const std::string& doing, const char* command) { return Error(Code::kInvalid, "cannot switch branch " + doing + "\nConsider \"git " + command + " --quit\" or \"git worktree add\"."); };
  if (is_there("MERGE_HEAD")) return refuse("while merging", "merge");
  if (is_there("rebase-apply/applying")) return refuse("in the middle of an am session", "am");
  if (is_there("rebase-merge") || is_there("rebase-apply")) return refuse("while rebasing", "rebase");
  const auto todo = vfs::ReadFile(git.in.fs, git.GitPath("sequencer/todo"), 16 << 20);
  if (is_there("CHERRY_PICK_HEAD") || (todo && todo->starts_with("pick"))) return refuse("while cherry-picking", "cherry-pick");
  if (is_there("REVERT_HEAD") || (todo && todo->starts_with("revert"))) return refuse("while reverting", "revert");
  if (is_there("BISECT_LOG")) git.Warn("you are switching branch while bisecting");
  return {};
}

// A branch that is checked out somewhere else stays there.
Status RefuseTaken(Git& git, const CheckoutOptions& options, const std::string& name) {
  if (options.shares) return {};
  const auto other = OtherTreeOf(git, "refs/heads/" + name);
  if (!other) return {};
  return Error(Code::kExists, "'" + name + "' is already checked out at '" + *other + "'");
}

// What was under way on the other branch is over.
void LeaveStates(Git& git, bool is_quiet) {
  for (const auto& [name, what] : {std::pair<const char*, const char*>{"CHERRY_PICK_HEAD", "cherry picking"}, {"REVERT_HEAD", "revert"}}) {
    if (git.refs.Exists(name) && !is_quiet) git.Warn("cancelling a " + std::string(what) + " in progress");
  }
  static_cast<void>(KeepAutostash(git, "MERGE_AUTOSTASH").has_value());
  ForgetMerge(git);
}

Result<ExitStatus> SwitchTo(Git& git, const CheckoutOptions& options, const std::optional<std::string>& branch_ref, const Oid& target, const std::string& shown, bool is_new) {
  const Oid before = git.Head().value_or(Oid{});
  PADDOCK_ASSIGN(const ExitStatus status, MoveHead(git, options, branch_ref, target, shown, is_new));
  if (status == 0) {
    LeaveStates(git, options.quiet);
  }
  if (status == 0 && RunHook(git, "post-checkout", {before.Hex(), target.Hex(), "1"}) != 0) return 1;
  return status;
}

Result<ExitStatus> CreateAndSwitch(Git& git, const CheckoutOptions& options, const Args& args) {
  const std::vector<std::string>& operands = args.operands;
  const bool resets = !options.reset.empty();
  const std::string name = resets ? options.reset : options.create;
  const std::string ref = "refs/heads/" + name;
  std::string start = operands.empty() ? "HEAD" : operands[0];
  if (start == "-") start = PreviousBranch(git, 1).value_or("@{-1}");
  if (!IsRefName(ref) || name.starts_with('-')) return Error(Code::kInvalid, "'" + name + "' is not a valid branch name");
  if (!resets && git.refs.Exists(ref)) return Error(Code::kExists, "a branch named '" + name + "' already exists");
  if (operands.empty()) PADDOCK_TRY(RefuseInProgress(git, options));
  if (operands.empty() && !git.Head()) {
    // No commit yet: only the name changes.
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", ref));
    if (!options.quiet) git.Say("Switched to a new branch '" + name + "'\n");
    return 0;
  }
  auto object = ResolveObject(git, start);
  if (!object && (options.is_switch || args.has_dashes)) return Error(Code::kNoEntry, "invalid reference: " + start);
  if (!object) return Error(Code::kNoEntry, "'" + start + "' is not a commit and a branch '" + name + "' cannot be created from it");
  PADDOCK_ASSIGN(const Oid target, StartPoint(git, start));
  PADDOCK_TRY(RefuseInProgress(git, options));
  const bool exists = git.refs.Exists(ref);
  CheckoutOptions inner = options;
  inner.has_start = !operands.empty() || (resets && !options.is_switch);
  if (!exists) inner.reset.clear();
  const auto source = FindRef(git, start);
  // The files first: if they stand in the way there is no new branch.
  const auto head = git.Head();
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (!KeepsAll(inner, head, target) && IsStoppedByConflicts(git, options, index)) return 1;
  if (head != target && !options.merge && options.conflict.empty()) {
    FlatTree from;
    if (head) {
      PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const FlatTree to, git.FlattenCommit(target));
    if (options.discards) {
      PADDOCK_ASSIGN(const bool is_free, SpareUntracked(git, options, to, index));
      if (!is_free) return 128;
    }
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, to, index, "checkout", options.force || options.discards, options.no_overwrite));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
  }
  PADDOCK_TRY(git.refs.Write(ref, target, git.Who(), exists ? "branch: Reset to " + start : "branch: Created from " + start));
  if (options.inherits) {
    const auto upstream = source && source->starts_with("refs/heads/") ? UpstreamOf(git, source->substr(11)) : std::nullopt;
    if (upstream) PADDOCK_TRY(SetUpstream(git, name, *upstream, options.quiet));
    else if (source && source->starts_with("refs/heads/")) git.Warn("asked to inherit tracking from '" + source->substr(11) + "', but no remote is set");
  } else if (!options.no_track && source && (source->starts_with("refs/remotes/") || (options.track && source->starts_with("refs/heads/")))) {
    PADDOCK_TRY(SetUpstream(git, name, *source, options.quiet));
  }
  return SwitchTo(git, inner, ref, target, name, true);
}

Result<ExitStatus> CheckoutCommit(Git& git, const CheckoutOptions& options, std::string name, bool needs_detach) {
  if (name == "-" || name == "@{-1}") {
    const auto previous = PreviousBranch(git, 1);
    if (!previous && needs_detach) return Error(Code::kNoEntry, "invalid reference: @{-1}");
    if (!previous) return git.Complain("pathspec '" + name + "' did not match any file(s) known to git");
    if (!ResolveCommit(git, *previous)) return needs_detach ? Result<ExitStatus>(Error(Code::kNoEntry, "invalid reference: @{-1}")) : git.Complain("pathspec '" + name + "' did not match any file(s) known to git");
    name = *previous;
  }
  const std::string ref = "refs/heads/" + name;
  if (!options.detach && IsRefName(ref) && git.refs.Exists(ref)) {
    PADDOCK_ASSIGN(const Oid target, StartPoint(git, ref));
    PADDOCK_TRY(RefuseInProgress(git, options));
    PADDOCK_TRY(RefuseTaken(git, options, name));
    return SwitchTo(git, options, ref, target, name, false);
  }
  auto id = ResolveCommit(git, name);
  if (!id && !options.no_guess) {
    if (const auto remote = GuessRemote(git, name)) {
      CheckoutOptions inner = options;
      inner.create = name;
      inner.track = true;
      Args start;
      start.operands = {ShortRef(*remote)};
      return CreateAndSwitch(git, inner, start);
    }
  }
  if (!id) return needs_detach ? Error(Code::kNoEntry, "invalid reference: " + name) : Error(Code::kNoEntry);
  if (needs_detach && !options.detach) {
    const auto found = FindRef(git, name);
    const std::string what = found && found->starts_with("refs/tags/") ? "tag" : found && found->starts_with("refs/remotes/") ? "remote branch" : "commit";
    return Error(Code::kInvalid, "a branch is expected, got " + what + " '" + (found && what == "remote branch" ? ShortRef(git.refs.ReadSymbolic(*found).value_or(*found)) : name) + "'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.");
  }
  PADDOCK_TRY(RefuseInProgress(git, options));
  return SwitchTo(git, options, std::nullopt, *id, name, false);
}

// "x" of "origin/x": what --track calls the new branch.
Result<std::string> TrackedName(std::string name, bool is_switch) {
  for (const char* prefix : {"refs/", "remotes/"}) {
    if (name.starts_with(prefix)) name.erase(0, std::string_view(prefix).size());
  }
  const size_t slash = name.find('/');
  if (slash == std::string::npos || slash + 1 == name.size()) return Error(Code::kInvalid, std::string("missing branch name; try ") + (is_switch ? "-c" : "-b"));
  return name.substr(slash + 1);
}

// --orphan: of checkout from a commit on, whose files stay; of switch without any.
Result<ExitStatus> Orphan(Git& git, const CheckoutOptions& options, const std::vector<std::string>& operands, bool clears) {
  const std::string ref = "refs/heads/" + options.orphan;
  if (!IsRefName(ref)) return Error(Code::kInvalid, "'" + options.orphan + "' is not a valid branch name");
  if (git.refs.Exists(ref)) return Error(Code::kExists, "a branch named '" + options.orphan + "' already exists");
  if (clears && !operands.empty()) return Error(Code::kInvalid, "'--orphan' cannot take <start-point>");
  if (operands.size() > 1) return Error(Code::kInvalid, "Cannot update paths and switch to branch '" + options.orphan + "' at the same time.");
  const auto head = git.Head();
  if (!clears && (head || !operands.empty())) {
    auto start = ResolveCommit(git, operands.empty() ? "HEAD" : operands[0]);
    if (!start) return Error(Code::kNoEntry, "'" + operands[0] + "' is not a commit and a branch '" + options.orphan + "' cannot be created from it");
    return SwitchTo(git, options, ref, *start, options.orphan, true);
  }
  PADDOCK_TRY(RefuseInProgress(git, options));
  if (clears) {
    PADDOCK_ASSIGN(Index index, git.ReadIndex());
    if (IsStoppedByConflicts(git, options, index)) return 1;
    FlatTree from;
    if (head) {
      PADDOCK_ASSIGN(from, git.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, {}, index, "checkout", options.force || options.discards));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
    if (head && !git.HeadBranch() && !options.quiet) PADDOCK_TRY(TellLeftBehind(git, *head, std::nullopt));
  }
  PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", ref));
  if (!options.quiet) git.Say("Switched to a new branch '" + options.orphan + "'\n");
  LeaveStates(git, options.quiet);
  return 0;
}

// Says how many files of which origin there are again.
void TellRestored(Git& git, const CheckoutOptions& options, const Args& args, const RestorePlan& plan, const Restored& done) {
  if (options.quiet || args.has_dashes) return;
  if (done.conflicts > 0) git.Say("Recreated " + std::to_string(done.conflicts) + (done.conflicts == 1 ? " merge conflict\n" : " merge conflicts\n"));
  if (!options.pathspec_file.empty() || (done.conflicts > 0 && done.files == 0)) return;
  const std::string from = plan.source ? git.objects.Abbreviate(*git.objects.Peel(*ResolveObject(git, args.operands[0]), ObjectType::kTree)) : "the index";
  git.Say("Updated " + std::to_string(done.files) + (done.files == 1 ? " path from " : " paths from ") + from + "\n");
}

Result<ExitStatus> CheckoutFiles(Git& git, const CheckoutOptions& options, const Args& args, std::optional<FlatTree> source, const std::vector<std::string>& operands) {
  if (options.patch) {
    const bool is_head = args.operands.empty() || args.operands[0] == "HEAD";
    const std::string name = source && !is_head ? args.operands[0] : "";
    return ChoosePatches(git, source ? PatchTarget::kDiscardBoth : PatchTarget::kDiscard, source, name, operands);
  }
  RestorePlan plan;
  plan.source = std::move(source);
  plan.to_index = plan.source.has_value();
  plan.deletes = options.no_overlay;
  plan.sees_skipped = options.sees_skipped;
  plan.stage = options.ours ? 2 : options.theirs ? 3 : 0;
  plan.recreates = options.merge || !options.conflict.empty();
  plan.passes_unmerged = options.force;
  PADDOCK_ASSIGN(plan.style, ConfiguredStyle(git));
  if (!options.conflict.empty()) PADDOCK_TRY(TakeConflictStyle(plan.style, options.conflict));
  if (plan.source && (plan.stage != 0 || plan.recreates)) return Error(Code::kInvalid, "'--ours', '--theirs' and '--merge' cannot be used when checking out of a tree");
  auto done = RestoreFiles(git, plan, operands);
  if (!done && done.error().code == Code::kConflict) return 1;
  if (!done) return done.error();
  TellRestored(git, options, args, plan, *done);
  const std::string head = git.Head().value_or(Oid{}).Hex();
  return RunHook(git, "post-checkout", {head, head, "0"});
}

Status CheckSubmodules(Git& git, const CheckoutOptions& options) {
  if (!options.recurses) return {};
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  return RefuseSubmodules(git, index);
}

Result<ExitStatus> RunCheckout(Git& git, CheckoutOptions& options, Args& args) {
  PADDOCK_TRY(CheckSubmodules(git, options));
  if (!options.orphan.empty()) return Orphan(git, options, args.operands, false);
  if (options.track && options.create.empty() && options.reset.empty() && args.operands.size() == 1) {
    PADDOCK_ASSIGN(options.create, TrackedName(args.operands[0], false));
  }
  if (!options.create.empty() || !options.reset.empty()) return CreateAndSwitch(git, options, args);
  std::vector<std::string> operands = args.operands;
  if (!operands.empty() && operands[0] == "-" && (operands.size() > 1 || !args.paths.empty() || options.patch)) operands[0] = args.operands[0] = PreviousBranch(git, 1).value_or("@{-1}");
  std::optional<FlatTree> source;
  if (!options.pathspec_file.empty()) {
    if (operands.size() > 1 || !args.paths.empty()) return Error(Code::kInvalid, "'--pathspec-from-file' and pathspec arguments cannot be used together");
    PADDOCK_TRY(TakePathspecFile(git, options.pathspec_file, options.pathspec_nul, args.paths));
  }
  if (operands.empty() && !args.has_dashes && !options.patch && args.paths.empty()) {
    if (options.track) return Error(Code::kInvalid, "--track needs a branch name");
    const auto head = git.Head();
    if (!head) return 0;
    if (options.detach) return SwitchTo(git, options, std::nullopt, *head, "HEAD", false);
    options.stays = true;
    return SwitchTo(git, options, git.HeadBranch(), *head, git.HeadBranch() ? ShortRef(*git.HeadBranch()) : head->Hex(), false);
  }
  if (!operands.empty()) {
    const bool is_commit = operands.size() == 1 && args.paths.empty() && !options.patch;
    if (is_commit) {
      auto result = CheckoutCommit(git, options, operands[0], false);
      if (result || result.error().code != Code::kNoEntry || !result.error().message.empty()) return result;
      if (args.has_dashes) return Error(Code::kInvalid, "invalid reference: " + operands[0]);
      if (options.detach) return Error(Code::kInvalid, "git checkout: --detach does not take a path argument '" + operands[0] + "'");
    } else if (auto id = ResolveObject(git, operands[0])) {
      PADDOCK_ASSIGN(source, git.FlattenCommit(*id));
      operands.erase(operands.begin());
    } else if (args.has_dashes) {
      return Error(Code::kInvalid, "invalid reference: " + operands[0]);
    }
  }
  operands.insert(operands.end(), args.paths.begin(), args.paths.end());
  return CheckoutFiles(git, options, args, std::move(source), operands);
}

Result<ExitStatus> RunSwitch(Git& git, CheckoutOptions& options, Args& args) {
  PADDOCK_TRY(CheckSubmodules(git, options));
  options.is_switch = true;
  if (!options.orphan.empty()) return Orphan(git, options, args.operands, true);
  if (options.track && options.create.empty() && options.reset.empty() && args.operands.size() == 1) {
    PADDOCK_ASSIGN(options.create, TrackedName(args.operands[0], true));
  }
  if (!options.create.empty() || !options.reset.empty()) return CreateAndSwitch(git, options, args);
  if (args.operands.empty()) return options.detach ? CheckoutCommit(git, options, "HEAD", true) : Result<ExitStatus>(Error(Code::kInvalid, "missing branch or commit argument"));
  if (args.operands.size() > 1) return Error(Code::kInvalid, "only one reference expected, " + std::to_string(args.operands.size()) + " given.");
  return CheckoutCommit(git, options, args.operands[0], true);
}

}  // namespace

extern const Subcommand kCheckout, kSwitch;
const Subcommand kCheckout = DefineSubcommand<CheckoutOptions, RunCheckout>({.name = "checkout", .summary = "switch branches or restore files", .synopsis = "[<options>] <branch>\n[<options>] [<tree>] -- <file>...", .options = kCheckoutOptions, .needs = Subcommand::Needs::kWorkTree});
const Subcommand kSwitch = DefineSubcommand<CheckoutOptions, RunSwitch>({.name = "switch", .summary = "switch branches", .synopsis = "[<options>] [<branch>]", .options = kSwitchOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
