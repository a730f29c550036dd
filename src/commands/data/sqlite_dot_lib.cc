#include "commands/data/sqlite_dot.h"

#include <algorithm>
#include <cctype>

#include "commands/child_output.h"
#include "proc/kernel.h"
#include "proc/process.h"

namespace paddock::data {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string WithoutBackslashes(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    const char c = text[++i];
    const std::string_view names = "abtnvfr", values = "\a\b\t\n\v\f\r";
    if (const size_t at = names.find(c); at != std::string_view::npos) {
      result += values[at];
    } else if (c >= '0' && c <= '7') {
      int code = c - '0';
      for (int n = 0; n < 2 && i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '7'; ++n) code = code * 8 + (text[++i] - '0');
      result += static_cast<char>(code);
    } else {
      result += c;
    }
  }
  return result.substr(0, result.find('\0'));
}

}  // namespace

SqliteWords SqliteDotCommands::Split(const std::string& line) {
  SqliteWords words;
  size_t at = 1;   // behind the dot
  for (;;) {
    while (at < line.size() && IsSpace(line[at])) ++at;
    if (at >= line.size()) return words;
    std::string word;
    if (line[at] == '"' || line[at] == '\'') {
      const char quote = line[at++];
      const size_t from = at;
      while (at < line.size() && line[at] != quote) at += line[at] == '\\' && quote == '"' && at + 1 < line.size() ? 2 : 1;
      word = line.substr(from, at - from);
      if (at < line.size()) ++at;
      if (quote == '"') word = WithoutBackslashes(word);
    } else {
      const size_t from = at;
      while (at < line.size() && !IsSpace(line[at])) ++at;
      word = WithoutBackslashes(std::string_view(line).substr(from, at - from));
    }
    words.push_back(std::move(word));
  }
}

SqliteShell::Then SqliteShell::RunDotCommand(std::string line) {
  const SqliteWords words = SqliteDotCommands::Split(line);
  if (words.empty()) return Then::kGoOn;
  const bool was_once = is_once_, was_lifted = is_lifted_;
  is_output_new_ = false;
  const Then then = SqliteDotCommands(*this).Run(words);
  if (was_lifted) {
    is_safe = true;
    is_lifted_ = false;
  }
  if (was_once && !is_output_new_) ResetOutput();
  return ended_ ? Then::kQuit : then;
}

