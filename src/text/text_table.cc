#include "text/text_table.h"

#include <algorithm>

#include "base/budget.h"
#include "base/stream.h"
#include "text/utf8.h"

namespace paddock {
namespace {

// The length of a control sequence at the front, such as "\33[31m"; 0 when there is none.
size_t ControlSequence(std::string_view text) {
  if (!text.starts_with("\33[")) return 0;
  size_t end = 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
  return end < text.size() && text[end] >= 0x40 ? end + 1 : 0;
}

// The longest front of `text` that fits into `width`; at least one character.
size_t PartThatFits(std::string_view text, size_t width) {
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    size_t length = ControlSequence(text.substr(at));
    int columns = 0;
    if (length == 0) {
      const DecodedChar decoded = DecodeUtf8(text.substr(at));
      length = decoded.length;
      columns = std::max(decoded.is_valid ? CharWidth(decoded.code) : 0, 0);
    }
    used += static_cast<size_t>(columns);
    if (used > width && at > 0) break;
    at += length;
  }
  return at;
}

// Rows in the order in which a tree shows them, with what is drawn before each.
struct ShownRow {
  size_t row;
  std::string art;
};

std::vector<std::vector<size_t>> ChildrenOf(const TextTable& table, std::vector<size_t>& roots) {
  std::vector<std::vector<size_t>> children(table.rows.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const size_t parent = table.rows[i].parent;
    (parent == kNoRow ? roots : children[parent]).push_back(i);
  }
  return children;
}

std::vector<ShownRow> ShownRows(const TextTable& table, Budget& budget) {
  std::vector<size_t> roots;
  const auto children = ChildrenOf(table, roots);
  const char* branch = table.is_utf8 ? "├─" : "|-";
  const char* last_branch = table.is_utf8 ? "└─" : "`-";
  const char* through = table.is_utf8 ? "│ " : "| ";
  struct Pending {
    size_t row;
    std::string lead;   // for the rows below
    std::string art;
  };
  std::vector<Pending> stack;
  for (size_t i = roots.size(); i-- > 0;) stack.push_back({roots[i], "", ""});
  std::vector<ShownRow> shown;
  while (!stack.empty()) {
    const Pending next = std::move(stack.back());
    stack.pop_back();
    budget.Step(static_cast<int64_t>(2 + next.lead.size() / 32));
    budget.WillAllocate(next.lead.size() * (1 + children[next.row].size()));
    shown.push_back({next.row, next.art});
    const auto& below = children[next.row];
    for (size_t i = below.size(); i-- > 0;) {
      const bool is_last = i + 1 == below.size();
      stack.push_back({below[i], next.lead + (is_last ? "  " : through), next.lead + (is_last ? last_branch : branch)});
    }
  }
  return shown;
}

class Layout {
 public:
  Layout(const TextTable& table, Budget& budget, Output& out) : table_(table), budget_(budget), out_(out) {
    for (const size_t column : table.order) {
      if (!table.columns[column].is_hidden) columns_.push_back({.index = column});
    }
    rows_ = ShownRows(table, budget);
    ComputeWidths();
  }

  void Write() {
    for (size_t i = 0; i < rows_.size() && out_.status(); ++i) {
      const bool starts_page = i == 0 || (table_.page_rows > 0 && i % table_.page_rows == 0);
      if (table_.has_header && starts_page) WriteHeader();
      WriteRow(rows_[i]);
    }
  }

 private:
  struct Column {
    size_t index = 0;
    size_t width = 0;
    size_t least = 0;     // of the header
    size_t longest = 0;
    size_t average = 0;
    bool is_extreme = false;
  };

  const TableColumn& Info(const Column& column) const { return table_.columns[column.index]; }

  std::string CellOf(const ShownRow& shown, const Column& column) const {
    const auto& cells = table_.rows[shown.row].cells;
    std::string text = column.index < cells.size() ? cells[column.index] : std::string();
    return table_.tree_column == column.index ? shown.art + text : text;
  }

