// A connection of SQLite that hostile SQL may use: its files are the virtual tree's, its work and memory are charged, and what
// reaches over the connection (extensions, limits of the process, other VFSes, threads) is refused.
#pragma once

#include <sqlite3.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "commands/data/sqlite_files.h"
#include "commands/data/sqlite_forward.h"
#include "commands/data/sqlite_guard.h"

namespace paddock::data {

class SqliteDatabase {
 public:
  struct Settings {
    const bool* is_safe = nullptr;   // -safe, which .nonce lifts; null: no
    int open_flags = 0;     // besides the mode: SQLITE_OPEN_NOFOLLOW
    bool read_only = false;
  };

  // Always gives a connection; error() tells when the file could not be opened.
  SqliteDatabase(SqliteFiles& files, const std::string& name, const Settings& settings);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  sqlite3* get() const { return database_.get(); }
  const std::string& name() const { return name_; }
  const std::string& error() const { return error_; }

  SqliteFiles& files() { return files_; }
  SqliteGuard& guard() { return files_.guard(); }
  SqliteForward& forward();
  // Is called with what each statement asks for; in SQLite's callbacks, within guard().Call().
  using Teller = std::function<void(int action, const std::array<const char*, 4>& what)>;
  void set_teller(Teller teller) { teller_ = std::move(teller); }
  // Is called after so many turns of SQLite's machine (at most kTurns), in its callback, within guard().Call(); true ends the statement.
  using Watcher = std::function<bool(int turns)>;
  static constexpr int kTurns = 20;   // between two looks at the limits: each may make one value
  void set_watcher(Watcher watcher, int turns = kTurns);
  // Replaces the database, which is in memory, by an image of one of at most `most` bytes.
  Status Deserialize(const std::string& image, int64_t most);
  int query_depth = 0;   // of sha3_query() that is under way
  bool is_case_sensitive() const { return is_case_sensitive_; }   // LIKE

 private:
  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };

  static int Progress(void* self);
  static int Authorize(void* self, int action, const char* first, const char* second, const char* schema, const char* by);
  int JudgePragma(const char* name, const char* value);
  int JudgeSafely(int action, const char* function);
  void SetLimits();

  SqliteFiles& files_;
  std::string name_;
  Settings settings_;
  std::unique_ptr<sqlite3, Closer> database_;
  std::string error_;
  bool is_case_sensitive_ = false;
  std::unique_ptr<SqliteForward> forward_;
  Teller teller_;
  Watcher watcher_;
  int turns_ = kTurns;
};

// A prepared statement.
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}
  // From text that is expected to be right; null, with the error in the connection, when it is not.
  SqliteStatement(SqliteDatabase& database, const std::string& sql);
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  explicit operator bool() const { return statement_ != nullptr; }
  sqlite3_stmt* get() const { return statement_; }
  // SQLITE_ROW, SQLITE_DONE or what failed; throws what a callback wanted to throw.
  int Step();
  // Ends it: the code of the last failure.
  int Finalize();
  int columns() const { return sqlite3_column_count(statement_); }
  int type(int column) const { return sqlite3_column_type(statement_, column); }
  // Null for NULL.
  const char* text(int column) const { return reinterpret_cast<const char*>(sqlite3_column_text(statement_, column)); }
  std::string Text(int column) const { return text(column) == nullptr ? std::string() : text(column); }
  void Bind(int at, const std::string& text);

 private:
  SqliteDatabase* database_;
  sqlite3_stmt* statement_;
};

// The functions that the shell adds, and those of SQLite that take time by the square of their arguments, replaced.
void AddSqliteFunctions(SqliteDatabase& database);
// sha3() and sha3_query().
void AddSqliteSha3(SqliteDatabase& database);
// generate_series().
void AddSqliteSeries(SqliteDatabase& database);

}  // namespace paddock::data
