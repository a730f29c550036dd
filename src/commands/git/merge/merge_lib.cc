// git merge.
#include <algorithm>

#include "commands/git/history/pretty.h"
#include "commands/git/hooks.h"
#include "commands/git/merge/merge.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/objects/signature_check.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/worktree.h"
#include "commands/input_files.h"
#include "proc/process.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct MergeOptions {
  std::vector<std::string> messages, strategies, strategy_options;
  std::string file, cleanup, into_name;
  std::optional<int64_t> log;
  std::optional<std::string> gpg_sign;
  std::optional<bool> wants_signed;
  bool no_gpg_sign = false;
  bool no_ff = false, ff_only = false, ff = false, squash = false, no_squash = false, no_commit = false, commit = false, abort = false, proceeds = false, quits = false, quiet = false, verbose = false;
  bool no_edit = false, edit = false, no_stat = false, stat = false, allows_unrelated = false, autostash = false, no_autostash = false, signoff = false, no_verify = false, no_log = false, no_overwrite = false, rerere = false, no_rerere = false;

  bool makes_autostash(const Config& config) const { return !no_autostash && (autostash || config.GetBool("merge.autostash", false)); }
};
Status TakeNothing(MergeOptions&, std::string_view) { return {}; }
Status TakeLog(MergeOptions& options, std::string_view value) {
  int64_t count = 20;
  if (!value.empty()) PADDOCK_TRY(ParseOptionValue(value, count));
  options.log = count;
  return {};
}
constexpr Option kMergeOptions[] = {
    Flag<&MergeOptions::no_stat>('n', "no-stat", "do not show what changed"),
    Flag<&MergeOptions::stat>(0, "stat", "show what changed (the default)"),
    Flag<&MergeOptions::stat>(0, "summary", "likewise"),
    CallOptional<TakeLog>(0, "log", "N", "name (at most N) commits in the message"),
    Flag<&MergeOptions::no_log>(0, "no-log", "name none (the default)"),
    Flag<&MergeOptions::squash>(0, "squash", "only change the files"),
    Flag<&MergeOptions::no_squash>(0, "no-squash", "a merge (the default)"),
    Flag<&MergeOptions::commit>(0, "commit", "commit the merge (the default)"),
    Flag<&MergeOptions::no_commit>(0, "no-commit", "stop before the commit"),
    Flag<&MergeOptions::edit>('e', "edit", "edit the message"),
    Flag<&MergeOptions::no_edit>(0, "no-edit", "take the message as it is"),
    Value<&MergeOptions::cleanup>(0, "cleanup", "MODE", "strip, whitespace, verbatim, scissors or default"),
    Flag<&MergeOptions::ff>(0, "ff", "no commit where none is needed (the default)"),
    Flag<&MergeOptions::no_ff>(0, "no-ff", "make a commit in any case"),
    Flag<&MergeOptions::ff_only>(0, "ff-only", "only if no commit is needed"),
    Value<&MergeOptions::strategies>('s', "strategy", "NAME", "ort, recursive, resolve, ours or octopus (for several heads)"),
    Value<&MergeOptions::strategy_options>('X', "strategy-option", "OPTION", "ours, theirs, ignore-space-change, ignore-all-space, ignore-space-at-eol, ignore-cr-at-eol, no-renames, find-renames[=N]; patience, histogram, diff-algorithm=NAME (ort always takes histogram)"),
    Value<&MergeOptions::messages>('m', "message", "TEXT", "the message of the merge"),
    Value<&MergeOptions::file>('F', "file", "FILE", "the message is in FILE (-: standard input)"),
    Value<&MergeOptions::into_name>(0, "into-name", "NAME", "what the message calls the branch"),
    Flag<&MergeOptions::verbose>('v', "verbose", "say more"),
    Flag<&MergeOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&MergeOptions::abort>(0, "abort", "go back to before the merge"),
    Flag<&MergeOptions::quits>(0, "quit", "forget the merge, leave the files as they are"),
    Flag<&MergeOptions::proceeds>(0, "continue", "commit what was resolved"),
    Flag<&MergeOptions::allows_unrelated>(0, "allow-unrelated-histories", "even if the histories have nothing in common"),
    Flag<&MergeOptions::autostash>(0, "autostash", "put local changes aside meanwhile"),
    Flag<&MergeOptions::no_autostash>(0, "no-autostash", "do not (the default)"),
    Flag<&MergeOptions::no_overwrite>(0, "no-overwrite-ignore", "ignored files are in the way of a fast-forward, too"),
    Call<TakeNothing>(0, "overwrite-ignore", nullptr, "they may be replaced (the default)"),
    Flag<&MergeOptions::rerere>(0, "rerere-autoupdate", "put into the index what is resolved as before"),
    Flag<&MergeOptions::no_rerere>(0, "no-rerere-autoupdate", "do not"),
    SigningOptions<MergeOptions>()[0],
    SigningOptions<MergeOptions>()[1],
    Call<TakeNothing>(0, "progress", nullptr, "show progress (of what takes more than two seconds, which nothing does)"),
    Call<TakeNothing>(0, "no-progress", nullptr, "show no progress (none is shown where there is no terminal)"),
    Flag<&MergeOptions::signoff>(0, "signoff", "add a Signed-off-by line"),
    Flag<&MergeOptions::no_verify>(0, "no-verify", "without the hook pre-merge-commit"),
    Set<&MergeOptions::wants_signed, true>(0, "verify-signatures", "only what gpg.program finds well signed"),
    Set<&MergeOptions::wants_signed, false>(0, "no-verify-signatures", "also what is not (the default)"),
};

