// Carrying out the list of a rebase.
#include <algorithm>

#include "commands/git/merge/rebase.h"
#include "commands/git/merge/rerere.h"
#include "commands/git/refs/revision.h"
#include "commands/git/shell_words.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/stash.h"
#include "commands/git/work/worktree.h"
#include "proc/process.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

using Verb = TodoItem::Verb;
constexpr uint64_t kLargestFile = 64 << 20;

// The message without its first line, when that says fixup! or its like.
std::string Commented(std::string_view text) {
  std::string out;
  for (const std::string_view line : SplitLines(text)) out += line == "\n" ? "#\n" : "# " + std::string(line);
  return out;
}

std::string Body(std::string_view message) {
  const std::string clean(message);
  return clean.ends_with('\n') ? clean : clean + "\n";
}

}  // namespace

bool Rebase::IsUnderWay(Git& git) { return git.in.fs.Stat(git.GitPath("rebase-merge")).has_value(); }

std::string Rebase::ReadFile(std::string_view name) const {
  const auto text = vfs::ReadFile(git_.in.fs, Path(name), kLargestFile);
  return text ? *text : std::string();
}
bool Rebase::Has(std::string_view name) const { return git_.in.fs.Stat(Path(name)).has_value(); }
Status Rebase::WriteFile(std::string_view name, std::string_view text) { return vfs::WriteFile(git_.in.fs, Path(name), text); }
void Rebase::RemoveFile(std::string_view name) { static_cast<void>(git_.in.fs.RemoveFile(Path(name)).has_value()); }
void Rebase::RemoveState() {
  const std::string labels = ReadFile("refs-to-delete");
  for (std::string_view name : SplitLines(labels)) {
    if (name.ends_with('\n')) name.remove_suffix(1);
    if (name.starts_with("refs/rewritten/") && IsRefName(name)) static_cast<void>(git_.refs.Remove(name).has_value());
  }
  static_cast<void>(RemoveTree(git_.in, git_.GitPath(folder_)).has_value());
}

Status Rebase::ReadState() {
  const auto line = [this](std::string_view name) {
    std::string text = ReadFile(name);
    while (text.ends_with('\n')) text.pop_back();
    return text;
  };
  state.head_name = line("head-name");
  const auto onto = Oid::FromHex(line("onto")), orig = Oid::FromHex(line("orig-head"));
  if (!onto || !orig || state.head_name.empty()) return Error(Code::kCorrupt, "could not read '" + Path("head-name") + "'");
  if (state.head_name != "detached HEAD" && (!state.head_name.starts_with("refs/heads/") || !IsRefName(state.head_name))) return Error(Code::kCorrupt, "not a branch: '" + state.head_name + "'");
  state.onto = *onto;
  state.orig_head = *orig;
  state.squash_onto = Oid::FromHex(line("squash-onto"));
  state.quiet = by_patches() ? line("quiet") == "t" : Has("quiet");
  state.verbose = Has("verbose");
  state.signoff = Has("signoff");
  state.ignores_date = Has("ignore_date");
  state.keeps_date = Has("cdate_is_adate");
  state.empty = Has("drop_redundant_commits") ? RebaseState::Empty::kDrop : Has("keep_redundant_commits") ? RebaseState::Empty::kKeep : RebaseState::Empty::kAsk;
  state.reschedules = Has("reschedule-failed-exec");
  if (const std::string sign = line("gpg_sign_opt"); sign.starts_with("-S")) state.signing_key = sign.substr(2);
  git_.signing_key = state.signing_key;
  if (const std::string stages = line("allow_rerere_autoupdate"); !stages.empty()) state.stages_resolved = stages == "--rerere-autoupdate";
  state.strategy = line("strategy");
  const std::string strategies = ReadFile("strategy_opts");
  for (const std::string_view option : SplitLines(strategies)) state.strategy_options.emplace_back(option.ends_with('\n') ? option.substr(0, option.size() - 1) : option);
  return {};
}

Status Rebase::ReadLists() {
  PADDOCK_ASSIGN(auto gone, ParseTodo(git_, ReadFile("done"), true));
  if (gone) done = std::move(*gone);
  PADDOCK_ASSIGN(auto left, ParseTodo(git_, ReadFile("git-rebase-todo"), !done.empty()));
  if (!left) return Error(Code::kConflict, "please fix this using 'git rebase --edit-todo'.");
  todo = std::move(*left);
  return {};
}

