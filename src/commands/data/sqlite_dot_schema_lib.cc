// Dot-commands that show what a database holds.
#include <algorithm>

#include "commands/data/sqlite_dot.h"

namespace paddock::data {
namespace {

std::vector<std::string> Schemas(SqliteDatabase& database) {
  std::vector<std::string> names;
  SqliteStatement list(database, "PRAGMA database_list");
  while (list && list.Step() == SQLITE_ROW) names.push_back(list.Text(1));
  return names;
}

bool StartsWith(const std::string& text, std::string_view start) {
  return sqlite3_strnicmp(text.c_str(), start.data(), static_cast<int>(start.size())) == 0;
}

bool IsSqlSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// .schema --indent: blanks put together, and what is long a column a line.
std::string Indented(const std::string& sql) {
  if (StartsWith(sql, "CREATE VIEW") || StartsWith(sql, "CREATE TRIG")) return sql;
  std::string text;
  for (const char c : sql) {
    if (IsSqlSpace(c) && !text.empty() && (IsSqlSpace(text.back()) || text.back() == '(')) continue;
    if ((c == '(' || c == ')') && !text.empty() && IsSqlSpace(text.back())) text.pop_back();
    text += c;
  }
  constexpr size_t kShort = 79;
  if (text.size() < kShort) return text;
  std::string out, line;
  char end = '\0';   // of a quote or a comment
  int depth = 0, lines = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == end) {
      end = '\0';
    } else if (end == '\0') {
      if (c == '"' || c == '\'' || c == '`') end = c;
      if (c == '[') end = ']';
      if (c == '-' && i + 1 < text.size() && text[i + 1] == '-') end = '\n';
      depth += c == '(' ? 1 : 0;
      if (c == ')' && --depth == 0 && lines > 0 && !line.empty()) out += std::exchange(line, {}) + "\n";
    }
    line += c;
    if (depth != 1 || end != '\0' || (c != '(' && c != '\n' && c != ',')) continue;
    if (c == '\n') line.pop_back();
    out += std::exchange(line, {}) + "\n  ";
    ++lines;
    while (i + 1 < text.size() && IsSqlSpace(text[i + 1])) ++i;
  }
  return out + line;
}

}  // namespace

std::string SqlSchemaLine(const std::string& sql) {
  constexpr std::string_view kStart = "CREATE TABLE ";
  if (sql.starts_with(kStart) && sql.size() > kStart.size() && (sql[kStart.size()] == '"' || sql[kStart.size()] == '\'')) {
    return "CREATE TABLE IF NOT EXISTS " + sql.substr(kStart.size()) + ";\n";
  }
  return sql + ";\n";
}

SqliteDotCommands::Then SqliteDotCommands::Databases(const SqliteWords&) {
  if (!shell_.Open()) return Then::kFailed;
  SqliteStatement list(*shell_.database_, "PRAGMA database_list");
  while (list && list.Step() == SQLITE_ROW) {
    const std::string name = list.Text(1), file = list.Text(2);
    const int state = sqlite3_txn_state(shell_.database_->get(), name.c_str());
    shell_.out().WriteLine(name + ": " + (file.empty() ? "\"\"" : file) +
                           (sqlite3_db_readonly(shell_.database_->get(), name.c_str()) != 0 ? " r/o" : " r/w") +
                           (state == SQLITE_TXN_NONE ? "" : state == SQLITE_TXN_READ ? " read-txn" : " write-txn"));
  }
  return Then::kGoOn;
}

bool SqliteDotCommands::ListNames(bool is_index, const std::string& pattern) {
  constexpr size_t kLine = 80;
  std::vector<std::string> names;
  for (const std::string& schema : Schemas(*shell_.database_)) {
    const std::string prefix = schema == "main" ? "" : schema + ".";
    const std::string from = "SELECT name FROM " + SqlName(schema) + ".sqlite_schema WHERE ";
    SqliteStatement list(*shell_.database_, is_index ? from + "type='index' AND tbl_name LIKE ?1"
                                                     : from + "type IN ('table','view') AND name NOT LIKE 'sqlite__%' ESCAPE '_' AND name LIKE ?1");
    if (!list) {
      shell_.Complain("Error: " + std::string(sqlite3_errmsg(shell_.database_->get())) + "\n");
      return false;
    }
    list.Bind(1, pattern);
    while (list.Step() == SQLITE_ROW) names.push_back(prefix + list.Text(0));
    if (list.Finalize() != SQLITE_OK) {
      shell_.Complain("Error: " + std::string(sqlite3_errmsg(shell_.database_->get())) + "\n");
      return false;
    }
  }
  if (names.empty()) return true;
  std::sort(names.begin(), names.end());
  size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, name.size());
  const size_t columns = std::max<size_t>(kLine / (widest + 2), 1), rows = (names.size() + columns - 1) / columns;
  for (size_t row = 0; row < rows; ++row) {
    for (size_t i = row; i < names.size(); i += rows) {
      shell_.in_.budget.Step();
      shell_.out().Write((i < rows ? "" : "  ") + names[i] + std::string(widest - names[i].size(), ' '));
    }
    shell_.out().Put('\n');
  }
  return true;
}

