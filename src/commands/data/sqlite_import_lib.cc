// .import: rows of text into a table.
#include <algorithm>
#include <set>

#include "commands/child_output.h"
#include "commands/data/sqlite_dot.h"
#include "commands/input_files.h"

namespace paddock::data {
namespace {

constexpr int kEnd = -1;

}  // namespace

class SqliteImporter {
 public:
  SqliteImporter(SqliteShell& shell, Input& input, std::string file) : shell_(shell), input_(input), file_(std::move(file)) {}

  bool is_ascii = false, is_verbose = false;
  unsigned char column_separator = ',', row_separator = '\n';
  int64_t skipped = 0;
  std::string schema, table;

  bool Run() {
    SkipMark();
    for (; skipped > 0; --skipped) {
      while (Field() && last_ == column_separator) {
      }
    }
    if (!Prepare()) return false;
    const bool has_transaction = sqlite3_get_autocommit(Database()) == 0;
    if (!has_transaction) Execute("BEGIN");
    while (Row()) {
    }
    if (!has_transaction) Execute("COMMIT");
    if (is_verbose) {
      shell_.out().Write("Added " + std::to_string(rows_) + " rows with " + std::to_string(errors_) + " errors using " +
                         std::to_string(line_ - 1) + " lines of input\n");
    }
    return !has_last_failed_;
  }

 private:
  sqlite3* Database() { return shell_.database_->get(); }

  void Execute(const std::string& sql) {
    if (SqliteStatement statement(*shell_.database_, sql); statement) statement.Step();
  }

  void SkipMark() {
    if (input_.Peek().starts_with("\xEF\xBB\xBF")) input_.Consume(3);
  }

  void Warn(int64_t line, const std::string& what) { shell_.Complain(file_ + ":" + std::to_string(line) + ": " + what + "\n"); }

  void Add(int c) {
    shell_.in_.budget.Step();
    text_ += static_cast<char>(c);
  }

  // Reads a value into text_ and what ended it into last_; false at the end of the input.
  bool Field() {
    shell_.in_.budget.Step();
    text_.clear();
    int c = input_.Get();
    if (c == kEnd) {
      last_ = kEnd;
      return false;
    }
    if (c == '"' && !is_ascii) {
      Quoted();
      return true;
    }
    while (c != kEnd && c != column_separator && c != row_separator) {
      Add(c);
      c = input_.Get();
    }
    if (c == row_separator) {
      ++line_;
      if (!is_ascii && !text_.empty() && text_.back() == '\r') text_.pop_back();
    }
    last_ = c;
    return true;
  }

  void Quoted() {
    const int64_t start = line_;
    int before = 0, before_that = 0;
    for (;;) {
      const int c = input_.Get();
      if (c == row_separator) ++line_;
      if (c == '"' && before == '"') {   // the second of a pair
        before = 0;
        continue;
      }
      const bool ends = (c == column_separator && before == '"') || (c == row_separator && before == '"') ||
                        (c == row_separator && before == '\r' && before_that == '"') || (c == kEnd && before == '"');
      if (ends) {
        while (!text_.empty() && text_.back() != '"') text_.pop_back();
        if (!text_.empty()) text_.pop_back();
        last_ = c;
        return;
      }
      if (before == '"' && c != '\r') Warn(line_, "unescaped \" character");
      if (c == kEnd) {
        Warn(start, "unterminated \"-quoted field");
        last_ = c;
        return;
      }
      Add(c);
      before_that = before;
      before = c;
    }
  }

  std::string FullName() const { return (schema.empty() ? "" : SqlQuoted(schema) + ".") + SqlQuoted(table); }

  static std::string SqlQuoted(const std::string& name) {
    std::string result = "\"";
    for (const char c : name) result.append(c == '"' ? 2 : 1, c);
    return result + '"';
  }