Status Rebase::WriteBasics() {
  PADDOCK_TRY(WriteFile("head-name", state.head_name + "\n"));
  PADDOCK_TRY(WriteFile("onto", state.onto.Hex() + "\n"));
  return WriteFile("orig-head", state.orig_head.Hex() + "\n");
}

Status Rebase::WriteState() {
  PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, git_.GitPath(folder_)));
  PADDOCK_TRY(WriteBasics());
  PADDOCK_TRY(WriteFile("interactive", ""));
  if (state.squash_onto) PADDOCK_TRY(WriteFile("squash-onto", state.squash_onto->Hex() + "\n"));
  for (const auto& [is_set, name] : {std::pair<bool, const char*>{state.quiet, "quiet"}, {state.verbose, "verbose"}, {state.signoff, "signoff"}, {state.ignores_date, "ignore_date"}, {state.keeps_date, "cdate_is_adate"},
                                     {state.empty == RebaseState::Empty::kDrop, "drop_redundant_commits"}, {state.empty == RebaseState::Empty::kKeep, "keep_redundant_commits"},
                                     {state.reschedules, "reschedule-failed-exec"}, {!state.reschedules, "no-reschedule-failed-exec"}}) {
    if (is_set) PADDOCK_TRY(WriteFile(name, ""));
  }
  if (!state.strategy.empty()) PADDOCK_TRY(WriteFile("strategy", state.strategy + "\n"));
  std::string options;
  for (const std::string& option : state.strategy_options) options += option + "\n";
  if (!options.empty()) PADDOCK_TRY(WriteFile("strategy_opts", options));
  if (state.signing_key) PADDOCK_TRY(WriteFile("gpg_sign_opt", "-S" + *state.signing_key + "\n"));
  if (state.stages_resolved) PADDOCK_TRY(WriteFile("allow_rerere_autoupdate", *state.stages_resolved ? "--rerere-autoupdate\n" : "--no-rerere-autoupdate\n"));
  return SaveTodo();
}

Status Rebase::SaveTodo() {
  std::string left, gone;
  for (const TodoItem& item : todo) left += TodoLine(git_, item, false);
  for (const TodoItem& item : done) gone += TodoLine(git_, item, false);
  PADDOCK_TRY(WriteFile("git-rebase-todo", left));
  PADDOCK_TRY(WriteFile("end", std::to_string(todo.size() + done.size()) + "\n"));
  if (done.empty()) return {};
  PADDOCK_TRY(WriteFile("done", gone));
  return WriteFile("msgnum", std::to_string(done.size()) + "\n");
}

void Rebase::ClearLine() {
  const bool is_dumb = git_.in.env.Get("TERM", "dumb") == "dumb";
  if (!state.verbose) git_.Say(is_dumb ? "\r" + std::string(80, ' ') + "\r" : "\r\033[K");
}

Result<bool> Rebase::EditText(const std::string& text) {
  PADDOCK_TRY(WriteFile("git-rebase-todo", text));
  PADDOCK_TRY(WriteFile("git-rebase-todo.backup", text));
  return git_.Edit(Path("git-rebase-todo"), git_.in.env.Get("GIT_SEQUENCE_EDITOR", git_.config.Get("sequence.editor", ""))).has_value();
}

Result<bool> Rebase::EditTodo() {
  std::string text;
  PADDOCK_ASSIGN(auto gone, ParseTodo(git_, ReadFile("done"), true));
  if (gone) done = std::move(*gone);
  auto parsed = ParseTodo(git_, ReadFile("git-rebase-todo"), true);
  if (parsed && *parsed) {
    for (const TodoItem& item : **parsed) text += TodoLine(git_, item, true);
  } else {
    text = ReadFile("git-rebase-todo");
  }
  PADDOCK_ASSIGN(const bool is_edited, EditText(text + "\n" + std::string(TodoHelp()) + "# If you remove a line here THAT COMMIT WILL BE LOST.\n#\n# You are editing the todo file of an ongoing interactive rebase.\n# To continue rebase after editing, run:\n#     git rebase --continue\n#\n"));
  if (!is_edited) return false;
  PADDOCK_ASSIGN(auto items, ParseTodo(git_, ReadFile("git-rebase-todo"), !done.empty()));
  if (!items) return false;
  todo = std::move(*items);
  PADDOCK_TRY(KeepMovedRefs());
  PADDOCK_TRY(SaveTodo());
  return true;
}

