// The dot-commands of the sqlite3 shell. Inside the command only.
#pragma once

#include <string>
#include <vector>

#include "commands/data/sqlite_shell.h"

namespace paddock::data {

using SqliteWords = std::vector<std::string>;

class SqliteDotCommands {
 public:
  using Then = SqliteShell::Then;

  explicit SqliteDotCommands(SqliteShell& shell) : shell_(shell) {}

  Then Run(const SqliteWords& words);
  static SqliteWords Split(const std::string& line);

 private:
  using Body = Then (SqliteDotCommands::*)(const SqliteWords&);
  struct Entry {
    const char* name;
    size_t shortest;      // abbreviation
    Body body;
    const char* help;     // arguments and what it does, null for another name of the one before
    bool is_unsafe;
  };
  static const Entry kEntries[];

  Then Archive(const SqliteWords& words);
  Then FileControl(const SqliteWords& words);
  Then Imposter(const SqliteWords& words);
  Then Progress(const SqliteWords& words);
  Then Recover(const SqliteWords& words);
  Then Session(const SqliteWords& words);
  Then Sha3Sum(const SqliteWords& words);
  Then Spreadsheet(const SqliteWords& words);
  Then Stats(const SqliteWords& words);
  Then TestControl(const SqliteWords& words);
  Then Authorizer(const SqliteWords& words);
  Then Backup(const SqliteWords& words);
  Then Check(const SqliteWords& words);
  Then Clone(const SqliteWords& words);
  Then Connection(const SqliteWords& words);
  Then Limit(const SqliteWords& words);
  Then Lint(const SqliteWords& words);
  Then Load(const SqliteWords& words);
  Then SelfTest(const SqliteWords& words);
  Then Setting(const SqliteWords& words);
  Then SettingsOfFile(const SqliteWords& words);
  Then TestCase(const SqliteWords& words);
  Then Trace(const SqliteWords& words);
  Then VfsList(const SqliteWords& words);
  Then VfsName(const SqliteWords& words);
  Then Binary(const SqliteWords& words);
  Then FullSchema(const SqliteWords& words);
  Then Prompt(const SqliteWords& words);
  Then ScanStats(const SqliteWords& words);
  Then Bail(const SqliteWords& words);
  Then Cd(const SqliteWords& words);
  Then Changes(const SqliteWords& words);
  Then Databases(const SqliteWords& words);
  Then Dump(const SqliteWords& words);
  Then Echo(const SqliteWords& words);
  Then Exit(const SqliteWords& words);
  Then Explain(const SqliteWords& words);
  Then Headers(const SqliteWords& words);
  Then Help(const SqliteWords& words);
  Then Import(const SqliteWords& words);
  Then Indexes(const SqliteWords& words);
  Then Mode(const SqliteWords& words);
  Then Nonce(const SqliteWords& words);
  Then NullValue(const SqliteWords& words);
  Then Open(const SqliteWords& words);
  Then SendOutput(const SqliteWords& words);
  Then Parameter(const SqliteWords& words);
  Then Plan(const SqliteWords& words);
  Then Print(const SqliteWords& words);
  Then Quit(const SqliteWords& words);
  Then Read(const SqliteWords& words);
  Then Restore(const SqliteWords& words);
  Then Schema(const SqliteWords& words);
  Then Separator(const SqliteWords& words);
  Then System(const SqliteWords& words);
  Then Show(const SqliteWords& words);
  Then Tables(const SqliteWords& words);
  Then Timeout(const SqliteWords& words);
  Then Timer(const SqliteWords& words);
  Then Version(const SqliteWords& words);
  Then Width(const SqliteWords& words);

  void LintTable(const std::string& table, bool is_verbose);
  bool CloneTable(SqliteDatabase& to, const std::string& name, const std::string& sql);
  bool SetParameter(const std::string& key, const std::string& value);
  void MakeParameterTable();
  bool Boolean(const std::string& word);
  Then Fail(const std::string& complaint);
  Then Usage(const std::string& usage) { return Fail("Usage: " + usage + "\n"); }
  Then CopyDatabase(SqliteDatabase& from, const std::string& from_schema, SqliteDatabase& to, const std::string& to_schema);
  bool ListNames(bool is_index, const std::string& pattern);
  std::string SchemaLine(const std::string& schema, const std::string& name, const std::string& sql, bool indents);

  SqliteShell& shell_;
};

// A statement of a schema as it is shown: a table whose name is quoted gets IF NOT EXISTS.
std::string SqlSchemaLine(const std::string& sql);

// .dump
bool DumpSqlite(SqliteShell& shell, const SqliteWords& words);
// .import
bool ImportSqlite(SqliteShell& shell, const SqliteWords& words);

}  // namespace paddock::data
