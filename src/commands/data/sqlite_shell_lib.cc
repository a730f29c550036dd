#include "commands/data/sqlite_shell.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <exception>

#include "commands/input_files.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock::data {
namespace {

constexpr int kMaxNesting = 25;   // of .read

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Blanks and whole comments.
bool IsBlank(std::string_view text) {
  for (;;) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.empty()) return true;
    size_t end = std::string_view::npos;
    if (text.starts_with("--")) {
      end = text.find('\n');
      if (end == std::string_view::npos) return true;
      ++end;
    } else if (text.starts_with("/*")) {
      end = text.find("*/", 2);
      if (end == std::string_view::npos) return false;
      end += 2;
    } else {
      return false;
    }
    text.remove_prefix(end);
  }
}

bool IsTerminator(std::string_view line) {
  line = Trimmed(line);
  return line == "/" || (line.size() == 2 && sqlite3_strnicmp(line.data(), "go", 2) == 0);
}

bool IsComplete(const std::string& sql) { return sqlite3_complete(sql.c_str()) != 0; }

}  // namespace

SqliteShell::SqliteShell(Invocation& in) : in_(in), guard_(in.budget), files_(in, guard_), out_(&in.out) {}

SqliteShell::~SqliteShell() {
  if (std::uncaught_exceptions() > 0) guard_.Abandon();
}

void SqliteShell::ResetOutput() {
  out_ = &in_.out;
  output_name_ = "stdout";
  is_once_ = false;
  if (redirect_ == nullptr) return;
  redirect_->output->Flush();
  redirect_->output = nullptr;
  redirect_->file = nullptr;
  if (redirect_->pid > 0) {
    in_.out.Flush();
    static_cast<void>(in_.kernel.Wait(in_.process, redirect_->pid));
  }
  redirect_ = nullptr;
  if (!spreadsheet_.empty()) ShowSpreadsheet();
}

bool SqliteShell::SetOutput(const std::string& target, bool writes_mark) {
  is_output_new_ = true;
  ResetOutput();
  if (target == "stdout") return true;
  auto made = std::make_unique<Redirect>();
  if (target.starts_with('|')) {
    vfs::PipeEnds ends = vfs::MakePipe(in_.kernel.scheduler());
    ChildSpec spec;
    spec.args = {"sh", "-c", target.substr(1)};
    spec.environment = &in_.env;
    spec.in = ends.read;
    in_.out.Flush();
    const auto pid = in_.launcher.Spawn(in_.process, spec);
    if (!pid) {
      Complain("Error: cannot open pipe \"" + target.substr(1) + "\"\n");
      return false;
    }
    made->pid = *pid;
    made->file = std::move(ends.write);
  } else {
    auto opened = in_.fs.Open(target, vfs::OpenFlags::Write());
    if (!opened) {
      Complain("Error: cannot open \"" + target + "\"\nError: cannot write to \"" + target + "\"\n");
      return false;
    }
    made->file = std::move(*opened);
  }
  made->output = std::make_unique<Output>(*made->file);
  redirect_ = std::move(made);
  out_ = redirect_->output.get();
  output_name_ = target;
  if (writes_mark) out_->Write("\xEF\xBB\xBF");
  return true;
}

void SqliteShell::Complain(const std::string& text) {
  out().Flush();
  in_.out.Flush();
  in_.err.Write(text);
}

bool SqliteShell::Open() {
  if (ended_) return false;
  if (database_ != nullptr) return true;
  const SqliteDatabase::Settings settings = {.is_safe = &is_safe, .open_flags = follows_links ? 0 : SQLITE_OPEN_NOFOLLOW, .read_only = is_read_only};
  auto opened = std::make_unique<SqliteDatabase>(files_, is_image ? ":memory:" : database_name, settings);
  if (opened->get() == nullptr || !opened->error().empty()) {
    Complain("Error: unable to open database \"" + database_name + "\": " + opened->error() + "\n");
    ended_ = 1;
    return false;
  }
  database_ = std::move(opened);
  WatchDatabase();
  if (!is_image) return true;
  const auto image = vfs::ReadFile(in_.fs, database_name, in_.budget.limits().memory_bytes / 4);
  if (!image || !database_->Deserialize(*image, most_image)) Complain("Error: sqlite3_deserialize() returns 7\n");
  return true;
}

bool SqliteShell::FailIfSafe(const std::string& what) {
  if (!is_safe) return false;
  Complain("line " + std::to_string(line_) + ": " + what + "\n");
  ended_ = 1;
  return true;
}