Result<ExitStatus> Rebase::Run() {
  while (!todo.empty()) {
    git_.in.budget.Step(16);
    const TodoItem item = todo.front();
    todo.erase(todo.begin());
    done.push_back(item);
    PADDOCK_TRY(SaveTodo());
    if (!state.quiet) git_.Say("Rebasing (" + std::to_string(done.size()) + "/" + std::to_string(done.size() + todo.size() + blanks) + ")" + (state.verbose ? "\n" : "\r"));
    for (const char* name : {"message", "author-script", "stopped-sha", "amend", "patch"}) RemoveFile(name);
    for (const char* name : {"REBASE_HEAD", "AUTO_MERGE"}) static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath(name)).has_value());
    PADDOCK_ASSIGN(const Step step, Do(item));
    if (step == Step::kStop) return 0;
    if (step == Step::kFail) return 1;
  }
  return Finish();
}

Result<Rebase::Step> Rebase::Do(const TodoItem& item) {
  switch (item.verb) {
    case Verb::kDrop: case Verb::kNoop: case Verb::kComment:
      return Step::kDone;
    case Verb::kLabel:
      return DoLabel(item);
    case Verb::kReset:
      return DoReset(item);
    case Verb::kMerge:
      return DoMerge(item);
    case Verb::kUpdateRef:
      return DoUpdateRef(item);
    case Verb::kBreak: {
      ClearLine();
      PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(head));
      git_.Say("Stopped at " + git_.objects.Abbreviate(head) + " (" + SubjectOf(commit.message) + ")\n");
      return Step::kStop;
    }
    case Verb::kExec:
      return DoExec(item);
    default: {
      action_ = "rebase (" + std::string(VerbName(item.verb)) + ")";
      PADDOCK_ASSIGN(const Step step, DoPick(item));
      if (step == Step::kDone) PADDOCK_TRY(Rewrote(*item.commit));
      return step;
    }
  }
}

Result<Rebase::Step> Rebase::DoExec(const TodoItem& item) {
  ClearLine();
  git_.Say("Executing: " + item.text + "\n");
  git_.in.out.Flush();
  ChildSpec spec{.args = {"sh", "-c", item.text}, .environment = &git_.in.env};
  spec.cwd = git_.work_tree;
  const auto ran = git_.in.launcher.Run(git_.in.process, spec);
  const ExitStatus status = ran ? *ran : 1;
  // The command may have changed the list.
  if (auto changed = ParseTodo(git_, ReadFile("git-rebase-todo"), true); changed && *changed) todo = std::move(**changed);
  PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
  PADDOCK_ASSIGN(const std::vector<FileDiff> unstaged, CompareWithFiles(git_, IndexFiles(index), index));
  PADDOCK_ASSIGN(const FlatTree head, git_.FlattenCommit(*git_.Head()));
  const bool is_staged = !CompareTrees(head, IndexFiles(index)).empty();
  const bool is_dirty = !unstaged.empty() || index.HasConflicts() || is_staged;
  if (is_dirty) git_.Complain(std::string("cannot rebase: ") + (unstaged.empty() ? "Your index contains uncommitted changes." : "You have unstaged changes."));
  if (!unstaged.empty() && is_staged) git_.Complain("additionally, your index contains uncommitted changes.");
  if (status != 0) {
    git_.Warn("execution failed: " + item.text + "\n" + (is_dirty ? "and made changes to the index and/or the working tree\n" : "") + "You can fix the problem, and then run\n\n  git rebase --continue\n\n");
    if (state.reschedules) {
      TellRescheduled(item);
      todo.insert(todo.begin(), item);
      done.pop_back();
      PADDOCK_TRY(SaveTodo());
    }
    return Step::kFail;
  }
  if (!is_dirty) return Step::kDone;
  git_.Warn("execution succeeded: " + item.text + "\nbut left changes to the index and/or the working tree\nCommit or stash your changes, and then run\n\n  git rebase --continue\n\n");
  return Step::kFail;
}

Status Rebase::WriteAuthor(const Commit& commit) {
  const Signature who = ParseSignature(commit.author);
  return WriteFile("author-script", "GIT_AUTHOR_NAME=" + InShellQuotes(who.name) + "\nGIT_AUTHOR_EMAIL=" + InShellQuotes(who.email) + "\nGIT_AUTHOR_DATE='@" + std::to_string(who.time) + " " + OffsetText(who.offset) + "'\n");
}