SqliteDotCommands::Then SqliteDotCommands::Tables(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  return ListNames(false, words.size() > 1 ? words[1] : "%") ? Then::kGoOn : Then::kFailed;
}

SqliteDotCommands::Then SqliteDotCommands::Indexes(const SqliteWords& words) {
  if (words.size() > 2) return Usage(".indexes ?LIKE-PATTERN?");
  if (!shell_.Open()) return Then::kFailed;
  return ListNames(true, words.size() > 1 ? words[1] : "%") ? Then::kGoOn : Then::kFailed;
}

// With the schema's name in it when that is not main, and the columns of a view or a virtual table behind it.
std::string SqliteDotCommands::SchemaLine(const std::string& schema, const std::string& name, const std::string& sql, bool indents) {
  std::string line = indents ? Indented(sql) : sql;
  for (const std::string kind : {"TABLE ", "INDEX ", "UNIQUE INDEX ", "VIEW ", "TRIGGER ", "VIRTUAL TABLE "}) {
    const std::string start = "CREATE " + kind;
    if (!sql.starts_with(start)) continue;
    if (schema != "main") line = start + (schema == "temp" ? schema : SqlName(schema)) + "." + sql.substr(start.size());
    if (kind[0] != 'V') break;
    SqliteStatement columns(*shell_.database_, "PRAGMA " + SqlName(schema) + ".table_info=" + SqlString(name));
    std::string listed;
    while (columns && columns.Step() == SQLITE_ROW) listed += (listed.empty() ? "" : ",") + SqlName(columns.Text(1));
    if (!listed.empty()) line += "\n/* " + (schema == "main" ? "" : SqlName(schema) + ".") + SqlName(name) + "(" + listed + ") */";
    break;
  }
  return SqlSchemaLine(line);
}

