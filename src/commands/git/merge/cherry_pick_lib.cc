// git cherry-pick and revert: commits carried over or taken back, one after the other.
//
// What is left to do when one of several stops is in .git/sequencer, as git keeps it: head, todo, opts and abort-safety.
#include <algorithm>
#include <array>

#include "base/option_tables.h"
#include "commands/git/history/pretty.h"
#include "commands/git/merge/pick.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

struct Options {
  bool no_commit = false, abort = false, proceeds = false, skips = false, quits = false, cites = false, edit = false, no_edit = false, signoff = false, ff = false, allow_empty = false, allow_empty_message = false, keeps_redundant = false, reference = false, rerere = false, no_rerere = false;
  int64_t mainline = 0;
  std::string cleanup;
  std::optional<std::string> gpg_sign;
  bool no_gpg_sign = false;
  std::vector<std::string> strategies, strategy_options;
};
Status TakeMainline(Options& options, std::string_view value) {
  if (!ParseOptionValue(value, options.mainline) || options.mainline < 1) return Error(Code::kInvalid, "option `mainline' expects a number greater than zero");
  return {};
}
constexpr auto kBothOptions = std::to_array<Option>({
    Flag<&Options::quits>(0, "quit", "forget what is left to do, leave the files as they are"),
    Flag<&Options::proceeds>(0, "continue", "commit what was resolved, and go on"),
    Flag<&Options::abort>(0, "abort", "go back to before it"),
    Flag<&Options::skips>(0, "skip", "leave this commit out, and go on"),
    Value<&Options::cleanup>(0, "cleanup", "MODE", "strip, whitespace, verbatim or default"),
    Flag<&Options::no_commit>('n', "no-commit", "only change the index and the files"),
    Flag<&Options::edit>('e', "edit", "edit the message"),
    Flag<&Options::no_edit>(0, "no-edit", "take the message as it is"),
    Flag<&Options::signoff>('s', "signoff", "add a Signed-off-by line"),
    Flag<&Options::rerere>(0, "rerere-autoupdate", "put into the index what is resolved as before"),
    Flag<&Options::no_rerere>(0, "no-rerere-autoupdate", "do not"),
    SigningOptions<Options>()[0],
    SigningOptions<Options>()[1],
    Call<TakeMainline>('m', "mainline", "N", "compare a merge with its Nth parent"),
    Value<&Options::strategies>(0, "strategy", "NAME", "ort, recursive or resolve"),
    Value<&Options::strategy_options>('X', "strategy-option", "OPTION", "as of git merge"),
});
constexpr auto kPickOptions = JoinTables(std::to_array<Option>({
    Flag<&Options::cites>('x', nullptr, "tell in the message where it is from"),
    Flag<&Options::ff>(0, "ff", "take the commit itself where it fits"),
    Flag<&Options::allow_empty>(0, "allow-empty", "also commits that change nothing"),
    Flag<&Options::allow_empty_message>(0, "allow-empty-message", "also commits without a message"),
    Flag<&Options::keeps_redundant>(0, "keep-redundant-commits", "also commits that change nothing here"),
}), kBothOptions);
constexpr auto kRevertOptions = JoinTables(std::to_array<Option>({
    Flag<&Options::reference>(0, "reference", "name the commit by its date and subject"),
}), kBothOptions);

class Sequence {
 public:
  Sequence(Git& git, Options& options, bool reverts) : git_(git), options_(options), reverts_(reverts), verb_(reverts ? "revert" : "cherry-pick"), marker_(reverts ? "REVERT_HEAD" : "CHERRY_PICK_HEAD") {}

  Result<ExitStatus> Run(const Args& args) {
    ChooseSigning(git_, options_);
    if (options_.quits) {
      RemoveState();
      ForgetMerge(git_);
      return 0;
    }
    if (options_.abort) return Abort();
    if (static constexpr std::string_view kModes[] = {"", "default", "strip", "whitespace", "verbatim", "scissors"}; std::find(std::begin(kModes), std::end(kModes), options_.cleanup) == std::end(kModes)) {
      return Error(Code::kInvalid, "Invalid cleanup mode " + options_.cleanup);
    }
    PADDOCK_TRY(ReadStyle());
    if (options_.proceeds) return Continue();
    if (options_.skips) return Skip();
    return Start(args);
  }

