#include <bit>
#include <cstring>

#include "commands/data/sqlite_dot.h"
#include "commands/data/sqlite_printer.h"
#include "commands/data/sqlite_values.h"
#include "text/sha3.h"

namespace paddock::data {
namespace {

constexpr int kDeepest = 8;   // of sha3_query() within the SQL of another one

// The second argument, 256 without one; 0 after a complaint.
int BitsOf(sqlite3_context* context, int count, sqlite3_value** values) {
  const int bits = count < 2 ? 256 : sqlite3_value_int(values[1]);
  if (bits == 224 || bits == 256 || bits == 384 || bits == 512) return bits;
  sqlite3_result_error(context, "SHA3 size should be one of: 224 256 384 512", -1);
  return 0;
}

void ReturnDigest(sqlite3_context* context, Sha3& hash) {
  const std::string digest = hash.Finish();
  sqlite3_result_blob64(context, digest.data(), digest.size(), SQLITE_TRANSIENT);
}

void HashValue(sqlite3_context* context, int count, sqlite3_value** values) {
  const int bits = BitsOf(context, count, values);
  const int type = sqlite3_value_type(values[0]);
  if (bits == 0 || type == SQLITE_NULL) return;
  const auto* const text = type == SQLITE_BLOB ? nullptr : reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::string_view bytes = text == nullptr ? BytesOf(values[0]) : std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(values[0])));
  DatabaseOf(context).files().in().budget.Step(static_cast<int64_t>(bytes.size() / 16 + 1));
  Sha3 hash(bits);
  hash.Update(bytes);
  ReturnDigest(context, hash);
}

void AddNumber(Sha3& hash, char kind, uint64_t bits) {
  std::string bytes(1, kind);
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift);
  hash.Update(bytes);
}
void AddText(Sha3& hash, char kind, std::string_view text) {
  hash.Update(kind + std::to_string(text.size()) + ":");
  hash.Update(text);
}

void AddRow(Sha3& hash, sqlite3_stmt* statement, Budget& budget) {
  hash.Update("R");
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const auto size = [&] { return static_cast<size_t>(sqlite3_column_bytes(statement, i)); };
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_NULL: hash.Update("N"); break;
      case SQLITE_INTEGER: AddNumber(hash, 'I', static_cast<uint64_t>(sqlite3_column_int64(statement, i))); break;
      case SQLITE_FLOAT: AddNumber(hash, 'F', std::bit_cast<uint64_t>(sqlite3_column_double(statement, i))); break;
      case SQLITE_TEXT: {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        AddText(hash, 'T', text == nullptr ? std::string_view() : std::string_view(text, size()));
        break;
      }
      default: {
        const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, i));
        AddText(hash, 'B', bytes == nullptr ? std::string_view() : std::string_view(bytes, size()));
      }
    }
    budget.Step(static_cast<int64_t>(size() / 16 + 1));
  }
}

// The rows of statements that only read, and those statements themselves.
void HashQuery(sqlite3_context* context, int count, sqlite3_value** values) {
  const int bits = BitsOf(context, count, values);
  const auto* sql = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (bits == 0 || sql == nullptr) return;
  SqliteDatabase& database = DatabaseOf(context);
  Budget& budget = database.files().in().budget;
  budget.CheckStack();
  struct Level {
    int& depth;
    explicit Level(int& of) : depth(of) { ++depth; }
    ~Level() { --depth; }
  } const level(database.query_depth);
  if (level.depth > kDeepest) return sqlite3_result_error(context, "too many levels of sha3_query()", -1);
  const std::string text = sql;   // the value may change while its statements run
  Sha3 hash(bits);
  for (const char* rest = text.c_str(); *rest != '\0';) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database.get(), rest, -1, &statement, &rest) != SQLITE_OK) {
      const std::string complaint = "error SQL statement [" + std::string(rest) + "]: " + sqlite3_errmsg(database.get());
      sqlite3_finalize(statement);
      return sqlite3_result_error(context, complaint.c_str(), -1);
    }
    if (statement == nullptr) continue;
    if (sqlite3_stmt_readonly(statement) == 0) {
      const std::string complaint = "non-query: [" + std::string(sqlite3_sql(statement)) + "]";
      sqlite3_finalize(statement);
      return sqlite3_result_error(context, complaint.c_str(), -1);
    }
    AddText(hash, 'S', sqlite3_sql(statement));
    while (sqlite3_step(statement) == SQLITE_ROW) AddRow(hash, statement, budget);
    sqlite3_finalize(statement);
  }
  ReturnDigest(context, hash);
}

