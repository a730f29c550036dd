// git rebase: what it starts from, and its other verbs.
#include <algorithm>
#include <set>

#include "commands/git/diff/commit_patch_id.h"
#include "commands/git/hooks.h"
#include "commands/git/merge/rebase.h"
#include "commands/git/merge/rebase_options.h"
#include "commands/git/merge/rebase_script.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/branch.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/linked_trees.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/worktree.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

using Verb = TodoItem::Verb;

class Start {
 public:
  Start(Git& git, RebaseOptions& options) : git_(git), options_(options), rebase_(git, options.applies), history_(git) {}

  Result<ExitStatus> Run(Args& args) {
    if (const ExitStatus status = Check(args); status != 0) return status;
    PADDOCK_TRY(FindPlaces(args));
    if (!options_.no_autostash && (options_.autostash || git_.config.GetBool("rebase.autostash", false))) {
      PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, rebase_.Path("")));
      PADDOCK_TRY(CreateAutostash(git_, rebase_.Name("autostash")));
    }
    PADDOCK_ASSIGN(const bool is_clean, IsClean());
    if (!is_clean) return 1;
    const bool needs_list = options_.interactive || !options_.commands.empty();
    const bool has_operand = !args.operands.empty() && !options_.root;
    if (upstream_ && !options_.no_fork_point && (options_.fork_point || (!has_operand && !options_.keeps_base && git_.config.GetBool("rebase.forkpoint", true)))) {
      PADDOCK_ASSIGN(fork_point_, ForkPoint());
    }
    PADDOCK_ASSIGN(const bool is_up_to_date, IsUpToDate());
    const bool mends = options_.whitespace == "fix" || options_.whitespace == "strip";   // that changes commits
    const bool squashes = !options_.no_autosquash && (options_.autosquash || git_.config.GetBool("rebase.autosquash", false));
    if (is_up_to_date && !needs_list && !mends && !squashes) {
      const std::string name = has_branch_ ? ShortRef(rebase_.state.head_name) : "HEAD";
      const std::string shown = has_branch_ ? "Current branch " + name : "HEAD";
      const bool forces = options_.forces || options_.signoff || options_.ignores_date || options_.keeps_date;
      if (!options_.quiet) git_.Print(shown + " is up to date" + (forces ? ", rebase forced.\n" : ".\n"));
      if (!forces) return StayHere();
    }
    if (!options_.no_verify) {
      std::vector<std::string> hook_args = {options_.root ? "--root" : upstream_name_};
      if (args.operands.size() > (options_.root ? 0u : 1u)) hook_args.push_back(args.operands.back());
      if (RunHook(git_, "pre-rebase", hook_args) != 0) return Error(Code::kInvalid, "The pre-rebase hook refused to rebase.");
    }
    PADDOCK_TRY(ShowStat());
    if (options_.applies) return BeginPatches();
    PADDOCK_TRY(MakeList());
    return Begin();
  }

 private:
  ExitStatus Check(const Args& args) {
    RebaseState& state = rebase_.state;
    if (Rebase::IsUnderWay(git_) || Rebase::IsUnderWayByPatches(git_)) {
      const std::string folder = Rebase::IsUnderWay(git_) ? "rebase-merge" : "rebase-apply";
      git_.Say("fatal: It seems that there is already a " + folder + " directory, and\nI wonder if you are in the middle of another rebase.  If that is the\ncase, please try\n\tgit rebase (--continue | --abort | --skip)\n"
               "If that is not the case, please\n\trm -fr \".git/" + folder + "\"\nand run me again.  I am stopping in case you still have something\nvaluable there.\n\n");
      return 128;
    }
    if (git_.in.fs.Stat(git_.GitPath("rebase-apply"))) return Die(git_.in, Error(Code::kInvalid, "It looks like 'git am' is in progress. Cannot rebase."));
    if (args.operands.size() > (options_.root ? 1u : 2u)) {
      git_.Say("usage: git rebase [-i] [options] [--exec <cmd>] [--onto <newbase> | --keep-base] [<upstream> [<branch>]]\n");
      return 129;
    }
    if (options_.keeps_base && !options_.onto.empty()) return Die(git_.in, Error(Code::kInvalid, "options '--keep-base' and '--onto' cannot be used together"));
    if (options_.keeps_base && options_.root) return Die(git_.in, Error(Code::kInvalid, "options '--keep-base' and '--root' cannot be used together"));
    if (!options_.strategy.empty() && options_.strategy != "ort" && options_.strategy != "recursive" && options_.strategy != "resolve") {
      return Die(git_.in, Error(Code::kNotSupported, "merge strategy '" + options_.strategy + "' is not supported"));
    }
    for (const std::string& command : options_.commands) {
      if (command.find_first_not_of(" \t") == std::string::npos) return Die(git_.in, Error(Code::kInvalid, "empty exec command"));
      if (command.find('\n') != std::string::npos) return Die(git_.in, Error(Code::kInvalid, "exec commands cannot contain newlines"));
    }
    using Empty = RebaseState::Empty;
    state.empty = options_.interactive ? Empty::kAsk : options_.commands.empty() ? Empty::kDrop : Empty::kKeep;
    if (options_.empty == "drop") state.empty = Empty::kDrop;
    else if (options_.empty == "keep") state.empty = Empty::kKeep;
    else if (options_.empty == "ask") state.empty = Empty::kAsk;
    else if (!options_.empty.empty()) return Die(git_.in, Error(Code::kInvalid, "unrecognized empty type '" + options_.empty + "'; valid values are \"drop\", \"keep\", and \"ask\"."));
    state.quiet = options_.quiet;
    state.verbose = options_.verbose;
    state.signoff = options_.signoff;
    state.ignores_date = options_.ignores_date;
    state.keeps_date = options_.keeps_date;
    state.forces = options_.forces;
    state.reschedules = options_.reschedules || (!options_.no_reschedules && git_.config.GetBool("rebase.reschedulefailedexec", false));
    state.strategy = options_.strategy;
    state.strategy_options = options_.strategy_options;
    ChooseSigning(git_, options_);
    state.signing_key = git_.signing_key;
    state.stages_resolved = StagesResolved(options_);
    if (options_.ignores_space) state.strategy_options.emplace_back("ignore-space-change");
    if (options_.fork_point && options_.root) return Die(git_.in, Error(Code::kInvalid, "options '--root' and '--fork-point' cannot be used together"));
    if (const auto style = StrategyStyle(git_, state.strategy, state.strategy_options); !style) return Die(git_.in, style.error());
    return 0;
  }

  Status FindPlaces(const Args& args) {
    RebaseState& state = rebase_.state;
    std::vector<std::string> operands = args.operands;
    if (!options_.root) {
      if (operands.empty()) {
        const auto branch = git_.HeadBranch();
        const auto upstream = branch ? UpstreamOf(git_, ShortRef(*branch)) : std::nullopt;
        if (!upstream) return NoUpstream(branch);
        upstream_name_ = ShortRef(*upstream);
      } else {
        upstream_name_ = operands[0] == "-" ? PreviousBranch(git_, 1).value_or("-") : operands[0];
        operands.erase(operands.begin());
      }
      auto upstream = ResolveCommit(git_, upstream_name_);
      if (!upstream) return Error(Code::kNoEntry, upstream.error().message.starts_with("bad revision") ? "invalid upstream '" + upstream_name_ + "'" : upstream.error().message);
      upstream_ = *upstream;
    }
    if (!operands.empty()) {
      const std::string ref = "refs/heads/" + operands[0];
      const auto id = IsRefName(ref) ? git_.refs.Read(ref) : std::nullopt;
      if (id) {
        if (const auto other = OtherTreeOf(git_, ref)) return Error(Code::kExists, "'" + operands[0] + "' is already checked out at '" + *other + "'");
        state.head_name = ref;
        state.orig_head = *id;
        has_branch_ = true;
      } else {
        auto commit = ResolveCommit(git_, operands[0]);
        if (!commit) return Error(Code::kNoEntry, "no such branch/commit '" + operands[0] + "'");
        state.head_name = "detached HEAD";
        state.orig_head = *commit;
      }
      switches_ = true;
      switch_name_ = operands[0];
    } else {
      PADDOCK_ASSIGN(state.orig_head, git_.RequireHead());
      const auto branch = git_.HeadBranch();
      has_branch_ = branch.has_value();
      state.head_name = branch.value_or("detached HEAD");
    }
    if (!options_.onto.empty()) {
      onto_name_ = options_.onto;
      if (const size_t dots = onto_name_.find("..."); dots != std::string::npos) {
        const std::string left = onto_name_.substr(0, dots), right = onto_name_.substr(dots + 3);
        PADDOCK_ASSIGN(const Oid a, ResolveCommit(git_, left.empty() ? "HEAD" : left));
        PADDOCK_ASSIGN(const Oid b, ResolveCommit(git_, right.empty() ? "HEAD" : right));
        PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(a, b));
        if (bases.size() != 1) return Error(Code::kInvalid, "'" + onto_name_ + "': need exactly one merge base");
        state.onto = bases[0];
        return {};
      }
      auto id = ResolveCommit(git_, onto_name_);
      if (!id) return Error(Code::kNoEntry, "Does not point to a valid commit '" + onto_name_ + "'");
      state.onto = *id;
      return {};
    }
    if (options_.root) {
      // New roots are made on top of an empty commit that goes away again.
      Commit empty;
      PADDOCK_ASSIGN(empty.tree, TreeOf(git_, {}));
      PADDOCK_ASSIGN(empty.author, git_.Author());
      PADDOCK_ASSIGN(empty.committer, git_.Committer());
      PADDOCK_ASSIGN(state.onto, git_.objects.Write(ObjectType::kCommit, empty.Text()));
      state.squash_onto = state.onto;
      onto_name_ = state.onto.Hex();
      return {};
    }
    onto_name_ = upstream_name_;
    state.onto = *upstream_;
    if (!options_.keeps_base) return {};
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(*upstream_, state.orig_head));
    if (bases.size() != 1) return Error(Code::kInvalid, "'" + upstream_name_ + "...': need exactly one merge base with branch");
    state.onto = bases[0];
    onto_name_ = upstream_name_ + "..." + (has_branch_ ? ShortRef(state.head_name) : "HEAD");
    return {};
  }

  Status NoUpstream(const std::optional<std::string>& branch) {
    if (!branch) {
      git_.Print("You are not currently on a branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n");
    } else {
      git_.Print("There is no tracking information for the current branch.\nPlease specify which branch you want to rebase against.\nSee git-rebase(1) for details.\n\n    git rebase '<branch>'\n\n"
                 "If you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to=<remote>/<branch> " + ShortRef(*branch) + "\n\n");
    }
    return Error(Code::kConflict);
  }

  Result<bool> IsClean() {
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    if (index.entries().empty() && !git_.in.fs.Stat(git_.GitPath("index"))) return true;   // nothing was checked out yet
    TellUnmerged(git_, index);
    FlatTree files;
    if (const auto head = git_.Head()) {
      PADDOCK_ASSIGN(files, git_.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const std::vector<FileDiff> unstaged, CompareWithFiles(git_, IndexFiles(index), index));
    const bool is_staged = !CompareTrees(files, IndexFiles(index)).empty() || index.HasConflicts();
    if (unstaged.empty() && !is_staged) return true;
    git_.Say(!unstaged.empty() || index.HasConflicts() ? "error: cannot rebase: You have unstaged changes.\n" : "error: cannot rebase: Your index contains uncommitted changes.\n");
    if ((!unstaged.empty() || index.HasConflicts()) && is_staged) git_.Say("error: additionally, your index contains uncommitted changes.\n");
    git_.Say("error: Please commit or stash them.\n");
    return false;
  }

  // The newest commit of the branch that the upstream was at once, by its reflog; nothing if that does not tell.
  Result<std::optional<Oid>> ForkPoint() {
    const auto ref = FindRef(git_, upstream_name_);
    if (!ref && options_.fork_point) return Error(Code::kInvalid, "No such ref: '" + upstream_name_ + "'");
    if (!ref) return std::optional<Oid>();
    std::set<Oid> known;
    if (const auto now = git_.refs.Read(*ref)) known.insert(*now);
    for (const ReflogEntry& entry : git_.refs.ReadLog(*ref)) {
      for (const Oid& id : {entry.before, entry.after}) {
        if (id != Oid{} && git_.objects.Has(id)) known.insert(id);
      }
    }
    PADDOCK_ASSIGN(const std::set<Oid> ours, history_.Ancestors({rebase_.state.orig_head}));
    // What is in both, and is not behind another one that is.
    std::vector<Oid> shared;
    for (const Oid& id : known) {
      PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(id, rebase_.state.orig_head));
      for (const Oid& base : bases) {
        if (ours.contains(base) && std::find(shared.begin(), shared.end(), base) == shared.end()) shared.push_back(base);
      }
    }
    std::vector<Oid> best;
    for (const Oid& id : shared) {
      bool is_behind = false;
      for (const Oid& other : shared) {
        if (other == id) continue;
        PADDOCK_ASSIGN(const bool is_ancestor, history_.IsAncestor(id, other));
        is_behind = is_behind || is_ancestor;
      }
      if (!is_behind) best.push_back(id);
    }
    if (best.size() != 1 || !known.contains(best[0])) return std::optional<Oid>();
    return std::optional<Oid>(best[0]);
  }

  // Whether the commits lie where they would be carried to, in one line.
  Result<bool> IsUpToDate() {
    const RebaseState& state = rebase_.state;
    if (options_.root) return false;
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(state.onto, state.orig_head));
    if (bases.size() != 1 || bases[0] != state.onto) return false;
    if (fork_point_ && *fork_point_ != state.onto) return false;
    PADDOCK_ASSIGN(const std::vector<Oid> others, history_.MergeBases(*upstream_, state.orig_head));
    if (others.size() != 1 || others[0] != state.onto) return false;
    for (Oid at = state.orig_head; at != state.onto;) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(at));
      if (node->commit.parents.size() != 1) return false;
      at = node->commit.parents[0];
    }
    return true;
  }

  Result<ExitStatus> StayHere() {
    if (switches_) {
      PADDOCK_ASSIGN(const bool is_there, GoToOperand());
      if (!is_there) return git_.Complain("could not switch to " + switch_name_);
    }
    PADDOCK_TRY(ApplyAutostash(git_, rebase_.Name("autostash")));
    rebase_.RemoveState();
    return 0;
  }

  // Checks out the branch (or commit) that the command line names; what else is under way stays so.
  Result<bool> GoToOperand() {
    const Oid target = rebase_.state.orig_head, head = git_.Head().value_or(Oid{});
    PADDOCK_ASSIGN(const bool is_done, SwitchTree(target));
    if (!is_done) return false;
    const std::string message = "rebase: checkout " + switch_name_, who = git_.Who();
    if (!has_branch_) {
      PADDOCK_TRY(git_.refs.WriteDirect("HEAD", target));
      PADDOCK_TRY(git_.refs.Log("HEAD", head, target, who, message));
      return true;
    }
    // A branch that HEAD is on is written, and HEAD then set to it: both count.
    if (git_.HeadBranch() == rebase_.state.head_name) PADDOCK_TRY(git_.refs.Log("HEAD", head, target, who, message));
    PADDOCK_TRY(git_.refs.WriteSymbolic("HEAD", rebase_.state.head_name));
    PADDOCK_TRY(git_.refs.Log("HEAD", head, target, who, message));
    return true;
  }

  Status ShowStat() {
    const bool wants = options_.verbose || options_.stat || (!options_.no_stat && git_.config.GetBool("rebase.stat", false));
    if (!wants || options_.quiet || options_.root) return {};
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(rebase_.state.onto, rebase_.state.orig_head));
    const std::string from = bases.empty() ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904" : bases[0].Hex(), to = rebase_.state.onto.Hex();
    if (options_.verbose) git_.Print(bases.empty() ? "Changes to " + to + ":\n" : "Changes from " + from + " to " + to + ":\n");
    static_cast<void>(RunGit(git_, {"diff", "--stat", "--summary", from, to}));
    return {};
  }

  // Commits that the upstream has under another name.
  Result<std::set<Oid>> AppliedAlready(const std::vector<Oid>& commits) {
    if (options_.reapplies || options_.root || (options_.keeps_base && !options_.no_reapplies)) return std::set<Oid>();
    Selection theirs;
    theirs.included = {*upstream_};
    theirs.excluded = {rebase_.state.orig_head};
    PADDOCK_ASSIGN(const std::vector<Oid> others, WalkHistory(git_, history_, theirs, {}));
    return WithSamePatch(git_, history_, commits, others);
  }

  // The commits to carry over, the oldest first.
  Result<std::vector<Oid>> CommitsToMove() {
    Selection selection;
    selection.included = {rebase_.state.orig_head};
    if (upstream_) selection.excluded = {*upstream_};
    else if (!options_.onto.empty()) selection.excluded = {rebase_.state.onto};
    if (fork_point_) selection.excluded.push_back(*fork_point_);
    PADDOCK_ASSIGN(std::vector<Oid> commits, WalkHistory(git_, history_, selection, {.is_topological = true}));
    std::reverse(commits.begin(), commits.end());
    return commits;
  }

  Status MakeList() {
    PADDOCK_ASSIGN(const std::vector<Oid> commits, CommitsToMove());
    PADDOCK_ASSIGN(const std::set<Oid> known, AppliedAlready(commits));
    for (const Oid& id : commits) {
      if (known.contains(id) && !options_.quiet) git_.Warn("skipped previously applied commit " + git_.objects.Abbreviate(id));
    }
    if (!known.empty() && git_.config.GetBool("advice.skippedcherrypicks", true)) git_.Say("hint: use --reapply-cherry-picks to include skipped commits\nhint: Disable this message with \"git config advice.skippedCherryPicks false\"\n");
    RebaseScriptOptions script;
    script.keeps_merges = options_.merges.has_value();
    script.moves_cousins = options_.merges == "rebase-cousins";
    script.drops_empty = options_.drops_empty;
    script.autosquash = options_.interactive && !options_.no_autosquash && (options_.autosquash || git_.config.GetBool("rebase.autosquash", false));
    script.updates_refs = options_.updates_refs.value_or(git_.config.GetBool("rebase.updaterefs", false));
    script.commands = options_.commands;
    script.known = known;
    script.own_branch = rebase_.state.head_name;
    script.is_root_onto = options_.root && !options_.onto.empty();
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(upstream_.value_or(rebase_.state.onto), rebase_.state.orig_head));
    if (!bases.empty()) script.bottom = bases[0];
    PADDOCK_ASSIGN(rebase_.todo, MakeRebaseScript(git_, history_, commits, script));
    if (rebase_.todo.empty()) rebase_.todo.push_back({Verb::kNoop, 0, std::nullopt, ""});
    return {};
  }

  // The same by patches: what changes nothing is left out, too.
  Result<ExitStatus> BeginPatches() {
    PADDOCK_ASSIGN(std::vector<Oid> commits, CommitsToMove());
    PADDOCK_ASSIGN(const std::set<Oid> known, AppliedAlready(commits));
    std::vector<Oid> moved;
    for (const Oid& id : commits) {
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      if (known.contains(id) || node->commit.parents.size() > 1) continue;
      PADDOCK_ASSIGN(const std::optional<Oid> patch, CommitPatchId(git_, node->commit));
      if (patch) moved.push_back(id);
    }
    const RebaseState& state = rebase_.state;
    if (!options_.quiet) git_.Print("First, rewinding head to replay your work on top of it...\n");
    PADDOCK_ASSIGN(const bool is_there, Detach(state.onto));
    if (!is_there) {
      PADDOCK_TRY(ApplyAutostash(git_, rebase_.Name("autostash")));
      rebase_.RemoveState();
      return git_.Complain("could not detach HEAD");
    }
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history_.MergeBases(state.onto, state.orig_head));
    if (bases.size() == 1 && bases[0] == state.orig_head) {
      git_.Print("Fast-forwarded " + (has_branch_ ? ShortRef(state.head_name) : "HEAD") + " to " + onto_name_ + ".\n");
      return rebase_.Finish();
    }
    std::vector<std::string> words;
    if (options_.quiet) words.push_back("-q");
    if (options_.signoff) words.push_back("--signoff");
    if (options_.ignores_date) words.push_back("--ignore-date");
    if (options_.keeps_date) words.push_back("--committer-date-is-author-date");
    if (options_.ignores_space) words.push_back("--ignore-whitespace");
    if (options_.least_context) words.push_back("-C" + std::to_string(*options_.least_context));
    if (options_.whitespace) words.push_back("--whitespace=" + *options_.whitespace);
    if (state.stages_resolved) words.push_back(*state.stages_resolved ? "--rerere-autoupdate" : "--no-rerere-autoupdate");
    if (git_.signing_key) words.push_back("-S" + *git_.signing_key);
    return rebase_.ApplyPatches(moved, words);
  }

  std::string TodoText() {
    std::string text;
    const auto count = std::count_if(rebase_.todo.begin(), rebase_.todo.end(), [](const TodoItem& item) { return item.verb != Verb::kComment; });
    for (const TodoItem& item : rebase_.todo) text += TodoLine(git_, item, true);
    const std::string onto = git_.objects.Abbreviate(rebase_.state.onto), range = (upstream_ ? git_.objects.Abbreviate(*upstream_) + ".." : "") + git_.objects.Abbreviate(rebase_.state.orig_head);
    return text + "\n# Rebase " + range + " onto " + onto + " (" + std::to_string(count) + (count == 1 ? " command)\n" : " commands)\n") + std::string(TodoHelp()) +
           "# If you remove a line here THAT COMMIT WILL BE LOST.\n#\n# However, if you remove everything, the rebase will be aborted.\n#\n";
  }

  // Empty lines between those that do something.
  size_t CountBlanks(std::string_view list) {
    size_t blanks = 0;
    const std::string clean = CleanMessage(list, true);
    for (const std::string_view line : SplitLines(clean)) blanks += line == "\n" ? 1 : 0;
    return blanks;
  }

  Result<ExitStatus> Begin() {
    const std::string text = options_.interactive ? TodoText() : "";
    std::string lines;
    for (const TodoItem& item : rebase_.todo) lines += TodoLine(git_, item, true);
    rebase_.blanks = CountBlanks(lines);
    std::erase_if(rebase_.todo, [](const TodoItem& item) { return item.verb == Verb::kComment; });
    PADDOCK_TRY(rebase_.WriteState());
    const auto give_up = [this]() -> Result<ExitStatus> {
      PADDOCK_TRY(ApplyAutostash(git_, rebase_.Name("autostash")));
      rebase_.RemoveState();
      return 1;
    };
    bool is_fine = true;
    if (options_.interactive) {
      PADDOCK_ASSIGN(const bool is_edited, rebase_.EditText(text));
      if (!is_edited) return give_up();
      PADDOCK_ASSIGN(const std::string edited, vfs::ReadFile(git_.in.fs, rebase_.Path("git-rebase-todo"), 64 << 20));
      PADDOCK_ASSIGN(auto items, ParseTodo(git_, edited, false));
      is_fine = items.has_value();
      if (is_fine && items->empty()) {
        git_.Complain("nothing to do");
        return give_up();
      }
      if (is_fine) rebase_.todo = std::move(*items);
      rebase_.blanks = CountBlanks(edited);
    }
    Oid start = rebase_.state.onto;
    if (is_fine) {
      PADDOCK_ASSIGN(start, SkipWhatFits());
    }
    PADDOCK_ASSIGN(const bool is_there, Detach(start));
    if (!is_there) {
      PADDOCK_TRY(give_up());
      return git_.Complain("could not detach HEAD");
    }
    if (!is_fine) {
      git_.Say("You can fix this with 'git rebase --edit-todo' and then run 'git rebase --continue'.\nOr you can abort the rebase with 'git rebase --abort'.\n");
      return 1;
    }
    PADDOCK_TRY(rebase_.WriteState());
    PADDOCK_TRY(rebase_.KeepMovedRefs());
    return rebase_.Run();
  }

  // The first commits may lie where they belong: where they end.
  Result<Oid> SkipWhatFits() {
    const RebaseState& state = rebase_.state;
    Oid base = state.onto;
    if (state.forces || state.signoff || state.ignores_date || state.keeps_date) return base;
    while (!rebase_.todo.empty()) {
      const TodoItem& item = rebase_.todo.front();
      if (item.verb == Verb::kPick) {
        PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(*item.commit));
        if (commit.parents.size() != 1 || commit.parents[0] != base) break;
        base = *item.commit;
      } else if (item.verb != Verb::kDrop && item.verb != Verb::kNoop) {
        break;
      }
      rebase_.done.push_back(item);
      rebase_.todo.erase(rebase_.todo.begin());
    }
    return base;
  }

  // Takes index and files to a commit.
  Result<bool> SwitchTree(const Oid& target) {
    PADDOCK_ASSIGN(Index index, git_.ReadIndex());
    FlatTree from;
    if (const auto head = git_.Head()) {
      PADDOCK_ASSIGN(from, git_.FlattenCommit(*head));
    }
    PADDOCK_ASSIGN(const FlatTree to, git_.FlattenCommit(target));
    PADDOCK_ASSIGN(const bool is_done, SwitchFiles(git_, from, to, index, "checkout", false));
    if (!is_done) return false;
    PADDOCK_TRY(git_.WriteIndex(index));
    return true;
  }

  Result<bool> Detach(const Oid& start) {
    const Oid head = git_.Head().value_or(Oid{});
    PADDOCK_ASSIGN(const bool is_done, SwitchTree(start));
    if (!is_done) return false;
    PADDOCK_TRY(git_.refs.WriteDirect("ORIG_HEAD", rebase_.state.orig_head));
    PADDOCK_TRY(git_.refs.WriteDirect("HEAD", start));
    PADDOCK_TRY(git_.refs.Log("HEAD", head, start, git_.Who(), "rebase (start): checkout " + onto_name_));
    return true;
  }

  Git& git_;
  RebaseOptions& options_;
  Rebase rebase_;
  History history_;
  std::string upstream_name_, onto_name_, switch_name_;   // the last: the operand to switch to
  std::optional<Oid> upstream_, fork_point_;
  bool has_branch_ = false, switches_ = false;
};

