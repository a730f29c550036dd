// Dot-commands about output modes, files and parameters.
#include <algorithm>
#include <array>

#include "commands/child_output.h"
#include "commands/data/sqlite_dot.h"

namespace paddock::data {
namespace {

struct ModeName {
  const char* name;
  SqliteMode mode;
  const char* column_separator;   // null: stays
  const char* row_separator;
};

constexpr ModeName kModes[] = {
    {"lines", SqliteMode::kLine, nullptr, "\n"},   {"columns", SqliteMode::kColumn, nullptr, "\n"},
    {"list", SqliteMode::kList, "|", "\n"},        {"html", SqliteMode::kHtml, nullptr, nullptr},
    {"tcl", SqliteMode::kTcl, " ", "\n"},          {"csv", SqliteMode::kCsv, ",", "\r\n"},
    {"tabs", SqliteMode::kList, "\t", nullptr},    {"insert", SqliteMode::kInsert, nullptr, nullptr},
    {"quote", SqliteMode::kQuote, ",", "\n"},      {"ascii", SqliteMode::kAscii, "\x1f", "\x1e"},
    {"markdown", SqliteMode::kMarkdown, nullptr, nullptr}, {"table", SqliteMode::kTable, nullptr, nullptr},
    {"box", SqliteMode::kBox, nullptr, nullptr},   {"qbox", SqliteMode::kBox, nullptr, nullptr},
    {"count", SqliteMode::kCount, nullptr, nullptr}, {"off", SqliteMode::kOff, nullptr, nullptr},
    {"json", SqliteMode::kJson, nullptr, nullptr},
};

constexpr std::array<const char*, 17> kModeTexts = {"line", "column", "list", "html", "insert", "quote", "tcl", "csv", "explain", "ascii", "eqp", "json", "markdown", "table", "box", "count", "off"};

bool IsOption(const std::string& word, std::string_view name) {
  return word == "-" + std::string(name) || word == "--" + std::string(name);
}

std::string ModeText(const SqliteStyle& style) {
  std::string text = kModeTexts[static_cast<size_t>(style.mode)];
  if (!style.is_columnar()) return text;
  return text + " --wrap " + std::to_string(style.wrap) + " --wordwrap " + (style.wraps_words ? "on" : "off") +
         (style.quotes ? " --quote" : " --noquote");
}

}  // namespace

SqliteDotCommands::Then SqliteDotCommands::Mode(const SqliteWords& words) {
  constexpr int kUsualWrap = 60;
  SqliteStyle& style = shell_.style;
  std::string name, table;
  int wrap = kUsualWrap;
  bool wraps_words = false, quotes = false;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (IsOption(word, "wrap") && i + 1 < words.size()) {
      wrap = std::atoi(words[++i].c_str());
    } else if (IsOption(word, "ww")) {
      wraps_words = true;
    } else if (IsOption(word, "wordwrap") && i + 1 < words.size()) {
      wraps_words = Boolean(words[++i]);
    } else if (IsOption(word, "quote")) {
      quotes = true;
    } else if (IsOption(word, "noquote")) {
      quotes = false;
    } else if (name.empty()) {
      name = word;
      if (word == "qbox") quotes = true;
    } else if (table.empty()) {
      table = word;
    } else if (word.starts_with('-')) {
      return Fail("unknown option: " + word + "\noptions:\n  --noquote\n  --quote\n  --wordwrap on/off\n  --wrap N\n  --ww\n");
    } else {
      return Fail("extra argument: \"" + word + "\"\n");
    }
  }
  if (name.empty()) {
    shell_.out().WriteLine("current output mode: " + ModeText(style));
    return Then::kGoOn;
  }
  const auto* found = std::find_if(std::begin(kModes), std::end(kModes),
                                   [&](const ModeName& mode) { return std::string_view(mode.name).starts_with(name); });
  if (found == std::end(kModes)) {
    return Fail("Error: mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl\n");
  }
  style.mode = found->mode;
  if (found->column_separator != nullptr) style.column_separator = found->column_separator;
  if (found->row_separator != nullptr) style.row_separator = found->row_separator;
  if (style.mode == SqliteMode::kColumn && !shell_.is_header_set) style.has_header = true;
  if (style.mode == SqliteMode::kInsert) style.table = SqlName(table.empty() ? "table" : table);
  if (style.is_columnar()) {
    style.wrap = wrap;
    style.wraps_words = wraps_words;
    style.quotes = quotes;
  }
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Show(const SqliteWords&) {
  const SqliteStyle& style = shell_.style;
  const auto line = [&](const char* name, const std::string& value) { shell_.out().WriteLine(SqlPadded(-12, name) + ": " + value); };
  line("echo", shell_.echoes ? "on" : "off");
  line("eqp", shell_.plan_ == SqliteShell::Plan::kOff ? "off" : shell_.plan_ == SqliteShell::Plan::kOn ? "on" : "full");
  line("explain", shell_.explains_always_ ? "on" : shell_.explains_ ? "auto" : "off");
  line("headers", style.has_header ? "on" : "off");
  line("mode", ModeText(style));
  line("nullvalue", CString(style.null_value));
  line("output", shell_.output_name_);
  line("colseparator", CString(style.column_separator));
  line("rowseparator", CString(style.row_separator));
  line("stats", "off");
  std::string widths;
  for (const int width : style.widths) widths += std::to_string(width) + " ";
  line("width", widths);
  line("filename", shell_.database_name);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Open(const SqliteWords& words) {
  bool is_new = false, is_read_only = false, follows_links = true;
  std::string name;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (IsOption(word, "new")) {
      is_new = true;
    } else if (IsOption(word, "readonly")) {
      is_read_only = true;
    } else if (IsOption(word, "nofollow")) {
      follows_links = false;
    } else if (word.starts_with('-')) {
      return Fail("unknown option: " + word + "\n");
    } else if (!name.empty()) {
      return Fail("extra argument: \"" + word + "\"\n");
    } else {
      name = word;
    }
  }
  if (!name.empty() && name != ":memory:" && shell_.FailIfSafe("cannot open disk-based database files in safe mode")) return Then::kFailed;
  shell_.sessions_.clear();
  shell_.database_ = nullptr;
  shell_.guard_.Check();
  shell_.is_read_only = is_read_only;
  shell_.follows_links = follows_links;
  if (!name.empty() && is_new && SqliteFiles::IsAllowedName(name)) static_cast<void>(shell_.in_.fs.RemoveFile(name));
  shell_.database_name = name;
  if (shell_.Open()) return Then::kGoOn;
  // It goes on with a database in memory.
  shell_.ended_.reset();
  shell_.database_name = ":memory:";
  shell_.is_read_only = false;
  shell_.Open();
  shell_.database_name = name;
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::SendOutput(const SqliteWords& words) {
  const bool is_once = words[0].starts_with("on");
  bool writes_mark = false;
  std::string target;
  for (size_t i = 1; i < words.size(); ++i) {
    if (IsOption(words[i], "bom")) {
      writes_mark = true;
    } else if (words[i].starts_with('-')) {
      return Fail("ERROR: unknown option: \"" + words[i] + "\".  Usage:\n." + (is_once ? "once" : "output") + " ?FILE?\n");
    } else if (target.empty()) {
      target = words[i];
      if (!target.starts_with('|')) continue;
      while (++i < words.size()) target += " " + words[i];
    } else {
      return Fail("ERROR: extra parameter: \"" + words[i] + "\".  Usage:\n." + (is_once ? "once" : "output") + " ?FILE?\n");
    }
  }
  const bool is_good = shell_.SetOutput(target.empty() ? "stdout" : target, writes_mark);
  shell_.is_once_ = is_once && is_good;
  return is_good ? Then::kGoOn : Then::kFailed;
}

SqliteDotCommands::Then SqliteDotCommands::Read(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".read FILE");
  if (!words[1].starts_with('|')) return shell_.ReadScriptFile(words[1]) ? Then::kGoOn : Then::kFailed;
  const auto text = ShellOutput(shell_.in_, words[1].substr(1));
  if (!text) return Fail("Error: cannot open \"" + words[1] + "\"\n");
  StringSource source(*text);
  Input input(source, shell_.in_.budget);
  return shell_.ReadScript(input, false) ? Then::kGoOn : Then::kFailed;
}

SqliteDotCommands::Then SqliteDotCommands::CopyDatabase(SqliteDatabase& from, const std::string& from_schema, SqliteDatabase& to,
                                                        const std::string& to_schema) {
  constexpr int kPages = 100;
  sqlite3_backup* backup = sqlite3_backup_init(to.get(), to_schema.c_str(), from.get(), from_schema.c_str());
  if (backup == nullptr) return Fail("Error: " + std::string(sqlite3_errmsg(to.get())) + "\n");
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    // What a page costs; a stop is noticed where it may be thrown.
    code = shell_.guard_.Call(SQLITE_INTERRUPT, [&] {
      shell_.guard_.Step(kPages * 100);
      return SQLITE_OK;
    });
    if (code == SQLITE_OK) code = sqlite3_backup_step(backup, kPages);
  }
  sqlite3_backup_finish(backup);
  shell_.guard_.Check();
  if (code == SQLITE_DONE) return Then::kGoOn;
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return Fail("Error: source database is busy\n");
  return Fail("Error: " + std::string(sqlite3_errmsg(to.get())) + "\n");
}