const SqliteDotCommands::Entry SqliteDotCommands::kEntries[] = {
    {"archive", 2, &SqliteDotCommands::Archive, "...               keep files in a table: .archive -h", true},
    {"auth", 3, &SqliteDotCommands::Authorizer, "ON|OFF             show what each statement asks for", false},
    {"backup", 3, &SqliteDotCommands::Backup, "?DB? FILE        write a database (main) to FILE", true},
    {"bail", 3, &SqliteDotCommands::Bail, "on|off             stop after an error", false},
    {"binary", 3, &SqliteDotCommands::Binary, "on|off           write line feeds as they are, as always", false},
    {"cd", 2, &SqliteDotCommands::Cd, "DIRECTORY            change the working directory", true},
    {"changes", 3, &SqliteDotCommands::Changes, "on|off          show how many rows each statement changed", false},
    {"check", 3, &SqliteDotCommands::Check, "GLOB              fail unless the output since .testcase matches", false},
    {"clone", 2, &SqliteDotCommands::Clone, "NEWDB             copy tables, rows and the rest into a new database", true},
    {"connection", 2, &SqliteDotCommands::Connection, "[close] [#]  go to another connection, or close one", false},
    {"databases", 2, &SqliteDotCommands::Databases, "               list the open databases and their files", false},
    {"dbconfig", 3, &SqliteDotCommands::Setting, "?OP? ?VAL?     show or change settings of the connection", false},
    {"dbinfo", 3, &SqliteDotCommands::SettingsOfFile, "?DB?             needs a table that this build of the library does not have", false},
    {"dump", 1, &SqliteDotCommands::Dump, "?OBJECTS?           write the content as SQL", false},
    {"echo", 1, &SqliteDotCommands::Echo, "on|off             show each command before it runs", false},
    {"eqp", 2, &SqliteDotCommands::Plan, "on|off|full         show the plan of each query", false},
    {"excel", 3, &SqliteDotCommands::Spreadsheet, "                   show the next rows with xdg-open, as CSV", true},
    {"exit", 3, &SqliteDotCommands::Exit, "?CODE?             end with this status", false},
    {"explain", 3, &SqliteDotCommands::Explain, "?on|off|auto?   how EXPLAIN is shown", false},
    {"filectrl", 3, &SqliteDotCommands::FileControl, "CMD ...       settings of the file of a database", false},
    {"fullschema", 1, &SqliteDotCommands::FullSchema, "?--indent?   show the schema and what ANALYZE found", false},
    {"headers", 1, &SqliteDotCommands::Headers, "on|off          show the names of columns", false},
    {"help", 1, &SqliteDotCommands::Help, "?PATTERN?          list the commands", false},
    {"import", 1, &SqliteDotCommands::Import, "FILE TABLE       read rows of a table from FILE", true},
    {"imposter", 3, &SqliteDotCommands::Imposter, "INDEX TABLE   show an index as a table", false},
    {"indexes", 3, &SqliteDotCommands::Indexes, "?TABLE?         list indexes", false},
    {"indices", 3, &SqliteDotCommands::Indexes, nullptr, false},
    {"limit", 3, &SqliteDotCommands::Limit, "?LIMIT? ?VAL?     show or lower a limit", false},
    {"lint", 3, &SqliteDotCommands::Lint, "OPTIONS            suggest indexes for foreign keys", false},
    {"load", 3, &SqliteDotCommands::Load, "FILE ?ENTRY?       there are no libraries to load", true},
    {"mode", 1, &SqliteDotCommands::Mode, "MODE ?OPTIONS?     choose how rows look", false},
    {"nonce", 3, &SqliteDotCommands::Nonce, "STRING            lift -safe for the next command", false},
    {"nullvalue", 1, &SqliteDotCommands::NullValue, "STRING        what stands for NULL", false},
    {"once", 2, &SqliteDotCommands::SendOutput, "FILE               write what comes next to FILE", true},
    {"open", 2, &SqliteDotCommands::Open, "?OPTIONS? ?FILE?   open another database", false},
    {"output", 1, &SqliteDotCommands::SendOutput, "?FILE?           write to FILE from here on", true},
    {"parameter", 2, &SqliteDotCommands::Parameter, "CMD ...       values of SQL parameters: init, list, set, unset, clear", false},
    {"print", 2, &SqliteDotCommands::Print, "STRING...         write words", false},
    {"progress", 3, &SqliteDotCommands::Progress, "N             tell after every N steps of SQLite's machine", false},
    {"prompt", 2, &SqliteDotCommands::Prompt, "MAIN CONTINUE    what stands in front of a line that is asked for", false},
    {"quit", 1, &SqliteDotCommands::Quit, "                    end", false},
    {"read", 3, &SqliteDotCommands::Read, "FILE               run a script", true},
    {"recover", 3, &SqliteDotCommands::Recover, "?OPTIONS?        needs a table that this build of the library does not have", false},
    {"restore", 3, &SqliteDotCommands::Restore, "?DB? FILE       replace a database (main) by that in FILE", true},
    {"save", 2, &SqliteDotCommands::Backup, "FILE               write the database to FILE", true},
    {"scanstats", 3, &SqliteDotCommands::ScanStats, "on|off         is not in this build of the library", false},
    {"schema", 3, &SqliteDotCommands::Schema, "?PATTERN?         show the CREATE statements", false},
    {"selftest", 4, &SqliteDotCommands::SelfTest, "             run the tests in the table selftest", false},
    {"separator", 3, &SqliteDotCommands::Separator, "COL ?ROW?      what stands between columns and behind rows", false},
    {"session", 3, &SqliteDotCommands::Session, "?NAME? CMD ...  record changes, and write them to a file", true},
    {"sha3sum", 4, &SqliteDotCommands::Sha3Sum, "...            hash the content of tables", false},
    {"shell", 5, &SqliteDotCommands::System, "CMD ARGS...       run a command line", true},
    {"show", 2, &SqliteDotCommands::Show, "                    show the settings", false},
    {"stats", 2, &SqliteDotCommands::Stats, "?ARG?            show what a statement took: on, off, stmt or vmstep", false},
    {"system", 2, &SqliteDotCommands::System, "CMD ARGS...      run a command line", true},
    {"tables", 2, &SqliteDotCommands::Tables, "?TABLE?          list tables", false},
    {"testcase", 5, &SqliteDotCommands::TestCase, "NAME           keep output in testcase-out.txt, for .check", true},
    {"testctrl", 6, &SqliteDotCommands::TestControl, "CMD ...       SQLite's own tests, as far as they are about one connection", false},
    {"timeout", 5, &SqliteDotCommands::Timeout, "MS              wait for locked tables", false},
    {"timer", 5, &SqliteDotCommands::Timer, "on|off            show the time that each statement took", false},
    {"trace", 4, &SqliteDotCommands::Trace, "?OPTIONS? FILE    write each statement to FILE", true},
    {"version", 1, &SqliteDotCommands::Version, "                 show the version of SQLite", false},
    {"vfsinfo", 4, &SqliteDotCommands::VfsList, "?DB?             show the file system of a database", false},
    {"vfslist", 4, &SqliteDotCommands::VfsList, "                 show the file systems", false},
    {"vfsname", 4, &SqliteDotCommands::VfsName, "?DB?             show the name of that", false},
    {"width", 1, &SqliteDotCommands::Width, "NUM1 NUM2 ...      least widths of columns; negative: to the right", false},
};

