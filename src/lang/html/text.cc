#include "lang/html/text.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <vector>

#include "base/budget.h"
#include "lang/html/html.h"
#include "lang/html/tree.h"
#include "text/utf8.h"

namespace paddock::html {
namespace {

using Lines = std::vector<std::string>;

constexpr char kLinkSpace = '\x01';        // a blank in a link: shown as a line, and lines may break at it
constexpr int kMostNestedTables = 4;       // those further in are laid out as blocks
constexpr int kMostSpan = 100;
constexpr size_t kMostIndent = 1000;
constexpr size_t kFieldWidth = 20;

enum class Align { kLeft, kCenter, kRight };

size_t WidthOf(const Lines& lines) {
  size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, TextWidth(line));
  return width;
}

class TextRenderer {
 public:
  TextRenderer(const TextSettings& settings, Budget& budget) : o_(settings), budget_(budget) {}

  Lines Blocks(const GumboNode* node, size_t width, Align align = Align::kLeft) {
    budget_.CheckStack();
    Lines out;
    std::string run;
    const auto flush = [&] {
      Append(out, Wrapped(run, width, align));
      run.clear();
    };
    for (const GumboNode* child : Children(node)) {
      budget_.Step();
      if (child->type == GUMBO_NODE_TEMPLATE || IsHidden(child)) continue;
      if (!IsElement(child) || RoleOf(TagOf(child)) != Role::kBlock) {
        Inline(child, run, false);
        continue;
      }
      flush();
      Append(out, Block(child, width, AlignOf(child, align)));
    }
    flush();
    return out;
  }

 private:
  static bool IsHidden(const GumboNode* node) {
    const GumboTag tag = TagOf(node);
    return IsElement(node) && RoleOf(tag) == Role::kNothing && tag != GUMBO_TAG_SELECT && tag != GUMBO_TAG_TEXTAREA;
  }

  static Align AlignOf(const GumboNode* node, Align otherwise) {
    if (TagOf(node) == GUMBO_TAG_CENTER) return Align::kCenter;
    const std::string align = LowerUtf8(Attribute(node, "align"));
    return align == "center" ? Align::kCenter : align == "right" ? Align::kRight : align == "left" ? Align::kLeft : otherwise;
  }

  void Append(Lines& out, Lines lines) {
    budget_.Step(static_cast<int64_t>(lines.size()));
    out.insert(out.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  }

  Lines Indented(Lines lines, size_t indent, std::string_view first = {}) {
    indent = std::min(indent, kMostIndent);
    for (size_t i = 0; i < lines.size(); ++i) {
      budget_.Step(static_cast<int64_t>(lines[i].size() / 64 + 1));
      if (i == 0 && !first.empty()) lines[i].insert(0, first);
      else if (!lines[i].empty()) lines[i].insert(0, indent, ' ');
    }
    return lines;
  }
  static size_t Less(size_t width, size_t by) { return width > by ? width - by : 1; }

  // Empty lines around, in the pretty style.
  Lines Spaced(Lines lines, size_t before, size_t after) const {
    if (!o_.is_pretty || lines.empty()) return lines;
    lines.insert(lines.begin(), before, "");
    lines.insert(lines.end(), after, "");
    return lines;
  }

  // Breaks a run of text at blanks; newlines in it stand for <br>.
  Lines Wrapped(const std::string& run, size_t width, Align align) {
    Lines lines;
    std::string_view rest = run;
    budget_.Step(static_cast<int64_t>(run.size() / 8));
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      const bool is_broken = end < rest.size();
      const size_t before = lines.size();
      WrapPart(rest.substr(0, end), width, lines);
      if (is_broken && lines.size() == before) lines.emplace_back();
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (rest.find_first_not_of(' ') == std::string_view::npos) break;
    }
    if (lines.size() == 1 && lines[0].empty()) lines.clear();
    if (align == Align::kLeft) return lines;
    for (std::string& line : lines) {
      const size_t used = TextWidth(line), gap = width > used ? width - used : 0;
      if (!line.empty()) line.insert(0, align == Align::kRight ? gap : gap / 2, ' ');
    }
    return lines;
  }
  static void WrapPart(std::string_view part, size_t width, Lines& lines) {
    std::string line;
    size_t used = 0;
    char gap = 0;
    for (size_t at = 0; at < part.size();) {
      if (part[at] == ' ' || part[at] == kLinkSpace) {
        gap = gap == 0 || gap == ' ' ? part[at] : gap;
        ++at;
        continue;
      }
      const size_t end = std::min(part.find_first_of(" \x01", at), part.size());
      const std::string_view word = part.substr(at, end - at);
      const size_t size = TextWidth(word);
      if (!line.empty() && used + 1 + size > width) {
        lines.push_back(std::move(line));
        line.clear();
        used = 0;
      } else if (!line.empty()) {
        line += gap == kLinkSpace ? '_' : ' ';
        ++used;
      }
      line += word;
      used += size;
      gap = 0;
      at = end;
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }

  static void AddText(std::string_view text, std::string& out, bool is_link) {
    for (const char c : text) {
      if (!IsSpace(c)) {
        if (static_cast<unsigned char>(c) >= ' ') out += c;
      } else if (!out.empty() && out.back() != ' ' && out.back() != kLinkSpace && out.back() != '\n') {
        out += is_link ? kLinkSpace : ' ';
      }
    }
  }

  void Inline(const GumboNode* node, std::string& out, bool is_link) {
    budget_.Step();
    budget_.CheckStack();
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE || node->type == GUMBO_NODE_CDATA) return AddText(node->v.text.text, out, is_link);
    if (!IsElement(node) || IsHidden(node)) return;
    switch (TagOf(node)) {
      case GUMBO_TAG_BR: out += '\n'; return;
      case GUMBO_TAG_IMG: return Image(node, out);
      case GUMBO_TAG_INPUT: return Field(node, out);
      case GUMBO_TAG_SELECT: return Choices(node, out);
      case GUMBO_TAG_A: is_link = is_link || !Attribute(node, "href").empty(); break;
      default: break;
    }
    const bool is_block = RoleOf(TagOf(node)) == Role::kBlock;   // in a link
    if (is_block) AddText(" ", out, false);
    for (const GumboNode* child : Children(node)) Inline(child, out, is_link);
    if (is_block) AddText(" ", out, false);
  }