SqliteDotCommands::Then SqliteDotCommands::Backup(const SqliteWords& words) {
  std::string schema, file;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with('-')) return Fail("unknown option: " + words[i] + "\n");
    if (file.empty()) {
      file = words[i];
    } else if (schema.empty()) {
      schema = file;
      file = words[i];
    } else {
      return Usage(".backup ?DB? ?OPTIONS? FILENAME");
    }
  }
  if (file.empty()) return Fail("missing FILENAME argument on .backup\n");
  SqliteDatabase to(shell_.files_, file, {});
  if (!to.error().empty()) return Fail("Error: cannot open \"" + file + "\"\n");
  if (!shell_.Open()) return Then::kFailed;
  return CopyDatabase(*shell_.database_, schema.empty() ? "main" : schema, to, "main");
}

SqliteDotCommands::Then SqliteDotCommands::Restore(const SqliteWords& words) {
  if (words.size() != 2 && words.size() != 3) return Usage(".restore ?DB? FILE");
  const std::string& file = words.back();
  SqliteDatabase from(shell_.files_, file, {});
  if (!from.error().empty()) return Fail("Error: cannot open \"" + file + "\"\n");
  if (!shell_.Open()) return Then::kFailed;
  return CopyDatabase(from, "main", *shell_.database_, words.size() == 3 ? words[1] : "main");
}