bool SqliteShell::EndIfUnsafe() {
  if (!guard_.safety_complaint) return false;
  const std::string complaint = *guard_.safety_complaint;
  guard_.safety_complaint.reset();
  return FailIfSafe(complaint);
}

// "in prepare, near "x": syntax error", and where in the text that is.
std::string SqliteShell::ErrorMessage(const char* phase, int code, std::string_view sql) const {
  constexpr int kBefore = 50, kShown = 78, kNear = 25;
  std::string message = std::string(phase) + ", " + sqlite3_errmsg(database_->get());
  if (code > 1) message += " (" + std::to_string(code) + ")";
  const int offset = sqlite3_error_offset(database_->get());
  if (sql.empty() || offset < 0 || static_cast<size_t>(offset) >= sql.size()) return message;
  const auto continues = [&](size_t at) { return at < sql.size() && (sql[at] & 0xc0) == 0x80; };
  auto at = static_cast<size_t>(offset);
  while (at > kBefore) {
    do {
      sql.remove_prefix(1);
      --at;
    } while (continues(0) && at > 0);
  }
  size_t length = sql.size();
  if (length > kShown) {
    length = kShown;
    while (continues(length)) --length;
  }
  std::string shown(sql.substr(0, length));
  std::replace_if(shown.begin(), shown.end(), IsSpace, ' ');
  message += "\n  " + shown + "\n  ";
  message += at < kNear ? std::string(at, ' ') + "^--- error here" : std::string(at - 14, ' ') + "error here ---^";
  return message;
}

void SqliteShell::BindParameters(sqlite3_stmt* statement) {
  const int count = sqlite3_bind_parameter_count(statement);
  if (count == 0) return;
  const bool has_table = sqlite3_table_column_metadata(database_->get(), "TEMP", "sqlite_parameters", "key", nullptr, nullptr,
                                                       nullptr, nullptr, nullptr) == SQLITE_OK;
  for (int i = 1; i <= count; ++i) {
    in_.budget.Step();
    const char* name = sqlite3_bind_parameter_name(statement, i);
    const std::string key = name == nullptr ? "?" + std::to_string(i) : name;
    sqlite3_bind_null(statement, i);
    if (!has_table) continue;
    SqliteStatement find(*database_, "SELECT value FROM temp.sqlite_parameters WHERE key=?1");
    if (!find) continue;
    find.Bind(1, key);
    if (find.Step() == SQLITE_ROW) sqlite3_bind_value(statement, i, sqlite3_column_value(find.get(), 0));
  }
}

int SqliteShell::RunStatement(SqliteStatement& statement) {
  BindParameters(statement.get());
  const int kind = sqlite3_stmt_isexplain(statement.get());
  if (explains_ && kind == 2) {
    PrintPlan(statement);
    return SQLITE_OK;
  }
  if ((explains_ && kind == 1) || explains_always_) return PrintProgram(statement);
  return PrintSqliteRows(statement, style, out(), in_.budget);
}

int SqliteShell::Run(const std::string& sql, std::string* error) {
  std::string_view rest = sql;
  while (!rest.empty()) {
    sqlite3_stmt* prepared = nullptr;
    const char* tail = nullptr;
    int code = sqlite3_prepare_v2(database_->get(), rest.data(), static_cast<int>(rest.size()), &prepared, &tail);
    SqliteStatement statement(*database_, prepared);
    guard_.Check();
    if (EndIfUnsafe()) return SQLITE_AUTH;
    if (code != SQLITE_OK) {
      *error = ErrorMessage("in prepare", code, rest);
      return code;
    }
    rest.remove_prefix(static_cast<size_t>(tail - rest.data()));
    while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
    if (!statement) continue;
    if (plan_ != Plan::kOff && sqlite3_stmt_isexplain(statement.get()) == 0) ShowPlan(sqlite3_sql(statement.get()));
    RunStatement(statement);
    if (stats_ != Stats::kOff) ShowStats(statement);
    code = statement.Finalize();
    if (code != SQLITE_OK) {
      *error = ErrorMessage("stepping", code, {});
      return code;
    }
  }
  return SQLITE_OK;
}

