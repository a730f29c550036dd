// What the sqlite3 shell tells of SQLite's work: .stats and .progress; and .excel, which hands rows to another program.
#include <algorithm>
#include <array>
#include <cstdio>

#include "commands/data/sqlite_dot.h"
#include "proc/process.h"

namespace paddock::data {

SqliteDotCommands::Then SqliteDotCommands::Stats(const SqliteWords& words) {
  using Kind = SqliteShell::Stats;
  if (words.size() > 2) return Usage(".stats ?on|off|stmt|vmstep?");
  if (words.size() == 2) {
    shell_.stats_ = words[1] == "stmt" ? Kind::kStatement : words[1] == "vmstep" ? Kind::kSteps : Boolean(words[1]) ? Kind::kOn : Kind::kOff;
    return Then::kGoOn;
  }
  if (shell_.database_ == nullptr) return Then::kGoOn;   // nothing has been done yet
  SqliteStatement none(*shell_.database_, nullptr);
  shell_.ShowStats(none);
  return Then::kGoOn;
}

// The numbers of this connection and statement; those of the whole process are other sandboxes', too.
void SqliteShell::ShowStats(SqliteStatement& statement) {
  const auto show = [this](const char* label, const std::string& value) {
    char text[64];
    std::snprintf(text, sizeof text, "%-36s ", label);
    out().WriteLine(text + value);
  };
  sqlite3* const database = database_->get();
  if (statement && stats_ == Stats::kStatement) {
    const int count = statement.columns();
    show("Number of output columns:", std::to_string(count));
    for (int i = 0; i < count; ++i) {
      const std::string column = "Column " + std::to_string(i) + " ";
      const std::pair<const char*, const char*> facts[] = {{"name:", sqlite3_column_name(statement.get(), i)},
                                                           {"declared type:", sqlite3_column_decltype(statement.get(), i)},
                                                           {"database name:", sqlite3_column_database_name(statement.get(), i)},
                                                           {"table name:", sqlite3_column_table_name(statement.get(), i)},
                                                           {"origin name:", sqlite3_column_origin_name(statement.get(), i)}};
      for (const auto& [what, value] : facts) show((column + what).c_str(), value == nullptr ? "(null)" : value);
    }
  }
  const auto counted = [&](int what) { return std::to_string(sqlite3_stmt_status(statement.get(), what, 1)); };
  if (stats_ == Stats::kSteps) {
    if (statement) out().WriteLine("VM-steps: " + counted(SQLITE_STMTSTATUS_VM_STEP));
    return;
  }
  const auto status = [database](int what, bool wants_most = false) {
    int now = 0, most = 0;
    sqlite3_db_status(database, what, &now, &most, 1);
    return wants_most ? most : now;
  };
  show("Pager Heap Usage:", std::to_string(status(SQLITE_DBSTATUS_CACHE_USED)) + " bytes");
  show("Page cache hits:", std::to_string(status(SQLITE_DBSTATUS_CACHE_HIT)));
  show("Page cache misses:", std::to_string(status(SQLITE_DBSTATUS_CACHE_MISS)));
  show("Page cache writes:", std::to_string(status(SQLITE_DBSTATUS_CACHE_WRITE)));
  show("Page cache spills:", std::to_string(status(SQLITE_DBSTATUS_CACHE_SPILL)));
  show("Schema Heap Usage:", std::to_string(status(SQLITE_DBSTATUS_SCHEMA_USED)) + " bytes");
  show("Statement Heap/Lookaside Usage:", std::to_string(status(SQLITE_DBSTATUS_STMT_USED)) + " bytes");
  if (!statement) return;
  show("Fullscan Steps:", counted(SQLITE_STMTSTATUS_FULLSCAN_STEP));
  show("Sort Operations:", counted(SQLITE_STMTSTATUS_SORT));
  show("Autoindex Inserts:", counted(SQLITE_STMTSTATUS_AUTOINDEX));
  show("Virtual Machine Steps:", counted(SQLITE_STMTSTATUS_VM_STEP));
  show("Reprepare operations:", counted(SQLITE_STMTSTATUS_REPREPARE));
  show("Number of times run:", counted(SQLITE_STMTSTATUS_RUN));
  show("Memory used by prepared stmt:", std::to_string(sqlite3_stmt_status(statement.get(), SQLITE_STMTSTATUS_MEMUSED, 0)));
}

SqliteDotCommands::Then SqliteDotCommands::Progress(const SqliteWords& words) {
  SqliteShell::ProgressReport report;
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i].starts_with("--") ? words[i].substr(1) : words[i];
    if (!word.starts_with('-')) {
      report.every = static_cast<int>(std::clamp<int64_t>(std::atoll(word.c_str()), 0, 1'000'000'000));
    } else if (word == "-quiet" || word == "-q") {
      report.is_quiet = true;
    } else if (word == "-reset") {
      report.resets = true;
    } else if (word == "-once") {
      report.is_once = true;
    } else if (word == "-limit") {
      if (i + 1 == words.size()) return Fail("Error: missing argument on --limit\n");
      report.limit = std::max<int64_t>(std::atoll(words[++i].c_str()), 0);
    } else {
      return Fail("Error: unknown option: \"" + words[i] + "\"\n");
    }
  }
  shell_.progress_ = report;
  if (!shell_.Open()) return Then::kFailed;
  shell_.WatchDatabase();
  return Then::kGoOn;
}

void SqliteShell::WatchDatabase() {
  if (database_ == nullptr) return;
  if (progress_.every == 0) return database_->set_watcher(nullptr);
  // The longest stretch that SQLite may run and that the wanted one is made of.
  int turns = std::min(progress_.every, SqliteDatabase::kTurns);
  while (progress_.every % turns != 0) --turns;
  database_->set_watcher([this](int passed) { return TellProgress(passed); }, turns);
}

bool SqliteShell::TellProgress(int turns) {
  progress_.turns += turns;
  if (progress_.every == 0 || progress_.turns < progress_.every) return false;
  progress_.turns = 0;
  ++progress_.count;
  if (progress_.limit > 0 && progress_.count >= progress_.limit) {
    out().WriteLine("Progress limit reached (" + std::to_string(progress_.count) + ")");
    if (progress_.resets) progress_.count = 0;
    if (progress_.is_once) progress_.every = 0;
    return true;
  }
  if (!progress_.is_quiet) out().WriteLine("Progress " + std::to_string(progress_.count));
  return false;
}

SqliteDotCommands::Then SqliteDotCommands::Spreadsheet(const SqliteWords& words) {
  bool writes_mark = false;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] != "-bom" && words[i] != "--bom") {
      return Fail((words[i].starts_with('-') ? "ERROR: unknown option: \"" : "ERROR: extra parameter: \"") + words[i] + "\".  Usage:\n.excel ?--bom?\n");
    }
    writes_mark = true;
  }
  std::string name;
  for (int64_t number = shell_.in_.clock.RealNow().count(); name.empty() || shell_.in_.fs.Stat(name, vfs::Follow::kNo); ++number) {
    shell_.in_.budget.Step();
    char text[48];
    std::snprintf(text, sizeof text, "/tmp/etilqs_%016llx.csv", static_cast<unsigned long long>(number));
    name = text;
  }
  if (!shell_.SetOutput(name, writes_mark)) return Then::kFailed;
  shell_.is_once_ = true;
  shell_.spreadsheet_ = name;
  shell_.spreadsheet_style_ = shell_.style;
  shell_.style.mode = SqliteMode::kCsv;
  shell_.style.column_separator = ",";
  shell_.style.row_separator = "\r\n";
  return Then::kGoOn;
}

void SqliteShell::ShowSpreadsheet() {
  const std::string name = std::exchange(spreadsheet_, std::string());
  style = spreadsheet_style_;
  ChildSpec spec;
  spec.args = {"sh", "-c", "xdg-open " + name};
  spec.environment = &in_.env;
  in_.out.Flush();
  const auto status = in_.launcher.Run(in_.process, spec);
  if (!status || *status != 0) Complain("Failed: [xdg-open " + name + "]\n");
  [[maybe_unused]] const Status gone = in_.fs.RemoveFile(name);   // the program may have taken it away itself
}

}  // namespace paddock::data