  void Image(const GumboNode* node, std::string& out) const {
    const bool has_alt = gumbo_get_attribute(&node->v.element.attributes, "alt") != nullptr;
    std::string text;
    AddText(has_alt ? Trimmed(Attribute(node, "alt")) : o_.is_pretty ? std::string_view() : Attribute(node, "src"), text, false);
    if (!text.empty()) out += o_.is_pretty ? " " + text + " " : "[" + text + "]";
  }

  static void Field(const GumboNode* node, std::string& out) {
    const std::string type = LowerUtf8(Attribute(node, "type"));
    std::string value;
    AddText(Attribute(node, "value"), value, false);
    if (type == "hidden") return;
    if (type == "checkbox" || type == "radio") {
      out += gumbo_get_attribute(&node->v.element.attributes, "checked") != nullptr ? '*' : 'o';
    } else if (type == "submit" || type == "reset" || type == "button" || type == "image") {
      if (value.empty()) value = type == "reset" ? "Reset" : "Submit";
      out += "[" + value + "]";
    } else {
      size_t size = kFieldWidth;
      const std::string_view given = Attribute(node, "size");
      std::from_chars(given.data(), given.data() + given.size(), size);
      size = std::clamp<size_t>(size, 1, kMostIndent);
      if (type == "password") value.assign(size, '*');
      const size_t used = TextWidth(value);
      // Blanks that no line breaks at.
      std::string room;
      for (size_t i = used; i < size; ++i) room += "\u00a0";
      out += "[" + value + room + "]";
    }
  }

  void Choices(const GumboNode* node, std::string& out) {
    std::string text;
    CollectChoices(node, text);
    if (!text.empty()) out += "[One of: " + text + "]";
  }
  void CollectChoices(const GumboNode* node, std::string& text) {
    budget_.CheckStack();
    for (const GumboNode* child : Children(node)) {
      budget_.Step();
      if (!IsElement(child)) continue;
      if (TagOf(child) != GUMBO_TAG_OPTION) {
        CollectChoices(child, text);
        continue;
      }
      std::string choice;
      for (const GumboNode* part : Children(child)) Inline(part, choice, false);
      text.append(text.empty() ? "" : "/").append(Trimmed(choice));
    }
  }

  Lines Block(const GumboNode* node, size_t width, Align align) {
    const GumboTag tag = TagOf(node);
    switch (tag) {
      case GUMBO_TAG_H1: case GUMBO_TAG_H2: case GUMBO_TAG_H3: case GUMBO_TAG_H4: case GUMBO_TAG_H5: case GUMBO_TAG_H6: return Heading(node, static_cast<size_t>(tag - GUMBO_TAG_H1) + 1, width, align);
      case GUMBO_TAG_UL:
      case GUMBO_TAG_MENU:
      case GUMBO_TAG_OL: return List(node, width, tag == GUMBO_TAG_OL);
      case GUMBO_TAG_BLOCKQUOTE: return Spaced(Indented(Blocks(node, Less(width, 5)), 5), 1, 1);
      case GUMBO_TAG_PRE: return Spaced(Indented(Preformatted(node), o_.is_pretty ? 2 : 0), 1, 1);
      case GUMBO_TAG_HR: return Spaced({std::string(width, o_.is_pretty ? '-' : '=')}, 1, 0);
      case GUMBO_TAG_TABLE: return Spaced(Table(node, width), 0, 1);
      case GUMBO_TAG_DL: return Spaced(Blocks(node, width), 1, 1);
      case GUMBO_TAG_DT: return Indented(Blocks(node, Less(width, 2)), 2);
      case GUMBO_TAG_DD: return Indented(Blocks(node, Less(width, 6)), 6);
      default: return Blocks(node, width, align);
    }
  }