 private:
  std::string StatePath(const char* name) const { return git_.GitPath("sequencer/" + std::string(name)); }
  bool HasState() { return git_.in.fs.Stat(git_.GitPath("sequencer")).has_value(); }
  void RemoveState() {
    if (HasState()) static_cast<void>(RemoveTree(git_.in, git_.GitPath("sequencer")).has_value());
  }
  Error Failed() const { return Error(Code::kInvalid, verb_ + " failed"); }

  Status ReadStyle() {
    PADDOCK_ASSIGN(pick_.style, StrategyStyle(git_, options_.strategies.empty() ? "" : options_.strategies.back(), options_.strategy_options));
    for (const std::string& strategy : options_.strategies) {
      if (strategy != "ort" && strategy != "recursive" && strategy != "resolve") return Error(Code::kNotSupported, "merge strategy '" + strategy + "' is not supported");
    }
    pick_.reverts = reverts_;
    pick_.checks_index = !options_.no_commit;
    pick_.takes_index = options_.no_commit;
    pick_.mainline = options_.mainline;
    if (options_.ff && (options_.signoff || options_.no_commit || options_.cites || options_.edit)) {
      return Error(Code::kInvalid, "cherry-pick: " + std::string(options_.signoff ? "--signoff" : options_.no_commit ? "--no-commit" : options_.cites ? "-x" : "--edit") + " cannot be used with --ff");
    }
    return {};
  }

