// column, table, box and markdown: all rows are read first, then every column is as wide as its widest value.
#include <array>
#include <cctype>
#include <cstdlib>

#include "commands/data/sqlite_printer.h"

namespace paddock::data {
namespace {

bool Continues(char c) { return (c & 0xc0) == 0x80; }
bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// One line of a cell, and what is left for the next.
struct CellLine {
  std::string text;
  std::string_view rest;
  bool has_rest = false;
};

class CellCutter {
 public:
  CellCutter(std::string_view text, size_t width, bool at_words) : text_(text), width_(width == 0 ? kNoLimit : width), at_words_(at_words) {}

  CellLine Cut() {
    size_t columns = 0;
    size_t end = Scan(text_.size(), &columns, nullptr);
    size_t next = end;
    const bool is_full = columns >= width_;
    if (is_full && at_words_) {
      const size_t word = WordEnd(end);
      if (word != end) {
        end = next = word;
        while (At(next) == ' ') ++next;
      }
    }
    CellLine line;
    Scan(end, &columns, &line.text);
    SetRest(next, is_full, line);
    return line;
  }

 private:
  static constexpr size_t kNoLimit = 1'000'000;

  // Bytes as numbers, 0 behind the end.
  unsigned At(size_t at) const { return at < text_.size() ? static_cast<unsigned char>(text_[at]) : 0; }

  // How far one line of the width reaches, at most to `limit`; a tab goes to the next multiple of eight, other controls end it.
  size_t Scan(size_t limit, size_t* columns, std::string* to) const {
    size_t at = 0, n = 0;
    while (n < width_ && at < limit) {
      if (At(at) >= ' ') {
        do {
          if (to != nullptr) *to += text_[at];
          ++at;
        } while (at < text_.size() && Continues(text_[at]));
        ++n;
      } else if (text_[at] == '\t') {
        do {
          if (to != nullptr) *to += ' ';
          ++n;
        } while (n % 8 != 0 && n < width_);
        ++at;
      } else {
        break;
      }
    }
    *columns = n;
    return at;
  }

  // Where the last word of the line begins, unless that is in its first half.
  size_t WordEnd(size_t end) const {
    for (size_t at = end; at > end / 2; --at) {
      if (IsSpace(text_[at - 1])) return at;
    }
    for (size_t at = end; at > end / 2; --at) {
      if (IsAlnum(text_[at - 1]) != (at < text_.size() && IsAlnum(text_[at])) && (at == text_.size() || !Continues(text_[at]))) return at;
    }
    return end;
  }

  void SetRest(size_t next, bool is_full, CellLine& line) const {
    size_t from = next;
    if (!is_full || At(next) < ' ') from += At(next) == '\r' && At(next + 1) == '\n' ? 2 : 1;
    if (from >= text_.size()) return;
    line.rest = text_.substr(from);
    line.has_rest = true;
  }

  std::string_view text_;
  size_t width_;
  bool at_words_;
};

class ColumnPrinter {
 public:
  ColumnPrinter(SqliteStatement& statement, const SqliteStyle& style, Output& out, Budget& budget)
      : statement_(statement), style_(style), out_(out), budget_(budget), columns_(static_cast<size_t>(statement.columns())) {}

  int Run() {
    int code = statement_.Step();
    if (code != SQLITE_ROW) return code;
    for (size_t i = 0; i < columns_; ++i) {
      const char* name = sqlite3_column_name(statement_.get(), static_cast<int>(i));
      cells_.push_back(CellCutter(name == nullptr ? "" : name, CutWidth(i), style_.wraps_words).Cut().text);
    }
    do {
      ReadRow();
    } while ((code = statement_.Step()) == SQLITE_ROW);
    Measure();
    Print();
    return code;
  }

 private:
  using Mode = SqliteMode;

  int WidthOption(size_t column) const { return column < style_.widths.size() ? style_.widths[column] : 0; }
  size_t CutWidth(size_t column) const {
    const int width = std::abs(WidthOption(column));
    return static_cast<size_t>(width != 0 ? width : std::abs(style_.wrap));
  }

  // The value as text up to a NUL, or as SQL.
  std::string Value(int column) const {
    const int type = statement_.type(column);   // asking for the text of a blob would change it
    if (!style_.quotes || type != SQLITE_BLOB) {
      const char* text = statement_.text(column);
      if (!style_.quotes) return text == nullptr ? style_.null_value : text;
      if (text == nullptr) return "NULL";
      return type == SQLITE_TEXT ? SqlString(text) : text;
    }
    const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement_.get(), column));
    std::string hex = "x'";
    for (int i = 0; i < sqlite3_column_bytes(statement_.get(), column); ++i) {
      hex += "0123456789abcdef"[bytes[i] >> 4];
      hex += "0123456789abcdef"[bytes[i] & 15];
    }
    return hex + "'";
  }

