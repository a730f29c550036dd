// git rebase (of a line of commits) and clean.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/merge.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"

namespace paddock::git {
namespace {

struct RebaseOptions {
  std::string onto;
  bool quiet = false;
};
constexpr Option kRebaseOptions[] = {
    Value<&RebaseOptions::onto>(0, "onto", "COMMIT", "start from COMMIT"),
    Flag<&RebaseOptions::quiet>('q', "quiet", "say nothing"),
};

// One commit on top of `tip`, without touching the files. Nothing: it changes nothing there.
Result<std::optional<Oid>> CarryOver(Git& git, const Oid& id, const Oid& tip) {
  PADDOCK_ASSIGN(const Commit picked, git.objects.ReadCommit(id));
  PADDOCK_ASSIGN(const Commit last, git.objects.ReadCommit(tip));
  if (picked.parents.size() == 1 && picked.parents[0] == tip) return std::optional<Oid>(id);
  FlatTree before;
  if (!picked.parents.empty()) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(picked.parents[0]));
  }
  PADDOCK_ASSIGN(const FlatTree after, git.Flatten(picked.tree));
  PADDOCK_ASSIGN(const FlatTree ours, git.Flatten(last.tree));
  PADDOCK_ASSIGN(const TreeMerge merge, MergeTrees(git, before, ours, after, {"HEAD", git.objects.Abbreviate(id)}));
  if (!merge.conflicts.empty()) {
    return Error(Code::kConflict, "could not apply " + git.objects.Abbreviate(id) + "... " + SubjectOf(picked.message) + ": conflict in " + merge.conflicts.begin()->first +
                 "\nnothing was changed: stopping in the middle of a rebase is not supported; use git cherry-pick for this commit");
  }
  Commit commit;
  PADDOCK_ASSIGN(commit.tree, TreeOf(git, merge.tree));
  if (commit.tree == last.tree && picked.tree != last.tree) return std::optional<Oid>();
  commit.parents = {tip};
  commit.author = picked.author;
  PADDOCK_ASSIGN(commit.committer, git.Committer());
  commit.message = picked.message;
  PADDOCK_ASSIGN(const Oid made, git.objects.Write(ObjectType::kCommit, commit.Text()));
  return std::optional<Oid>(made);
}

Result<ExitStatus> RunRebase(Git& git, RebaseOptions& options, Args& args) {
  if (args.operands.size() > 1) return Error(Code::kNotSupported, "rebase of another branch is not supported; switch to it first");
  const auto head = git.Head();
  const auto branch = git.HeadBranch();
  if (!head) return Error(Code::kInvalid, "no commit to rebase");
  const std::string name = args.operands.empty() ? "@{u}" : args.operands[0];
  auto upstream = ResolveCommit(git, name);
  if (!upstream) return Error(Code::kNoEntry, "invalid upstream '" + name + "'");
  Oid onto = *upstream;
  if (!options.onto.empty()) {
    auto id = ResolveCommit(git, options.onto);
    if (!id) return Error(Code::kNoEntry, "Does not point to a valid commit '" + options.onto + "'");
    onto = *id;
  }
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const FlatTree from, git.FlattenCommit(*head));
  PADDOCK_ASSIGN(const std::vector<FileDiff> unstaged, CompareWithFiles(git, IndexFiles(index), index));
  const bool is_staged = !CompareTrees(from, IndexFiles(index)).empty();
  if (!unstaged.empty() || is_staged) {
    git.Say(!unstaged.empty() ? "error: cannot rebase: You have unstaged changes.\n" : "error: cannot rebase: Your index contains uncommitted changes.\n");
    if (!unstaged.empty() && is_staged) git.Say("error: additionally, your index contains uncommitted changes.\n");
    git.Say("error: Please commit or stash them.\n");
    return 1;
  }
  History history(git);
  Selection selection;
  selection.included = {*head};
  selection.excluded = {*upstream};
  PADDOCK_ASSIGN(std::vector<Oid> commits, WalkHistory(git, history, selection, {.is_topological = true}));
  std::reverse(commits.begin(), commits.end());
  PADDOCK_ASSIGN(const bool is_on_top, history.IsAncestor(onto, *head));
  const std::string shown = branch ? ShortRef(*branch) : "HEAD";
  Oid tip = onto;
  // What lies on its place already is not told.
  std::string progress;
  size_t number = 0;
  for (const Oid& id : commits) {
    git.in.budget.Step();
    progress += "Rebasing (" + std::to_string(++number) + "/" + std::to_string(commits.size()) + ")\r";
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (node->commit.parents.size() > 1) continue;   // merges are left out: their commits are carried over one by one
    auto made = CarryOver(git, id, tip);
    if (!made && made.error().code == Code::kConflict) return git.Complain(made.error().Text());
    if (!made) return made.error();
    if (*made) tip = **made;
  }
  if (tip == *head && is_on_top) {
    if (!options.quiet) git.Print("Current branch " + shown + " is up to date.\n");
    return 0;
  }
  PADDOCK_ASSIGN(const FlatTree to, git.FlattenCommit(tip));
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, from, to, index, "checkout", false));
  if (!done) return Error(Code::kInvalid, "could not detach HEAD");
  PADDOCK_TRY(git.WriteIndex(index));
  PADDOCK_TRY(git.refs.WriteDirect("ORIG_HEAD", *head));
  PADDOCK_TRY(git.refs.Write("HEAD", tip, git.Who(), "rebase (finish): " + (branch ? *branch + " onto " + onto.Hex() : std::string("HEAD"))));
  const bool is_dumb = git.in.env.Get("TERM", "dumb") == "dumb";
  if (!options.quiet && !progress.empty()) git.Say(progress + (is_dumb ? "\r" + std::string(80, ' ') + "\r" : "\r\033[K"));
  if (!options.quiet) git.Say("Successfully rebased and updated " + (branch ? *branch : std::string("detached HEAD")) + ".\n");
  return 0;
}