Status ShowMergeStat(Git& git, const FlatTree& before, const FlatTree& after) {
  std::vector<FileDiff> files = CompareTrees(before, after);
  DiffOptions options;
  options.stat = options.summary = true;
  Pathspec all;
  PADDOCK_TRY(Arrange(git, files, options, all));
  PADDOCK_ASSIGN(const std::string text, FormatDiff(git, files, options));
  git.Print(text);
  return {};
}

// The branch that "a^^" or "a~2" begins with: "'a' (early part)", "'a'" for a~0. Nothing for another name.
std::optional<std::string> PartOfBranch(Git& git, const std::string& name) {
  size_t end = name.find_last_not_of('^') + 1;
  bool is_early = end < name.size();
  if (!is_early) {
    const size_t tilde = name.rfind('~');
    if (tilde == std::string::npos || name.find_first_not_of("0123456789", tilde + 1) != std::string::npos) return std::nullopt;
    is_early = tilde + 1 == name.size() || name.find_first_not_of('0', tilde + 1) != std::string::npos;
    end = tilde;
  }
  const std::string branch = name.substr(0, end);
  if (!IsRefName("refs/heads/" + branch) || !git.refs.Exists("refs/heads/" + branch)) return std::nullopt;
  return "'" + branch + "'" + (is_early ? " (early part)" : "");
}

// "branch 'a'", "branches 'a', 'b' and 'c', tag 'd'".
std::string NamesOfHeads(Git& git, const std::vector<std::string>& names) {
  struct Kind {
    const char *prefix, *one, *many;
    std::vector<std::string> names;
  };
  Kind kinds[] = {{"refs/heads/", "branch", "branches", {}}, {"refs/remotes/", "remote-tracking branch", "remote-tracking branches", {}}, {"refs/tags/", "tag", "tags", {}}, {"", "commit", "commits", {}}};
  for (const std::string& name : names) {
    const std::string ref = FindRef(git, name).value_or("");
    if (const auto part = ref.empty() ? PartOfBranch(git, name) : std::nullopt) {
      kinds[0].names.push_back(*part);
      continue;
    }
    const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&ref](const Kind& one) { return *one.prefix == '\0' || ref.starts_with(one.prefix); });
    kind->names.push_back("'" + name + "'");
  }
  std::string text;
  for (const Kind& kind : kinds) {
    if (kind.names.empty()) continue;
    text += (text.empty() ? "" : ", ") + std::string(kind.names.size() == 1 ? kind.one : kind.many) + " ";
    for (size_t i = 0; i < kind.names.size(); ++i) text += (i == 0 ? "" : i + 1 == kind.names.size() ? " and " : ", ") + kind.names[i];
  }
  return text;
}