SqliteDotCommands::Then SqliteDotCommands::Schema(const SqliteWords& words) {
  constexpr const char* kUsage = "Usage: .schema ?--indent? ?--nosys? ?LIKE-PATTERN?\n";
  std::string pattern;
  bool has_system = true, indents = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--nosys" || words[i] == "-nosys") {
      has_system = false;
    } else if (words[i] == "--indent" || words[i] == "-indent") {
      indents = true;
    } else if (words[i].starts_with('-')) {
      return Fail("Unknown option: \"" + words[i] + "\"\n");
    } else if (pattern.empty()) {
      pattern = words[i];
    } else {
      return Fail(kUsage);
    }
  }
  if (!shell_.Open()) return Then::kFailed;
  for (const char* own : {"sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"}) {
    if (sqlite3_stricmp(pattern.c_str(), own) != 0) continue;
    shell_.out().Write("CREATE TABLE " + pattern + " (\n  type text,\n  name text,\n  tbl_name text,\n  rootpage integer,\n  sql text\n);\n");
  }
  const bool is_glob = pattern.find_first_of("*?[") != std::string::npos, has_dot = pattern.find('.') != std::string::npos;
  for (const std::string& schema : Schemas(*shell_.database_)) {
    std::string sql = "SELECT name, sql FROM " + SqlName(schema) + ".sqlite_schema WHERE sql IS NOT NULL";
    if (!pattern.empty()) {
      const std::string subject = has_dot ? "lower(" + SqlString(schema + ".") + "||tbl_name)" : "lower(tbl_name)";
      sql += " AND " + subject + (is_glob ? " GLOB ?1" : " LIKE lower(?1) ESCAPE '\\'");
    }
    if (!has_system) sql += " AND name NOT LIKE 'sqlite__%' ESCAPE '_'";
    SqliteStatement list(*shell_.database_, sql + " ORDER BY rowid");
    if (!list) return Fail("Error: " + std::string(sqlite3_errmsg(shell_.database_->get())) + "\n");
    if (!pattern.empty()) list.Bind(1, pattern);
    while (list.Step() == SQLITE_ROW) shell_.out().Write(SchemaLine(schema, list.Text(0), list.Text(1), indents));
    if (list.Finalize() != SQLITE_OK) return Fail("Error: " + std::string(sqlite3_errmsg(shell_.database_->get())) + "\n");
  }
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::FullSchema(const SqliteWords& words) {
  const bool indents = words.size() == 2 && words[1].size() >= 2 && (std::string_view("--indent").starts_with(words[1]) || words[1] == "-indent");
  if (words.size() != 1 && !indents) return Usage(".fullschema ?--indent?");
  if (!shell_.Open()) return Then::kFailed;
  SqliteStatement list(*shell_.database_,
                       "SELECT name, sql FROM (SELECT sql, name, rowid x FROM sqlite_schema UNION ALL SELECT sql, name, rowid FROM sqlite_temp_schema) "
                       "WHERE sql NOT NULL AND name NOT LIKE 'sqlite__%' ESCAPE '_' ORDER BY x");
  while (list && list.Step() == SQLITE_ROW) shell_.out().Write(SqlSchemaLine(indents ? Indented(list.Text(1)) : list.Text(1)));
  SqliteStatement statistics(*shell_.database_, "SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[134]' ORDER BY name");
  std::vector<std::string> tables;
  while (statistics && statistics.Step() == SQLITE_ROW) tables.push_back(statistics.Text(0));
  if (tables.empty()) {
    shell_.out().Write("/* No STAT tables available */\n");
    return Then::kGoOn;
  }
  shell_.out().Write("ANALYZE sqlite_schema;\n");
  for (const std::string& table : tables) {
    SqliteStatement rows(*shell_.database_, "SELECT quote(tbl) || ',' || quote(idx) || ',' || quote(stat) FROM " + SqlName(table));
    while (rows && rows.Step() == SQLITE_ROW) shell_.out().Write("INSERT INTO " + table + " VALUES(" + rows.Text(0) + ");\n");
  }
  shell_.out().Write("ANALYZE sqlite_schema;\n");
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Dump(const SqliteWords& words) { return DumpSqlite(shell_, words) ? Then::kGoOn : Then::kFailed; }

SqliteDotCommands::Then SqliteDotCommands::Import(const SqliteWords& words) {
  return ImportSqlite(shell_, words) ? Then::kGoOn : Then::kFailed;
}

// The dump of one database.
class SqliteDumper {
 public:
  SqliteDumper(SqliteShell& shell, std::string condition) : shell_(shell), condition_(std::move(condition)) {}

  bool only_data = false, has_system = true, keeps_rowids = false, keeps_newlines = false;

  void Run() {
    if (!only_data) shell_.out().Write("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
    Objects("type=='table'", " ORDER BY tbl_name='sqlite_sequence', rowid", [&](const std::string& name, const std::string& sql) { Table(name, sql); });
    if (!only_data) {
      Objects("type IN ('index','trigger','view')", "", [&](const std::string&, const std::string& sql) { shell_.out().Write(sql + ";\n"); });
      if (has_virtual_) shell_.out().Write("PRAGMA writable_schema=OFF;\n");
      shell_.out().Write(has_failed_ ? "ROLLBACK; -- due to errors\n" : "COMMIT;\n");
    }
  }

 private:
  template <class Body>
  void Objects(const std::string& kind, const std::string& order, Body&& body) {
    SqliteStatement list(*shell_.database_, "SELECT name, sql FROM sqlite_schema AS o WHERE (" + condition_ + ") AND " + kind + " AND sql NOT NULL" + order);
    if (!list) return Broken();
    while (list.Step() == SQLITE_ROW) body(list.Text(0), list.Text(1));
    if (list.Finalize() != SQLITE_OK) Broken();
  }

  void Broken() {
    if (has_failed_) return;
    has_failed_ = true;
    sqlite3* database = shell_.database_->get();
    shell_.out().Write("/**** ERROR: (" + std::to_string(sqlite3_errcode(database)) + ") " + sqlite3_errmsg(database) + " *****/\n");
  }

  void Table(const std::string& name, const std::string& sql) {
    if (name == "sqlite_sequence" && has_system) {
      if (!only_data) shell_.out().Write("DELETE FROM sqlite_sequence;\n");
    } else if (name.starts_with("sqlite_stat") && name.size() == 12 && has_system) {
      if (!only_data && !has_statistics_) shell_.out().Write("ANALYZE sqlite_schema;\n");
      has_statistics_ = true;
    } else if (name.starts_with("sqlite_")) {
      return;
    } else if (only_data) {
      // just the rows
    } else if (StartsWith(sql, "CREATE VIRTUAL TABLE")) {
      if (!has_virtual_) shell_.out().Write("PRAGMA writable_schema=ON;\n");
      has_virtual_ = true;
      shell_.out().Write("INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table'," + SqlString(name) + "," + SqlString(name) + ",0," + SqlString(sql) + ");\n");
      return;
    } else {
      shell_.out().Write(SqlSchemaLine(sql));
    }
    Rows(name);
  }

  // The names of the columns; first that of the row's number when it has to be kept.
  std::vector<std::string> Columns(const std::string& table, std::string* rowid) {
    std::vector<std::string> names;
    int keys = 0;
    bool is_integer_key = false;
    SqliteStatement info(*shell_.database_, "PRAGMA table_info=" + SqlString(table));
    while (info && info.Step() == SQLITE_ROW) {
      names.push_back(info.Text(1));
      if (sqlite3_column_int(info.get(), 5) == 0) continue;
      is_integer_key = ++keys == 1 && sqlite3_stricmp(info.Text(2).c_str(), "INTEGER") == 0;
    }
    if (!keeps_rowids) return names;
    if (is_integer_key && keys == 1) {   // it is the number, unless it has an index of its own
      SqliteStatement index(*shell_.database_, "SELECT 1 FROM pragma_index_list(" + SqlString(table) + ") WHERE origin='pk'");
      if (!index || index.Step() != SQLITE_ROW) return names;
    }
    for (const char* candidate : {"rowid", "_rowid_", "oid"}) {
      const bool is_taken = std::any_of(names.begin(), names.end(), [&](const std::string& name) { return sqlite3_stricmp(name.c_str(), candidate) == 0; });
      if (is_taken) continue;
      if (sqlite3_table_column_metadata(shell_.database_->get(), nullptr, table.c_str(), candidate, nullptr, nullptr, nullptr, nullptr, nullptr) == SQLITE_OK) *rowid = candidate;
      break;
    }
    return names;
  }

  void Rows(const std::string& table) {
    std::string rowid, listed;
    for (const std::string& name : Columns(table, &rowid)) listed += (listed.empty() ? "" : ",") + SqlName(name);
    if (listed.empty()) {
      has_failed_ = true;
      return;
    }
    SqliteStyle style;
    style.mode = SqliteMode::kInsert;
    style.keeps_newlines = keeps_newlines;
    style.table = SqlName(table);
    if (!rowid.empty()) {
      style.table += "(" + rowid + "," + listed + ")";
      listed = rowid + "," + listed;
    }
    SqliteStatement rows(*shell_.database_, "SELECT " + listed + " FROM " + SqlName(table));
    if (!rows) return Broken();
    PrintSqliteRows(rows, style, shell_.out(), shell_.in_.budget);
    const int code = rows.Finalize();
    if ((code & 0xff) == SQLITE_CORRUPT) shell_.out().Write("/****** CORRUPTION ERROR *******/\n");
    if (code != SQLITE_OK) Broken();
  }

  SqliteShell& shell_;
  std::string condition_;
  bool has_virtual_ = false, has_failed_ = false, has_statistics_ = false;
};

bool DumpSqlite(SqliteShell& shell, const SqliteWords& words) {
  std::string condition;
  bool only_data = false, has_system = true, keeps_rowids = false, keeps_newlines = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('-')) {
      const std::string option = word.substr(word.starts_with("--") ? 2 : 1);
      if (option == "preserve-rowids") {
        keeps_rowids = true;
      } else if (option == "newlines") {
        keeps_newlines = true;
      } else if (option == "data-only") {
        only_data = true;
      } else if (option == "nosys") {
        has_system = false;
      } else {
        shell.in_.err.Write("Unknown option \"" + word + "\" on \".dump\"\n");
        return false;
      }
      continue;
    }
    const std::string like = "LIKE " + SqlString(word) + " ESCAPE '\\'";
    condition += (condition.empty() ? "" : " OR ") + std::string("name ") + like + " OR EXISTS (SELECT 1 FROM sqlite_schema WHERE name " + like +
                 " AND sql LIKE 'CREATE VIRTUAL TABLE%' AND substr(o.name, 1, length(name)+1) == (name||'_'))";
  }
  if (!shell.Open()) return false;
  SqliteDumper run(shell, condition.empty() ? "true" : condition);
  run.only_data = only_data;
  run.has_system = has_system;
  run.keeps_rowids = keeps_rowids;
  run.keeps_newlines = keeps_newlines;
  run.Run();
  return true;
}

}  // namespace paddock::data
