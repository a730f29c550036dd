// Dot-commands that look into a connection: its settings, limits, permissions and statements; tests; other connections.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "commands/data/sqlite_dot.h"
#include "text/pattern.h"

namespace paddock::data {
namespace {

struct LimitName {
  const char* name;
  int id;
};
constexpr LimitName kLimits[] = {
    {"length", SQLITE_LIMIT_LENGTH}, {"sql_length", SQLITE_LIMIT_SQL_LENGTH}, {"column", SQLITE_LIMIT_COLUMN}, {"expr_depth", SQLITE_LIMIT_EXPR_DEPTH},
    {"compound_select", SQLITE_LIMIT_COMPOUND_SELECT}, {"vdbe_op", SQLITE_LIMIT_VDBE_OP}, {"function_arg", SQLITE_LIMIT_FUNCTION_ARG}, {"attached", SQLITE_LIMIT_ATTACHED},
    {"like_pattern_length", SQLITE_LIMIT_LIKE_PATTERN_LENGTH}, {"variable_number", SQLITE_LIMIT_VARIABLE_NUMBER}, {"trigger_depth", SQLITE_LIMIT_TRIGGER_DEPTH},
    {"worker_threads", SQLITE_LIMIT_WORKER_THREADS},
};

struct SettingName {
  const char* name;
  int id;
  bool is_fixed;   // the sandbox's
};
constexpr SettingName kSettings[] = {
    {"defensive", SQLITE_DBCONFIG_DEFENSIVE, true}, {"dqs_ddl", SQLITE_DBCONFIG_DQS_DDL, false}, {"dqs_dml", SQLITE_DBCONFIG_DQS_DML, false},
    {"enable_fkey", SQLITE_DBCONFIG_ENABLE_FKEY, false}, {"enable_qpsg", SQLITE_DBCONFIG_ENABLE_QPSG, false}, {"enable_trigger", SQLITE_DBCONFIG_ENABLE_TRIGGER, false},
    {"enable_view", SQLITE_DBCONFIG_ENABLE_VIEW, false}, {"fts3_tokenizer", SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, true},
    {"legacy_alter_table", SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, false}, {"legacy_file_format", SQLITE_DBCONFIG_LEGACY_FILE_FORMAT, false},
    {"load_extension", SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, true}, {"no_ckpt_on_close", SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false},
    {"reset_database", SQLITE_DBCONFIG_RESET_DATABASE, true}, {"trigger_eqp", SQLITE_DBCONFIG_TRIGGER_EQP, false}, {"trusted_schema", SQLITE_DBCONFIG_TRUSTED_SCHEMA, false},
    {"writable_schema", SQLITE_DBCONFIG_WRITABLE_SCHEMA, true},
};

std::string Row(const char* name, const std::string& value) {
  char text[64];
  std::snprintf(text, sizeof text, "%20s ", name);
  return text + value;
}

// As .check compares: blanks at the ends do not count, [ ] * and ? as in GLOB, and # stands for digits.
bool MatchesTest(std::string pattern, std::string text, Budget& budget) {
  const auto trim = [](std::string& one) {
    one.erase(one.find_last_not_of(" \t\r\n") + 1);
    one.erase(0, std::min(one.find_first_not_of(" \t\r\n"), one.size()));
  };
  trim(pattern);
  trim(text);
  return Pattern(pattern, PatternFlags{.extglob = false}).Matches(text, budget);
}

}  // namespace

SqliteDotCommands::Then SqliteDotCommands::Limit(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  sqlite3* database = shell_.database_->get();
  if (words.size() == 1) {
    for (const LimitName& limit : kLimits) shell_.out().WriteLine(Row(limit.name, std::to_string(sqlite3_limit(database, limit.id, -1))));
    return Then::kGoOn;
  }
  if (words.size() > 3) return Usage(".limit NAME ?NEW-VALUE?");
  const LimitName* found = nullptr;
  for (const LimitName& limit : kLimits) {
    if (sqlite3_strnicmp(limit.name, words[1].c_str(), static_cast<int>(words[1].size())) != 0) continue;
    if (found != nullptr) return Fail("ambiguous limit: \"" + words[1] + "\"\n");
    found = &limit;
  }
  if (found == nullptr) return Fail("unknown limit: \"" + words[1] + "\"\nenter \".limits\" with no arguments for a list.\n");
  const int before = sqlite3_limit(database, found->id, -1);
  if (words.size() == 3) sqlite3_limit(database, found->id, static_cast<int>(std::clamp<int64_t>(std::atoll(words[2].c_str()), 0, before)));
  shell_.out().WriteLine(Row(found->name, std::to_string(sqlite3_limit(database, found->id, -1))));
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Setting(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  bool is_known = false;
  for (const SettingName& setting : kSettings) {
    if (words.size() > 1 && words[1] != setting.name) continue;
    is_known = true;
    if (words.size() > 2 && setting.is_fixed) return Fail("Error: " + words[1] + " cannot be changed here\n");
    int value = 0;
    if (words.size() > 2) sqlite3_db_config(shell_.database_->get(), setting.id, Boolean(words[2]) ? 1 : 0, nullptr);
    sqlite3_db_config(shell_.database_->get(), setting.id, -1, &value);
    shell_.out().WriteLine(Row(setting.name, value != 0 ? "on" : "off").substr(1));
  }
  if (words.size() > 1 && !is_known) shell_.Complain("Error: unknown dbconfig \"" + words[1] + "\"\nEnter \".dbconfig\" with no arguments for a list\n");
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::SettingsOfFile(const SqliteWords&) { return Fail("error: no such table: sqlite_dbpage\n"); }

SqliteDotCommands::Then SqliteDotCommands::Load(const SqliteWords& words) {
  if (words.size() < 2 || words[1].empty()) return Usage(".load FILE ?ENTRYPOINT?");
  return Fail("Error: " + words[1] + ".so: cannot open shared object file: No such file or directory\n");
}

// .auth

SqliteDotCommands::Then SqliteDotCommands::Authorizer(const SqliteWords& words) {
  static constexpr std::array<const char*, 34> kActions = {
      "CREATE_INDEX", "CREATE_INDEX", "CREATE_TABLE", "CREATE_TEMP_INDEX", "CREATE_TEMP_TABLE", "CREATE_TEMP_TRIGGER", "CREATE_TEMP_VIEW", "CREATE_TRIGGER", "CREATE_VIEW", "DELETE", "DROP_INDEX", "DROP_TABLE",
      "DROP_TEMP_INDEX", "DROP_TEMP_TABLE", "DROP_TEMP_TRIGGER", "DROP_TEMP_VIEW", "DROP_TRIGGER", "DROP_VIEW", "INSERT", "PRAGMA", "READ", "SELECT", "TRANSACTION", "UPDATE", "ATTACH", "DETACH", "ALTER_TABLE", "REINDEX",
      "ANALYZE", "CREATE_VTABLE", "DROP_VTABLE", "FUNCTION", "SAVEPOINT", "RECURSIVE"};
  if (words.size() != 2) return Usage(".auth ON|OFF");
  if (!shell_.Open()) return Then::kFailed;
  if (!Boolean(words[1])) {
    shell_.database_->set_teller(nullptr);
    return Then::kGoOn;
  }
  SqliteShell* shell = &shell_;
  shell_.database_->set_teller([shell](int action, const std::array<const char*, 4>& what) {
    std::string line = std::string("authorizer: ") + (action > 0 && static_cast<size_t>(action) < kActions.size() ? kActions[static_cast<size_t>(action)] : "?");
    for (const char* one : what) line += " " + (one == nullptr ? std::string("NULL") : CString(one));
    shell->out().WriteLine(line);
  });
  return Then::kGoOn;
}

// .trace

SqliteDotCommands::Then SqliteDotCommands::Trace(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  unsigned mask = 0;
  shell_.trace_expands_ = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string option = word.starts_with("--") ? word.substr(2) : word.starts_with('-') ? word.substr(1) : "";
    if (word.starts_with('-')) {
      if (option == "expanded") shell_.trace_expands_ = true;
      else if (option == "plain") shell_.trace_expands_ = false;
      else if (option == "profile") mask |= SQLITE_TRACE_PROFILE;
      else if (option == "row") mask |= SQLITE_TRACE_ROW;
      else if (option == "stmt") mask |= SQLITE_TRACE_STMT;
      else if (option == "close") mask |= SQLITE_TRACE_CLOSE;
      else return Fail("Unknown option \"" + word + "\" on \".trace\"\n");
      continue;
    }
    shell_.trace_.reset();
    shell_.trace_out_ = nullptr;
    if (word == "off") continue;
    if (word == "stdout" || word == "stderr") {
      shell_.trace_out_ = word == "stdout" ? &shell_.in_.out : &shell_.in_.err;
      continue;
    }
    auto opened = shell_.in_.fs.Open(word, vfs::OpenFlags::Write());
    if (!opened) return Fail("Error: cannot open \"" + word + "\"\n");
    shell_.trace_ = std::make_unique<SqliteShell::Redirect>();
    shell_.trace_->file = std::move(*opened);
    shell_.trace_->output = std::make_unique<Output>(*shell_.trace_->file);
    shell_.trace_out_ = shell_.trace_->output.get();
  }
  if (shell_.trace_out_ == nullptr) {
    sqlite3_trace_v2(shell_.database_->get(), 0, nullptr, nullptr);
    return Then::kGoOn;
  }
  const auto told = [](unsigned kind, void* self, void* statement, void* detail) -> int {
    auto* shell = static_cast<SqliteShell*>(self);
    return shell->guard_.Call(0, [&] {
      if (shell->trace_out_ == nullptr) return 0;
      if (kind == SQLITE_TRACE_CLOSE) {
        shell->trace_out_->WriteLine("-- closing database connection");
        return 0;
      }
      std::string sql;
      if (kind == SQLITE_TRACE_STMT && static_cast<const char*>(detail)[0] == '-') {
        sql = static_cast<const char*>(detail);
      } else if (shell->trace_expands_) {
        char* expanded = sqlite3_expanded_sql(static_cast<sqlite3_stmt*>(statement));
        sql = expanded == nullptr ? "" : expanded;
        sqlite3_free(expanded);
      } else {
        sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
      }
      sql.erase(sql.find_last_not_of(';') + 1);
      if (sql.empty()) return 0;
      if (kind == SQLITE_TRACE_PROFILE) sql += "; -- " + std::to_string(*static_cast<sqlite3_int64*>(detail)) + " ns";
      else sql += ";";
      if (shell->trace_out_ == &shell->in_.out) shell->out().Flush();
      shell->trace_out_->WriteLine(sql);
      if (shell->trace_out_ != &shell->in_.out) shell->trace_out_->Flush();
      return 0;
    });
  };
  sqlite3_trace_v2(shell_.database_->get(), mask == 0 ? SQLITE_TRACE_STMT : mask, told, &shell_);
  return Then::kGoOn;
}

// .testcase and .check

SqliteDotCommands::Then SqliteDotCommands::TestCase(const SqliteWords& words) {
  shell_.test_name_ = words.size() > 1 ? words[1] : "?";
  return shell_.SetOutput("testcase-out.txt", false) ? Then::kGoOn : Then::kFailed;
}

SqliteDotCommands::Then SqliteDotCommands::Check(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".check GLOB-PATTERN");
  shell_.ResetOutput();
  const auto text = vfs::ReadFile(shell_.in_.fs, "testcase-out.txt", 1 << 24);
  if (!text) return Fail("Error: cannot read 'testcase-out.txt'\n");
  if (MatchesTest(words[1], *text, shell_.in_.budget)) {
    shell_.out().WriteLine("testcase-" + shell_.test_name_ + " ok");
    return Then::kGoOn;
  }
  return Fail("testcase-" + shell_.test_name_ + " FAILED\n Expected: [" + words[1] + "]\n      Got: [" + *text + "]\n");
}

SqliteDotCommands::Then SqliteDotCommands::SelfTest(const SqliteWords& words) {
  bool is_verbose = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-v" || words[i] == "--v") is_verbose = true;
    else return Fail("Unknown option \"" + words[i] + "\" on \"selftest\"\nShould be one of: --init -v\n");
  }
  if (!shell_.Open()) return Then::kFailed;
  struct Test {
    int number;
    std::string kind, sql, answer;
  };
  std::vector<Test> tests;
  bool has_table = false;
  if (SqliteStatement find(*shell_.database_, "SELECT 1 FROM sqlite_schema WHERE name='selftest'"); find) has_table = find.Step() == SQLITE_ROW;
  if (has_table) {
    SqliteStatement read(*shell_.database_, "SELECT tno,op,cmd,ans FROM selftest ORDER BY tno");
    while (read && read.Step() == SQLITE_ROW) tests.push_back({sqlite3_column_int(read.get(), 0), read.Text(1), read.Text(2), read.Text(3)});
  } else {
    shell_.out().WriteLine("Missing SELFTEST table - default checks only");
    tests = {{0, "memo", "Missing SELFTEST table - default checks only", ""}, {1, "run", "PRAGMA integrity_check", "ok"}};
  }
  int count = 0, failed = 0;
  for (const Test& test : tests) {
    if (is_verbose) shell_.out().WriteLine(std::to_string(test.number) + ": " + test.kind + " " + test.sql);
    if (test.kind == "memo") {
      if (has_table) shell_.out().WriteLine(test.sql);
      continue;
    }
    if (test.kind != "run") return Fail("Unknown operation \"" + test.kind + "\" on selftest line " + std::to_string(test.number) + "\n");
    ++count;
    std::string got;
    SqliteStatement run(*shell_.database_, test.sql);
    while (run && run.Step() == SQLITE_ROW) {
      for (int column = 0; column < run.columns(); ++column) got += (got.empty() ? "" : ",") + run.Text(column);
    }
    if (is_verbose) shell_.out().WriteLine("Result: " + got);
    if (got == test.answer) continue;
    ++failed;
    shell_.out().WriteLine(std::to_string(test.number) + ": Expected: [" + test.answer + "]\n" + std::to_string(test.number) + ":      Got: [" + got + "]");
  }
  shell_.out().WriteLine(std::to_string(failed) + " errors out of " + std::to_string(count) + " tests");
  return Then::kGoOn;
}

