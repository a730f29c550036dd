// .session of the sqlite3 shell: changes of a database that are recorded, and written as a changeset or a patchset.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/data/sqlite_database.h"

struct sqlite3_session;

namespace paddock::data {

class SqliteSession {
 public:
  // `code`: SQLite's; there is no session unless it is SQLITE_OK.
  SqliteSession(SqliteDatabase& database, const std::string& schema, std::string name, int* code);
  ~SqliteSession();
  SqliteSession(const SqliteSession&) = delete;
  SqliteSession& operator=(const SqliteSession&) = delete;

  const std::string& name() const { return name_; }
  // "*": all tables. The code of SQLite.
  int Attach(const std::string& table);
  // -1 only asks.
  int Enable(int value);
  int SetIndirect(int value);
  bool IsEmpty();
  void set_filter(std::vector<std::string> globs) { globs_ = std::move(globs); }
  // What was recorded, as bytes; the code of SQLite.
  int Write(bool is_patchset, std::string* bytes);

 private:
  static int Filter(void* self, const char* table);

  SqliteDatabase& database_;
  const std::string name_;
  std::vector<std::string> globs_;   // tables that are passed over
  sqlite3_session* session_ = nullptr;
};

}  // namespace paddock::data