std::string MergeTitle(Git& git, const MergeOptions& options, const std::vector<std::string>& names) {
  const std::string what = NamesOfHeads(git, names);
  const std::string into = options.into_name.empty() ? ShortRef(git.HeadBranch().value_or("HEAD")) : options.into_name;
  return "Merge " + what + (into == "master" || into == "main" ? "" : " into " + into) + "\n";
}

struct Plan {
  std::string name, strategy = "ort";
  std::vector<std::string> names;   // of all that is merged
  std::vector<Oid> heads;           // likewise
  Oid head, theirs;
  FlatTree our_files, their_files;
};

// How a head is told above its subjects: what was fetched has the name that it has there.
std::string LabelOf(Git& git, const std::string& name) {
  const auto fetched = name.size() == 40 ? vfs::ReadFile(git.in.fs, git.GitPath("FETCH_HEAD"), 16 << 20) : Result<std::string>(Code::kNoEntry);
  const size_t at = fetched ? fetched->find(name + "\t\t") : std::string::npos;
  if (at == std::string::npos) return name;
  const std::string line = fetched->substr(at + 42, fetched->find('\n', at) - at - 42);
  return line.starts_with("branch ") ? line.substr(7) : line;
}

// The subjects of what comes in, for --log.
Result<std::string> CommitNames(Git& git, History& history, const Plan& plan, size_t head, size_t most) {
  Selection selection;
  selection.included = {plan.heads[head]};
  selection.excluded = {plan.head};
  PADDOCK_ASSIGN(const std::vector<Oid> commits, WalkHistory(git, history, selection, {}));
  std::vector<std::string> subjects;
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (node->commit.parents.size() < 2) subjects.push_back(SubjectOf(node->commit.message));
  }
  std::string text = "\n* " + LabelOf(git, plan.names[head]) + ":" + (subjects.size() > most ? " (" + std::to_string(subjects.size()) + " commits)" : "") + "\n";
  for (size_t i = 0; i < subjects.size() && i < most; ++i) text += "  " + subjects[i] + "\n";
  if (subjects.size() > most) text += "  ...\n";
  return text;
}

Result<std::string> MessageOf(Git& git, History& history, const MergeOptions& options, const Plan& plan) {
  std::string message;
  for (const std::string& part : options.messages) {
    if (!message.empty()) message += message.ends_with('\n') ? "\n" : "\n\n";
    message += part;
  }
  const bool is_whole = options.cleanup == "verbatim" && !options.log && !options.signoff;
  if (!message.empty() && !message.ends_with('\n') && !is_whole) message += '\n';
  if (!options.file.empty()) {
    auto input = InputFile::Open(git.in, options.file);
    if (!input) return Error(input.error().code, "could not read file '" + options.file + "': " + std::string(input.error().Text()));
    message += input->input().ReadAll();
  }
  if (message.empty()) message = MergeTitle(git, options, plan.names);
  if (options.log && *options.log > 0) {
    for (size_t i = 0; i < plan.heads.size(); ++i) {
      PADDOCK_ASSIGN(const std::string names, CommitNames(git, history, plan, i, static_cast<size_t>(*options.log)));
      message += names;
    }
  }
  if (options.signoff) {
    PADDOCK_ASSIGN(const std::string who, git.Committer());
    message = WithSignoff(CleanMessage(message, false), ParseSignature(who));
  }
  return message;
}

// What a squash prepares for the commit to come.
Status WriteSquashMessage(Git& git, History& history, const Plan& plan) {
  Selection selection;
  selection.included = plan.heads;
  selection.excluded = {plan.head};
  PADDOCK_ASSIGN(const std::vector<Oid> commits, WalkHistory(git, history, selection, {}));
  std::string text = "Squashed commit of the following:\n";
  for (const Oid& id : commits) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (node->commit.parents.size() > 1) continue;
    const Signature author = ParseSignature(node->commit.author);
    text += "\ncommit " + id.Hex() + "\nAuthor: " + author.name + " <" + author.email + ">\nDate:   " + DateText(git, author, "default") + "\n\n";
    const std::string clean = CleanMessage(node->commit.message, false);
    for (size_t at = 0; at < clean.size();) {
      const size_t end = clean.find('\n', at);
      text += "    " + clean.substr(at, end - at) + "\n";
      at = end == std::string::npos ? clean.size() : end + 1;
    }
  }
  return vfs::WriteFile(git.in.fs, git.GitPath("SQUASH_MSG"), text);
}