// .clone

bool SqliteDotCommands::CloneTable(SqliteDatabase& to, const std::string& name, const std::string& sql) {
  if (SqliteStatement make(to, sql); !make || make.Step() != SQLITE_DONE) {
    shell_.Complain("Error: " + std::string(sqlite3_errmsg(to.get())) + "\nSQL: [" + sql + "]\n");
    return false;
  }
  SqliteStatement read(*shell_.database_, "SELECT * FROM " + SqlName(name));
  if (!read) return false;
  std::string insert = "INSERT OR IGNORE INTO " + SqlName(name) + " VALUES(?";
  for (int i = 1; i < read.columns(); ++i) insert += ",?";
  SqliteStatement write(to, insert + ")");
  if (!write) return false;
  while (read.Step() == SQLITE_ROW) {
    for (int i = 0; i < read.columns(); ++i) sqlite3_bind_value(write.get(), i + 1, sqlite3_column_value(read.get(), i));
    if (write.Step() != SQLITE_DONE) shell_.Complain("Error: " + std::string(sqlite3_errmsg(to.get())) + "\n");
    sqlite3_reset(write.get());
  }
  return true;
}

SqliteDotCommands::Then SqliteDotCommands::Clone(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".clone FILENAME");
  if (shell_.in_.fs.Stat(words[1])) {
    shell_.Complain("File \"" + words[1] + "\" already exists.\n");
    return Then::kGoOn;
  }
  if (!shell_.Open()) return Then::kFailed;
  SqliteDatabase to(shell_.files_, words[1], {.is_safe = &shell_.is_safe});
  if (!to.error().empty()) return Fail("Cannot create output database: " + to.error() + "\n");
  if (SqliteStatement begin(to, "BEGIN EXCLUSIVE"); begin) begin.Step();
  for (const bool is_table : {true, false}) {
    SqliteStatement list(*shell_.database_, std::string("SELECT name, sql FROM sqlite_schema WHERE type") + (is_table ? "=" : "!=") + "'table' AND name NOT LIKE 'sqlite_%'");
    while (list && list.Step() == SQLITE_ROW) {
      const std::string name = list.Text(0), sql = list.Text(1);
      if (name.empty() || sql.empty()) continue;
      shell_.out().Write(name + "... ");
      if (is_table) {
        CloneTable(to, name, sql);
      } else if (SqliteStatement make(to, sql); !make || make.Step() != SQLITE_DONE) {
        shell_.Complain("Error: " + std::string(sqlite3_errmsg(to.get())) + "\nSQL: [" + sql + "]\n");
      }
      shell_.out().WriteLine("done");
    }
  }
  if (SqliteStatement commit(to, "COMMIT"); commit) commit.Step();
  return Then::kGoOn;
}

