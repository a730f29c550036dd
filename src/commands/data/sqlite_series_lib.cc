// generate_series(START, STOP, STEP): the integers from START to STOP as a table; from the last to the first for a negative STEP.
#include <limits>
#include <memory>
#include <new>

#include "commands/data/sqlite_database.h"

namespace paddock::data {
namespace {

enum Column { kValue, kStart, kStop, kStep };

struct Cursor {
  sqlite3_vtab_cursor base;
  sqlite3_int64 start = 0, stop = 0;
  uint64_t step = 1;
  uint64_t at = 0, last = 0;   // which of the values, from 0
  bool is_backwards = false;
  bool is_done = true;
};

Cursor& CursorOf(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<Cursor*>(cursor); }

int Connect(sqlite3* database, void*, int, const char* const*, sqlite3_vtab** table, char**) {
  const int code = sqlite3_declare_vtab(database, "CREATE TABLE x(value, start hidden, stop hidden, step hidden)");
  if (code != SQLITE_OK) return code;
  auto made = std::unique_ptr<sqlite3_vtab>(new (std::nothrow) sqlite3_vtab{});  // allow(raw-new): null, not an exception
  if (made == nullptr) return SQLITE_NOMEM;
  *table = made.release();
  sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
  return SQLITE_OK;
}

int Disconnect(sqlite3_vtab* table) {
  const std::unique_ptr<sqlite3_vtab> owned(table);
  return SQLITE_OK;
}

int Open(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  auto made = std::unique_ptr<Cursor>(new (std::nothrow) Cursor{});  // allow(raw-new): null, not an exception
  if (made == nullptr) return SQLITE_NOMEM;
  *cursor = &made.release()->base;
  return SQLITE_OK;
}

int Close(sqlite3_vtab_cursor* cursor) {
  const std::unique_ptr<Cursor> owned(&CursorOf(cursor));
  return SQLITE_OK;
}

// Which of start, stop and step are given: bits of idxNum, arguments in that order.
int BestIndex(sqlite3_vtab* table, sqlite3_index_info* info) {
  int given[4] = {-1, -1, -1, -1};
  int unusable = 0, usable = 0;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn < kStart || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    const int bit = 1 << constraint.iColumn;
    if (constraint.usable == 0) {
      unusable |= bit;
    } else {
      usable |= bit;
      given[constraint.iColumn] = i;
    }
  }
  if ((unusable & ~usable) != 0) return SQLITE_CONSTRAINT;
  if (given[kStart] < 0) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("first argument to \"generate_series()\" missing or unusable");
    return SQLITE_ERROR;
  }
  int arguments = 0;
  for (int column = kStart; column <= kStep; ++column) {
    if (given[column] < 0) continue;
    info->aConstraintUsage[given[column]].argvIndex = ++arguments;
    info->aConstraintUsage[given[column]].omit = 1;
  }
  info->idxNum = usable;
  constexpr double kCheap = 2;
  info->estimatedCost = (usable & (1 << kStop)) != 0 ? kCheap : std::numeric_limits<int>::max();
  info->estimatedRows = (usable & (1 << kStop)) != 0 ? 1000 : std::numeric_limits<int>::max();
  return SQLITE_OK;
}

int Filter(sqlite3_vtab_cursor* base, int usable, const char*, int count, sqlite3_value** values) {
  Cursor& cursor = CursorOf(base);
  constexpr sqlite3_int64 kDefaultStop = 0xffffffff;
  cursor.stop = kDefaultStop;
  cursor.start = 0;
  sqlite3_int64 step = 1;
  int at = 0;
  if ((usable & (1 << kStart)) != 0) cursor.start = sqlite3_value_int64(values[at++]);
  if ((usable & (1 << kStop)) != 0) cursor.stop = sqlite3_value_int64(values[at++]);
  if ((usable & (1 << kStep)) != 0) step = sqlite3_value_int64(values[at]);
  cursor.is_backwards = step < 0;
  cursor.step = step == 0 ? 1 : step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  cursor.at = 0;
  cursor.is_done = cursor.start > cursor.stop;
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) cursor.is_done = true;
  }
  cursor.last = cursor.is_done ? 0 : (static_cast<uint64_t>(cursor.stop) - static_cast<uint64_t>(cursor.start)) / cursor.step;
  return SQLITE_OK;
}

int Next(sqlite3_vtab_cursor* base) {
  Cursor& cursor = CursorOf(base);
  cursor.is_done = cursor.at == cursor.last;
  ++cursor.at;
  return SQLITE_OK;
}

int IsAtEnd(sqlite3_vtab_cursor* base) { return CursorOf(base).is_done ? 1 : 0; }

int GetColumn(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const Cursor& cursor = CursorOf(base);
  switch (column) {
    case kStart: sqlite3_result_int64(context, cursor.start); break;
    case kStop: sqlite3_result_int64(context, cursor.stop); break;
    case kStep: sqlite3_result_int64(context, static_cast<sqlite3_int64>(cursor.step)); break;
    default: {
      const uint64_t steps = cursor.is_backwards ? cursor.last - cursor.at : cursor.at;
      sqlite3_result_int64(context, static_cast<sqlite3_int64>(static_cast<uint64_t>(cursor.start) + steps * cursor.step));
    }
  }
  return SQLITE_OK;
}

int GetRow(sqlite3_vtab_cursor* base, sqlite3_int64* row) {
  *row = static_cast<sqlite3_int64>(CursorOf(base).at + 1);
  return SQLITE_OK;
}

constexpr sqlite3_module kModule = {
    .xConnect = Connect,
    .xBestIndex = BestIndex,
    .xDisconnect = Disconnect,
    .xOpen = Open,
    .xClose = Close,
    .xFilter = Filter,
    .xNext = Next,
    .xEof = IsAtEnd,
    .xColumn = GetColumn,
    .xRowid = GetRow,
};

}  // namespace

void AddSqliteSeries(SqliteDatabase& database) {
  sqlite3_create_module_v2(database.get(), "generate_series", &kModule, nullptr, nullptr);
}

}  // namespace paddock::data