SqliteDotCommands::Then SqliteDotCommands::Run(const SqliteWords& words) {
  const std::string& name = words[0];
  for (const Entry& entry : kEntries) {
    if (name.size() < entry.shortest || !std::string_view(entry.name).starts_with(name)) continue;
    if (entry.is_unsafe && shell_.FailIfSafe("cannot run ." + std::string(entry.name) + " in safe mode")) return Then::kFailed;
    return (this->*entry.body)(words);
  }
  return Fail("Error: unknown command or invalid arguments:  \"" + name + "\". Enter \".help\" for help\n");
}

SqliteDotCommands::Then SqliteDotCommands::Fail(const std::string& complaint) {
  shell_.Complain(complaint);
  return Then::kFailed;
}

bool SqliteDotCommands::Boolean(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return word.find_first_not_of('0') != std::string::npos;
  }
  for (const char* yes : {"on", "yes"}) {
    if (sqlite3_stricmp(word.c_str(), yes) == 0) return true;
  }
  for (const char* no : {"off", "no"}) {
    if (sqlite3_stricmp(word.c_str(), no) == 0) return false;
  }
  shell_.Complain("ERROR: Not a boolean value: \"" + word + "\". Assuming \"no\".\n");
  return false;
}

SqliteDotCommands::Then SqliteDotCommands::Bail(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".bail on|off");
  shell_.stops_at_error = Boolean(words[1]);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Binary(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".binary on|off");
  Boolean(words[1]);   // only Windows has another way to write
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Prompt(const SqliteWords& words) {
  constexpr size_t kLongest = 19;
  if (words.size() > 1) shell_.main_prompt_ = words[1].substr(0, kLongest);
  if (words.size() > 2) shell_.continued_prompt_ = words[2].substr(0, kLongest);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::ScanStats(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".scanstats on|off");
  Boolean(words[1]);
  shell_.Complain("Warning: .scanstats not available in this build.\n");
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Cd(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".cd DIRECTORY");
  if (shell_.in_.process.files().ChangeDirectory(words[1])) return Then::kGoOn;
  return Fail("Cannot change to directory \"" + words[1] + "\"\n");
}

SqliteDotCommands::Then SqliteDotCommands::Changes(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".changes on|off");
  shell_.shows_changes_ = Boolean(words[1]);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Echo(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".echo on|off");
  shell_.echoes = Boolean(words[1]);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Plan(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".eqp off|on|trace|trigger|full");
  shell_.plan_ = words[1] == "full" ? SqliteShell::Plan::kFull : Boolean(words[1]) ? SqliteShell::Plan::kOn : SqliteShell::Plan::kOff;
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Exit(const SqliteWords& words) {
  if (words.size() > 1 && std::atoi(words[1].c_str()) != 0) shell_.ended_ = std::atoi(words[1].c_str()) & 0xff;
  return Then::kQuit;
}