Result<ExitStatus> FastForward(Git& git, History& history, const MergeOptions& options, const Plan& plan) {
  if (!options.quiet) git.Print("Updating " + git.objects.Abbreviate(plan.head) + ".." + git.objects.Abbreviate(plan.theirs) + "\n");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, plan.our_files, plan.their_files, index, "merge", false, options.no_overwrite));
  if (!done) {
    PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
    return 1;
  }
  PADDOCK_TRY(git.WriteIndex(index));
  const bool has_message = !options.messages.empty() || !options.file.empty();
  const std::string told = std::string("Fast-forward") + (has_message ? " (no commit created; -m option ignored)" : "");
  if (!options.quiet) git.Print(told + "\n");
  if (options.squash) {
    PADDOCK_TRY(WriteSquashMessage(git, history, plan));
    if (!options.quiet) git.Print("Squash commit -- not updating HEAD\n");
  } else {
    const std::string action(git.in.env.Get("GIT_REFLOG_ACTION", "merge " + plan.name));
    PADDOCK_TRY(git.refs.Write("HEAD", plan.theirs, git.Who(), action + ": " + told));
  }
  if (!options.quiet && !options.no_stat) PADDOCK_TRY(ShowMergeStat(git, plan.our_files, plan.their_files));
  PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
  return 0;
}

constexpr std::string_view kScissorsLine = "# ------------------------ >8 ------------------------\n";

// The message as the editor leaves it; empty: no merge. Errors: kConflict, told, when the editor fails.
Result<std::string> EditMessage(Git& git, const MergeOptions& options, const std::string& message) {
  const std::string path = git.GitPath("MERGE_MSG");
  const std::string scissors = options.cleanup == "scissors" ? "\n" + std::string(kScissorsLine) + "# Do not modify or remove the line above.\n# Everything below it will be ignored.\n#" : "";
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, message + scissors + "\n# Please enter a commit message to explain why this merge is necessary,\n# especially if it merges an updated upstream into a topic branch.\n" +
                             std::string(options.cleanup == "scissors" ? "#\n# An empty message aborts the commit.\n" : "#\n# Lines starting with '#' will be ignored, and an empty message aborts\n# the commit.\n")));
  if (const Status edited = git.Edit(path); !edited) return Error(Code::kConflict);
  PADDOCK_ASSIGN(std::string text, vfs::ReadFile(git.in.fs, path, 16 << 20));
  if (options.cleanup == "scissors") {
    if (const size_t cut = text.find(kScissorsLine); cut != std::string::npos && (cut == 0 || text[cut - 1] == '\n')) text.resize(cut);
    return CleanMessage(text, false);
  }
  return options.cleanup == "verbatim" ? text : CleanMessage(text, options.cleanup != "whitespace");
}

// What git commit will need to make the merge.
Status KeepMergeHeads(Git& git, const MergeOptions& options, const Plan& plan) {
  std::string text;
  for (const Oid& id : plan.heads) text += id.Hex() + "\n";
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_HEAD"), text));
  return vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MODE"), options.no_ff ? "no-ff" : "");
}