  void Measure(Column& column) {
    column.least = CellWidth(Info(column).name);
    column.width = column.is_extreme ? std::max<size_t>(column.least, 1) : column.least;
    size_t sum = 0;
    for (const ShownRow& row : rows_) {
      const std::string cell = CellOf(row, column);
      budget_.Step(static_cast<int64_t>(1 + cell.size() / 16));
      const size_t width = CellWidth(cell);
      column.longest = std::max(column.longest, width);
      if (column.is_extreme && width > column.average * 2) continue;
      column.width = std::max(column.width, width);
      sum += width;
    }
    if (column.is_extreme || !Info(column).ignores_extremes || rows_.empty()) return;
    column.average = sum / rows_.size();
    column.is_extreme = column.average > 0 && column.longest >= column.average * 2;
  }

  size_t Total() const {
    size_t total = columns_.empty() ? 0 : (columns_.size() - 1) * CellWidth(table_.separator);
    for (const Column& column : columns_) total += column.width;
    return total;
  }

  void ComputeWidths() {
    for (Column& column : columns_) Measure(column);
    if (Total() <= table_.width) return;
    for (Column& column : columns_) {
      if (column.is_extreme) Measure(column);
    }
    for (Column& column : columns_) {
      const size_t total = Total();
      if (!column.is_extreme || total >= table_.width) continue;
      column.width += std::min(table_.width - total, column.longest - std::min(column.longest, column.width));
    }
    Shrink();
  }

  // Takes one column of space after the other from what may be cut or wrapped.
  void Shrink() {
    size_t total = Total();
    bool has_shrunk = true;
    while (total > table_.width && has_shrunk) {
      has_shrunk = false;
      for (Column& column : columns_) {
        budget_.Step();
        if (total <= table_.width) break;
        if (!Info(column).is_cut && !Info(column).is_wrapped) continue;
        if (column.width <= std::max<size_t>(column.least, 1)) continue;
        --column.width;
        --total;
        has_shrunk = true;
      }
    }
  }

  void Blanks(size_t count) {
    budget_.Step(static_cast<int64_t>(count / 32));
    for (; count > 0; --count) out_.Put(' ');
  }

  // One cell and, but for the last, what separates it from the next.
  void WriteCell(size_t position, std::string_view text, bool is_right) {
    const Column& column = columns_[position];
    const bool is_last = position + 1 == columns_.size();
    const size_t width = CellWidth(text);
    const size_t blanks = column.width - std::min(column.width, width);
    if (is_right && !(is_last && text.empty())) Blanks(blanks);
    out_.Write(text);
    if (is_last) return;
    if (width > column.width) {
      // The text takes the rest of the line; the next cell stands below it, at its place.
      out_.Put('\n');
      for (size_t i = 0; i <= position; ++i) Blanks(columns_[i].width + (i < position ? CellWidth(table_.separator) : 0));
    } else if (!is_right) {
      Blanks(blanks);
    }
    out_.Write(table_.separator);
  }

  void WriteHeader() {
    for (size_t i = 0; i < columns_.size(); ++i) WriteCell(i, Info(columns_[i]).name, Info(columns_[i]).is_right);
    out_.Put('\n');
  }

  void WriteRow(const ShownRow& row) {
    std::vector<std::string> rest(columns_.size());   // what wraps into the next line
    bool wraps = false;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = columns_[i];
      const std::string cell = CellOf(row, column);
      budget_.Step(static_cast<int64_t>(1 + cell.size() / 32));
      const bool is_long = CellWidth(cell) > column.width;
      if (is_long && (Info(column).is_wrapped || Info(column).is_cut)) {
        const size_t part = PartThatFits(cell, column.width);
        WriteCell(i, std::string_view(cell).substr(0, part), false);
        if (!Info(column).is_cut) rest[i] = cell.substr(part);
        wraps = wraps || !rest[i].empty();
      } else {
        WriteCell(i, cell, Info(column).is_right);
      }
    }
    out_.Put('\n');
    if (wraps) WriteRest(rest);
  }