bool SqliteShell::RunFromScript(const std::string& sql, int64_t line, bool is_stdin) {
  if (!Open()) return false;
  std::string error;
  const Nanoseconds start = in_.clock.MonotonicNow(), processor = in_.clock.ThreadTime();
  const int code = Run(sql, &error);
  if (is_lifted_) is_safe = true;
  is_lifted_ = false;
  if (shows_time_) ShowTime(in_.clock.MonotonicNow() - start, in_.clock.ThreadTime() - processor);
  if (ended_) return false;
  if (code != SQLITE_OK) {
    std::string kind = "Error";
    for (const auto& [phase, name] : {std::pair("in prepare, ", "Parse error"), std::pair("stepping, ", "Runtime error")}) {
      if (!error.starts_with(phase)) continue;
      error.erase(0, std::strlen(phase));
      kind = name;
    }
    if (!is_stdin || !is_interactive) kind += " near line " + std::to_string(line);
    Complain(kind + ": " + error + "\n");
    return false;
  }
  if (shows_changes_) {
    out().Write("changes: " + std::to_string(sqlite3_changes64(database_->get())) +
                "   total_changes: " + std::to_string(sqlite3_total_changes64(database_->get())) + "\n");
  }
  return true;
}

void SqliteShell::ShowTime(Nanoseconds real, Nanoseconds processor) {
  std::array<char, 100> text{};
  const auto seconds = [](Nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  std::snprintf(text.data(), text.size(), "Run Time: real %.3f user %.6f sys %.6f\n", seconds(real), seconds(processor), 0.0);
  out().Write(text.data());
}

void SqliteShell::Prompt(bool is_continued) {
  in_.out.Write(is_continued ? continued_prompt_ : main_prompt_);
  in_.out.Flush();
}

bool SqliteShell::ReadScript(Input& input, bool is_stdin) {
  if (nesting_ == kMaxNesting) {
    Complain("Input nesting limit (" + std::to_string(kMaxNesting) + ") reached at line " + std::to_string(line_) +
             ". Check recursion.\n");
    return false;
  }
  in_.budget.CheckStack();
  ++nesting_;
  Script script{.is_stdin = is_stdin};
  const bool prompts = is_stdin && is_interactive;
  const int64_t line_before = line_;
  line_ = 0;
  while (!ended_ && !script.has_quit && (script.is_good || !stops_at_error || prompts)) {
    if (prompts) Prompt(!script.sql.empty());
    const auto read = input.ReadLine();
    if (!read) {
      if (prompts) in_.out.Put('\n');
      break;
    }
    ++line_;
    std::string line(read->text.substr(0, read->text.find('\0')));
    if (line.ends_with('\r')) line.pop_back();
    TakeLine(std::move(line), script);
  }
  if (!script.sql.empty() && !ended_ && (script.is_good || !stops_at_error)) RunPending(script);
  --nesting_;
  line_ = line_before;
  return script.is_good;
}

void SqliteShell::TakeLine(std::string line, Script& script) {
  std::string& sql = script.sql;
  if (sql.empty() && (IsBlank(line) || line[0] == '#' || line[0] == '.')) {
    if (echoes) out().WriteLine(line);
    if (!line.starts_with('.')) return;
    const Then then = RunDotCommand(line);
    script.has_quit = then == Then::kQuit;
    script.is_good = script.is_good && then != Then::kFailed;
    return;
  }
  if (IsTerminator(line) && (sql.empty() || IsComplete(sql + ";"))) line = ";";
  if (sql.empty()) {
    script.first_line = line_;
    sql = line.substr(static_cast<size_t>(std::find_if_not(line.begin(), line.end(), IsSpace) - line.begin()));
  } else {
    sql += "\n" + line;
  }
  if (line.find(';') == std::string::npos && line.find("*/") == std::string::npos) return;
  in_.budget.Step(static_cast<int64_t>(sql.size() / 32));
  if (IsBlank(sql)) {
    if (echoes) out().WriteLine(sql);
    sql.clear();
  } else if (IsComplete(sql)) {
    RunPending(script);
    if (is_once_) ResetOutput();
  }
}

void SqliteShell::RunPending(Script& script) {
  if (echoes) out().WriteLine(script.sql);
  if (!RunFromScript(script.sql, script.first_line, script.is_stdin)) script.is_good = false;
  script.sql.clear();
}

bool SqliteShell::ReadScriptFile(const std::string& path) {
  Result<InputFile> file = InputFile::OpenPath(in_, path);
  if (!file || (file->input().at_end() && !file->input().status())) {
    Complain("Error: cannot open \"" + path + "\"\n");
    return false;
  }
  return ReadScript(file->input(), false);
}

ExitStatus SqliteShell::RunArgument(const std::string& text) {
  if (text.starts_with('.')) {
    failure_ = 1;
    return RunDotCommand(text) == Then::kFailed ? failure_ : 0;
  }
  if (!Open()) return 1;
  std::string error;
  const int code = Run(text, &error);
  if (ended_ || code == SQLITE_OK) return ended_.value_or(0);
  Complain("Error: " + error + "\n");
  return code & 0xff;
}

// The plan of a query as a tree.
void SqliteShell::PrintPlan(SqliteStatement& statement) {
  struct Step {
    int id, parent;
    std::string text;
  };
  std::vector<Step> steps;
  while (statement.Step() == SQLITE_ROW) {
    steps.push_back({sqlite3_column_int(statement.get(), 0), sqlite3_column_int(statement.get(), 1), statement.Text(3)});
  }
  if (steps.empty()) return;
  out().WriteLine("QUERY PLAN");
  const auto print = [&](auto& self, int parent, const std::string& prefix) -> void {
    in_.budget.CheckStack();
    for (size_t i = 0; i < steps.size(); ++i) {
      in_.budget.Step();
      if (steps[i].parent != parent) continue;
      const bool has_next = std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, steps.end(),
                                        [&](const Step& step) { return step.parent == parent; });
      out().WriteLine(prefix + (has_next ? "|--" : "`--") + steps[i].text);
      if (prefix.size() < 93 && steps[i].id != parent) self(self, steps[i].id, prefix + (has_next ? "|  " : "   "));
    }
  };
  print(print, 0, "");
}