// .connection

SqliteDotCommands::Then SqliteDotCommands::Connection(const SqliteWords& words) {
  const auto number = [&](const std::string& word) -> std::optional<size_t> {
    if (word.size() != 1 || word[0] < '0' || static_cast<size_t>(word[0] - '0') >= shell_.connections_.size()) return std::nullopt;
    return static_cast<size_t>(word[0] - '0');
  };
  if (words.size() == 1) {
    for (size_t i = 0; i < shell_.connections_.size(); ++i) {
      const bool is_active = i == shell_.connection_;
      if (!is_active && shell_.connections_[i].database == nullptr) continue;
      const bool is_given = i == 0;
      const std::string& name = is_active ? shell_.database_name : shell_.connections_[i].name;
      shell_.out().WriteLine((is_active ? "ACTIVE " : "       ") + std::to_string(i) + ": " + (name.empty() ? "(temporary-file)" : !is_given && name == ":memory:" ? "(memory)" : name));
    }
    return Then::kGoOn;
  }
  if (words.size() == 2 && number(words[1])) {
    const size_t wanted = *number(words[1]);
    if (wanted == shell_.connection_) return Then::kGoOn;
    shell_.connections_[shell_.connection_] = {std::move(shell_.database_), shell_.database_name, std::move(shell_.sessions_)};
    SqliteShell::Connection& next = shell_.connections_[wanted];
    shell_.database_ = std::move(next.database);
    shell_.sessions_ = std::move(next.sessions);
    shell_.WatchDatabase();
    shell_.database_name = next.name;
    shell_.connection_ = wanted;
    return Then::kGoOn;
  }
  if (words.size() == 3 && words[1] == "close" && number(words[2])) {
    const size_t wanted = *number(words[2]);
    if (wanted == shell_.connection_) return Fail("cannot close the active database connection\n");
    shell_.connections_[wanted].sessions.clear();
    shell_.connections_[wanted] = {};
    shell_.guard_.Check();
    return Then::kGoOn;
  }
  return Usage(".connection [close] [CONNECTION-NUMBER]");
}

