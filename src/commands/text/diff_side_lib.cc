#include <algorithm>

#include "base/budget.h"
#include "commands/text/diff_print.h"
#include "text/utf8.h"

namespace paddock {
namespace {

class SidePrinter {
 public:
  SidePrinter(const DiffPair& pair, const DiffLayout& layout, Output& out)
      : pair_(pair), layout_(layout), out_(out) {
    // The widest half lines that leave a gutter; without -t the right half begins at a tab stop.
    constexpr size_t kNarrowestGutter = 3;
    const size_t tab = layout.expand_tabs ? 1 : layout.tab_size;
    const size_t width = layout.width;
    const size_t tab_and_gutter = tab + kNarrowestGutter;
    const size_t loose = width / 2 + tab_and_gutter / 2 + (width & tab_and_gutter & 1);
    const size_t offset = loose - loose % tab;
    const size_t left = offset > kNarrowestGutter ? offset - kNarrowestGutter : 0;
    half_width_ = std::min(left, width > offset ? width - offset : 0);
    right_column_ = half_width_ > 0 ? offset : width;
  }

  void Print() {
    for (const DiffEdit& edit : pair_.edits()) {
      const DiffHunk hunk = pair_.MakeHunk(&edit, &edit + 1);
      if (hunk.change != DiffChange::kNone) PrintHunk(hunk);
    }
    PrintCommon(pair_.text(0).size(), pair_.text(1).size());
  }

 private:
  void PrintHunk(const DiffHunk& hunk) {
    PrintCommon(hunk.first[0], hunk.first[1]);
    size_t i = hunk.first[0];
    size_t j = hunk.first[1];
    while (i < hunk.last[0] && j < hunk.last[1]) PrintLine(i++, '|', j++);
    while (j < hunk.last[1]) PrintLine({}, '>', j++);
    while (i < hunk.last[0]) PrintLine(i++, '<', {});
    next_[0] = i;
    next_[1] = j;
  }

  void PrintCommon(size_t end_0, size_t end_1) {
    size_t i = next_[0];
    size_t j = next_[1];
    next_[0] = end_0;
    next_[1] = end_1;
    if (layout_.suppress_common_lines) return;
    if (!layout_.left_column) {
      while (i < end_0 && j < end_1) PrintLine(i++, ' ', j++);
      while (j < end_1) PrintLine({}, ')', j++);
    }
    while (i < end_0) PrintLine(i++, '(', {});
  }

  void PrintLine(std::optional<size_t> left, char mark, std::optional<size_t> right) {
    pair_.budget().Step();
    const bool is_colored = layout_.colors.is_enabled && (mark == '<' || mark == '>');
    if (is_colored) {
      out_.Write("\033[" + (mark == '<' ? layout_.colors.deleted : layout_.colors.added) + "m");
    }
    bool ends_line = false;
    size_t column = 0;
    if (left) {
      ends_line = pair_.text(0).is_terminated(*left);
      column = PrintHalf(pair_.text(0).line(*left), 0, half_width_);
    }
    if (mark != ' ') {
      column = MoveTo(column, (half_width_ + right_column_ - 1) / 2) + 1;
      if (mark == '|' && ends_line != pair_.text(1).is_terminated(*right)) mark = ends_line ? '/' : '\\';
      out_.Put(mark);
    }
    if (right) {
      const std::string_view line = pair_.text(1).line(*right);
      ends_line |= pair_.text(1).is_terminated(*right);
      if (!line.empty()) {
        column = MoveTo(column, right_column_);
        PrintHalf(line, column, half_width_);
      }
    }
    if (ends_line) out_.Put('\n');
    if (is_colored) out_.Write("\033[" + layout_.colors.reset + "m");
  }

  // Moves to a column with tabs, or with spaces under -t. Returns it.
  size_t MoveTo(size_t from, size_t to) {
    const size_t tab = layout_.tab_size;
    if (!layout_.expand_tabs) {
      for (size_t stop = from + tab - from % tab; stop <= to; stop += tab) {
        out_.Put('\t');
        from = stop;
      }
    }
    for (; from < to; ++from) out_.Put(' ');
    return to;
  }

  // Writes as much of a line as fits in `bound` columns; returns the column reached. Tabs that do not fit
  // are held back until something after them does.
  size_t PrintHalf(std::string_view line, size_t indent, size_t bound) {
    size_t in_column = 0;
    size_t out_column = 0;
    const auto fill = [&](size_t to) {
      for (; out_column < to; ++out_column) out_.Put(' ');
    };
    for (size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const auto byte = static_cast<unsigned char>(c);
      if (c == '\t') {
        const size_t spaces = layout_.tab_size - in_column % layout_.tab_size;
        if (in_column == out_column) {
          const size_t stop = out_column + spaces;
          if (layout_.expand_tabs) {
            fill(std::min(stop, bound));
          } else if (stop < bound) {
            out_column = stop;
            out_.Put(c);
          }
        }
        in_column += spaces;
      } else if (c == '\r') {
        out_.Put(c);
        MoveTo(0, indent);
        in_column = out_column = 0;
      } else if (c == '\b') {
        if (in_column != 0 && --in_column < bound) {
          if (out_column <= in_column) {
            fill(in_column);
          } else {
            out_column = in_column;
            out_.Put(c);
          }
        }
      } else if (byte >= 0x20 && byte < 0x7f) {
        if (in_column++ < bound) {
          out_column = in_column;
          out_.Put(c);
        }
      } else if (byte >= 0x80 && layout_.is_utf8) {
        const DecodedChar decoded = DecodeUtf8(line.substr(i));
        const int width = decoded.is_valid ? CharWidth(decoded.code) : 0;
        if (width > 0) in_column += static_cast<size_t>(width);
        if (decoded.is_valid ? in_column <= bound : in_column < bound) {
          if (decoded.is_valid) out_column = in_column;
          out_.Write(line.substr(i, decoded.length));
        }
        i += decoded.length - 1u;
      } else if (in_column < bound) {
        out_.Put(c);
      }
    }
    return out_column;
  }

  const DiffPair& pair_;
  const DiffLayout& layout_;
  Output& out_;
  size_t half_width_ = 0;
  size_t right_column_ = 0;
  std::array<size_t, 2> next_{};
};

}  // namespace

void PrintSideBySide(const DiffPair& pair, const DiffLayout& layout, Output& out) {
  SidePrinter(pair, layout, out).Print();
}

}  // namespace paddock
