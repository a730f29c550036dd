#include "store/records/sqlite_session.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace paddock::records {
namespace {

constexpr size_t kMaxStatements = 200;  // kept prepared; lists with many terms make new texts

class SqliteRow : public Row {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  bool IsNull(int column) const override { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  int64_t Integer(int column) const override { return sqlite3_column_int64(statement_, column); }
  std::string_view Bytes(int column) const override {
    const void* bytes = sqlite3_column_blob(statement_, column);
    return {static_cast<const char*>(bytes), static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_;
};

int Bind(sqlite3_stmt* statement, int at, const Value& value) {
  const char* bytes = value.bytes.data() != nullptr ? value.bytes.data() : "";
  switch (value.type) {
    case Value::Type::kNull:
      return sqlite3_bind_null(statement, at);
    case Value::Type::kInteger:
      return sqlite3_bind_int64(statement, at, value.integer);
    case Value::Type::kText:
      return sqlite3_bind_text64(statement, at, bytes, value.bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
    case Value::Type::kBlob:
      return sqlite3_bind_blob64(statement, at, bytes, value.bytes.size(), SQLITE_STATIC);
  }
  return SQLITE_MISUSE;
}

}  // namespace

Error SqliteError(const std::string& path, int code, int system_errno, std::string_view text) {
  const auto error = [&](Code kind, const std::string& what) { return Error(kind, "database " + path + " " + what); };
  if (system_errno == ENOSPC || system_errno == EDQUOT) code = SQLITE_FULL;
  if (code == SQLITE_READONLY_DIRECTORY || (code & 0xff) == SQLITE_CANTOPEN) {
    if (system_errno == EROFS) return error(Code::kReadOnly, "lies on a read-only file system");
    if (system_errno == ENOENT || system_errno == ENOTDIR)
      return error(Code::kNoEntry, "cannot be opened: its directory does not exist");
    const std::string why = system_errno != 0 ? std::strerror(system_errno) : std::string(text);
    return error(Code::kAccess, "cannot be opened for writing, or files beside it: " + why);
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error(Code::kBusy, "is locked by another program");
    case SQLITE_FULL:
      return error(Code::kNoSpace, "cannot grow: the disk is full; nothing of this was written");
    case SQLITE_READONLY:
      return error(Code::kReadOnly, "may not be written: the file or its file system is read-only");
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return error(Code::kAccess, "may not be opened: permission denied");
    case SQLITE_CORRUPT:
      return error(Code::kCorrupt, "is damaged (" + std::string(text) + "): restore a copy, or move it away to start empty");
    case SQLITE_NOTADB:
      return error(Code::kInvalid, "is not an SQLite file: give another path");
    case SQLITE_CONSTRAINT:
      return error(Code::kExists, "already holds this: " + std::string(text));
    case SQLITE_NOMEM:
      return error(Code::kNoMemory, "needs more memory than there is");
    default:
      return error(Code::kIo,
                   "failed: " + std::string(text) + (system_errno != 0 ? ": " + std::string(std::strerror(system_errno)) : ""));
  }
}

Error SqliteSession::LastError() const {
  const int code = sqlite3_extended_errcode(database_.get());
  // SQLite keeps the system's error of an earlier call; it means something with these alone.
  const int kind = code & 0xff;
  const bool has_system_error = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
  const int system_errno = has_system_error ? sqlite3_system_errno(database_.get()) : 0;
  return SqliteError(path_, code, system_errno, sqlite3_errmsg(database_.get()));
}

Result<std::unique_ptr<SqliteSession>> SqliteSession::Open(const std::string& path, Duration busy) {
  auto session = std::unique_ptr<SqliteSession>(new SqliteSession);  // allow(raw-new): the constructor is private
  session->path_ = path;
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  session->database_.reset(database);
  if (database == nullptr) return Error(Code::kNoMemory);
  if (code != SQLITE_OK) return session->LastError();
  sqlite3_busy_timeout(database, static_cast<int>(busy.count()));
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return session;
}

Status SqliteSession::Execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return LastError();
  return {};
}

Result<std::string> SqliteSession::Ask(const std::string& sql) {
  PADDOCK_ASSIGN(const Statement statement, Prepare(sql));
  const int code = sqlite3_step(statement.get());
  if (code == SQLITE_DONE) return std::string();
  if (code != SQLITE_ROW) return LastError();
  return std::string(SqliteRow(statement.get()).Bytes(0));
}

Result<SqliteSession::Statement> SqliteSession::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) return LastError();
  return Statement(statement);
}

Result<SqliteSession::Prepared*> SqliteSession::Find(std::string_view sql) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return &found->second;
  PADDOCK_ASSIGN(Statement statement, Prepare(sql));
  Prepared prepared{std::move(statement), {}};
  for (int i = 1; i <= sqlite3_bind_parameter_count(prepared.statement.get()); ++i) {
    const char* name = sqlite3_bind_parameter_name(prepared.statement.get(), i);
    PADDOCK_CHECK(name != nullptr && name[0] == '$');
    prepared.numbers.push_back(static_cast<size_t>(std::atoi(name + 1)));
  }
  if (statements_.size() >= kMaxStatements) statements_.clear();
  return &statements_.emplace(std::string(sql), std::move(prepared)).first->second;
}

Result<int64_t> SqliteSession::Step(const Prepared& prepared, std::span<const Value> parameters, const OnRow& on_row) {
  sqlite3_stmt* statement = prepared.statement.get();
  for (size_t i = 0; i < prepared.numbers.size(); ++i) {
    PADDOCK_CHECK(prepared.numbers[i] >= 1 && prepared.numbers[i] <= parameters.size());
    if (Bind(statement, static_cast<int>(i) + 1, parameters[prepared.numbers[i] - 1]) != SQLITE_OK) return LastError();
  }
  const int64_t before = sqlite3_total_changes64(database_.get());
  const SqliteRow row(statement);
  for (;;) {
    const int code = sqlite3_step(statement);
    if (code == SQLITE_DONE) break;
    if (code != SQLITE_ROW) return LastError();
    if (on_row && !on_row(row)) break;
  }
  return sqlite3_total_changes64(database_.get()) - before;
}

Result<int64_t> SqliteSession::Run(std::string_view sql, std::span<const Value> parameters, const OnRow& on_row) {
  const auto prepared = Find(sql);
  Result<int64_t> changed = prepared ? Step(**prepared, parameters, on_row) : Result<int64_t>(prepared.error());
  if (prepared) {
    sqlite3_reset((*prepared)->statement.get());
    sqlite3_clear_bindings((*prepared)->statement.get());
  }
  if (!changed && failure_) failure_ = changed.error();
  return changed;
}

}  // namespace paddock::records