void SqliteDotCommands::MakeParameterTable() {
  sqlite3* database = shell_.database_->get();
  int was_on = 0;
  sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, -1, &was_on);
  // Its name is one of SQLite's own.
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  SqliteStatement(*shell_.database_, "CREATE TABLE IF NOT EXISTS temp.sqlite_parameters(key TEXT PRIMARY KEY, value) WITHOUT ROWID").Step();
  sqlite3_db_config(database, SQLITE_DBCONFIG_WRITABLE_SCHEMA, was_on, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
}

// A value is an expression; what is none is a string.
bool SqliteDotCommands::SetParameter(const std::string& key, const std::string& value) {
  for (const std::string& expression : {value, SqlString(value)}) {
    SqliteStatement insert(*shell_.database_, "REPLACE INTO temp.sqlite_parameters(key,value) VALUES(?1," + expression + ")");
    if (!insert) continue;
    insert.Bind(1, key);
    insert.Step();
    if (insert.Finalize() == SQLITE_OK) return true;
    break;
  }
  shell_.Complain("Error: " + std::string(sqlite3_errmsg(shell_.database_->get())) + "\n");
  return false;
}

SqliteDotCommands::Then SqliteDotCommands::Parameter(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  const std::string what = words.size() > 1 ? words[1] : "";
  if (what == "init" && words.size() == 2) {
    MakeParameterTable();
  } else if (what == "clear" && words.size() == 2) {
    SqliteStatement drop(*shell_.database_, "DROP TABLE IF EXISTS temp.sqlite_parameters");
    if (drop) drop.Step();
  } else if (what == "unset" && words.size() == 3) {
    SqliteStatement remove(*shell_.database_, "DELETE FROM temp.sqlite_parameters WHERE key=?1");
    if (!remove) return Then::kGoOn;
    remove.Bind(1, words[2]);
    remove.Step();
  } else if (what == "set" && words.size() == 4) {
    MakeParameterTable();
    if (!SetParameter(words[2], words[3])) return Then::kFailed;
  } else if (what == "list" && words.size() == 2) {
    SqliteStatement longest(*shell_.database_, "SELECT max(length(key)) FROM temp.sqlite_parameters");
    if (!longest || longest.Step() != SQLITE_ROW) return Then::kGoOn;
    const int width = std::min(sqlite3_column_int(longest.get(), 0), 40);
    SqliteStatement list(*shell_.database_, "SELECT key, quote(value) FROM temp.sqlite_parameters");
    while (list && width > 0 && list.Step() == SQLITE_ROW) shell_.out().WriteLine(SqlPadded(width, list.Text(0)) + " " + list.Text(1));
  } else {
    return Help({"help", "parameter"});
  }
  return Then::kGoOn;
}

}  // namespace paddock::data