// Runs git commit as the author of `like`.
Result<ExitStatus> Rebase::Commit_(const Commit& like, const std::string& message, bool amends, bool edits, std::string_view action) {
  PADDOCK_TRY(WriteFile("message", message));
  Environment environment = git_.in.env;
  if (!amends || like.author != "") SetAuthor(environment, like.author);
  environment.Set("GIT_REFLOG_ACTION", action);
  if (state.keeps_date) environment.Set("GIT_COMMITTER_DATE", environment.Get("GIT_AUTHOR_DATE", ""));
  if (state.ignores_date) environment.Unset("GIT_AUTHOR_DATE");
  std::vector<std::string> command = {"commit", "-n", "--allow-empty", git_.signing_key ? "-S" + *git_.signing_key : "--no-gpg-sign"};
  if (amends) command.push_back("--amend");
  if (edits) command.insert(command.end(), {"-e", "--cleanup=strip"});
  else command.insert(command.end(), {"--allow-empty-message", "--cleanup=strip"});
  command.insert(command.end(), {"-F", Path("message")});
  return RunGit(git_, command, &environment);
}

// The message of a chain of squashes and fixups, this one included.
Result<std::string> Rebase::SquashMessage(const TodoItem& item, const Commit& picked, const Commit& last) {
  std::string text = ReadFile("message-squash");
  std::string chain = ReadFile("current-fixups");
  size_t number = static_cast<size_t>(std::count(chain.begin(), chain.end(), '\n')) + 2;
  if (chain.empty()) text = "# This is a combination of 2 commits.\n# This is the 1st commit message:\n\n" + Body(last.message);
  else text = "# This is a combination of " + std::to_string(number) + " commits.\n" + text.substr(std::min(text.find('\n'), text.size() - 1) + 1);
  std::string body = Body(picked.message);
  if (item.verb == Verb::kSquash) {
    const bool is_marked = body.starts_with("squash! ") || body.starts_with("fixup! ") || body.starts_with("amend! ");
    const size_t end = body.find('\n') + 1;
    text += "\n# This is the commit message #" + std::to_string(number) + ":\n\n" + (is_marked ? "# " + body.substr(0, end) + body.substr(end) : body);
    RemoveFile("message-fixup");
  } else if (item.fixup != 0) {
    if (body.starts_with("amend! ")) {
      const size_t end = body.find("\n\n");
      body = end == std::string::npos ? body : body.substr(end + 2);
    }
    text = "# This is a combination of " + std::to_string(number) + " commits.\n# The 1st commit message will be skipped:\n\n" + Commented(Body(last.message)) + "\n# This is the commit message #" + std::to_string(number) + ":\n\n" + body;
    if (item.fixup == 'C' && (chain.empty() || Has("message-fixup"))) PADDOCK_TRY(WriteFile("message-fixup", body));
    else RemoveFile("message-fixup");
  } else {
    text += "\n# The commit message #" + std::to_string(number) + " will be skipped:\n\n" + Commented(body);
    if (chain.empty()) PADDOCK_TRY(WriteFile("message-fixup", Body(last.message)));
  }
  chain += std::string(VerbName(item.verb)) + " " + item.commit->Hex() + "\n";
  PADDOCK_TRY(WriteFile("current-fixups", chain));
  PADDOCK_TRY(WriteFile("message-squash", text));
  return text;
}

Result<Rebase::Step> Rebase::Reschedule(const TodoItem& item) {
  TellRescheduled(item);
  todo.insert(todo.begin(), item);
  PADDOCK_TRY(SaveTodo());
  if (item.commit) git_.Say("Could not apply " + git_.objects.Abbreviate(*item.commit) + "... " + item.text + "\n");
  return Step::kFail;
}

void Rebase::TellRescheduled(const TodoItem& item) {
  std::string line = TodoLine(git_, item, false);
  line.pop_back();
  git_.Say("hint: Could not execute the todo command\nhint: \nhint:     " + line + "\nhint: \nhint: It has been rescheduled; To edit the command before continuing, please\nhint: edit the todo list first:\nhint: \nhint:     git rebase --edit-todo\nhint:     git rebase --continue\n");
}