// Merges one head after the other into the files, as git-merge-octopus does. Nothing: it failed, which is told.
Result<std::optional<TreeMerge>> Octopus(Git& git, History& history, const Plan& plan) {
  TreeMerge merge;
  merge.tree = plan.our_files;
  std::vector<Oid> merged = {plan.head};
  bool goes_forward = true;
  PADDOCK_ASSIGN(MergeStyle style, ConfiguredStyle(git));   // it asks nobody's -X
  style.finds_renames = false;
  for (size_t i = 0; i < plan.heads.size(); ++i) {
    git.in.budget.Step();
    if (!merge.conflicts.empty()) {
      git.Print("Automated merge did not work.\nShould not be doing an octopus.\n");
      return std::optional<TreeMerge>();
    }
    const Oid& head = plan.heads[i];
    bool is_in = false;
    for (const Oid& one : merged) {
      PADDOCK_ASSIGN(const bool is_ancestor, history.IsAncestor(head, one));
      is_in = is_in || is_ancestor;
    }
    if (is_in) {
      git.Print("Already up to date with " + plan.names[i] + "\n");
      continue;
    }
    std::vector<Oid> bases;
    for (const Oid& one : merged) {
      PADDOCK_ASSIGN(const std::vector<Oid> found, history.MergeBases(head, one));
      bases.insert(bases.end(), found.begin(), found.end());
    }
    if (bases.empty()) return Error(Code::kInvalid, "Unable to find common commit with " + plan.names[i]);
    PADDOCK_ASSIGN(const FlatTree theirs, git.FlattenCommit(head));
    if (goes_forward && merged.size() == 1 && bases[0] == merged[0]) {
      git.Print("Fast-forwarding to: " + plan.names[i] + "\n");
      merge.tree = theirs;
      merged = {head};
      continue;
    }
    goes_forward = false;
    git.Print("Trying simple merge with " + plan.names[i] + "\n");
    // The best of the bases is one that no other leads from.
    Oid base_id = bases[0];
    for (const Oid& other : bases) {
      PADDOCK_ASSIGN(const bool is_newer, history.IsAncestor(base_id, other));
      if (is_newer) base_id = other;
    }
    PADDOCK_ASSIGN(FlatTree base, git.FlattenCommit(base_id));
    PADDOCK_ASSIGN(TreeMerge next, MergeTrees(git, std::move(base), merge.tree, theirs, {"HEAD", plan.names[i], "base"}, style));
    if (!next.messages.empty()) git.Print("Simple merge did not work, trying automatic merge.\n");
    for (const std::string_view line : SplitLines(next.messages)) {
      if (line.starts_with("Auto-merging ")) git.Print(line);
    }
    for (const auto& [path, conflict] : next.conflicts) git.Say("ERROR: content conflict in " + path + "\n");
    if (!next.conflicts.empty()) git.Say("fatal: merge program failed\n");
    merge = std::move(next);
    merged.push_back(head);
  }
  merge.messages.clear();
  return std::optional<TreeMerge>(std::move(merge));
}

// Whether one of the heads has HEAD behind it: then HEAD is no parent of the merge, unless a commit on top of it is asked for.
Result<bool> IsSubsumed(History& history, const MergeOptions& options, const Plan& plan) {
  if (options.no_ff || plan.strategy == "ours") return false;
  for (const Oid& head : plan.heads) {
    PADDOCK_ASSIGN(const bool is_behind, history.IsAncestor(plan.head, head));
    if (is_behind) return true;
  }
  return false;
}

