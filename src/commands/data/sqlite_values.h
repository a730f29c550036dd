// What functions of SQL share that C++ brings: their database, the bytes of their arguments, and the way SQLite calls them.
#pragma once

#include <string_view>

#include "commands/data/sqlite_database.h"

namespace paddock::data {

// Of a function that was registered with its SqliteDatabase as user data.
inline SqliteDatabase& DatabaseOf(sqlite3_context* context) { return *static_cast<SqliteDatabase*>(sqlite3_user_data(context)); }

// Valid until the value is converted or the call ends; empty for NULL.
inline std::string_view BytesOf(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<size_t>(sqlite3_value_bytes(value)));
}
inline std::string_view TextOf(sqlite3_value* value) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? std::string_view() : std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

// The function as SQLite calls it: what must not unwind through SQLite waits in the guard.
template <void (*kBody)(sqlite3_context*, int, sqlite3_value**)>
void Guarded(sqlite3_context* context, int count, sqlite3_value** values) {
  const int code = DatabaseOf(context).guard().Call(SQLITE_INTERRUPT, [&] {
    kBody(context, count, values);
    return SQLITE_OK;
  });
  if (code != SQLITE_OK) sqlite3_result_error_code(context, code);
}

}  // namespace paddock::data
