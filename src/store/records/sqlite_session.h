// One connection to an SQLite file.
#pragma once

#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/records/sql.h"

namespace paddock::records {

// One thread at a time.
class SqliteSession : public Session {
 public:
  // Opens an existing file. `busy` is how long a statement waits for another program's lock.
  static Result<std::unique_ptr<SqliteSession>> Open(const std::string& path, Duration busy);

  using Session::Run;
  Result<int64_t> Run(std::string_view sql, std::span<const Value> parameters, const OnRow& on_row = {}) override;
  std::string_view for_update() const override { return ""; }
  std::string_view for_update_of_free_rows() const override { return ""; }

  // Statements without parameters or rows, separated by semicolons; not kept.
  Status Execute(const std::string& sql);
  // The first column of the first row, empty when there is none.
  Result<std::string> Ask(const std::string& sql);

  bool is_read_only() const { return sqlite3_db_readonly(database_.get(), "main") == 1; }
  bool is_in_transaction() const { return sqlite3_get_autocommit(database_.get()) == 0; }
  // The first error of Run() since the last call.
  Status TakeFailure() { return std::exchange(failure_, Status()); }

 private:
  struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct FinalizeStatement {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;
  // `numbers[i]` is the n of the parameter `$n` that SQLite counts as i + 1.
  struct Prepared {
    Statement statement;
    std::vector<size_t> numbers;
  };

  SqliteSession() = default;
  Result<Statement> Prepare(std::string_view sql);
  Result<Prepared*> Find(std::string_view sql);
  Result<int64_t> Step(const Prepared& prepared, std::span<const Value> parameters, const OnRow& on_row);
  Error LastError() const;

  std::string path_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
  std::map<std::string, Prepared, std::less<>> statements_;  // after database_: finalized before it is closed
  Status failure_;
};

// An SQLite result code, extended, as an error that names the file. `system_errno` is sqlite3_system_errno(), 0 when unknown.
Error SqliteError(const std::string& path, int code, int system_errno, std::string_view text);

}  // namespace paddock::records
