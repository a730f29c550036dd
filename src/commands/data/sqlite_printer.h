// How rows look: the output modes of the sqlite3 shell.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "commands/data/sqlite_database.h"

namespace paddock::data {

enum class SqliteMode { kLine, kColumn, kList, kHtml, kInsert, kQuote, kTcl, kCsv, kExplain, kAscii, kPlan, kJson, kMarkdown, kTable, kBox, kCount, kOff };

struct SqliteStyle {
  SqliteMode mode = SqliteMode::kList;
  std::string column_separator = "|";
  std::string row_separator = "\n";
  std::string null_value;
  std::string table = "table";   // of mode insert, quoted if need be
  bool has_header = false;
  bool keeps_newlines = false;   // .dump --newlines
  std::vector<int> widths;
  int wrap = 0;
  bool wraps_words = false;
  bool quotes = false;           // columnar modes: values as SQL

  bool is_columnar() const {
    return mode == SqliteMode::kColumn || mode == SqliteMode::kTable || mode == SqliteMode::kBox || mode == SqliteMode::kMarkdown;
  }
};

// Runs a statement to its end and writes its rows; the code of the last step. `step` comes first when a row was fetched.
int PrintSqliteRows(SqliteStatement& statement, const SqliteStyle& style, Output& out, Budget& budget);
int PrintSqliteColumns(SqliteStatement& statement, const SqliteStyle& style, Output& out, Budget& budget);

// An SQL literal: 'it''s'.
std::string SqlString(std::string_view text);
// The name as it has to be written: "x y", "select", plain if that will do.
std::string SqlName(std::string_view name);
bool NeedsSqlQuotes(std::string_view name);
// "a\tb" as a string of C.
std::string CString(std::string_view text);
// Characters: bytes that do not continue one.
size_t CountSqlChars(std::string_view text);
// At least |width| characters, cut to it; negative is right-justified; 0 is as it comes.
std::string SqlPadded(int width, std::string_view text);

}  // namespace paddock::data