// What of a table is hashed.
std::string QueryOf(const std::string& table) {
  if (table == "sqlite_schema") return "SELECT type,name,tbl_name,sql FROM sqlite_schema ORDER BY name;";
  if (table == "sqlite_sequence") return "SELECT name,seq FROM sqlite_sequence ORDER BY name;";
  if (table == "sqlite_stat1") return "SELECT tbl,idx,stat FROM sqlite_stat1 ORDER BY tbl,idx;";
  if (table == "sqlite_stat4") return "SELECT * FROM " + table + " ORDER BY tbl, idx, rowid;\n";
  if (table.starts_with("sqlite_")) return "";
  std::string quoted;
  for (const char c : table) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return "SELECT * FROM \"" + quoted + "\" NOT INDEXED;";
}

}  // namespace

void AddSqliteSha3(SqliteDatabase& database) {
  constexpr int kPure = SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, kDirect = SQLITE_UTF8 | SQLITE_DIRECTONLY;
  for (const int count : {1, 2}) {
    sqlite3_create_function_v2(database.get(), "sha3", count, kPure, &database, Guarded<HashValue>, nullptr, nullptr, nullptr);
    sqlite3_create_function_v2(database.get(), "sha3_query", count, kDirect, &database, Guarded<HashQuery>, nullptr, nullptr, nullptr);
  }
}

SqliteDotCommands::Then SqliteDotCommands::Sha3Sum(const SqliteWords& words) {
  std::string bits = "224", pattern;
  bool has_schema = false, is_shown = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i].starts_with("--") ? words[i].substr(1) : words[i];
    if (!word.starts_with('-')) {
      if (!pattern.empty()) return Usage(".sha3sum ?OPTIONS? ?LIKE-PATTERN?");
      pattern = word;
      if (sqlite3_strlike("sqlite\\_%", pattern.c_str(), '\\') == 0) has_schema = true;
    } else if (word == "-schema") {
      has_schema = true;
    } else if (word == "-sha3-224" || word == "-sha3-256" || word == "-sha3-384" || word == "-sha3-512") {
      bits = word.substr(6);
    } else if (word == "-debug") {
      is_shown = true;
    } else {
      shell_.Complain("Unknown option \"" + words[i] + "\" on \"" + words[0] + "\"\n");
      Help({"help", "sha3sum"});
      return Then::kFailed;
    }
  }
  if (!shell_.Open()) return Then::kFailed;
  SqliteStatement tables(*shell_.database_, has_schema ? "SELECT lower(name) as tname FROM sqlite_schema WHERE type='table' AND coalesce(rootpage,0)>1 "
                                                         "UNION ALL SELECT 'sqlite_schema' ORDER BY 1 collate nocase"
                                                       : "SELECT lower(name) as tname FROM sqlite_schema WHERE type='table' AND coalesce(rootpage,0)>1 "
                                                         "AND name NOT LIKE 'sqlite__%' ORDER BY 1 collate nocase");
  std::string list;
  while (tables && tables.Step() == SQLITE_ROW) {
    const std::string name = tables.Text(0), query = QueryOf(name);
    if (query.empty() || (!pattern.empty() && sqlite3_strlike(pattern.c_str(), name.c_str(), 0) != 0)) continue;
    list += (list.empty() ? "(" : ",(") + SqlString(query) + "," + SqlString(name) + ")";
  }
  if (list.empty()) return Then::kGoOn;
  const std::string sql = "WITH [sha3sum$query](a,b) AS(VALUES" + list + ") " +
                          (pattern.empty() ? "SELECT lower(hex(sha3_query(group_concat(a,'')," + bits + "))) AS hash" : "SELECT lower(hex(sha3_query(a," + bits + "))) AS hash, b AS label") +
                          "   FROM [sha3sum$query]";
  if (is_shown) {
    shell_.out().WriteLine(sql);
    return Then::kGoOn;
  }
  std::string error;
  if (shell_.Run(sql, &error) != SQLITE_OK) shell_.Complain("Error: " + error + "\n");
  return Then::kGoOn;
}

}  // namespace paddock::data
