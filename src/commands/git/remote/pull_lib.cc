// git pull.
#include <algorithm>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/work/worktree.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

struct PullOptions : FetchOptions {
  enum class Rebase { kConfigured, kNo, kYes };
  Rebase rebase = Rebase::kConfigured;
  bool ff_only = false, no_ff = false, ff = false, squash = false, no_commit = false, no_edit = false;
  bool stat = false, no_stat = false, wants_signed = false;
  std::vector<std::string> passed, for_both;   // options for merge, and for rebase, too
};
template <auto kWord>
Status PassOn(PullOptions& options, std::string_view value) {
  options.passed.push_back(value.data() == nullptr ? std::string(*kWord) : std::string(*kWord) + "=" + std::string(value));
  return {};
}
template <auto kWord>
Status PassToBoth(PullOptions& options, std::string_view value) {
  options.for_both.push_back(value.data() == nullptr ? std::string(*kWord) : std::string(*kWord) + "=" + std::string(value));
  return {};
}
constexpr std::string_view kUnrelated = "--allow-unrelated-histories", kAutostash = "--autostash", kNoAutostash = "--no-autostash", kSignoff = "--signoff", kCommitIt = "--commit", kCleanup = "--cleanup", kStrategy = "--strategy",
                           kStrategyOption = "--strategy-option", kEditIt = "--edit", kNoVerify = "--no-verify", kSign = "--gpg-sign", kNoSign = "--no-gpg-sign";
Status SetRebase(PullOptions& options, std::string_view text) {
  if (const auto value = text.empty() ? std::optional(true) : ParseConfigBool(text)) {
    options.rebase = *value ? PullOptions::Rebase::kYes : PullOptions::Rebase::kNo;
    return {};
  }
  return Error(Code::kInvalid, "invalid value for '--rebase': '" + std::string(text) + "'");
}
Status SetLog(PullOptions& options, std::string_view text) {
  options.passed.push_back(text.data() == nullptr ? "--log" : "--log=" + std::string(text));
  return {};
}
Status TakeHooks(PullOptions& options, std::string_view) {
  std::erase(options.for_both, kNoVerify);
  return {};
}

constexpr auto kOptions = WithFetchOptions(std::to_array<Option>({
    Flag<&PullOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&PullOptions::verbose>('v', "verbose", "also say what is up to date"),
    CallOptional<SetRebase>('r', "rebase", "BOOL", "rebase the branch instead of merging"),
    Set<&PullOptions::rebase, PullOptions::Rebase::kNo>(0, "no-rebase", "merge"),
    Flag<&PullOptions::ff>(0, "ff", "fast-forward where that goes"),
    Flag<&PullOptions::ff_only>(0, "ff-only", "only if no merge is needed"),
    Flag<&PullOptions::no_ff>(0, "no-ff", "a merge commit in every case"),
    Flag<&PullOptions::squash>(0, "squash", "the changes without the history"),
    Flag<&PullOptions::no_commit>(0, "no-commit", "stop before the commit"),
    Flag<&PullOptions::no_edit>(0, "no-edit", "take the message as it is"),
    Flag<&PullOptions::stat>(0, "stat", "tell what changed (the default)"),
    Call<PassOn<&kUnrelated>>(0, "allow-unrelated-histories", nullptr, "even if the histories have nothing in common"),
    Call<PassToBoth<&kAutostash>>(0, "autostash", nullptr, "put local changes aside meanwhile"),
    Call<PassToBoth<&kNoAutostash>>(0, "no-autostash", nullptr, "do not (the default)"),
    Call<PassToBoth<&kSignoff>>(0, "signoff", nullptr, "add a Signed-off-by line"),
    Call<PassOn<&kCommitIt>>(0, "commit", nullptr, "commit the merge (the default)"),
    Call<PassOn<&kCleanup>>(0, "cleanup", "MODE", "of the message: strip, whitespace, verbatim"),
    Call<PassOn<&kEditIt>>('e', "edit", nullptr, "edit the message"),
    Call<PassToBoth<&kNoVerify>>(0, "no-verify", nullptr, "without hooks"),
    Call<PassToBoth<&kStrategy>>('s', "strategy", "NAME", "as of git merge"),
    Call<PassToBoth<&kStrategyOption>>('X', "strategy-option", "OPTION", "as of git merge"),
    Flag<&PullOptions::no_stat>('n', "no-stat", "tell no changes of files"),
    CallOptional<SetLog>(0, "log", "N", "put the subjects of what is merged into the message"),
    Flag<&PullOptions::tags>('t', "tags", "with all tags"),
    Flag<&PullOptions::no_tags>(0, "no-tags", "without tags"),
    CallOptional<PassToBoth<&kSign>>('S', "gpg-sign", "KEY", "sign what is committed by gpg.program"),
    Call<PassToBoth<&kNoSign>>(0, "no-gpg-sign", nullptr, "do not (the default)"),
    Call<TakeHooks>(0, "verify", nullptr, "with hooks (the default)"),
    Flag<&PullOptions::wants_signed>(0, "verify-signatures", "only what gpg.program finds well signed"),
    Set<&PullOptions::wants_signed, false>(0, "no-verify-signatures", "also what is not (the default)"),
}));