// .vfslist, .vfsname

SqliteDotCommands::Then SqliteDotCommands::VfsList(const SqliteWords&) {
  if (!shell_.Open()) return Then::kFailed;
  sqlite3_vfs* vfs = nullptr;
  if (sqlite3_file_control(shell_.database_->get(), "main", SQLITE_FCNTL_VFS_POINTER, &vfs) != SQLITE_OK || vfs == nullptr) return Then::kGoOn;
  // Its own name holds a number of this process's.
  shell_.out().WriteLine("vfs.zName      = \"tree\"");
  shell_.out().WriteLine("vfs.iVersion   = " + std::to_string(vfs->iVersion));
  shell_.out().WriteLine("vfs.szOsFile   = " + std::to_string(vfs->szOsFile));
  shell_.out().WriteLine("vfs.mxPathname = " + std::to_string(vfs->mxPathname));
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::VfsName(const SqliteWords&) {
  if (!shell_.Open()) return Then::kFailed;
  shell_.out().WriteLine(shell_.database_name == ":memory:" ? "memdb" : "tree");
  return Then::kGoOn;
}

// .lint

void SqliteDotCommands::LintTable(const std::string& table, bool is_verbose) {
  struct Key {
    std::string parent;
    std::vector<std::string> columns, parent_columns;
  };
  std::vector<std::pair<int, Key>> keys;
  SqliteStatement list(*shell_.database_, "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(" + SqlString(table) + ") ORDER BY id, seq");
  while (list && list.Step() == SQLITE_ROW) {
    const int id = sqlite3_column_int(list.get(), 0);
    if (keys.empty() || keys.back().first != id) keys.push_back({id, {list.Text(1), {}, {}}});
    keys.back().second.columns.push_back(list.Text(2));
    keys.back().second.parent_columns.push_back(list.Text(3));
  }
  const auto joined = [](const std::vector<std::string>& parts, const char* between, auto form) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : between) + form(part);
    return text;
  };
  const auto quoted = [](const std::string& one) { return SqlString(one); };
  const auto plain = [](const std::string& one) { return one; };
  for (auto& [id, key] : keys) {
    for (size_t i = 0; i < key.parent_columns.size(); ++i) {   // the primary key, when none is named
      if (!key.parent_columns[i].empty()) continue;
      SqliteStatement primary(*shell_.database_, "SELECT name FROM pragma_table_info(" + SqlString(key.parent) + ") WHERE pk=" + std::to_string(i + 1));
      if (primary && primary.Step() == SQLITE_ROW) key.parent_columns[i] = primary.Text(0);
    }
    const auto compared = [](const std::string& one) { return SqlName(one) + "=?"; };
    SqliteStatement plan(*shell_.database_, "EXPLAIN QUERY PLAN SELECT 1 FROM " + SqlName(table) + " WHERE " + joined(key.columns, " AND ", compared));
    bool is_indexed = false;
    while (plan && plan.Step() == SQLITE_ROW) {
      const std::string detail = plan.Text(3);
      const auto uses = static_cast<size_t>(std::count(detail.begin(), detail.end(), '?'));
      is_indexed = is_indexed || (detail.starts_with("SEARCH") && (uses >= key.columns.size() || detail.find("INTEGER PRIMARY KEY") != std::string::npos));
    }
    const std::string target = key.parent + "(" + joined(key.parent_columns, ",", plain) + ")";
    if (!is_indexed) {
      shell_.out().WriteLine("CREATE INDEX " + SqlString(table + "_" + joined(key.columns, "_", plain)) + " ON " + SqlString(table) + "(" + joined(key.columns, ", ", quoted) + "); --> " + target);
    } else if (is_verbose) {
      shell_.out().WriteLine("/* no extra indexes required for " + table + "(" + joined(key.columns, ", ", plain) + ") -> " + target + " */");
    }
  }
}

SqliteDotCommands::Then SqliteDotCommands::Lint(const SqliteWords& words) {
  constexpr std::string_view kName = "fkey-indexes";
  if (words.size() < 2 || words[1].empty() || !kName.starts_with(words[1])) {
    shell_.Complain("Usage lint sub-command ?switches...?\nWhere sub-commands are:\n    fkey-indexes\n");
    return Then::kGoOn;
  }
  bool is_verbose = false;
  for (size_t i = 2; i < words.size(); ++i) {
    if (words[i].size() > 1 && std::string_view("-verbose").starts_with(words[i])) is_verbose = true;
    else return Fail("Usage: .lint fkey-indexes ?-verbose?\n");
  }
  if (!shell_.Open()) return Then::kFailed;
  std::vector<std::string> tables;
  SqliteStatement list(*shell_.database_, "SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name");
  while (list && list.Step() == SQLITE_ROW) tables.push_back(list.Text(0));
  for (const std::string& table : tables) LintTable(table, is_verbose);
  return Then::kGoOn;
}

}  // namespace paddock::data