Result<Rebase::Step> Rebase::StopAt(const TodoItem& item, bool amends, bool fails) {
  PADDOCK_TRY(WriteFile("stopped-sha", item.commit->Hex() + "\n"));
  PADDOCK_TRY(git_.refs.WriteDirect("REBASE_HEAD", *item.commit));
  PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(*item.commit));
  if (!Has("message")) PADDOCK_TRY(WriteFile("message", commit.message + "\n"));
  if (commit.parents.size() <= 1) {
    FlatTree before;
    if (!commit.parents.empty()) {
      PADDOCK_ASSIGN(before, git_.FlattenCommit(commit.parents[0]));
    }
    PADDOCK_ASSIGN(const FlatTree after, git_.Flatten(commit.tree));
    DiffOptions options;
    options.patch = true;
    PADDOCK_ASSIGN(const std::string patch, FormatDiff(git_, CompareTrees(before, after), options));
    PADDOCK_TRY(WriteFile("patch", patch));
  }
  if (amends) {
    PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
    PADDOCK_TRY(WriteFile("amend", head.Hex() + "\n"));
  }
  if (!fails) {
    git_.Say("You can amend the commit now, with\n\n  git commit --amend \n\nOnce you are satisfied with your changes, run\n\n  git rebase --continue\n");
    return Step::kStop;
  }
  git_.Say("Could not apply " + git_.objects.Abbreviate(*item.commit) + "... " + item.text + "\n");
  return Step::kFail;
}

Result<Rebase::Step> Rebase::Conflict(const TodoItem& item, const Pick& pick, const std::string& message) {
  PADDOCK_TRY(WriteFile("message", item.IsFixup() ? message : pick.commit.message + "\n"));
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), item.IsFixup() ? message : message + ConflictList(pick.merge)));
  git_.Say("error: could not apply " + git_.objects.Abbreviate(*item.commit) + "... " + SubjectOf(pick.commit.message) + "\n" +
           "hint: Resolve all conflicts manually, mark them as resolved with\nhint: \"git add/rm <conflicted_files>\", then run \"git rebase --continue\".\n"
           "hint: You can instead skip this commit: run \"git rebase --skip\".\nhint: To abort and get back to the state before \"git rebase\", run \"git rebase --abort\".\n");
  PADDOCK_TRY(RememberConflicts(git_, state.stages_resolved));
  return StopAt(item, item.IsFixup(), true);
}

void Rebase::TakeDates(Commit& commit) const {
  if (state.ignores_date) {
    const Signature who = ParseSignature(commit.author), now = ParseSignature(commit.committer);
    commit.author = Signature{who.name, who.email, now.time, now.offset}.Text();
  } else if (state.keeps_date) {
    const Signature who = ParseSignature(commit.committer), then = ParseSignature(commit.author);
    commit.committer = Signature{who.name, who.email, then.time, then.offset}.Text();
  }
}

