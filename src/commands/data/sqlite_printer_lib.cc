#include "commands/data/sqlite_printer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>

namespace paddock::data {
namespace {

std::string Html(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '&': result += "&amp;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string Json(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\': result += {'\\', c}; break;
      case '\b': result += "\\b"; break;
      case '\f': result += "\\f"; break;
      case '\n': result += "\\n"; break;
      case '\r': result += "\\r"; break;
      case '\t': result += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < ' ') {
          std::array<char, 8> code{};
          std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
          result += code.data();
        } else {
          result += c;
        }
    }
  }
  return result + '"';
}

std::string Hex(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) {
    result += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    result += "0123456789abcdef"[c & 15];
  }
  return result;
}

std::string Csv(std::string_view text, std::string_view separator) {
  const auto is_odd = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || c == '"' || c == '\'' || byte >= 0x7f;
  };
  if (!text.empty() && std::none_of(text.begin(), text.end(), is_odd) &&
      (separator.empty() || text.find(separator) == std::string_view::npos)) {
    return std::string(text);
  }
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

// A name for the newline that the text does not contain.
std::string Unused(std::string_view text, const std::string& first, const std::string& second) {
  if (text.find(first) == std::string_view::npos) return first;
  if (text.find(second) == std::string_view::npos) return second;
  for (int i = 0;; ++i) {
    std::string name = "(" + first + std::to_string(i) + ")";
    if (text.find(name) == std::string_view::npos) return name;
  }
}

std::string WithReplaced(std::string_view text, char what, std::string_view by) {
  std::string result;
  for (const char c : text) {
    if (c == what) {
      result += by;
    } else {
      result += c;
    }
  }
  return result;
}

// An expression on one line.
std::string SqlLine(std::string_view text) {
  const bool has_newline = text.find('\n') != std::string_view::npos, has_return = text.find('\r') != std::string_view::npos;
  std::string result(text), before, after;
  if (has_newline) {
    const std::string name = Unused(text, "\\n", "\\012");
    result = WithReplaced(result, '\n', name);
    before += "replace(";
    after = ",'" + name + "',char(10))";
  }
  if (has_return) {
    const std::string name = Unused(text, "\\r", "\\015");
    result = WithReplaced(result, '\r', name);
    before += "replace(";
    after = ",'" + name + "',char(13))" + after;
  }
  return before + SqlString(result) + after;
}

std::string Precise(double value) {
  std::array<char, 64> text{};
  sqlite3_snprintf(static_cast<int>(text.size()), text.data(), "%!.20g", value);
  return text.data();
}

class RowPrinter {
 public:
  RowPrinter(SqliteStatement& statement, const SqliteStyle& style, Output& out, Budget& budget)
      : statement_(statement), style_(style), out_(out), budget_(budget) {
    for (int i = 0; i < statement.columns(); ++i) {
      const char* name = sqlite3_column_name(statement.get(), i);
      names_.emplace_back(name == nullptr ? "" : name);
    }
  }

  int Run() {
    int code = SQLITE_DONE;
    for (; (code = statement_.Step()) == SQLITE_ROW; ++rows_) Row();
    if (style_.mode == SqliteMode::kJson && rows_ > 0) out_.Write("]\n");
    if (style_.mode == SqliteMode::kCount && rows_ > 0) out_.Write(std::to_string(rows_) + (rows_ == 1 ? " row\n" : " rows\n"));
    return code;
  }

 private:
  using Mode = SqliteMode;

  void Row() {
    switch (style_.mode) {
      case Mode::kCount:
      case Mode::kOff: return;
      case Mode::kLine: return Line();
      case Mode::kHtml: return HtmlRow();
      case Mode::kInsert: return Insert();
      case Mode::kJson: return JsonRow();
      default: return Separated();
    }
  }

  // The value as text, up to a NUL.
  std::string_view Text(int column) const {
    const char* text = statement_.text(column);
    return text == nullptr ? std::string_view(style_.null_value) : std::string_view(text);
  }

  std::string_view Blob(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
  }

  void Charge(std::string_view text) { budget_.Step(static_cast<int64_t>(text.size() / 32) + 1); }

  void Line() {
    size_t width = 5;
    for (const std::string& name : names_) width = std::max(width, name.size());
    if (rows_ > 0) out_.Write(style_.row_separator);
    for (int i = 0; i < statement_.columns(); ++i) {
      const std::string& name = names_[static_cast<size_t>(i)];
      Charge(Text(i));
      out_.Write(std::string(width - name.size(), ' ') + name + " = ");
      out_.Write(Text(i));
      out_.Write(style_.row_separator);
    }
  }

  void HtmlRow() {
    if (rows_ == 0 && style_.has_header) {
      out_.Write("<TR>");
      for (const std::string& name : names_) out_.Write("<TH>" + Html(name) + "</TH>\n");
      out_.Write("</TR>\n");
    }
    out_.Write("<TR>");
    for (int i = 0; i < statement_.columns(); ++i) {
      Charge(Text(i));
      out_.Write("<TD>" + Html(Text(i)) + "</TD>\n");
    }
    out_.Write("</TR>\n");
  }