  Lines Heading(const GumboNode* node, size_t level, size_t width, Align align) {
    std::string run;
    for (const GumboNode* child : Children(node)) Inline(child, run, false);
    const std::string text(Trimmed(run));
    if (text.empty()) return {};
    const std::string stars(7 - level, '*');
    return Spaced(Wrapped(o_.is_pretty ? text : stars + " " + text + " " + stars, width, align), level == 1 ? 2 : 1, 1);
  }

  static std::string Number(int64_t number, char type) {
    if (type != 'a' && type != 'A') return std::to_string(number);
    std::string letters;
    for (int64_t rest = number; rest > 0; rest = (rest - 1) / 26) letters.insert(letters.begin(), static_cast<char>(type + (rest - 1) % 26));
    return letters;
  }

  Lines List(const GumboNode* node, size_t width, bool is_ordered) {
    static constexpr char kBullets[] = {'*', 'o', '#', '@', '-'};
    const std::string_view type = Attribute(node, "type");
    const size_t level = list_depth_++;
    const size_t indent = is_ordered ? (o_.is_pretty ? 5 : 6) : o_.is_pretty ? 2 : 6;
    Lines out;
    int64_t number = 0;
    for (const GumboNode* item : Children(node)) {
      budget_.Step();
      if (!IsElement(item) || IsHidden(item)) continue;
      if (TagOf(item) != GUMBO_TAG_LI) {
        Append(out, Indented(Block(item, Less(width, indent), Align::kLeft), indent));
        continue;
      }
      std::string marker = is_ordered ? Number(++number, type.empty() ? '1' : type[0]) + ". " : std::string(1, kBullets[level % 5]) + " ";
      if (marker.size() < indent) marker.insert(0, indent - marker.size(), ' ');
      Lines lines = Blocks(item, Less(width, indent));
      if (lines.empty()) lines.emplace_back();
      Append(out, Indented(std::move(lines), indent, marker));
    }
    --list_depth_;
    return Spaced(std::move(out), 1, 1);
  }