  void ReadRow() {
    std::vector<std::string> values;
    for (size_t i = 0; i < columns_; ++i) values.push_back(Value(static_cast<int>(i)));
    std::vector<CellLine> lines(columns_);
    for (size_t i = 0; i < columns_; ++i) {
      lines[i].rest = values[i];
      lines[i].has_rest = true;
    }
    for (bool has_more = true; has_more;) {
      has_more = false;
      for (size_t i = 0; i < columns_; ++i) {
        budget_.Step(static_cast<int64_t>(lines[i].rest.size() / 1024) + 1);
        if (lines[i].has_rest) {
          lines[i] = CellCutter(lines[i].rest, CutWidth(i), style_.wraps_words).Cut();
        } else {
          lines[i].text.clear();
        }
        has_more = has_more || lines[i].has_rest;
        cells_.push_back(std::move(lines[i].text));
      }
      ends_row_.push_back(!has_more);
      has_tall_rows_ = has_tall_rows_ || has_more;
    }
  }

  void Measure() {
    for (size_t i = 0; i < columns_; ++i) widths_.push_back(static_cast<size_t>(std::abs(WidthOption(i))));
    for (size_t i = 0; i < cells_.size(); ++i) {
      budget_.Step();
      widths_[i % columns_] = std::max(widths_[i % columns_], CountSqlChars(cells_[i]));
    }
  }

  void Rule(const char* left, const char* middle, const char* right, const char* dash) {
    out_.Write(left);
    for (size_t i = 0; i < columns_; ++i) {
      if (i > 0) out_.Write(middle);
      for (size_t n = 0; n < widths_[i] + 2; ++n) out_.Write(dash);
    }
    out_.Write(right);
    out_.Put('\n');
  }

  void Rule(const char* corner) { Rule(corner, corner, corner, "-"); }

  void Heading() {
    const std::string left = style_.mode == Mode::kBox ? "│ " : "| ", between = style_.mode == Mode::kBox ? " │ " : " | ";
    out_.Write(left);
    for (size_t i = 0; i < columns_; ++i) {
      const size_t room = widths_[i] - CountSqlChars(cells_[i]);
      out_.Write(std::string(room / 2, ' ') + cells_[i] + std::string((room + 1) / 2, ' '));
      out_.Write(i + 1 == columns_ ? between.substr(0, between.size() - 1) : between);
    }
    out_.Put('\n');
  }

  int JustifiedWidth(size_t column) const {
    const int width = static_cast<int>(widths_[column]);
    return WidthOption(column) < 0 ? -width : width;
  }

  void Top() {
    switch (style_.mode) {
      case Mode::kTable:
        Rule("+");
        Heading();
        return Rule("+");
      case Mode::kMarkdown: Heading(); return Rule("|");
      case Mode::kBox:
        Rule("┌", "┬", "┐", "─");
        Heading();
        return Rule("├", "┼", "┤", "─");
      default: break;
    }
    if (!style_.has_header) return;
    for (size_t i = 0; i < columns_; ++i) out_.Write(SqlPadded(JustifiedWidth(i), cells_[i]) + (i + 1 == columns_ ? "\n" : "  "));
    for (size_t i = 0; i < columns_; ++i) out_.Write(std::string(widths_[i], '-') + (i + 1 == columns_ ? "\n" : "  "));
  }

  void BetweenRows() {
    switch (style_.mode) {
      case Mode::kTable: return Rule("+");
      case Mode::kBox: return Rule("├", "┼", "┤", "─");
      case Mode::kColumn: return out_.Put('\n');
      default: return;
    }
  }

  void Print() {
    Top();
    const bool is_column = style_.mode == Mode::kColumn;
    const std::string left = is_column ? "" : style_.mode == Mode::kBox ? "│ " : "| ";
    const std::string between = is_column ? "  " : style_.mode == Mode::kBox ? " │ " : " | ";
    const std::string right = is_column ? "\n" : style_.mode == Mode::kBox ? " │\n" : " |\n";
    for (size_t row = 0; row < ends_row_.size(); ++row) {
      out_.Write(left);
      for (size_t i = 0; i < columns_; ++i) {
        budget_.Step();
        out_.Write(SqlPadded(JustifiedWidth(i), cells_[(row + 1) * columns_ + i]));
        out_.Write(i + 1 == columns_ ? right : between);
      }
      if (has_tall_rows_ && ends_row_[row] && row + 1 < ends_row_.size()) BetweenRows();
    }
    if (style_.mode == Mode::kTable) Rule("+");
    if (style_.mode == Mode::kBox) Rule("└", "┴", "┘", "─");
  }

  SqliteStatement& statement_;
  const SqliteStyle& style_;
  Output& out_;
  Budget& budget_;
  size_t columns_;
  std::vector<std::string> cells_;   // the names, then a line of cells for each line
  std::vector<bool> ends_row_;
  std::vector<size_t> widths_;
  bool has_tall_rows_ = false;
};

}  // namespace

int PrintSqliteColumns(SqliteStatement& statement, const SqliteStyle& style, Output& out, Budget& budget) {
  return ColumnPrinter(statement, style, out, budget).Run();
}

}  // namespace paddock::data