Result<ExitStatus> ThreeWays(Git& git, History& history, const MergeOptions& options, const Plan& plan, const std::vector<Oid>& bases) {
  TreeMerge merge;
  if (plan.strategy == "ours") {
    merge.tree = plan.our_files;
  } else if (plan.strategy == "octopus") {
    PADDOCK_ASSIGN(auto made, Octopus(git, history, plan));
    if (!made) {
      PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
      git.Say("Merge with strategy octopus failed.\n");
      return 2;
    }
    merge = std::move(*made);
  } else {
    PADDOCK_ASSIGN(const MergeStyle style, StrategyStyle(git, plan.strategy, options.strategy_options));
    PADDOCK_ASSIGN(FlatTree base, BaseFiles(git, history, bases, style));
    const std::string base_name = bases.empty() ? "empty tree" : bases.size() > 1 ? "merged common ancestors" : git.objects.Abbreviate(bases[0]);
    PADDOCK_ASSIGN(merge, MergeTrees(git, std::move(base), plan.our_files, plan.their_files, {"HEAD", plan.name, base_name}, style));
  }
  PADDOCK_ASSIGN(const bool done, ApplyMerge(git, plan.our_files, merge, "merge"));
  if (!done) {
    PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
    git.Say("Merge with strategy " + plan.strategy + " failed.\n");
    return 2;
  }
  git.Print(merge.messages);
  PADDOCK_ASSIGN(std::string message, MessageOf(git, history, options, plan));
  const bool has_conflicts = !merge.conflicts.empty();
  if (options.squash || options.no_commit || has_conflicts) {
    if (!has_conflicts && plan.strategy == "ort") PADDOCK_TRY(KeepMergedTree(git, merge.tree));
    if (options.squash) {
      PADDOCK_TRY(WriteSquashMessage(git, history, plan));
      git.Print("Squash commit -- not updating HEAD\n");
      if (has_conflicts) PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MSG"), ConflictList(merge)));
    } else {
      PADDOCK_TRY(KeepMergeHeads(git, options, plan));
      PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MSG"), message + ConflictList(merge)));
    }
    if (has_conflicts) {
      PADDOCK_TRY(RememberConflicts(git, StagesResolved(options)));
      git.Print("Automatic merge failed; fix conflicts and then commit the result.\n");
    } else {
      git.Say("Automatic merge went well; stopped before committing as requested\n");
    }
    if (options.makes_autostash(git.config)) git.Print("When finished, apply stashed changes with `git stash pop`\n");
    return has_conflicts ? 1 : 0;
  }
  if (!options.no_verify && RunHook(git, "pre-merge-commit") != 0) {
    PADDOCK_TRY(KeepMergeHeads(git, options, plan));
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("MERGE_MSG"), message));
    git.Say("Not committing merge; use 'git commit' to complete the merge.\n");
    return 1;
  }
  Commit commit;
  PADDOCK_ASSIGN(commit.tree, TreeOf(git, merge.tree));
  PADDOCK_ASSIGN(const bool is_subsumed, IsSubsumed(history, options, plan));
  if (!is_subsumed) commit.parents = {plan.head};
  commit.parents.insert(commit.parents.end(), plan.heads.begin(), plan.heads.end());
  PADDOCK_ASSIGN(commit.author, git.Author());
  PADDOCK_ASSIGN(commit.committer, git.Committer());
  if (options.edit) {
    auto edited = EditMessage(git, options, message);
    if (!edited && edited.error().code != Code::kConflict) return edited.error();
    message = edited ? *edited : "";
    if (message.empty()) {
      PADDOCK_TRY(KeepMergeHeads(git, options, plan));
      git.Say(std::string(edited ? "error: Empty commit message.\n" : "") + "Not committing merge; use 'git commit' to complete the merge.\n");
      return 1;
    }
  } else if (options.cleanup != "verbatim") {
    message = CleanMessage(message, options.cleanup == "strip");
  }
  commit.message = message;
  std::string all_names;
  for (const std::string& name : plan.names) all_names += " " + name;
  const std::string action(git.in.env.Get("GIT_REFLOG_ACTION", "merge" + all_names));
  const std::string told = "Merge made by the '" + plan.strategy + "' strategy.";
  PADDOCK_TRY(MakeCommit(git, commit, action + ": " + told));
  static_cast<void>(git.in.fs.RemoveFile(git.GitPath("MERGE_MSG")).has_value());
  if (!options.quiet) git.Print(told + "\n");
  if (!options.quiet && !options.no_stat) PADDOCK_TRY(ShowMergeStat(git, plan.our_files, merge.tree));
  PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
  return 0;
}

// A branch without a commit takes what it is given.
Result<ExitStatus> MergeIntoNothing(Git& git, const MergeOptions& options, const Oid& theirs) {
  if (options.squash) return Error(Code::kInvalid, "Squash commit into empty head not supported yet");
  if (options.no_ff) return Error(Code::kInvalid, "Non-fast-forward commit does not make sense into an empty head");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(theirs));
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, files, index, "merge", false));
  if (!done) return 1;
  PADDOCK_TRY(git.WriteIndex(index));
  PADDOCK_TRY(git.refs.Write("HEAD", theirs, git.Who(), "initial pull"));
  return 0;
}

Result<ExitStatus> EndMerge(Git& git, const MergeOptions& options) {
  const bool is_merging = git.refs.Exists("MERGE_HEAD");
  if (options.abort) {
    if (!is_merging) return Error(Code::kInvalid, "There is no merge to abort (MERGE_HEAD missing).");
    PADDOCK_ASSIGN(const Oid head, git.RequireHead());
    PADDOCK_ASSIGN(const bool done, BackToCommit(git, head));
    if (!done) return Error(Code::kInvalid, "Could not reset index file to revision 'HEAD'.");
    ForgetMerge(git);
    PADDOCK_TRY(ApplyAutostash(git, "MERGE_AUTOSTASH"));
    return 0;
  }
  if (options.quits) {
    PADDOCK_TRY(KeepAutostash(git, "MERGE_AUTOSTASH"));
    ForgetMerge(git);
    return 0;
  }
  if (!is_merging) return Error(Code::kInvalid, "There is no merge in progress (MERGE_HEAD missing).");
  ChildSpec spec{.args = {"git", "commit"}, .environment = &git.in.env};
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 128;
}

