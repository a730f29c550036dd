// SQLite's own functions where the connection has others in their place: a second connection, without files, answers.
#pragma once

#include <sqlite3.h>

#include <map>
#include <string>

namespace paddock::data {

class SqliteForward {
 public:
  // Values may have `length` bytes.
  explicit SqliteForward(int length);
  ~SqliteForward();
  SqliteForward(const SqliteForward&) = delete;
  SqliteForward& operator=(const SqliteForward&) = delete;

  // Sets the result of `name`, or the error, in `context`; false for an error.
  bool Call(sqlite3_context* context, const std::string& name, int count, sqlite3_value** values);

 private:
  sqlite3_stmt* Find(const std::string& name, int count);

  sqlite3* database_ = nullptr;
  std::map<std::string, sqlite3_stmt*> statements_;
};

class SqliteDatabase;
// Replaces printf(), format() and json_patch(), which take time that their arguments do not show.
void AddSqliteBoundedFunctions(SqliteDatabase& database);

}  // namespace paddock::data