struct CleanOptions {
  bool dry_run = false, force = false, directories = false, ignored = false, only_ignored = false, quiet = false;
};
constexpr Option kCleanOptions[] = {
    Flag<&CleanOptions::dry_run>('n', "dry-run", "only show what would be removed"), Flag<&CleanOptions::force>('f', "force", "do it"),
    Flag<&CleanOptions::directories>('d', nullptr, "whole directories, too"), Flag<&CleanOptions::ignored>('x', nullptr, "ignored files, too"),
    Flag<&CleanOptions::only_ignored>('X', nullptr, "only ignored files"), Flag<&CleanOptions::quiet>('q', "quiet", "say nothing"),
};

Result<ExitStatus> RunClean(Git& git, CleanOptions& options, Args& args) {
  if (!options.force && !options.dry_run && git.config.GetBool("clean.requireforce", true)) {
    return Error(Code::kInvalid, git.config.Get("clean.requireforce") ? "clean.requireForce set to true and neither -i, -n, nor -f given; refusing to clean" : "clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean");
  }
  std::vector<std::string> operands = args.All();
  if (operands.empty() && !git.prefix.empty()) operands.push_back(".");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kNormal, paths, options.ignored || options.only_ignored));
  std::vector<std::string> gone = options.only_ignored ? std::vector<std::string>() : found.files;
  if (options.ignored || options.only_ignored) gone.insert(gone.end(), found.ignored.begin(), found.ignored.end());
  std::sort(gone.begin(), gone.end());
  for (std::string path : gone) {
    const bool is_directory = path.ends_with('/');
    if (is_directory && !options.directories) continue;
    if (is_directory && IsGitDirectory(git.in.fs, git.FilePath(path) + ".git")) continue;
    if (options.dry_run || !options.quiet) git.Print((options.dry_run ? "Would remove " : "Removing ") + git.Shown(path) + "\n");
    if (options.dry_run) continue;
    if (is_directory) {
      path.pop_back();
      PADDOCK_TRY(RemoveTree(git.in, git.FilePath(path)));
    } else {
      PADDOCK_TRY(git.in.fs.RemoveFile(git.FilePath(path)));
    }
  }
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kRebase, kClean;
const Subcommand kRebase = DefineSubcommand<RebaseOptions, RunRebase>({.name = "rebase", .summary = "carry a line of commits over to another place", .synopsis = "[-q] [--onto <newbase>] [<upstream>]", .options = kRebaseOptions, .needs = Needs::kWorkTree});
const Subcommand kClean = DefineSubcommand<CleanOptions, RunClean>({.name = "clean", .summary = "remove untracked files", .synopsis = "[-d] [-f] [-n] [-q] [-x | -X] [--] [<pathspec>...]", .options = kCleanOptions, .needs = Needs::kWorkTree});

}  // namespace paddock::git
