// A rebase under way: its list of things to do, and its state in .git/rebase-merge, as git keeps it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"
#include "commands/git/pick.h"

namespace paddock::git {

struct TodoItem {
  enum class Verb { kPick, kReword, kEdit, kSquash, kFixup, kExec, kBreak, kDrop, kNoop } verb = Verb::kPick;
  char fixup = 0;             // 'C' or 'c' of fixup -C
  std::optional<Oid> commit;
  std::string text;           // behind the commit, or the command
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
  std::vector<std::string> strategy_options;
};

class Rebase {
 public:
  explicit Rebase(Git& git) : git_(git) {}
  static bool IsUnderWay(Git& git);
  std::string Path(std::string_view name) const { return git_.GitPath("rebase-merge/" + std::string(name)); }

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
  // Lets the editor change the list. Nothing: it failed, or what it left is wrong, which is told.
  Result<bool> EditTodo();
  Result<bool> EditText(const std::string& text);
  void RemoveState();

  RebaseState state;
  std::vector<TodoItem> todo, done;

 private:
  enum class Step { kDone, kStop, kFail };
  Result<Step> Do(const TodoItem& item);
  Result<Step> DoPick(const TodoItem& item);
  Result<Step> DoExec(const TodoItem& item);
  Result<Step> Reschedule(const TodoItem& item);
  void TellRescheduled(const TodoItem& item);
  Result<Step> Conflict(const TodoItem& item, const Pick& pick, const std::string& message);
  Result<Step> StopAt(const TodoItem& item, bool amends, bool fails);
  Result<std::string> SquashMessage(const TodoItem& item, const Commit& picked, const Commit& last);
  Result<ExitStatus> Commit_(const Commit& like, const std::string& message, bool amends, bool edits, std::string_view action);
  Status WriteAuthor(const Commit& commit);
  Status SaveTodo();
  Result<ExitStatus> Finish();
  Result<ExitStatus> CommitStaged();
  void ClearLine();
  std::string ReadFile(std::string_view name) const;
  bool Has(std::string_view name) const;
  Status WriteFile(std::string_view name, std::string_view text);
  void RemoveFile(std::string_view name);

  Git& git_;
};

}  // namespace paddock::git
