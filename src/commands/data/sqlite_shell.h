// The shell of SQLite: reads SQL and dot-commands, runs them and writes what they give.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/data/sqlite_database.h"
#include "commands/data/sqlite_printer.h"
#include "commands/data/sqlite_session.h"
#include "proc/command.h"

namespace paddock::data {

class SqliteShell {
 public:
  enum class Plan { kOff, kOn, kFull };
  enum class Stats { kOff, kOn, kStatement, kSteps };
  enum class Then { kGoOn, kFailed, kQuit };

  explicit SqliteShell(Invocation& in);
  ~SqliteShell();

  // What the command line sets.
  SqliteStyle style;
  std::string database_name = ":memory:";
  bool stops_at_error = false;     // -bail
  bool echoes = false;
  bool is_read_only = false;
  bool follows_links = true;
  bool is_safe = false;
  std::string nonce;
  bool is_interactive = false;
  bool is_header_set = false;
  bool is_image = false;           // -deserialize: the file is read once, and never written
  int64_t most_image = 0;          // -maxsize

  // Reads to the end of the input; true when nothing failed. `is_stdin`: it is what a person types.
  bool ReadScript(Input& input, bool is_stdin);
  // Runs one dot-command, or SQL as an argument of the command line does: 0, or the status.
  ExitStatus RunArgument(const std::string& text);
  // -cmd: as RunArgument(), but the shell goes on unless -bail was given.
  Then RunDotCommand(std::string line);
  void RunArchive(const std::vector<std::string>& words);   // -A, whose failures are only told
  bool ReadScriptFile(const std::string& path);
  bool Open();   // the database, unless it is open
  void Finish() { ResetOutput(); }   // last: what .output still holds is written

  // Set when the shell has to end now.
  std::optional<ExitStatus> ended() const { return ended_; }

 private:
  friend class SqliteArchive;
  friend class SqliteDotCommands;
  friend class SqliteDumper;
  friend class SqliteImporter;
  friend bool DumpSqlite(SqliteShell& shell, const std::vector<std::string>& words);
  friend bool ImportSqlite(SqliteShell& shell, const std::vector<std::string>& words);

  // A file or a command that output goes to.
  struct Redirect {
    vfs::OpenFilePtr file;
    std::unique_ptr<Output> output;
    int pid = 0;
  };

  // .progress: what is told of SQLite's work.
  struct ProgressReport {
    int every = 0;             // turns of its machine; 0: nothing
    int64_t limit = 0;         // calls until the statement is ended; 0: none
    bool is_quiet = false, resets = false, is_once = false;
    int64_t turns = 0, count = 0;
  };

  // A script that is being read.
  struct Script {
    std::string sql;          // of a statement that is not complete yet
    int64_t first_line = 0;   // where it began
    bool is_stdin = false;
    bool is_good = true;
    bool has_quit = false;
  };

  void TakeLine(std::string line, Script& script);
  void RunPending(Script& script);
  int Run(const std::string& sql, std::string* error);
  int RunStatement(SqliteStatement& statement);
  void BindParameters(sqlite3_stmt* statement);
  void ShowStats(SqliteStatement& statement);
  void ShowSpreadsheet();
  // Called after some turns of SQLite's machine, in its callback: true ends the statement.
  bool TellProgress(int turns);
  void WatchDatabase();   // for .progress: the connection in use
  void ShowPlan(const std::string& sql);
  void PrintPlan(SqliteStatement& statement);
  int PrintProgram(SqliteStatement& statement);
  std::string ErrorMessage(const char* phase, int code, std::string_view sql) const;
  bool RunFromScript(const std::string& sql, int64_t line, bool is_stdin);
  void ShowTime(Nanoseconds real, Nanoseconds processor);
  void Prompt(bool is_continued);
  void Complain(const std::string& text);       // to stderr, after what was written
  bool EndIfUnsafe();
  bool FailIfSafe(const std::string& what);
  Output& out() { return *out_; }

  // .output and .once; false when it cannot be opened.
  bool SetOutput(const std::string& target, bool writes_mark);
  void ResetOutput();

  Invocation& in_;
  SqliteGuard guard_;
  SqliteFiles files_;
  std::unique_ptr<Redirect> trace_;   // outlives the connections, which may tell that they end
  Output* trace_out_ = nullptr;       // null: off
  bool trace_expands_ = false;
  std::unique_ptr<SqliteDatabase> database_;
  std::unique_ptr<Redirect> redirect_;
  Output* out_;
  // Connections that are not the one in use; that one's place is empty.
  struct Connection {
    std::unique_ptr<SqliteDatabase> database;
    std::string name = ":memory:";
    std::vector<std::unique_ptr<SqliteSession>> sessions;
  };
  std::array<Connection, 5> connections_;
  size_t connection_ = 0;
  std::vector<std::unique_ptr<SqliteSession>> sessions_;   // of the connection in use, which outlives them
  Stats stats_ = Stats::kOff;
  ProgressReport progress_;
  std::string spreadsheet_;         // .excel: the file to show when the output ends
  SqliteStyle spreadsheet_style_;   // and how rows look afterwards
  ExitStatus failure_ = 1;          // of a dot-command that fails as an argument
  std::string test_name_ = "?";
  std::string main_prompt_ = "sqlite> ", continued_prompt_ = "   ...> ";
  std::string output_name_ = "stdout";
  Plan plan_ = Plan::kOff;
  bool explains_always_ = false, explains_ = true;   // .explain on, auto
  bool shows_changes_ = false, shows_time_ = false;
  bool is_once_ = false;
  bool is_output_new_ = false;  // set since the dot command began
  bool is_lifted_ = false;   // -safe, for one command
  int64_t line_ = 0;
  int nesting_ = 0;
  std::optional<ExitStatus> ended_;
};

}  // namespace paddock::data