  Result<ExitStatus> Start(const Args& args) {
    if (args.operands.empty()) {
      git_.Say(std::string("usage: git ") + verb_ + " [--edit] [-n] [-m <parent-number>] [-s]" + (reverts_ ? "" : " [-x] [--ff]") + " <commit>...\n   or: git " + verb_ + " (--continue | --skip | --abort | --quit)\n\n");
      return 129;
    }
    Selection selection;
    for (const std::string& operand : args.operands) {
      std::string name = operand;
      if (name == "-") name = PreviousBranch(git_, 1).value_or("-");
      PADDOCK_ASSIGN(const bool taken, TakeRevision(git_, name, selection));
      if (!taken) return Error(Code::kNoEntry, "bad revision '" + operand + "'");
    }
    std::vector<Oid> ids;
    for (const Oid& id : selection.included) {
      PADDOCK_ASSIGN(const Oid commit, git_.objects.Peel(id, ObjectType::kCommit));
      ids.push_back(commit);
    }
    if (!selection.excluded.empty()) {
      History history(git_);
      PADDOCK_ASSIGN(ids, WalkHistory(git_, history, selection, {.is_topological = true}));
      if (!reverts_) std::reverse(ids.begin(), ids.end());
      if (ids.empty()) {
        git_.Complain("empty commit set passed");
        return Failed();
      }
    }
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    if (index.HasConflicts()) {
      git_.Say(std::string("error: ") + (reverts_ ? "Reverting" : "Cherry-picking") + " is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n");
      return Failed();
    }
    if (ids.size() == 1 && selection.excluded.empty()) {
      PADDOCK_ASSIGN(const ExitStatus status, PickOne(ids[0]));
      return status;
    }
    if (HasState()) {
      const auto todo = vfs::ReadFile(git_.in.fs, StatePath("todo"), 16 << 20);
      const std::string under_way = todo && todo->starts_with("revert") ? "revert" : "cherry-pick";
      const bool may_skip = git_.refs.Exists(under_way == "revert" ? "REVERT_HEAD" : "CHERRY_PICK_HEAD");
      git_.Say("error: " + under_way + " is already in progress\nhint: try \"git " + under_way + " (--continue | " + (may_skip ? "--skip | " : "") + "--abort | --quit)\"\n");
      return Failed();
    }
    const auto head = git_.Head();
    if (!head && reverts_) {
      git_.Complain("can't revert as initial commit");
      return Failed();
    }
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, git_.GitPath("sequencer")));
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, StatePath("head"), head.value_or(Oid{}).Hex() + "\n"));
    PADDOCK_TRY(WriteOptions());
    return PickRest(ids);
  }

  Status WriteOptions() {
    std::string text;
    const auto flag = [&text](bool is_set, const char* name) {
      if (is_set) text += std::string("\t") + name + " = true\n";
    };
    flag(options_.no_commit, "no-commit");
    if (options_.edit || options_.no_edit) text += std::string("\tedit = ") + (options_.edit ? "true" : "false") + "\n";
    flag(options_.allow_empty, "allow-empty");
    flag(options_.allow_empty_message, "allow-empty-message");
    flag(options_.keeps_redundant, "keep-redundant-commits");
    flag(options_.signoff, "signoff");
    flag(options_.cites, "record-origin");
    flag(options_.ff, "allow-ff");
    if (options_.mainline > 0) text += "\tmainline = " + std::to_string(options_.mainline) + "\n";
    if (!options_.strategies.empty()) text += "\tstrategy = " + options_.strategies.back() + "\n";
    if (options_.gpg_sign && !options_.no_gpg_sign) text += "\tgpg-sign = " + *options_.gpg_sign + "\n";
    if (options_.rerere || options_.no_rerere) text += std::string("\tallow-rerere-auto = ") + (options_.rerere ? "true" : "false") + "\n";
    for (const std::string& option : options_.strategy_options) text += "\tstrategy-option = " + option + "\n";
    if (text.empty()) return {};
    return vfs::WriteFile(git_.in.fs, StatePath("opts"), "[options]\n" + text);
  }
  Status ReadOptions() {
    const auto text = vfs::ReadFile(git_.in.fs, StatePath("opts"), 1 << 20);
    if (!text) return {};
    PADDOCK_ASSIGN(const std::vector<ConfigEntry> entries, ParseConfig(*text, git_.in.budget));
    for (const ConfigEntry& entry : entries) {
      const bool is_true = entry.value.value_or("true") == "true";
      if (entry.key == "options.no-commit") options_.no_commit = is_true;
      if (entry.key == "options.edit") (is_true ? options_.edit : options_.no_edit) = true;
      if (entry.key == "options.allow-empty") options_.allow_empty = is_true;
      if (entry.key == "options.allow-empty-message") options_.allow_empty_message = is_true;
      if (entry.key == "options.keep-redundant-commits") options_.keeps_redundant = is_true;
      if (entry.key == "options.gpg-sign") options_.gpg_sign = git_.signing_key = entry.value.value_or("");
      if (entry.key == "options.signoff") options_.signoff = is_true;
      if (entry.key == "options.record-origin") options_.cites = is_true;
      if (entry.key == "options.allow-ff") options_.ff = is_true;
      if (entry.key == "options.mainline") PADDOCK_TRY(ParseOptionValue(entry.value.value_or(""), options_.mainline));
      if (entry.key == "options.strategy") options_.strategies = {entry.value.value_or("")};
      if (entry.key == "options.strategy-option") options_.strategy_options.push_back(entry.value.value_or(""));
    }
    return ReadStyle();
  }

  // The commits that are left, the one that stopped first.
  Result<std::vector<Oid>> ReadTodo() {
    PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git_.in.fs, StatePath("todo"), 16 << 20));
    std::vector<Oid> ids;
    for (size_t at = 0; at < text.size();) {
      git_.in.budget.Step();
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      const size_t space = line.find(' ');
      if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
      const std::string name = line.substr(space + 1, line.find(' ', space + 1) - space - 1);
      PADDOCK_ASSIGN(const Oid id, ResolveCommit(git_, name));
      ids.push_back(id);
    }
    return ids;
  }
  Status WriteTodo(const std::vector<Oid>& ids, size_t from) {
    std::string text;
    for (size_t i = from; i < ids.size(); ++i) {
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(ids[i]));
      text += std::string(reverts_ ? "revert " : "pick ") + git_.objects.Abbreviate(ids[i]) + " " + SubjectOf(commit.message) + "\n";
    }
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, StatePath("todo"), text));
    return vfs::WriteFile(git_.in.fs, StatePath("abort-safety"), git_.Head().value_or(Oid{}).Hex() + "\n");
  }

  Result<ExitStatus> PickRest(const std::vector<Oid>& ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      git_.in.budget.Step();
      PADDOCK_TRY(WriteTodo(ids, i));
      PADDOCK_ASSIGN(const ExitStatus status, PickOne(ids[i]));
      if (status != 0) return status;
    }
    RemoveState();
    return 0;
  }

  // Whether there is something to go on with.
  bool IsUnderWay() { return git_.refs.Exists("CHERRY_PICK_HEAD") || git_.refs.Exists("REVERT_HEAD") || HasState(); }

  Result<ExitStatus> Continue() {
    if (!IsUnderWay()) {
      git_.Complain("no cherry-pick or revert in progress");
      return Failed();
    }
    std::vector<Oid> rest;
    const bool has_state = HasState();
    if (has_state) {
      PADDOCK_TRY(ReadOptions());
      PADDOCK_ASSIGN(rest, ReadTodo());
    }
    if (git_.refs.Exists("CHERRY_PICK_HEAD") || git_.refs.Exists("REVERT_HEAD")) {
      std::vector<std::string> command = {"commit"};
      if (options_.no_edit && !options_.edit) command.push_back("--no-edit");
      if (options_.cleanup.empty() && (options_.no_edit && !options_.edit)) command.push_back("--cleanup=strip");
      if (!options_.cleanup.empty()) command.push_back("--cleanup=" + options_.cleanup);
      if (options_.keeps_redundant || options_.allow_empty) command.push_back("--allow-empty");
      command.push_back(git_.signing_key ? "-S" + *git_.signing_key : "--no-gpg-sign");
      if (const ExitStatus status = RunGit(git_, command); status != 0) return status;
    }
    if (!has_state) return 0;
    if (!rest.empty()) rest.erase(rest.begin());
    return PickRest(rest);
  }

  Result<ExitStatus> Skip() {
    if (!git_.refs.Exists(marker_)) {
      const bool other = git_.refs.Exists(reverts_ ? "CHERRY_PICK_HEAD" : "REVERT_HEAD");
      if (!HasState() || other) {
        git_.Complain(std::string("no ") + verb_ + " in progress");
        return Failed();
      }
      const auto safe = vfs::ReadFile(git_.in.fs, StatePath("abort-safety"), 100);
      if (!safe || safe->substr(0, 40) != git_.Head().value_or(Oid{}).Hex()) {
        git_.Say("error: there is nothing to skip\nhint: have you committed already?\nhint: try \"git " + verb_ + " --continue\"\n");
        return Failed();
      }
    }
    std::vector<Oid> rest;
    const bool has_state = HasState();
    if (has_state) {
      PADDOCK_TRY(ReadOptions());
      PADDOCK_ASSIGN(rest, ReadTodo());
    }
    PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
    PADDOCK_ASSIGN(const bool done, BackToCommit(git_, head));
    if (!done) {
      git_.Complain("failed to skip the commit");
      return Failed();
    }
    PADDOCK_TRY(git_.refs.WriteDirect("ORIG_HEAD", head));
    PADDOCK_TRY(git_.refs.Write("HEAD", head, git_.Who(), "reset: moving to " + head.Hex()));
    ForgetMerge(git_);
    if (!has_state) return 0;
    if (!rest.empty()) rest.erase(rest.begin());
    return PickRest(rest);
  }

  Result<ExitStatus> Abort() {
    if (!IsUnderWay()) {
      git_.Complain("no cherry-pick or revert in progress");
      return Failed();
    }
    auto target = git_.Head();
    if (HasState()) {
      const auto text = vfs::ReadFile(git_.in.fs, StatePath("head"), 100), safe = vfs::ReadFile(git_.in.fs, StatePath("abort-safety"), 100);
      if (safe && safe->substr(0, 40) != target.value_or(Oid{}).Hex()) {
        git_.Warn("You seem to have moved HEAD. Not rewinding, check your HEAD!");
        RemoveState();
        ForgetMerge(git_);
        return 0;
      }
      if (const auto id = text ? Oid::FromHex(std::string_view(*text).substr(0, 40)) : std::nullopt) target = id;
    }
    if (!target || *target == Oid{}) {
      git_.Complain("cannot abort from a branch yet to be born");
      return Failed();
    }
    PADDOCK_ASSIGN(const bool done, BackToCommit(git_, *target));
    if (!done) return Failed();
    if (const auto head = git_.Head()) PADDOCK_TRY(git_.refs.WriteDirect("ORIG_HEAD", *head));
    PADDOCK_TRY(git_.refs.Write("HEAD", *target, git_.Who(), "reset: moving to " + target->Hex()));
    RemoveState();
    ForgetMerge(git_);
    return 0;
  }

  std::string MessageOf(const Commit& commit, const Oid& id) {
    if (reverts_) {
      const std::string subject = SubjectOf(commit.message);
      std::string text = options_.reference ? "# *** SAY WHY WE ARE REVERTING ON THE TITLE LINE ***" : "Revert \"" + subject + "\"";
      const auto named = [&](const Oid& which, const Commit& of) {
        return options_.reference ? git_.objects.Abbreviate(which) + " (" + SubjectOf(of.message) + ", " + DateText(git_, ParseSignature(of.author), "short") + ")" : which.Hex();
      };
      text += "\n\nThis reverts commit " + named(id, commit);
      if (commit.parents.size() > 1 && options_.mainline > 0) {
        const Oid& parent = commit.parents[static_cast<size_t>(options_.mainline - 1)];
        const auto read = git_.objects.ReadCommit(parent);
        text += ", reversing\nchanges made to " + (read ? named(parent, *read) : parent.Hex());
      }
      return text + ".\n";
    }
    std::string text = commit.message;
    if (options_.cites) {
      text = CleanMessage(text, false);
      const std::string line = "(cherry picked from commit " + id.Hex() + ")\n";
      text += (EndsWithTrailers(text) ? "" : "\n") + line;
    }
    return text;
  }
  Status WriteMessage(const std::string& message, const TreeMerge& merge) { return vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message + ConflictList(merge)); }

  Result<ExitStatus> PickOne(const Oid& id) {
    const auto head = git_.Head();
    if (!head && reverts_) {
      git_.Complain("can't revert as initial commit");
      return Failed();
    }
    if (options_.ff) {
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(id));
      if (commit.parents.size() == (head ? 1u : 0u) && (!head || commit.parents[0] == *head)) {
        PADDOCK_ASSIGN(const bool done, ForwardTo(git_, id, "cherry-pick: fast-forward"));
        return done ? Result<ExitStatus>(0) : Failed();
      }
    }
    PADDOCK_ASSIGN(const Pick pick, ApplyPick(git_, id, head, pick_));
    if (!pick.is_applied) return Failed();
    std::string message = MessageOf(pick.commit, id);
    if (options_.signoff) {
      PADDOCK_ASSIGN(const std::string who, git_.Committer());
      message = WithSignoff(CleanMessage(message, false), ParseSignature(who));
    }
    const std::string subject = SubjectOf(pick.commit.message);
    const bool has_conflicts = !pick.merge.conflicts.empty();
    if (has_conflicts || options_.no_commit) {
      PADDOCK_TRY(WriteMessage(message, pick.merge));
      if (!options_.no_commit || reverts_) PADDOCK_TRY(git_.refs.WriteDirect(marker_, id));
      if (!has_conflicts) return 0;
      git_.Say(std::string("error: could not ") + (reverts_ ? "revert " : "apply ") + git_.objects.Abbreviate(id) + "... " + subject + "\n");
      if (options_.no_commit) {
        git_.Say("hint: after resolving the conflicts, mark the corrected paths\nhint: with 'git add <paths>' or 'git rm <paths>'\n");
      } else {
        git_.Say("hint: After resolving the conflicts, mark them with\nhint: \"git add/rm <pathspec>\", then run\nhint: \"git " + verb_ + " --continue\".\nhint: You can instead skip this commit with \"git " + verb_ +
                 " --skip\".\nhint: To abort and get back to the state before \"git " + verb_ + "\",\nhint: run \"git " + verb_ + " --abort\".\n");
      }
      PADDOCK_TRY(RememberConflicts(git_, StagesResolved(options_)));
      return 1;
    }
    if (pick.merge.tree == pick.ours) {
      PADDOCK_ASSIGN(const bool was_empty, WasEmpty(pick.commit));
      const bool is_kept = options_.keeps_redundant || (options_.allow_empty && was_empty);
      if (!is_kept) return StopAtEmpty(id, message);
    }
    return CommitPick(id, pick, message, head);
  }

  Result<bool> WasEmpty(const Commit& commit) {
    if (commit.parents.empty()) return false;
    PADDOCK_ASSIGN(const Commit parent, git_.objects.ReadCommit(commit.parents[0]));
    return parent.tree == commit.tree;
  }

  Result<ExitStatus> StopAtEmpty(const Oid& id, const std::string& message) {
    PADDOCK_TRY(git_.refs.WriteDirect(marker_, id));
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message));
    if (!reverts_) git_.Say(NowEmptyText("cherry-pick"));
    if (reverts_) static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath("REVERT_HEAD")).has_value());
    static_cast<void>(RunGit(git_, {"status"}));
    return 1;
  }

  Result<ExitStatus> CommitPick(const Oid& id, const Pick& pick, std::string message, const std::optional<Oid>& head) {
    if (options_.edit && !options_.no_edit) {
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message));
      std::vector<std::string> command = {"commit", "-e", "-F", git_.GitPath("MERGE_MSG"), "--allow-empty"};
      Environment environment = git_.in.env;
      if (!reverts_) PADDOCK_TRY(git_.refs.WriteDirect("CHERRY_PICK_HEAD", id));
      command.push_back(git_.signing_key ? "-S" + *git_.signing_key : "--no-gpg-sign");
      environment.Set("GIT_REFLOG_ACTION", verb_);
      return RunGit(git_, command, &environment);
    }
    Commit commit;
    PADDOCK_ASSIGN(commit.tree, TreeOf(git_, pick.merge.tree));
    if (head) commit.parents = {*head};
    commit.author = pick.commit.author;
    if (reverts_) {
      PADDOCK_ASSIGN(commit.author, git_.Author());
    }
    PADDOCK_ASSIGN(commit.committer, git_.Committer());
    commit.message = options_.cleanup.empty() || options_.cleanup == "verbatim" ? message : CleanMessage(message, options_.cleanup == "strip" || options_.cleanup == "default");
    if (commit.message.empty() && !options_.allow_empty_message) {
      git_.Say("Aborting commit due to empty commit message.\n");
      return 1;
    }
    const auto made = MakeCommit(git_, commit, verb_ + ": " + SubjectOf(commit.message));
    if (!made && git_.signing_key) {
      PADDOCK_TRY(WriteMessage(message, pick.merge));
      if (!reverts_) PADDOCK_TRY(git_.refs.WriteDirect(marker_, id));
      git_.Complain(made.error().Text());
      return Failed();
    }
    if (!made) return made.error();
    ForgetMerge(git_);
    PADDOCK_ASSIGN(const std::string summary, CommitSummary(git_, *made, true, !head));
    git_.Print(summary);
    return 0;
  }

  Git& git_;
  Options& options_;
  PickOptions pick_;
  bool reverts_;
  std::string verb_, marker_;
};

Result<ExitStatus> RunCherryPick(Git& git, Options& options, Args& args) { return Sequence(git, options, false).Run(args); }
Result<ExitStatus> RunRevert(Git& git, Options& options, Args& args) { return Sequence(git, options, true).Run(args); }

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kCherryPick, kRevert;
const Subcommand kCherryPick = DefineSubcommand<Options, RunCherryPick>({.name = "cherry-pick", .summary = "carry commits over", .synopsis = "[<options>] <commit>...\n(--continue | --skip | --abort | --quit)", .options = kPickOptions, .needs = Needs::kWorkTree});
const Subcommand kRevert = DefineSubcommand<Options, RunRevert>({.name = "revert", .summary = "take commits back", .synopsis = "[<options>] <commit>...\n(--continue | --skip | --abort | --quit)", .options = kRevertOptions, .needs = Needs::kWorkTree});

}  // namespace paddock::git
