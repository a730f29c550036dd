#include "commands/data/sqlite_database.h"

#include "commands/data/sqlite_archive.h"

#include <algorithm>
#include <array>
#include <exception>

namespace paddock::data {
namespace {

bool IsName(const char* text, const char* name) { return text != nullptr && sqlite3_stricmp(text, name) == 0; }

}  // namespace

SqliteDatabase::SqliteDatabase(SqliteFiles& files, const std::string& name, const Settings& settings)
    : files_(files), name_(name), settings_(settings) {
  int flags = settings.open_flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI;
  flags |= settings.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const bool is_allowed = SqliteFiles::IsAllowedName(name);
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(is_allowed ? name.c_str() : ":memory:", &opened, flags, files.name());
  database_.reset(opened);
  files.guard().Check();
  if (!is_allowed) {
    const size_t at = name.find("vfs=");
    error_ = "no such vfs: " + (at == std::string::npos ? "" : name.substr(at + 4, name.find('&', at) - at - 4));
  } else if (code != SQLITE_OK) {
    error_ = database_ == nullptr ? "out of memory" : sqlite3_errmsg(opened);
  }
  if (database_ == nullptr) return;
  sqlite3_db_config(get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(get(), SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(get(), SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, nullptr);   // it takes addresses
  SetLimits();
  sqlite3_progress_handler(get(), kTurns, Progress, this);
  sqlite3_set_authorizer(get(), Authorize, this);
  if (!error_.empty()) return;
  AddSqliteFunctions(*this);
  AddSqliteSeries(*this);
  AddSqliteArchiveFunctions(*this);
  AddSqliteSha3(*this);
  AddSqliteBoundedFunctions(*this);
}

Status SqliteDatabase::Deserialize(const std::string& image, int64_t most) {
  auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(std::max<size_t>(image.size(), 1)));
  if (bytes == nullptr) return Code::kNoMemory;
  std::copy(image.begin(), image.end(), bytes);
  const auto size = static_cast<sqlite3_int64>(image.size());
  if (sqlite3_deserialize(get(), "main", bytes, size, size, SQLITE_DESERIALIZE_RESIZEABLE | SQLITE_DESERIALIZE_FREEONCLOSE) != SQLITE_OK) return Code::kCorrupt;
  sqlite3_int64 limit = most;
  if (most > 0) sqlite3_file_control(get(), "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
  return {};
}

void SqliteDatabase::set_watcher(Watcher watcher, int turns) {
  watcher_ = std::move(watcher);
  turns_ = turns;
  sqlite3_progress_handler(get(), turns, Progress, this);
}

SqliteForward& SqliteDatabase::forward() {
  if (forward_ == nullptr) forward_ = std::make_unique<SqliteForward>(sqlite3_limit(get(), SQLITE_LIMIT_LENGTH, -1));
  return *forward_;
}

SqliteDatabase::~SqliteDatabase() {
  if (std::uncaught_exceptions() > 0) guard().Abandon();
}

// One value may take a small part of the memory, so that the machine's few turns between two looks take no more than all.
void SqliteDatabase::SetLimits() {
  constexpr uint64_t kLeast = 1'000'000, kMost = 1'000'000'000, kPart = 32;
  constexpr int kTriggers = 100, kParts = 200;
  const uint64_t memory = files_.in().budget.limits().memory_bytes;
  const int length = static_cast<int>(std::clamp(memory / kPart, kLeast, kMost));
  sqlite3_limit(get(), SQLITE_LIMIT_LENGTH, length);
  sqlite3_limit(get(), SQLITE_LIMIT_SQL_LENGTH, length);
  sqlite3_limit(get(), SQLITE_LIMIT_TRIGGER_DEPTH, kTriggers);   // each is a call on the stack
  sqlite3_limit(get(), SQLITE_LIMIT_COMPOUND_SELECT, kParts);
  sqlite3_limit(get(), SQLITE_LIMIT_WORKER_THREADS, 0);
}

int SqliteDatabase::Progress(void* self) {
  SqliteGuard& guard = static_cast<SqliteDatabase*>(self)->guard();
  return guard.Call(1, [&] {
    guard.Step(kTurns);
    auto* const database = static_cast<SqliteDatabase*>(self);
    return database->watcher_ && database->watcher_(database->turns_) ? 1 : 0;
  });
}

int SqliteDatabase::Authorize(void* self, int action, const char* first, const char* second, const char* schema, const char* by) {
  auto* database = static_cast<SqliteDatabase*>(self);
  return database->guard().Call(SQLITE_DENY, [&]() -> int {
    if (database->teller_) database->teller_(action, {first, second, schema, by});
    const bool* is_safe = database->settings_.is_safe;
    if (is_safe != nullptr && *is_safe && database->JudgeSafely(action, second) != SQLITE_OK) return SQLITE_DENY;
    switch (action) {
      case SQLITE_ATTACH:
        // A name that is only known when it runs could be one of another VFS.
        return first != nullptr && SqliteFiles::IsAllowedName(first) ? SQLITE_OK : SQLITE_DENY;
      case SQLITE_PRAGMA: return database->JudgePragma(first, second);
      default: return SQLITE_OK;
    }
  });
}

// Those that reach over the connection: they are settings of the whole process, or start threads.
int SqliteDatabase::JudgePragma(const char* name, const char* value) {
  for (const char* refused : {"temp_store_directory", "data_store_directory", "soft_heap_limit", "hard_heap_limit"}) {
    if (IsName(name, refused)) return SQLITE_DENY;
  }
  if (value == nullptr) return SQLITE_OK;
  if (IsName(name, "threads")) return SQLITE_DENY;
  if (!IsName(name, "case_sensitive_like")) return SQLITE_OK;
  // It would put back SQLite's own LIKE.
  is_case_sensitive_ = IsName(value, "on") || IsName(value, "yes") || IsName(value, "true") || std::atoi(value) != 0;
  return SQLITE_IGNORE;
}

int SqliteDatabase::JudgeSafely(int action, const char* function) {
  if (action == SQLITE_ATTACH) {
    guard().safety_complaint = "cannot run ATTACH in safe mode";
    return SQLITE_DENY;
  }
  if (action != SQLITE_FUNCTION) return SQLITE_OK;
  for (const char* refused : {"edit", "fts3_tokenizer", "load_extension", "readfile", "writefile", "zipfile", "zipfile_cds"}) {
    if (!IsName(function, refused)) continue;
    guard().safety_complaint = "cannot use the " + std::string(refused) + "() function in safe mode";
    return SQLITE_DENY;
  }
  return SQLITE_OK;
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, const std::string& sql) : database_(&database), statement_(nullptr) {
  sqlite3_prepare_v2(database.get(), sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  database.guard().Check();
}

SqliteStatement::~SqliteStatement() {
  if (std::uncaught_exceptions() > 0) database_->guard().Abandon();
  sqlite3_finalize(statement_);
}

int SqliteStatement::Step() {
  database_->files().in().budget.Step();
  const int code = sqlite3_step(statement_);
  database_->guard().Check();
  return code;
}

int SqliteStatement::Finalize() {
  const int code = sqlite3_finalize(statement_);
  statement_ = nullptr;
  database_->guard().Check();
  return code;
}

void SqliteStatement::Bind(int at, const std::string& text) {
  sqlite3_bind_text64(statement_, at, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace paddock::data