  void PlainText(const GumboNode* node, std::string& out) {
    budget_.Step();
    budget_.CheckStack();
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE || node->type == GUMBO_NODE_CDATA) {
      out += node->v.text.text;
    } else if (TagOf(node) == GUMBO_TAG_BR) {
      out += '\n';
    } else if (IsElement(node)) {
      for (const GumboNode* child : Children(node)) PlainText(child, out);
    }
  }
  Lines Preformatted(const GumboNode* node) {
    std::string text;
    PlainText(node, text);
    while (text.ends_with('\n')) text.pop_back();
    Lines lines;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  struct Cell {
    const GumboNode* node = nullptr;
    size_t column = 0, span = 1;
    Align align = Align::kLeft;
  };
  using Row = std::vector<Cell>;

  void CollectRows(const GumboNode* node, std::vector<Row>& rows, Lines& caption, size_t width) {
    budget_.CheckStack();
    for (const GumboNode* child : Children(node)) {
      budget_.Step();
      const GumboTag tag = TagOf(child);
      if (tag == GUMBO_TAG_THEAD || tag == GUMBO_TAG_TBODY || tag == GUMBO_TAG_TFOOT) CollectRows(child, rows, caption, width);
      else if (tag == GUMBO_TAG_CAPTION) Append(caption, Blocks(child, width, Align::kCenter));
      else if (tag == GUMBO_TAG_TR) rows.push_back(CollectCells(child));
    }
  }
  static Row CollectCells(const GumboNode* node) {
    Row row;
    size_t column = 0;
    for (const GumboNode* child : Children(node)) {
      if (TagOf(child) != GUMBO_TAG_TD && TagOf(child) != GUMBO_TAG_TH) continue;
      int span = 1;
      const std::string_view columns = Attribute(child, "colspan");
      std::from_chars(columns.data(), columns.data() + columns.size(), span);
      row.push_back({child, column, static_cast<size_t>(std::clamp(span, 1, kMostSpan)), AlignOf(child, AlignOf(node, Align::kLeft))});
      column += row.back().span;
    }
    return row;
  }

  // Widens the columns of a cell, the last of them, until it has room.
  static void Fit(std::vector<size_t>& widths, const Cell& cell, size_t width) {
    size_t room = cell.span - 1;
    for (size_t i = 0; i < cell.span; ++i) room += widths[cell.column + i];
    if (width > room) widths[cell.column + cell.span - 1] += width - room;
  }

  // As wide as the cells want to be, or as narrow as they can be with the rest shared out.
  std::vector<size_t> ColumnWidths(const std::vector<Row>& rows, size_t columns, size_t width) {
    std::vector<size_t> wanted(columns), least(columns);
    for (const bool is_spanning : {false, true}) {
      for (const Row& row : rows) {
        for (const Cell& cell : row) {
          if ((cell.span > 1) != is_spanning) continue;
          Fit(wanted, cell, WidthOf(Blocks(cell.node, width)));
          Fit(least, cell, WidthOf(Blocks(cell.node, 1)));
        }
      }
    }
    const size_t room = Less(width, columns + 1);
    const auto sum = [](const std::vector<size_t>& sizes) { return std::accumulate(sizes.begin(), sizes.end(), size_t{0}); };
    if (sum(wanted) <= room) return wanted;
    size_t left = room > sum(least) ? room - sum(least) : 0;
    const size_t missing = std::max<size_t>(1, sum(wanted) - std::min(sum(wanted), sum(least)));
    std::vector<size_t> widths = least;
    for (size_t i = 0; i < columns; ++i) widths[i] += (wanted[i] - std::min(wanted[i], least[i])) * left / missing;
    return widths;
  }

  Lines Table(const GumboNode* node, size_t width) {
    if (table_depth_ >= kMostNestedTables) return Blocks(node, width);
    ++table_depth_;
    std::vector<Row> rows;
    Lines out;
    CollectRows(node, rows, out, width);
    size_t columns = 0;
    for (const Row& row : rows) {
      if (!row.empty()) columns = std::max(columns, row.back().column + row.back().span);
    }
    if (columns > 0) {
      const std::vector<size_t> widths = ColumnWidths(rows, columns, width);
      const std::string_view border = Attribute(node, "border");
      const bool has_border = gumbo_get_attribute(&node->v.element.attributes, "border") != nullptr && border != "0";
      if (has_border) out.push_back(" " + std::string(std::accumulate(widths.begin(), widths.end(), columns - 1), '_'));
      for (const Row& row : rows) {
        budget_.Step(1 + static_cast<int64_t>(columns));
        Append(out, RowLines(row, widths, has_border));
      }
    }
    --table_depth_;
    return out;
  }

  Lines RowLines(Row row, const std::vector<size_t>& widths, bool has_border) {
    size_t next = row.empty() ? 0 : row.back().column + row.back().span;
    for (; has_border && next < widths.size(); ++next) row.push_back({nullptr, next, 1, Align::kLeft});
    std::vector<Lines> cells;
    std::vector<size_t> rooms;
    size_t height = has_border ? 1 : 0;
    for (const Cell& cell : row) {
      size_t room = cell.span - 1;
      for (size_t i = 0; i < cell.span; ++i) room += widths[cell.column + i];
      rooms.push_back(room);
      cells.push_back(cell.node == nullptr ? Lines() : Blocks(cell.node, room, cell.align));
      height = std::max(height, cells.back().size());
    }
    Lines out(height);
    for (size_t y = 0; y < height; ++y) {
      std::string& line = out[y];
      for (size_t i = 0; i < cells.size(); ++i) {
        std::string text = y < cells[i].size() ? cells[i][y] : std::string();
        const size_t used = TextWidth(text);
        if (used < rooms[i]) text.append(rooms[i] - used, ' ');
        if (has_border && y + 1 == height) std::replace(text.begin(), text.end(), ' ', '_');
        if (has_border) line += '|';
        else if (i > 0) line += ' ';
        line += text;
      }
      if (has_border) line += '|';
      else line.erase(line.find_last_not_of(' ') + 1);
      budget_.Step(static_cast<int64_t>(line.size() / 32 + 1));
    }
    return out;
  }

  const TextSettings& o_;
  Budget& budget_;
  size_t list_depth_ = 0;
  int table_depth_ = 0;
};

}  // namespace

std::string ToText(std::string_view html, const TextSettings& settings, Budget& budget) {
  const Document document(html, budget);
  std::string out;
  for (const std::string& line : TextRenderer(settings, budget).Blocks(document.root(), settings.width)) {
    budget.Step();
    std::string_view rest = line;
    // Blanks that no line breaks at are blanks from here on.
    for (size_t at = rest.find("\u00a0"); at != std::string_view::npos; at = rest.find("\u00a0")) {
      out.append(rest.substr(0, at)) += ' ';
      rest.remove_prefix(at + 2);
    }
    out.append(rest) += '\n';
  }
  return out;
}

}  // namespace paddock::html