// The lines of FETCH_HEAD that are to be merged: ids, and what they are.
struct MergeHead {
  Oid id;
  std::string what;
};
std::vector<MergeHead> ReadMergeHeads(Git& git) {
  std::vector<MergeHead> heads;
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("FETCH_HEAD"), 16 << 20);
  for (size_t begin = 0; text && begin < text->size();) {
    git.in.budget.Step();
    const size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    const auto id = Oid::FromHex(line.substr(0, 40));
    if (id && line.size() > 42 && line[40] == '\t' && line[41] == '\t') heads.push_back({*id, std::string(line.substr(42))});
  }
  return heads;
}

// "branch 'a' of URL", "branches 'a' and 'b' of URL".
std::string NamesOf(const std::vector<MergeHead>& heads) {
  const size_t of = heads[0].what.find(" of ");
  const std::string source = of == std::string::npos ? "" : heads[0].what.substr(of);
  std::string names;
  for (size_t i = 0; i < heads.size(); ++i) {
    const std::string& what = heads[i].what;
    const bool is_alike = what.starts_with("branch '") && !source.empty() && what.ends_with(source);
    if (heads.size() == 1 || !is_alike) return heads[0].what;
    names += (i == 0 ? "" : i + 1 == heads.size() ? " and " : ", ") + what.substr(7, what.size() - 7 - source.size());
  }
  return "branches " + names + source;
}

// Nothing was fetched that the branch could take.
Result<ExitStatus> NothingToMerge(Git& git, bool rebases, const std::vector<std::string>& operands) {
  const std::string how = rebases ? "rebase against" : "merge with", branch = ShortRef(git.HeadBranch().value_or(""));
  if (operands.size() > 1) {
    git.Say("There are no candidates for " + std::string(rebases ? "rebasing against" : "merging") + " among the refs that you just fetched.\n" +
            "Generally this means that you provided a wildcard refspec which had no\nmatches on the remote end.\n");
    return 1;
  }
  if (!git.HeadBranch()) {
    git.Say("You are not currently on a branch.\nPlease specify which branch you want to " + how + ".\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n\n");
    return 1;
  }
  if (!operands.empty() || git.config.Get("branch." + branch + ".merge")) {
    git.Say("Your configuration specifies to " + how + " the ref '" + git.config.Get("branch." + branch + ".merge", "HEAD") + "'\nfrom the remote, but no such ref was fetched.\n");
    return 1;
  }
  const std::vector<std::string> names = RemoteNames(git);
  const std::string remote = names.size() == 1 ? names[0] : "<remote>";
  git.Say("There is no tracking information for the current branch.\nPlease specify which branch you want to " + how + ".\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n\n"
          "If you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=" + remote + "/<branch> " + branch + "\n\n");
  return 1;
}

// Tells of a merge that is not at its end, which nothing may be pulled into.
Result<bool> SaysWhatIsOpen(Git& git) {
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  if (index.HasConflicts()) {
    git.Say("error: Pulling is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\n"
            "hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.\n");
    return true;
  }
  if (!git.refs.Exists("MERGE_HEAD")) return false;
  git.Say("error: You have not concluded your merge (MERGE_HEAD exists).\nhint: Please, commit your changes before merging.\n"
          "fatal: Exiting because of unfinished merge.\n");
  return true;
}

