// .archive and -A of the sqlite3 shell: files kept in a table sqlar, as the page "SQLite Archive Files" of sqlite.org describes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/data/sqlite_shell.h"

namespace paddock::data {

class SqliteArchive {
 public:
  // `is_option`: what is said of mistakes names -A, not the dot-command.
  SqliteArchive(SqliteShell& shell, bool is_option) : shell_(shell), is_option_(is_option) {}
  // The words behind the command; false after complaints.
  bool Run(const std::vector<std::string>& words);

 private:
  bool Parse(const std::vector<std::string>& words);
  bool ParseLetters(const std::string& letters, const std::vector<std::string>& words, size_t* at, bool may_be_joined);
  bool ParseName(const std::string& word, const std::vector<std::string>& words, size_t* at);
  bool Apply(char letter, const std::string& value);
  bool Complain(const std::string& what);
  bool Usage(const std::string& what);

  bool HasTable();
  bool HasAllEntries();
  std::string Where() const;
  bool List();
  bool Extract();
  bool Remove();
  bool Add();
  bool AddTree(SqliteStatement& insert, const std::string& name, int depth);
  bool AddFile(SqliteStatement& insert, const std::string& name);
  void ShowInsertions() const;   // of a dry run
  bool Execute(const std::string& sql);

  SqliteShell& shell_;
  const bool is_option_;
  char command_ = 0;   // c, u, i, r, t, x; h for help
  bool is_verbose_ = false, is_dry_ = false, has_globs_ = false;
  std::optional<std::string> file_, directory_;
  std::vector<std::string> names_;
  std::unique_ptr<SqliteDatabase> own_;   // of -f
  SqliteDatabase* database_ = nullptr;
};

// sqlar_compress(), sqlar_uncompress() and lsmode().
void AddSqliteArchiveFunctions(SqliteDatabase& database);

}  // namespace paddock::data