Result<ExitStatus> RunRebase(Git& git, RebaseOptions& options, Args& args) {
  if (const Status chosen = ChooseRebaseWay(git, options); !chosen) return chosen.error();
  const int verbs = options.proceeds + options.skips + options.abort + options.quits + options.edits_todo + options.shows_patch;
  if (verbs == 0) {
    auto status = Start(git, options).Run(args);
    if (!status && status.error().code == Code::kConflict && status.error().message.empty()) return 1;
    return status;
  }
  if (verbs > 1 || !args.operands.empty()) {
    git.Say("usage: git rebase --continue | --abort | --skip | --edit-todo\n");
    return 129;
  }
  const bool by_patches = Rebase::IsUnderWayByPatches(git);
  if (!Rebase::IsUnderWay(git) && !by_patches) return Error(Code::kInvalid, "No rebase in progress?");
  Rebase rebase(git, by_patches);
  if (options.quits) {
    PADDOCK_TRY(rebase.Quit());
    return 0;
  }
  if (by_patches && options.edits_todo) return Error(Code::kInvalid, "The --edit-todo action can only be used during interactive rebase.");
  if (options.edits_todo) {
    PADDOCK_ASSIGN(const bool is_edited, rebase.EditTodo());
    return is_edited ? 0 : 1;
  }
  if (options.shows_patch) return by_patches ? RunGit(git, {"am", "--show-current-patch"}) : RunGit(git, {"show", "REBASE_HEAD", "--"});
  PADDOCK_TRY(rebase.ReadState());
  if (options.abort) return rebase.Abort();
  if (by_patches) return rebase.ResumePatches(options.skips ? "--skip" : "--resolved");
  if (const Status read = rebase.ReadLists(); !read) return read.error().code == Code::kConflict ? Result<ExitStatus>(git.Complain(read.error().Text())) : Result<ExitStatus>(read.error());
  return options.skips ? rebase.Skip() : rebase.Continue();
}

}  // namespace

extern const Subcommand kRebase;
const Subcommand kRebase = DefineSubcommand<RebaseOptions, RunRebase>({.name = "rebase", .summary = "carry a line of commits over to another place", .synopsis = "[-i] [<options>] [--exec <cmd>] [--onto <newbase> | --keep-base] [<upstream> [<branch>]]\n[-i] [<options>] [--exec <cmd>] [--onto <newbase>] --root [<branch>]\n--continue | --abort | --skip | --edit-todo", .options = kRebaseOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
