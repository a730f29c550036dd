#include "commands/data/sqlite_forward.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "commands/data/sqlite_values.h"

namespace paddock::data {
namespace {

using Values = sqlite3_value**;

int64_t LimitOf(sqlite3_context* context) { return sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1); }

// What the format's widths and repeated characters come to at least; SQLite repeats a character one at a time, long after the result is
// too big.
class FormatSize {
 public:
  FormatSize(std::string_view format, int count, Values values, Budget& budget)
      : format_(format), count_(count), values_(values), budget_(budget) {}

  int64_t Sum(int64_t limit) {
    int64_t sum = 0;
    while (at_ < format_.size() && sum <= limit) {
      budget_.Step();
      if (format_[at_++] != '%') continue;
      while (at_ < format_.size() && std::string_view("-+ #!0,").find(format_[at_]) != std::string_view::npos) ++at_;
      const int64_t width = Number();
      int64_t precision = 0;
      if (at_ < format_.size() && format_[at_] == '.') {
        ++at_;
        precision = Number();
      }
      while (at_ < format_.size() && format_[at_] == 'l') ++at_;
      if (at_ == format_.size()) break;
      const char kind = format_[at_++];
      if (kind != '%' && kind != 'n') ++argument_;
      sum += kind == 'c' ? std::max(width, precision) : width;
    }
    return sum;
  }

 private:
  int64_t Number() {
    constexpr int64_t kMost = 1ll << 31;
    if (at_ < format_.size() && format_[at_] == '*') {
      ++at_;
      const int64_t value = argument_ < count_ ? sqlite3_value_int(values_[argument_]) : 0;
      ++argument_;
      return std::abs(value);
    }
    int64_t value = 0;
    for (; at_ < format_.size() && format_[at_] >= '0' && format_[at_] <= '9'; ++at_) {
      value = std::min(value * 10 + (format_[at_] - '0'), kMost);
    }
    return value;
  }

  std::string_view format_;
  int count_;
  Values values_;
  Budget& budget_;
  size_t at_ = 0;
  int argument_ = 1;
};

void Format(sqlite3_context* context, int count, Values values) {
  SqliteDatabase& database = DatabaseOf(context);
  const int code = database.guard().Call(SQLITE_INTERRUPT, [&]() -> int {
    const int64_t limit = LimitOf(context);
    if (count > 0 && FormatSize(TextOf(values[0]), count, values, database.files().in().budget).Sum(limit) > limit) return SQLITE_TOOBIG;
    database.forward().Call(context, "printf", count, values);
    return SQLITE_OK;
  });
  if (code == SQLITE_TOOBIG) sqlite3_result_error_toobig(context);
  if (code == SQLITE_INTERRUPT) sqlite3_result_error_code(context, code);
}

// It looks for each name of the patch in all of the object, which has those of the patch before, too.
void JsonPatch(sqlite3_context* context, int count, Values values) {
  constexpr uint64_t kMost = 20'000'000'000;   // about a second
  constexpr unsigned kJson = 'J';
  SqliteDatabase& database = DatabaseOf(context);
  const int code = database.guard().Call(SQLITE_INTERRUPT, [&]() -> int {
    const uint64_t patch = TextOf(values[1]).size();
    const uint64_t work = (TextOf(values[0]).size() + patch) * patch;
    if (work > kMost) return SQLITE_TOOBIG;
    database.files().in().budget.Step(static_cast<int64_t>(work / 1000));
    if (database.forward().Call(context, "json_patch", count, values)) sqlite3_result_subtype(context, kJson);
    return SQLITE_OK;
  });
  if (code == SQLITE_TOOBIG) sqlite3_result_error_toobig(context);
  if (code == SQLITE_INTERRUPT) sqlite3_result_error_code(context, code);
}

}  // namespace

SqliteForward::SqliteForward(int length) {
  sqlite3_open_v2(":memory:", &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  if (database_ != nullptr) sqlite3_limit(database_, SQLITE_LIMIT_LENGTH, length);
}

SqliteForward::~SqliteForward() {
  for (const auto& [name, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(database_);
}

sqlite3_stmt* SqliteForward::Find(const std::string& name, int count) {
  sqlite3_stmt*& statement = statements_[name + std::to_string(count)];
  if (statement != nullptr) return statement;
  std::string sql = "SELECT " + name + "(";
  for (int i = 0; i < count; ++i) sql += i == 0 ? "?" : ",?";
  sql += ")";
  sqlite3_prepare_v3(database_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  return statement;
}

bool SqliteForward::Call(sqlite3_context* context, const std::string& name, int count, Values values) {
  sqlite3_stmt* statement = Find(name, count);
  int code = SQLITE_NOMEM;
  if (statement != nullptr) {
    code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; ++i) code = sqlite3_bind_value(statement, i + 1, values[i]);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
  }
  const bool is_good = code == SQLITE_ROW;
  if (is_good) {
    sqlite3_result_value(context, sqlite3_column_value(statement, 0));
  } else if (code == SQLITE_TOOBIG) {
    sqlite3_result_error_toobig(context);
  } else if (code == SQLITE_NOMEM) {
    sqlite3_result_error_nomem(context);
  } else {
    sqlite3_result_error(context, sqlite3_errmsg(database_), -1);
  }
  if (statement != nullptr) {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }
  return is_good;
}

void AddSqliteBoundedFunctions(SqliteDatabase& database) {
  constexpr int kPure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  for (const char* name : {"printf", "format"}) {
    sqlite3_create_function_v2(database.get(), name, -1, kPure, &database, Format, nullptr, nullptr, nullptr);
  }
  sqlite3_create_function_v2(database.get(), "json_patch", 2, kPure, &database, JsonPatch, nullptr, nullptr, nullptr);
}

}  // namespace paddock::data