  // Names without duplicates: those that are not unique get their number behind.
  std::vector<std::string> UniqueNames(std::vector<std::string> names) {
    std::string renamed;
    const auto key = [](std::string name) {
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return name;
    };
    std::multiset<std::string> keys;
    for (std::string& name : names) {
      shell_.in_.budget.Step();
      if (name.empty()) name = "?";
      keys.insert(key(name));
    }
    const size_t digits = std::to_string(names.size()).size();
    for (size_t i = 0; i < names.size(); ++i) {
      shell_.in_.budget.Step();
      if (keys.count(key(names[i])) == 1 && names[i] != "?") continue;
      std::string number = std::to_string(i + 1);
      number.insert(0, digits - std::min(digits, number.size()), '0');
      const std::string other = names[i] + "_" + number;
      renamed += (renamed.empty() ? "" : ",\n") + SqlQuoted(names[i]) + " to " + SqlQuoted(other);
      names[i] = other;
    }
    if (!renamed.empty()) shell_.Complain("Columns renamed during .import " + file_ + " due to duplicates:\n" + renamed + "\n");
    return names;
  }

  bool CreateTable() {
    std::vector<std::string> names;
    while (Field()) {
      names.push_back(text_);
      if (last_ != column_separator) break;
    }
    if (names.empty()) {
      shell_.Complain(file_ + ": empty file\n");
      return false;
    }
    names = UniqueNames(std::move(names));
    std::string sql = "CREATE TABLE " + FullName() + "(\n";
    for (size_t i = 0; i < names.size(); ++i) {
      shell_.in_.budget.Step();
      const std::string column = SqlQuoted(names[i]) + " TEXT";
      if (i > 0) {
        const bool breaks = i % 4 == 0;
        sql += breaks ? ",\n " : ", ";
      }
      sql += column;
    }
    sql += ")";
    if (is_verbose) shell_.out().Write(sql + "\n\n");
    SqliteStatement create(*shell_.database_, sql);
    if (create && create.Step() == SQLITE_DONE) return true;
    shell_.Complain(sql + " failed:\n" + sqlite3_errmsg(Database()) + "\n");
    return false;
  }

  bool Prepare() {
    const std::string select = "SELECT * FROM " + FullName();
    auto rows = std::make_unique<SqliteStatement>(*shell_.database_, select);
    if (!*rows) {
      if (std::string_view(sqlite3_errmsg(Database())).find("no such table") == std::string_view::npos) {
        shell_.Complain("Error: " + std::string(sqlite3_errmsg(Database())) + "\n");
        return false;
      }
      if (!CreateTable()) return false;
      rows = std::make_unique<SqliteStatement>(*shell_.database_, select);
      if (!*rows) return false;
    }
    columns_ = rows->columns();
    std::string insert = "INSERT INTO " + FullName() + " VALUES(?";
    for (int i = 1; i < columns_; ++i) insert += ",?";
    rows = nullptr;
    insert_ = std::make_unique<SqliteStatement>(*shell_.database_, insert + ")");
    if (*insert_) return true;
    shell_.Complain("Error: " + std::string(sqlite3_errmsg(Database())) + "\n");
    return false;
  }

  // One row; false at the end.
  bool Row() {
    const int64_t start = line_;
    int i = 0;
    for (; i < columns_; ++i) {
      const bool is_there = Field();
      if (!is_there && i == 0) return false;
      if (is_ascii && i == 0 && text_.empty() && last_ == kEnd) return false;
      if (is_there) {
        insert_->Bind(i + 1, text_);
      } else {
        sqlite3_bind_null(insert_->get(), i + 1);
      }
      if (i < columns_ - 1 && last_ != column_separator) {
        Warn(start, "expected " + std::to_string(columns_) + " columns but found " + std::to_string(i + 1) + " - filling the rest with NULL");
        for (i += 2; i <= columns_; ++i) sqlite3_bind_null(insert_->get(), i);
        break;
      }
    }
    if (i == columns_ && last_ == column_separator) {
      int found = columns_;
      do {
        Field();
        ++found;
      } while (last_ == column_separator);
      Warn(start, "expected " + std::to_string(columns_) + " columns but found " + std::to_string(found) + " - extras ignored");
    }
    insert_->Step();
    has_last_failed_ = sqlite3_reset(insert_->get()) != SQLITE_OK;
    if (has_last_failed_) {
      Warn(start, "INSERT failed: " + std::string(sqlite3_errmsg(Database())));
      ++errors_;
    } else {
      ++rows_;
    }
    return last_ != kEnd;
  }