  void WriteRest(std::vector<std::string>& rest) {
    std::vector<size_t> done(rest.size());
    bool wraps = true;
    while (wraps && out_.status()) {
      wraps = false;
      for (size_t i = 0; i < rest.size(); ++i) {
        budget_.Step();
        const std::string_view text = std::string_view(rest[i]).substr(done[i]);
        const size_t part = PartThatFits(text, columns_[i].width);
        WriteCell(i, text.substr(0, part), false);
        done[i] += part;
        wraps = wraps || done[i] < rest[i].size();
      }
      out_.Put('\n');
    }
  }

  const TextTable& table_;
  Budget& budget_;
  Output& out_;
  std::vector<Column> columns_;    // the visible ones, as they stand
  std::vector<ShownRow> rows_;
};

void WriteJsonString(std::string_view text, bool is_name, Output& out) {
  constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  constexpr std::string_view kHex = "0123456789abcdef";
  out.Put('"');
  for (const char c : text) {
    const size_t special = kSpecial.find(c);
    if (special != std::string_view::npos) {
      out.Put('\\');
      out.Put(kLetters[special]);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out.Write("\\u00");
      out.Put(kHex[static_cast<unsigned char>(c) >> 4]);
      out.Put(kHex[static_cast<unsigned char>(c) & 15]);
    } else {
      out.Put(is_name && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
    }
  }
  out.Put('"');
}

class JsonWriter {
 public:
  JsonWriter(const TextTable& table, Budget& budget, Output& out) : table_(table), budget_(budget), out_(out) {
    children_ = ChildrenOf(table, roots_);
  }

  void Write(std::string_view name) {
    out_.Write("{\n   ");
    WriteJsonString(name, true, out_);
    out_.Write(": [\n");
    WriteRows(roots_, 2);
    out_.Write("   ]\n}\n");
  }

 private:
  void Indent(size_t depth) {
    for (size_t i = 0; i < depth; ++i) out_.Write("   ");
  }

  void WriteRows(const std::vector<size_t>& rows, size_t depth) {
    budget_.CheckStack();
    for (size_t i = 0; i < rows.size() && out_.status(); ++i) {
      budget_.Step(static_cast<int64_t>(1 + table_.columns.size() + depth));
      if (i == 0) Indent(depth);
      out_.Write("{\n");
      WriteMembers(rows[i], depth + 1);
      Indent(depth);
      out_.Write(i + 1 < rows.size() ? "}," : "}\n");
    }
  }

  void WriteMembers(size_t row, size_t depth) {
    bool is_first = true;
    const auto begin = [&] {
      if (!is_first) out_.Write(",\n");
      is_first = false;
      Indent(depth);
    };
    const auto& cells = table_.rows[row].cells;
    for (const size_t column : table_.order) {
      if (table_.columns[column].is_hidden) continue;
      begin();
      WriteJsonString(table_.columns[column].name, true, out_);
      out_.Write(": ");
      if (column < cells.size() && !cells[column].empty()) WriteJsonString(cells[column], false, out_);
      else out_.Write("null");
    }
    if (!children_[row].empty()) {
      begin();
      out_.Write("\"children\": [\n");
      WriteRows(children_[row], depth + 1);
      Indent(depth);
      out_.Put(']');
    }
    out_.Put('\n');
  }

  const TextTable& table_;
  Budget& budget_;
  Output& out_;
  std::vector<size_t> roots_;
  std::vector<std::vector<size_t>> children_;
};

}  // namespace

size_t CellWidth(std::string_view text) {
  if (text.find('\33') == std::string_view::npos) return TextWidth(text);
  size_t width = 0;
  while (!text.empty()) {
    const size_t skipped = ControlSequence(text);
    const size_t length = skipped > 0 ? skipped : std::min(text.find('\33', 1), text.size());
    if (skipped == 0) width += TextWidth(text.substr(0, length));
    text.remove_prefix(length);
  }
  return width;
}

void WriteTable(const TextTable& table, Budget& budget, Output& out) { Layout(table, budget, out).Write(); }

void WriteTableJson(const TextTable& table, std::string_view name, Budget& budget, Output& out) {
  JsonWriter(table, budget, out).Write(name);
}

}  // namespace paddock
