// Dot-commands of the sqlite3 shell that reach below SQL: .filectrl, .testctrl, .imposter and .recover.
#include <algorithm>
#include <array>

#include "commands/data/sqlite_dot.h"

namespace paddock::data {
namespace {

struct Control {
  const char* name;
  int code;
  const char* usage;
  bool is_of_process = false;   // refused: it is a setting of the whole process
};

constexpr Control kFileControls[] = {
    {"chunk_size", SQLITE_FCNTL_CHUNK_SIZE, "SIZE"},        {"data_version", SQLITE_FCNTL_DATA_VERSION, ""},
    {"has_moved", SQLITE_FCNTL_HAS_MOVED, ""},              {"lock_timeout", SQLITE_FCNTL_LOCK_TIMEOUT, "MILLISEC"},
    {"persist_wal", SQLITE_FCNTL_PERSIST_WAL, "[BOOLEAN]"}, {"psow", SQLITE_FCNTL_POWERSAFE_OVERWRITE, "[BOOLEAN]"},
    {"reserve_bytes", SQLITE_FCNTL_RESERVE_BYTES, "[N]"},   {"size_limit", SQLITE_FCNTL_SIZE_LIMIT, "[LIMIT]"},
    {"tempfilename", SQLITE_FCNTL_TEMPFILENAME, ""},
};
constexpr Control kTestControls[] = {
    {"always", SQLITE_TESTCTRL_ALWAYS, "BOOLEAN"},
    {"assert", SQLITE_TESTCTRL_ASSERT, "BOOLEAN"},
    {"byteorder", SQLITE_TESTCTRL_BYTEORDER, ""},
    {"extra_schema_checks", SQLITE_TESTCTRL_EXTRA_SCHEMA_CHECKS, "BOOLEAN", true},
    {"imposter", SQLITE_TESTCTRL_IMPOSTER, "SCHEMA ON/OFF ROOTPAGE"},
    {"internal_functions", SQLITE_TESTCTRL_INTERNAL_FUNCTIONS, "", true},
    {"localtime_fault", SQLITE_TESTCTRL_LOCALTIME_FAULT, "BOOLEAN", true},
    {"never_corrupt", SQLITE_TESTCTRL_NEVER_CORRUPT, "BOOLEAN", true},
    {"optimizations", SQLITE_TESTCTRL_OPTIMIZATIONS, "DISABLE-MASK"},
    {"pending_byte", SQLITE_TESTCTRL_PENDING_BYTE, "OFFSET  ", true},
    {"prng_restore", SQLITE_TESTCTRL_PRNG_RESTORE, "", true},
    {"prng_save", SQLITE_TESTCTRL_PRNG_SAVE, "", true},
    {"prng_seed", SQLITE_TESTCTRL_PRNG_SEED, "SEED ?db?", true},
    {"seek_count", SQLITE_TESTCTRL_SEEK_COUNT, ""},
    {"sorter_mmap", SQLITE_TESTCTRL_SORTER_MMAP, "NMAX"},
    {"tune", SQLITE_TESTCTRL_TUNE, "ID VALUE", true},
};

// The control of that name, or the only one that begins so.
template <size_t kCount>
const Control* FindControl(const Control (&controls)[kCount], const std::string& name, bool* is_ambiguous) {
  const Control* match = nullptr;
  *is_ambiguous = false;
  for (const Control& one : controls) {
    if (!std::string_view(one.name).starts_with(name)) continue;
    if (match != nullptr) *is_ambiguous = true;
    match = &one;
  }
  return *is_ambiguous ? nullptr : match;
}

std::string Quoted(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

SqliteDotCommands::Then SqliteDotCommands::FileControl(const SqliteWords& given) {
  SqliteWords words = given;
  if (!shell_.Open()) return Then::kFailed;
  std::string schema;
  std::string name = words.size() > 1 ? words[1] : "help";
  if (name.starts_with('-') && (name == "--schema" || name == "-schema") && words.size() >= 4) {
    schema = words[2];
    words.erase(words.begin() + 1, words.begin() + 3);
    name = words[1];
  }
  if (name.starts_with('-')) name.erase(0, name.starts_with("--") && name.size() > 2 ? 2 : 1);
  if (name == "help") {
    shell_.out().WriteLine("Available file-controls:");
    for (const Control& one : kFileControls) shell_.out().WriteLine("  .filectrl " + std::string(one.name) + " " + one.usage);
    return Then::kFailed;
  }
  bool is_ambiguous = false;
  const Control* const control = FindControl(kFileControls, name, &is_ambiguous);
  if (control == nullptr) {
    return Fail(is_ambiguous ? "Error: ambiguous file-control: \"" + name + "\"\nUse \".filectrl --help\" for help\n"
                             : "Error: unknown file-control: " + name + "\nUse \".filectrl --help\" for help\n");
  }
  const size_t values = words.size() - 2;
  const std::string usage(control->usage);
  if (values > (usage.empty() ? 0U : 1U) || (values == 0 && !usage.empty() && !usage.starts_with('['))) {
    shell_.out().WriteLine("Usage: .filectrl " + name + " " + usage);
    return Then::kFailed;
  }
  const auto ask = [&](void* value) {
    const int code = sqlite3_file_control(shell_.database_->get(), schema.empty() ? nullptr : schema.c_str(), control->code, value);
    shell_.guard_.Check();
    return code;
  };
  if (control->code == SQLITE_FCNTL_SIZE_LIMIT) {
    sqlite3_int64 limit = values > 0 ? std::atoll(words[2].c_str()) : -1;
    ask(&limit);
    shell_.out().WriteLine(std::to_string(limit));
    return Then::kGoOn;
  }
  if (control->code == SQLITE_FCNTL_TEMPFILENAME) {
    char* made = nullptr;
    ask(&made);
    if (made != nullptr) shell_.out().WriteLine(made);
    sqlite3_free(made);
    return Then::kGoOn;
  }
  const bool is_switch = control->code == SQLITE_FCNTL_PERSIST_WAL || control->code == SQLITE_FCNTL_POWERSAFE_OVERWRITE;
  int value = values == 0 ? (usage.empty() ? 0 : -1) : is_switch ? (Boolean(words[2]) ? 1 : 0) : std::atoi(words[2].c_str());
  ask(&value);
  if (control->code == SQLITE_FCNTL_RESERVE_BYTES && values > 0) ask(&(value = -1));   // it answers with what was before
  if (control->code != SQLITE_FCNTL_CHUNK_SIZE && control->code != SQLITE_FCNTL_LOCK_TIMEOUT) shell_.out().WriteLine(std::to_string(value));
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::TestControl(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  std::string name = words.size() > 1 ? words[1] : "help";
  if (name.starts_with('-')) name.erase(0, name.starts_with("--") && name.size() > 2 ? 2 : 1);
  if (name == "help") {
    shell_.out().WriteLine("Available test-controls:");
    for (const Control& one : kTestControls) shell_.out().WriteLine("  .testctrl " + std::string(one.name) + " " + one.usage);
    return Then::kFailed;
  }
  bool is_ambiguous = false;
  const Control* const control = FindControl(kTestControls, name, &is_ambiguous);
  if (control == nullptr) {
    return Fail(is_ambiguous ? "Error: ambiguous test-control: \"" + name + "\"\nUse \".testctrl --help\" for help\n"
                             : "Error: unknown test-control: " + name + "\nUse \".testctrl --help\" for help\n");
  }
  if (control->is_of_process) return Fail("Error: ." + words[0] + " " + control->name + " is a setting of the whole process, and not changed here\n");
  const std::string usage(control->usage);
  const size_t wanted = usage.empty() ? 0 : control->code == SQLITE_TESTCTRL_IMPOSTER ? 3 : 1;
  if (words.size() - 2 != wanted) {
    shell_.out().WriteLine("Usage: .testctrl " + name + " " + usage);
    return Then::kFailed;
  }
  sqlite3* const database = shell_.database_->get();
  const int value = wanted == 0 ? 0 : control->code == SQLITE_TESTCTRL_ASSERT ? (Boolean(words[2]) ? 1 : 0) : std::atoi(words[2].c_str());
  switch (control->code) {
    case SQLITE_TESTCTRL_ALWAYS: shell_.out().WriteLine(std::to_string(sqlite3_test_control(control->code, value))); break;
    // An assertion that fails ends a library that is built with them; this one is not.
    case SQLITE_TESTCTRL_ASSERT: shell_.out().WriteLine("0"); break;
    case SQLITE_TESTCTRL_BYTEORDER: shell_.out().WriteLine(std::to_string(sqlite3_test_control(control->code))); break;
    case SQLITE_TESTCTRL_SEEK_COUNT: {
      sqlite3_uint64 count = 0;
      sqlite3_test_control(control->code, database, &count);
      shell_.out().WriteLine(std::to_string(count));
      break;
    }
    case SQLITE_TESTCTRL_IMPOSTER: sqlite3_test_control(control->code, database, words[2].c_str(), std::atoi(words[3].c_str()), std::atoi(words[4].c_str())); break;
    default: sqlite3_test_control(control->code, database, value);
  }
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Imposter(const SqliteWords& words) {
  const bool ends = words.size() == 2 && sqlite3_stricmp(words[1].c_str(), "off") == 0;
  if (!ends && words.size() != 3) return Fail("Usage: .imposter INDEX IMPOSTER\n       .imposter off\n");
  if (!shell_.Open()) return Then::kFailed;
  SqliteDatabase& database = *shell_.database_;
  if (ends) {
    sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, database.get(), "main", 0, 1);
    return Then::kGoOn;
  }
  SqliteStatement find(database,
                       "SELECT rootpage, 0 FROM sqlite_schema WHERE name=?1 AND type='index' UNION ALL "
                       "SELECT rootpage, 1 FROM sqlite_schema WHERE name=?1 AND type='table' AND sql LIKE '%without%rowid%'");
  find.Bind(1, words[1]);
  if (find.Step() != SQLITE_ROW || sqlite3_column_int(find.get(), 0) == 0) return Fail("no such index: \"" + words[1] + "\"\n");
  const int page = sqlite3_column_int(find.get(), 0);
  const bool is_table = sqlite3_column_int(find.get(), 1) != 0;
  find.Finalize();
  std::string columns;
  size_t key = 0;
  SqliteStatement list(database, "SELECT seqno, cid, name, key FROM pragma_index_xinfo(?1)");
  list.Bind(1, words[1]);
  while (list.Step() == SQLITE_ROW) {
    std::string name = list.Text(2);
    if (list.text(2) == nullptr) name = sqlite3_column_int(list.get(), 1) == -1 ? "_ROWID_" : "expr" + std::to_string(sqlite3_column_int(list.get(), 0) + 1);
    if (is_table && key == 0 && sqlite3_column_int(list.get(), 3) == 0 && !columns.empty()) key = columns.size();
    columns += (columns.empty() ? "" : ",") + Quoted(name);
  }
  if (key == 0) key = columns.size();
  const std::string sql = "CREATE TABLE " + Quoted(words[2]) + "(" + columns + ",PRIMARY KEY(" + columns.substr(0, key) + "))WITHOUT ROWID";
  sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, database.get(), "main", 1, page);
  // Nothing is stored: it is there as soon as it is understood.
  SqliteStatement make(database, sql);
  if (make) make.Step();
  const bool is_made = sqlite3_errcode(database.get()) == SQLITE_OK || sqlite3_errcode(database.get()) == SQLITE_DONE;
  const std::string problem = is_made ? "" : sqlite3_errmsg(database.get());
  sqlite3_test_control(SQLITE_TESTCTRL_IMPOSTER, database.get(), "main", 0, 0);
  if (!is_made) return Fail("Error in [" + sql + "]: " + problem + "\n");
  shell_.out().WriteLine(sql + ";");
  shell_.out().WriteLine("WARNING: writing to an imposter table will corrupt the \"" + words[1] + "\" " + (is_table ? "table" : "index") + "!");
  return Then::kGoOn;
}

// It reads pages by a table of the library that this build, like Debian's, does not have: no more than the head is written.
SqliteDotCommands::Then SqliteDotCommands::Recover(const SqliteWords& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i].starts_with("--") ? words[i].substr(1) : words[i];
    if (word == "-ignore-freelist" || word == "-no-rowids") continue;
    if (word == "-lost-and-found" && i + 1 < words.size()) {
      ++i;
      continue;
    }
    shell_.Complain("unexpected option: " + words[i] + "\n");
    Help({"help", "recover"});
    return Then::kFailed;
  }
  if (!shell_.Open()) return Then::kFailed;
  shell_.out().WriteLine("BEGIN;\nPRAGMA writable_schema = on;");
  for (const char* const name : {"encoding", "page_size", "auto_vacuum", "user_version", "application_id"}) {
    SqliteStatement ask(*shell_.database_, std::string("PRAGMA ") + name);
    if (ask && ask.Step() == SQLITE_ROW) shell_.out().WriteLine(std::string("PRAGMA ") + name + " = '" + ask.Text(0) + "';");
  }
  return Fail("sql error: SQL logic error (1)\n");
}

}  // namespace paddock::data