  SqliteShell& shell_;
  Input& input_;
  std::string file_;
  std::string text_;
  int last_ = 0;
  int64_t line_ = 1, rows_ = 0, errors_ = 0;
  int columns_ = 0;
  bool has_last_failed_ = false;
  std::unique_ptr<SqliteStatement> insert_;
};

namespace {

constexpr const char* kUsage = ".import FILE TABLE       read rows of a table from FILE\n";

struct ImportWords {
  std::string file, table, schema;
  bool is_ascii = false, is_csv = false, is_verbose = false;
  int64_t skipped = 0;
};

// The complaint when they are wrong.
std::string Parse(const SqliteWords& words, ImportWords& parsed) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string option = word.starts_with("--") ? word.substr(1) : word;
    if (!word.starts_with('-')) {
      if (parsed.file.empty()) {
        parsed.file = word;
      } else if (parsed.table.empty()) {
        parsed.table = word;
      } else {
        return "ERROR: extra argument: \"" + word + "\".  Usage:\n" + kUsage;
      }
    } else if (option == "-v") {
      parsed.is_verbose = true;
    } else if (option == "-schema" && i + 1 < words.size()) {
      parsed.schema = words[++i];
    } else if (option == "-skip" && i + 1 < words.size()) {
      parsed.skipped = std::atoi(words[++i].c_str());
    } else if (option == "-ascii") {
      parsed.is_ascii = true;
    } else if (option == "-csv") {
      parsed.is_csv = true;
    } else {
      return "ERROR: unknown option: \"" + option + "\".  Usage:\n" + kUsage;
    }
  }
  if (!parsed.table.empty()) return "";
  return "ERROR: missing " + std::string(parsed.file.empty() ? "FILE" : "TABLE") + " argument. Usage:\n" + kUsage;
}

}  // namespace

bool ImportSqlite(SqliteShell& shell, const SqliteWords& words) {
  ImportWords parsed;
  std::string complaint = Parse(words, parsed);
  SqliteStyle& style = shell.style;
  std::string column = ",", row = "\n";
  const bool is_ascii = parsed.is_ascii || (!parsed.is_csv && style.mode == SqliteMode::kAscii);
  if (is_ascii) {
    column = "\x1f";
    row = "\x1e";
  } else if (!parsed.is_csv) {
    column = style.column_separator;
    row = style.row_separator;
    if (style.mode == SqliteMode::kCsv && row == "\r\n") row = style.row_separator = "\n";
  }
  if (complaint.empty() && column.empty()) complaint = "Error: non-null column separator required for import\n";
  if (complaint.empty() && column.size() > 1) complaint = "Error: multi-character column separators not allowed for import\n";
  if (complaint.empty() && row.empty()) complaint = "Error: non-null row separator required for import\n";
  if (complaint.empty() && row.size() > 1) complaint = "Error: multi-character row separators not allowed for import\n";
  if (!complaint.empty()) {
    shell.Complain(complaint);
    return false;
  }
  if (!shell.Open()) return false;
  const auto run = [&](Input& input, const std::string& name) {
    SqliteImporter importer(shell, input, name);
    importer.is_ascii = is_ascii;
    importer.is_verbose = parsed.is_verbose;
    importer.column_separator = static_cast<unsigned char>(column[0]);
    importer.row_separator = static_cast<unsigned char>(row[0]);
    importer.skipped = parsed.skipped;
    importer.schema = parsed.schema;
    importer.table = parsed.table;
    return importer.Run();
  };
  if (parsed.file.starts_with('|')) {
    const auto text = ShellOutput(shell.in_, parsed.file.substr(1));
    if (!text) {
      shell.Complain("Error: cannot open \"" + parsed.file + "\"\n");
      return false;
    }
    StringSource source(*text);
    Input input(source, shell.in_.budget);
    return run(input, "<pipe>");
  }
  Result<InputFile> file = InputFile::OpenPath(shell.in_, parsed.file);
  if (!file || (file->input().at_end() && !file->input().status())) {
    shell.Complain("Error: cannot open \"" + parsed.file + "\"\n");
    return false;
  }
  return run(file->input(), parsed.file);
}

}  // namespace paddock::data