Result<ExitStatus> RunPull(Git& git, PullOptions& options, Args& args) {
  options.action = ActionText(git, "pull");
  std::vector<std::string> operands = args.All();
  const std::string branch = ShortRef(git.HeadBranch().value_or(""));
  std::string configured = git.config.Get("branch." + branch + ".rebase", git.config.Get("pull.rebase", ""));
  if (options.rebase == PullOptions::Rebase::kConfigured && ParseConfigBool(configured).value_or(!configured.empty())) options.rebase = PullOptions::Rebase::kYes;
  const bool rebases = options.rebase == PullOptions::Rebase::kYes;
  const bool has_autostash = std::find(options.for_both.begin(), options.for_both.end(), kAutostash) != options.for_both.end() || git.config.GetBool("rebase.autostash", false);
  if (rebases && git.Head() && !has_autostash) {
    ChildSpec check{.args = {"git", "diff", "--quiet", "HEAD", "--"}, .environment = &git.in.env};
    if (const auto clean = git.in.launcher.Run(git.in.process, check); clean && *clean != 0) {
      git.Say("error: cannot pull with rebase: You have unstaged changes.\nerror: please commit or stash them.\n");
      return 128;
    }
  }
  PADDOCK_ASSIGN(const bool is_open, SaysWhatIsOpen(git));
  if (is_open) return 128;
  // Fetching is the affair of git fetch, groups and all.
  const auto fetched = RunFetchCommand(git, options, operands);
  if (!fetched) Die(git.in, fetched.error());
  if (!fetched || *fetched != 0) return 1;
  if (options.dry_run) return 0;
  const std::vector<MergeHead> heads = ReadMergeHeads(git);
  if (heads.empty()) return NothingToMerge(git, rebases, operands);
  if (heads.size() > 1 && !git.Head()) return Error(Code::kInvalid, "Cannot merge multiple branches into empty head.");
  if (heads.size() > 1 && rebases) return Error(Code::kInvalid, "Cannot rebase onto multiple branches.");
  const Oid target = heads[0].id;
  if (!git.Head()) {
    Index index;
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(target));
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, files, index, "merge", false));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
    PADDOCK_TRY(git.refs.Write("HEAD", target, git.Who(), "initial pull"));
    return 0;
  }
  History history(git);
  PADDOCK_ASSIGN(bool is_forward, history.IsAncestor(*git.Head(), target));
  bool is_behind = true;
  for (const MergeHead& head : heads) {
    PADDOCK_ASSIGN(const bool leads, history.IsAncestor(head.id, *git.Head()));
    is_behind = is_behind && leads;
  }
  if (heads.size() > 1) is_forward = false;
  const std::string ff = git.config.Get("pull.ff", "");
  const bool is_divergent = !is_forward && !is_behind;
  if (is_divergent && (options.ff_only || (ff == "only" && !rebases && options.rebase != PullOptions::Rebase::kNo && !options.no_ff))) {
    return Error(Code::kInvalid, "Not possible to fast-forward, aborting.");
  }
  if (is_divergent && options.rebase == PullOptions::Rebase::kConfigured && configured.empty() && ff.empty() && !options.ff && !options.no_ff) {
    git.Say("hint: You have divergent branches and need to specify how to reconcile them.\nhint: You can do so by running one of the following commands sometime before\nhint: your next pull:\nhint: \n"
            "hint:   git config pull.rebase false  # merge\nhint:   git config pull.rebase true   # rebase\nhint:   git config pull.ff only       # fast-forward only\nhint: \n"
            "hint: You can replace \"git config\" with \"git config --global\" to set a default\nhint: preference for all repositories. You can also pass --rebase, --no-rebase,\nhint: or --ff-only on the command line to override the configured default per\nhint: invocation.\n");
    return Error(Code::kInvalid, "Need to specify how to reconcile divergent branches.");
  }
  ChildSpec spec{.args = {"git"}, .environment = &git.in.env};
  if (rebases && !is_forward) {
    spec.args.push_back("rebase");
    if (options.quiet) spec.args.push_back("-q");
    spec.args.insert(spec.args.end(), options.for_both.begin(), options.for_both.end());
    spec.args.push_back(target.Hex());
  } else {
    spec.args.push_back("merge");
    if (options.quiet) spec.args.push_back("-q");
    if (options.no_ff) spec.args.push_back("--no-ff");
    if (options.ff_only) spec.args.push_back("--ff-only");
    if (options.wants_signed) spec.args.push_back("--verify-signatures");
    if (options.squash) spec.args.push_back("--squash");
    if (options.no_commit) spec.args.push_back("--no-commit");
    if (options.no_stat) spec.args.push_back("--no-stat");
    spec.args.insert(spec.args.end(), options.passed.begin(), options.passed.end());
    spec.args.insert(spec.args.end(), options.for_both.begin(), options.for_both.end());
    // A message is for the commit of a merge; git merge complains of one that it cannot use.
    const std::string merge_ff = git.config.Get("merge.ff", "");
    const bool may_commit = !is_forward || options.no_ff || ff == "false" || merge_ff == "false" || merge_ff == "no";
    if (may_commit) spec.args.insert(spec.args.end(), {"-m", "Merge " + NamesOf(heads) + (branch == "master" || branch == "main" ? "" : " into " + (branch.empty() ? "HEAD" : branch))});
    for (const MergeHead& head : heads) spec.args.push_back(head.id.Hex());
  }
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  if (status && *status == 0 && options.recurses == true) {
    ChildSpec submodules{.args = {"git", "submodule", "update", "--recursive", "--checkout"}, .environment = &git.in.env};
    if (rebases) submodules.args.back() = "--rebase";
    if (options.quiet) submodules.args.push_back("--quiet");
    const auto updated = git.in.launcher.Run(git.in.process, submodules);
    return updated ? *updated : 128;
  }
  return status ? *status : 128;
}

}  // namespace

extern const Subcommand kPull;
const Subcommand kPull = DefineSubcommand<PullOptions, RunPull>({.name = "pull", .summary = "fetch, then merge or rebase", .synopsis = "[<options>] [<repository> [<refspec>...]]", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