Result<Rebase::Step> Rebase::DoPick(const TodoItem& item) {
  const auto head = git_.Head();
  const bool is_unborn = state.squash_onto && head == state.squash_onto;
  PADDOCK_ASSIGN(const Commit picked, git_.objects.ReadCommit(*item.commit));
  const std::string action(VerbName(item.verb));
  const bool fits = is_unborn ? picked.parents.empty() : picked.parents.size() == 1 && picked.parents[0] == *head;
  PADDOCK_TRY(WriteAuthor(picked));
  const auto stop_for_edit = [&]() -> Result<Step> {
    ClearLine();
    git_.Say("Stopped at " + git_.objects.Abbreviate(*item.commit) + "...  " + item.text + "\n");
    return StopAt(item, true, false);
  };
  if (fits && !item.IsFixup() && !state.forces && !state.signoff && !state.ignores_date && !state.keeps_date) {
    PADDOCK_ASSIGN(const bool is_done, ForwardTo(git_, *item.commit, "rebase: fast-forward"));
    if (!is_done) return Reschedule(item);
    if (item.verb == Verb::kEdit) return stop_for_edit();
    if (item.verb != Verb::kReword) return Step::kDone;
    PADDOCK_ASSIGN(const ExitStatus status, Commit_(picked, picked.message, true, true, "rebase (reword)"));
    return status == 0 ? Result<Step>(Step::kDone) : StopAt(item, true, true);
  }
  PickOptions options;
  options.tells_conflicts_only = true;
  PADDOCK_ASSIGN(options.style, StrategyStyle(git_, state.strategy, state.strategy_options));
  PADDOCK_ASSIGN(const Commit last, git_.objects.ReadCommit(*head));
  if (item.IsFixup() && is_unborn) return Error(Code::kInvalid, "cannot fixup root commit");
  std::string message = picked.message;
  if (item.IsFixup()) {
    PADDOCK_ASSIGN(message, SquashMessage(item, picked, last));
  }
  auto pick = ApplyPick(git_, *item.commit, head, options);
  if (!pick) return pick.error();
  if (!pick->is_applied) return Reschedule(item);
  if (state.signoff && !item.IsFixup()) {
    PADDOCK_ASSIGN(const std::string who, git_.Committer());
    message = WithSignoff(CleanMessage(message, false), ParseSignature(who));
  }
  if (!pick->merge.conflicts.empty()) return Conflict(item, *pick, message);
  if (pick->merge.tree == pick->ours && !item.IsFixup()) {
    const bool was_empty = !picked.parents.empty() && git_.FlattenCommit(picked.parents[0]).has_value() && *git_.FlattenCommit(picked.parents[0]) == *git_.Flatten(picked.tree);
    if (!was_empty && state.empty == RebaseState::Empty::kDrop) {
      git_.Say("dropping " + item.commit->Hex() + " " + SubjectOf(picked.message) + " -- patch contents already upstream\n");
      return Step::kDone;
    }
    if (!was_empty && state.empty == RebaseState::Empty::kAsk) {
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message));
      git_.Say(NowEmptyText("rebase"));
      git_.in.out.Flush();
      ChildSpec spec{.args = {"git", "status"}, .environment = &git_.in.env};
      spec.out = git_.in.process.descriptors().Get(2);
      static_cast<void>(git_.in.launcher.Run(git_.in.process, spec).has_value());
      return StopAt(item, false, true);
    }
  }
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("MERGE_MSG"), message));
  if (item.verb == Verb::kReword) {
    PADDOCK_ASSIGN(const ExitStatus status, Commit_(picked, message, false, true, action_));
    return status == 0 ? Result<Step>(Step::kDone) : StopAt(item, false, true);
  }
  const bool is_last = item.IsFixup() && (todo.empty() || !todo.front().IsFixup());
  if (is_last && !Has("message-fixup")) {
    PADDOCK_ASSIGN(const ExitStatus status, Commit_(last, message, true, true, action_));
    if (status != 0) return StopAt(item, true, true);
  } else {
    Commit commit;
    PADDOCK_ASSIGN(commit.tree, TreeOf(git_, pick->merge.tree));
    commit.author = item.IsFixup() ? last.author : picked.author;
    PADDOCK_ASSIGN(commit.committer, git_.Committer());
    TakeDates(commit);
    if (item.IsFixup()) commit.parents = last.parents;
    else if (!is_unborn) commit.parents = {*head};
    commit.message = is_last ? CleanMessage(ReadFile("message-fixup"), false) : message;
    PADDOCK_TRY(MakeCommit(git_, commit, action_ + ": " + (is_last ? SubjectOf(commit.message) : commit.message.substr(0, commit.message.find('\n')))));
    ForgetMerge(git_);
  }
  if (is_last) {
    for (const char* name : {"message-fixup", "message-squash", "current-fixups"}) RemoveFile(name);
  }
  return item.verb == Verb::kEdit ? stop_for_edit() : Result<Step>(Step::kDone);
}

Result<ExitStatus> Rebase::Finish() {
  PADDOCK_ASSIGN(const Oid head, git_.RequireHead());
  if (state.head_name.starts_with("refs/")) {
    const Oid before = git_.refs.Read(state.head_name).value_or(Oid{});
    PADDOCK_TRY(git_.refs.WriteDirect(state.head_name, head));
    PADDOCK_TRY(git_.refs.Log(state.head_name, before, head, git_.Who(), "rebase (finish): " + state.head_name + " onto " + state.onto.Hex()));
    PADDOCK_TRY(git_.refs.WriteSymbolic("HEAD", state.head_name));
    PADDOCK_TRY(git_.refs.Log("HEAD", head, head, git_.Who(), "rebase (finish): returning to " + state.head_name));
  }
  if (state.verbose) static_cast<void>(RunGit(git_, {"diff", "--stat", "--summary", state.orig_head.Hex(), head.Hex()}));
  PADDOCK_TRY(RunPostRewrite());
  PADDOCK_TRY(ApplyAutostash(git_, Name("autostash")));
  if (!state.quiet && !by_patches()) {
    ClearLine();
    git_.Say("Successfully rebased and updated " + state.head_name + ".\n");
  }
  MoveRefs();
  static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath("REBASE_HEAD")).has_value());
  RemoveState();
  return 0;
}

}  // namespace paddock::git
