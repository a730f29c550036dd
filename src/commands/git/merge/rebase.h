// A rebase under way: its list of things to do, and its state in .git/rebase-merge, as git keeps it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"
#include "commands/git/merge/pick.h"

namespace paddock::git {

struct TodoItem {
  enum class Verb { kPick, kReword, kEdit, kSquash, kFixup, kExec, kBreak, kLabel, kReset, kMerge, kUpdateRef, kDrop, kNoop, kComment } verb = Verb::kPick;
  char fixup = 0;             // 'C' or 'c' of fixup -C and merge -C
  std::optional<Oid> commit;
  std::string text;           // behind the commit, or what there is instead of one
  bool TakesCommit() const { return verb <= Verb::kFixup || verb == Verb::kDrop; }
  bool IsFixup() const { return verb == Verb::kSquash || verb == Verb::kFixup; }
};
std::string_view VerbName(TodoItem::Verb verb);
// One line; `is_short`: with a short id.
std::string TodoLine(Git& git, const TodoItem& item, bool is_short);
// The items of a file. What is wrong is told, line by line: then nothing comes back. `has_commit`: there is one before it.
Result<std::optional<std::vector<TodoItem>>> ParseTodo(Git& git, std::string_view text, bool has_commit);
// The lines that explain the list in the editor.
std::string_view TodoHelp();
// Puts the fixups of commits ("fixup! SUBJECT") behind them.
Result<std::vector<TodoItem>> Autosquash(Git& git, const std::vector<TodoItem>& items);

struct RebaseState {
  std::string head_name;                 // "refs/heads/x" or "detached HEAD"
  Oid onto, orig_head;
  std::optional<Oid> squash_onto;        // the empty commit below new roots
  bool quiet = false, verbose = false, signoff = false, ignores_date = false, keeps_date = false, forces = false;
  enum class Empty { kDrop, kKeep, kAsk } empty = Empty::kDrop;
  bool reschedules = false;              // exec that failed
  std::string strategy;   // "": ort
  std::vector<std::string> strategy_options;
  std::optional<std::string> signing_key;
  std::optional<bool> stages_resolved;   // --rerere-autoupdate
};
// A branch that moves along: what it was, and what it will be once its line was reached.
struct MovedRef {
  std::string name;
  Oid before, after;
};

class Rebase {
 public:
  // `by_patches`: of rebase --apply, whose state is that of git am.
  explicit Rebase(Git& git, bool by_patches = false) : git_(git), folder_(by_patches ? "rebase-apply" : "rebase-merge") {}
  static bool IsUnderWay(Git& git);
  static bool IsUnderWayByPatches(Git& git);
  bool by_patches() const { return folder_ == "rebase-apply"; }
  std::string Name(std::string_view name) const { return folder_ + "/" + std::string(name); }
  std::string Path(std::string_view name) const { return git_.GitPath(Name(name)); }

  Status ReadState();
  // What was done and what is left. Errors: kConflict for a list that is wrong.
  Status ReadLists();
  Status WriteState();
  // Carries out what is left. 0 at the end and at planned stops.
  Result<ExitStatus> Run();
  // Commits what was resolved, then Run().
  Result<ExitStatus> Continue();
  Result<ExitStatus> Skip();
  Result<ExitStatus> Abort();
  Status Quit();
  // Has git am carry over the commits, with these options; and go on with it.
  Result<ExitStatus> ApplyPatches(const std::vector<Oid>& commits, const std::vector<std::string>& words);
  Result<ExitStatus> ResumePatches(const std::string& verb);
  // Puts the branch where HEAD is, and ends.
  Result<ExitStatus> Finish();
  // Lets the editor change the list. Nothing: it failed, or what it left is wrong, which is told.
  Result<bool> EditTodo();
  Result<bool> EditText(const std::string& text);
  void RemoveState();
  // Notes which branches the list moves along.
  Status KeepMovedRefs();

  RebaseState state;
  std::vector<TodoItem> todo, done;
  size_t blanks = 0;   // empty lines of the first list: they count as steps until it is read again

 private:
  enum class Step { kDone, kStop, kFail };
  Result<Step> Do(const TodoItem& item);
  Result<Step> DoPick(const TodoItem& item);
  Result<Step> DoExec(const TodoItem& item);
  Result<Step> DoLabel(const TodoItem& item);
  Result<Step> DoReset(const TodoItem& item);
  Result<Step> DoMerge(const TodoItem& item);
  Result<Step> MergeOne(const TodoItem& item, const Oid& side, const std::string& name, const std::string& message, const Commit* like);
  Result<Step> MergeSeveral(const TodoItem& item, const std::vector<Oid>& sides, const std::string& message, const Commit* like);
  Result<ExitStatus> CommitMerge(const Commit* like, const std::string& message, bool edits);
  void TakeDates(Commit& commit) const;
  Result<Step> DoUpdateRef(const TodoItem& item);
  Result<Step> Reschedule(const TodoItem& item);
  void TellRescheduled(const TodoItem& item);
  Result<Step> Conflict(const TodoItem& item, const Pick& pick, const std::string& message);
  Result<Step> StopAt(const TodoItem& item, bool amends, bool fails);
  Result<std::string> SquashMessage(const TodoItem& item, const Commit& picked, const Commit& last);
  Result<ExitStatus> Commit_(const Commit& like, const std::string& message, bool amends, bool edits, std::string_view action);
  Status WriteAuthor(const Commit& commit);
  Status SaveTodo();
  Result<ExitStatus> RunAm(std::vector<std::string> command);
  Status WriteBasics();
  std::vector<MovedRef> ReadMovedRefs() const;
  Status WriteMovedRefs(const std::vector<MovedRef>& refs);
  void MoveRefs();
  // The commit of a label, or of another name; nothing if there is none, which is told.
  std::optional<Oid> Labelled(const std::string& name);
  // That a commit became HEAD, or will be part of what HEAD becomes.
  Status Rewrote(const Oid& id);
  Status RunPostRewrite();
  Result<ExitStatus> CommitStaged();
  // Whether there are no conflicts and no changes beside the index; else that is told.
  Result<bool> IsResolved();
  void ClearLine();
  std::string ReadFile(std::string_view name) const;
  bool Has(std::string_view name) const;
  Status WriteFile(std::string_view name, std::string_view text);
  void RemoveFile(std::string_view name);

  Git& git_;
  std::string folder_;
  std::string action_ = "rebase";   // of the reflog: what was done last
};

}  // namespace paddock::git