SqliteDotCommands::Then SqliteDotCommands::Explain(const SqliteWords& words) {
  const bool is_auto = words.size() > 1 && words[1] == "auto";
  shell_.explains_always_ = words.size() < 2 || (!is_auto && Boolean(words[1]));
  shell_.explains_ = is_auto || shell_.explains_always_;
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Headers(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".headers on|off");
  shell_.style.has_header = Boolean(words[1]);
  shell_.is_header_set = true;
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Help(const SqliteWords& words) {
  bool has_any = false;
  for (const Entry& entry : kEntries) {
    if (entry.help == nullptr || (words.size() > 1 && std::string_view(entry.name).find(words[1]) == std::string_view::npos)) continue;
    shell_.out().WriteLine("." + std::string(entry.name) + " " + entry.help);
    has_any = true;
  }
  if (!has_any) shell_.out().WriteLine("Nothing matches '" + words[1] + "'");
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Nonce(const SqliteWords& words) {
  if (words.size() == 2 && !shell_.nonce.empty() && words[1] == shell_.nonce) {
    shell_.is_lifted_ = shell_.is_safe;
    shell_.is_safe = false;
    return Then::kGoOn;
  }
  shell_.Complain("line " + std::to_string(shell_.line_) + ": incorrect nonce: \"" + (words.size() > 1 ? words[1] : "") + "\"\n");
  shell_.ended_ = 1;
  return Then::kQuit;
}

SqliteDotCommands::Then SqliteDotCommands::NullValue(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".nullvalue STRING");
  shell_.style.null_value = words[1];
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Print(const SqliteWords& words) {
  for (size_t i = 1; i < words.size(); ++i) shell_.out().Write((i > 1 ? " " : "") + words[i]);
  shell_.out().Put('\n');
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Quit(const SqliteWords&) { return Then::kQuit; }

SqliteDotCommands::Then SqliteDotCommands::Separator(const SqliteWords& words) {
  if (words.size() < 2 || words.size() > 3) return Usage(".separator COL ?ROW?");
  shell_.style.column_separator = words[1];
  if (words.size() == 3) shell_.style.row_separator = words[2];
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::System(const SqliteWords& words) {
  if (words.size() < 2) return Usage(".system COMMAND");
  ChildSpec spec;
  std::string command = words[1];
  for (size_t i = 2; i < words.size(); ++i) command += words[i].find(' ') == std::string::npos ? " " + words[i] : " \"" + words[i] + "\"";
  spec.args = {"sh", "-c", command};
  spec.environment = &shell_.in_.env;
  shell_.out().Flush();
  shell_.in_.out.Flush();
  const auto status = shell_.in_.launcher.Run(shell_.in_.process, spec);
  const int code = status ? *status : 127;
  if (code != 0) shell_.Complain("System command returns " + std::to_string(code * 256) + "\n");
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Timeout(const SqliteWords& words) {
  if (!shell_.Open()) return Then::kFailed;
  sqlite3_busy_timeout(shell_.database_->get(), words.size() > 1 ? std::atoi(words[1].c_str()) : 0);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Timer(const SqliteWords& words) {
  if (words.size() != 2) return Usage(".timer on|off");
  shell_.shows_time_ = Boolean(words[1]);
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Version(const SqliteWords&) {
  shell_.out().WriteLine("SQLite " + std::string(sqlite3_libversion()) + " " + sqlite3_sourceid());
  return Then::kGoOn;
}

SqliteDotCommands::Then SqliteDotCommands::Width(const SqliteWords& words) {
  constexpr int kMost = 1'000'000;
  shell_.style.widths.clear();
  for (size_t i = 1; i < words.size(); ++i) shell_.style.widths.push_back(std::clamp(std::atoi(words[i].c_str()), -kMost, kMost));
  return Then::kGoOn;
}

}  // namespace paddock::data