void SqliteShell::ShowPlan(const std::string& sql) {
  if (SqliteStatement plan(*database_, "EXPLAIN QUERY PLAN " + sql); plan) PrintPlan(plan);
  if (plan_ != Plan::kFull) return;
  if (SqliteStatement program(*database_, "EXPLAIN " + sql); program) PrintProgram(program);
}

// The steps of SQLite's machine, the bodies of loops set in.
int SqliteShell::PrintProgram(SqliteStatement& statement) {
  static constexpr std::array<int, 8> kWidths = {4, 13, 4, 4, 4, 13, 2, 13};
  const auto is_one_of = [](const std::string& text, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return text == name; });
  };
  std::vector<std::vector<std::string>> rows;
  int code = SQLITE_DONE;
  while ((code = statement.Step()) == SQLITE_ROW) {
    rows.emplace_back();
    for (int i = 0; i < statement.columns(); ++i) rows.back().push_back(statement.text(i) == nullptr ? style.null_value : statement.text(i));
  }
  if (rows.empty()) return code;
  const bool is_program = sqlite3_stmt_isexplain(statement.get()) == 1 && rows[0].size() == kWidths.size();
  std::vector<size_t> indents(rows.size(), 0);
  for (size_t i = 0; is_program && i < rows.size(); ++i) {
    const std::string& operation = rows[i][1];
    const bool is_loop = is_one_of(operation, {"Next", "Prev", "VPrev", "VNext", "SorterNext", "Return"});
    const auto target = static_cast<size_t>(std::max(std::atoi(rows[i][3].c_str()), 0));
    const bool goes_back = operation == "Goto" && target < i &&
                           (is_one_of(rows[target][1], {"Yield", "SeekLT", "SeekGT", "RowSetRead", "Rewind"}) || rows[i][2] != "0");
    if (!is_loop && !goes_back) continue;
    for (size_t n = target; n < i; ++n) {
      in_.budget.Step();
      indents[n] += 2;
    }
  }
  const size_t columns = std::min(rows[0].size(), kWidths.size());
  for (size_t i = 0; i < columns; ++i) out().Write(SqlPadded(kWidths[i], sqlite3_column_name(statement.get(), static_cast<int>(i))) + (i + 1 == columns ? "\n" : "  "));
  for (size_t i = 0; i < columns; ++i) out().Write(std::string(static_cast<size_t>(kWidths[i]), '-') + (i + 1 == columns ? "\n" : "  "));
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t i = 0; i < columns; ++i) {
      const std::string& text = rows[row][i];
      int width = i + 1 == columns ? 0 : kWidths[i];
      width = std::max(width, static_cast<int>(CountSqlChars(text)));
      if (i == 1) out().Write(std::string(indents[row], ' '));
      out().Write(SqlPadded(width, text) + (i + 1 == columns ? "\n" : "  "));
    }
  }
  return code;
}

}  // namespace paddock::data