  void Insert() {
    out_.Write("INSERT INTO " + style_.table);
    if (style_.has_header) {
      for (size_t i = 0; i < names_.size(); ++i) out_.Write((i == 0 ? "(" : ",") + SqlName(names_[i]));
      out_.Put(')');
    }
    for (int i = 0; i < statement_.columns(); ++i) {
      out_.Write(i == 0 ? " VALUES(" : ",");
      if (statement_.type(i) == SQLITE_TEXT) {
        Charge(Text(i));
        out_.Write(style_.keeps_newlines ? SqlString(Text(i)) : SqlLine(Text(i)));
      } else {
        Literal(i, true);
      }
    }
    out_.Write(");\n");
  }

  // A value as SQL.
  void Literal(int column, bool has_infinity) {
    switch (statement_.type(column)) {
      case SQLITE_NULL: return out_.Write("NULL");
      case SQLITE_INTEGER: return out_.Write(Text(column));
      case SQLITE_FLOAT: return out_.Write(Float(column, has_infinity));
      case SQLITE_BLOB: {
        Charge(Blob(column));
        return out_.Write("X'" + Hex(Blob(column)) + "'");
      }
      default: Charge(Text(column)); return out_.Write(SqlString(Text(column)));
    }
  }

  std::string Float(int column, bool has_infinity) const {
    const double value = sqlite3_column_double(statement_.get(), column);
    if (has_infinity && std::isinf(value)) return value > 0 ? "1e999" : "-1e999";
    return Precise(value);
  }

  void JsonRow() {
    out_.Write(rows_ == 0 ? "[{" : ",\n{");
    for (int i = 0; i < statement_.columns(); ++i) {
      if (i > 0) out_.Put(',');
      out_.Write(Json(names_[static_cast<size_t>(i)]) + ":");
      switch (statement_.type(i)) {
        case SQLITE_NULL: out_.Write("null"); break;
        case SQLITE_FLOAT: out_.Write(Float(i, true)); break;
        case SQLITE_INTEGER: out_.Write(Text(i)); break;
        case SQLITE_BLOB: Charge(Blob(i)); out_.Write(Json(Blob(i))); break;
        default: Charge(Text(i)); out_.Write(Json(Text(i)));
      }
    }
    out_.Put('}');
  }

  // list, csv, quote, tcl, ascii: values between separators.
  void Separated() {
    if (rows_ == 0 && style_.has_header) {
      for (size_t i = 0; i < names_.size(); ++i) {
        if (i > 0) out_.Write(style_.column_separator);
        out_.Write(Name(names_[i]));
      }
      out_.Write(style_.row_separator);
    }
    for (int i = 0; i < statement_.columns(); ++i) {
      if (i > 0) out_.Write(style_.column_separator);
      if (style_.mode == Mode::kQuote) {
        Literal(i, false);
        continue;
      }
      Charge(Text(i));
      const bool is_null = statement_.text(i) == nullptr;
      if (style_.mode == Mode::kTcl) {
        out_.Write(CString(Text(i)));
      } else if (style_.mode == Mode::kCsv && !is_null) {
        out_.Write(Csv(Text(i), style_.column_separator));
      } else {
        out_.Write(Text(i));
      }
    }
    out_.Write(style_.row_separator);
  }

  std::string Name(const std::string& name) const {
    switch (style_.mode) {
      case Mode::kQuote: return SqlString(name);
      case Mode::kTcl: return CString(name);
      case Mode::kCsv: return Csv(name, style_.column_separator);
      default: return name;
    }
  }

  SqliteStatement& statement_;
  const SqliteStyle& style_;
  Output& out_;
  Budget& budget_;
  std::vector<std::string> names_;
  int64_t rows_ = 0;
};

}  // namespace

std::string SqlString(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result.append(c == '\'' ? 2 : 1, c);
  return result + '\'';
}

bool NeedsSqlQuotes(std::string_view name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return true;
  if (!std::all_of(name.begin(), name.end(), is_word)) return true;
  return sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) != 0;
}

std::string SqlName(std::string_view name) {
  if (!NeedsSqlQuotes(name)) return std::string(name);
  std::string result = "\"";
  for (const char c : name) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string CString(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '\\':
      case '"': result += {'\\', c}; break;
      case '\t': result += "\\t"; break;
      case '\n': result += "\\n"; break;
      case '\r': result += "\\r"; break;
      default:
        if (c < ' ' || c == 0x7f) {   // char is signed here: other bytes, too
          std::array<char, 8> code{};
          std::snprintf(code.data(), code.size(), "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
          result += code.data();
        } else {
          result += c;
        }
    }
  }
  return result + '"';
}

size_t CountSqlChars(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string SqlPadded(int width, std::string_view text) {
  const size_t wanted = static_cast<size_t>(std::abs(width));
  if (wanted == 0) return std::string(text);
  size_t end = 0, count = 0;
  while (end < text.size() && count < wanted) {
    ++end;
    while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;
    ++count;
  }
  const std::string fill(wanted - count, ' ');
  return width < 0 ? fill + std::string(text.substr(0, end)) : std::string(text.substr(0, end)) + fill;
}

int PrintSqliteRows(SqliteStatement& statement, const SqliteStyle& style, Output& out, Budget& budget) {
  if (style.is_columnar()) return PrintSqliteColumns(statement, style, out, budget);
  return RowPrinter(statement, style, out, budget).Run();
}

}  // namespace paddock::data