// What is to be merged; nothing when `status` says all.
Result<std::optional<Oid>> WhatToMerge(Git& git, Args& args, std::string& name, ExitStatus& status) {
  if (args.operands.empty()) {
    const auto branch = git.HeadBranch();
    if (!branch) return Error(Code::kNoEntry, "No current branch.");
    const auto upstream = UpstreamOf(git, ShortRef(*branch));
    if (!upstream) return Error(Code::kNoEntry, git.config.Get("branch." + ShortRef(*branch) + ".remote") ? "No default upstream defined for the current branch." : "No remote for the current branch.");
    name = ShortRef(*upstream);
  } else {
    name = args.operands[0];
    if (name == "-") name = PreviousBranch(git, 1).value_or("-");
  }
  auto object = ResolveObject(git, name);
  if (!object) {
    git.Say("merge: " + name + " - not something we can merge\n");
    const auto remote = git.refs.Read("refs/remotes/origin/" + name);
    if (remote) git.Say("\nDid you mean this?\n\torigin/" + name + "\n");
    status = 1;
    return std::optional<Oid>();
  }
  PADDOCK_ASSIGN(const Oid commit, git.objects.Peel(*object, ObjectType::kCommit));
  return std::optional<Oid>(commit);
}

Status ReadStrategies(const MergeOptions& options, Plan& plan) {
  if (options.strategies.size() > 1) return Error(Code::kNotSupported, "only one strategy at a time is supported");
  if (!options.strategies.empty()) plan.strategy = options.strategies[0];
  if (plan.strategy == "subtree") return Error(Code::kNotSupported, "merge strategy '" + plan.strategy + "' is not supported");
  return {};
}

// Heads that HEAD or another of them leads to need no merge.
Status LeaveOutReached(Git& git, History& history, Plan& plan) {
  std::vector<Oid> heads;
  std::vector<std::string> names;
  for (size_t i = 0; i < plan.heads.size(); ++i) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(bool is_reached, history.IsAncestor(plan.heads[i], plan.head));
    for (size_t k = 0; k < plan.heads.size() && !is_reached; ++k) {
      if (plan.heads[k] == plan.heads[i]) {
        is_reached = k < i;
        continue;
      }
      PADDOCK_ASSIGN(is_reached, history.IsAncestor(plan.heads[i], plan.heads[k]));
    }
    if (is_reached) continue;
    heads.push_back(plan.heads[i]);
    names.push_back(plan.names[i]);
  }
  plan.heads = std::move(heads);
  plan.names = std::move(names);
  return {};
}

Result<ExitStatus> RunMerge(Git& git, MergeOptions& options, Args& args) {
  ChooseSigning(git, options);
  if (options.abort || options.quits || options.proceeds) return EndMerge(git, options);
  PADDOCK_ASSIGN(const Index current, git.ReadIndex());
  if (current.HasConflicts()) {
    git.Say("error: Merging is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\n");
    return Error(Code::kInvalid, "Exiting because of an unresolved conflict.");
  }
  if (git.refs.Exists("MERGE_HEAD")) return Error(Code::kInvalid, "You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.");
  if (git.refs.Exists("CHERRY_PICK_HEAD")) return Error(Code::kInvalid, "You have not concluded your cherry-pick (CHERRY_PICK_HEAD exists).\nPlease, commit your changes before you merge.");
  if (options.squash && options.no_ff) return Error(Code::kInvalid, "options '--squash' and '--no-ff.' cannot be used together");
  if (options.squash && options.commit) return Error(Code::kInvalid, "options '--squash' and '--commit.' cannot be used together");
  const std::string ff = git.config.Get("merge.ff", "");
  if (!options.ff && !options.no_ff && !options.ff_only) {
    options.no_ff = ff == "false" || ff == "no";
    options.ff_only = ff == "only";
  }
  if (!options.log && git.config.GetBool("merge.log", false)) options.log = 20;
  if (options.no_log) options.log = 0;
  if (!options.stat && !git.config.GetBool("merge.stat", true)) options.no_stat = true;
  if (static constexpr std::string_view kModes[] = {"", "default", "strip", "whitespace", "verbatim", "scissors"}; std::find(std::begin(kModes), std::end(kModes), options.cleanup) == std::end(kModes)) {
    return Error(Code::kInvalid, "Invalid cleanup mode " + options.cleanup);
  }
  Plan plan;
  PADDOCK_TRY(ReadStrategies(options, plan));
  if (static constexpr std::string_view kKnown[] = {"ort", "recursive", "resolve", "ours", "octopus"}; std::find(std::begin(kKnown), std::end(kKnown), plan.strategy) == std::end(kKnown)) {
    git.Say("Could not find merge strategy '" + plan.strategy + "'.\nAvailable strategies are: octopus ours recursive resolve subtree.\n");
    return 1;
  }
  ExitStatus status = 0;
  const std::vector<std::string> operands = args.operands;
  for (size_t i = 0; i < std::max<size_t>(operands.size(), 1); ++i) {
    if (!operands.empty()) args.operands = {operands[i]};
    PADDOCK_ASSIGN(const std::optional<Oid> theirs, WhatToMerge(git, args, plan.name, status));
    if (!theirs) return status;
    plan.heads.push_back(*theirs);
    plan.names.push_back(plan.name);
  }
  const auto head = git.Head();
  if (!head && plan.heads.size() > 1) return Error(Code::kInvalid, "Can merge only exactly one commit into empty head");
  if (!head) return MergeIntoNothing(git, options, plan.heads[0]);
  plan.head = *head;
  History history(git);
  PADDOCK_TRY(git.refs.WriteDirect("ORIG_HEAD", *head));
  PADDOCK_TRY(LeaveOutReached(git, history, plan));
  if (plan.heads.empty()) {
    if (!options.quiet) git.Print(options.squash ? "Already up to date. (nothing to squash)\n" : "Already up to date.\n");
    return 0;
  }
  if (options.wants_signed.value_or(git.config.GetBool("merge.verifysignatures", false))) {
    for (const Oid& id : plan.heads) {
      PADDOCK_ASSIGN(const std::string signer, RequireSignature(git, id));
      if (!options.quiet) git.Print("Commit " + git.objects.Abbreviate(id) + " has a good GPG signature by " + signer + "\n");
    }
  }
  plan.theirs = plan.heads[0];
  plan.name = plan.names[0];
  if (plan.heads.size() > 1 && options.strategies.empty()) plan.strategy = "octopus";
  if (plan.heads.size() > 1 && plan.strategy != "octopus" && plan.strategy != "ours") return Error(Code::kNotSupported, "Not handling anything other than two heads merge.");
  PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(*head, plan.theirs));
  if (bases.empty() && !options.allows_unrelated) return Error(Code::kInvalid, "refusing to merge unrelated histories");
  PADDOCK_ASSIGN(plan.our_files, git.FlattenCommit(*head));
  PADDOCK_ASSIGN(plan.their_files, git.FlattenCommit(plan.theirs));
  const bool is_forward = plan.heads.size() == 1 && !bases.empty() && bases[0] == *head;
  if (!is_forward && options.ff_only) {
    return Error(Code::kInvalid, "Not possible to fast-forward, aborting.");
  }
  if (options.makes_autostash(git.config)) PADDOCK_TRY(CreateAutostash(git, "MERGE_AUTOSTASH"));
  const bool goes_forward = is_forward && !options.no_ff && plan.strategy != "ours";
  PADDOCK_ASSIGN(status, goes_forward ? FastForward(git, history, options, plan) : ThreeWays(git, history, options, plan, bases));
  if (status == 0 && (options.squash || git.Head() != plan.head)) static_cast<void>(RunHook(git, "post-merge", {options.squash ? "1" : "0"}));
  return status;
}

}  // namespace

extern const Subcommand kMerge;
const Subcommand kMerge = DefineSubcommand<MergeOptions, RunMerge>({.name = "merge", .summary = "join two histories", .synopsis = "[<options>] [<commit>]\n--abort\n--continue\n--quit", .options = kMergeOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
