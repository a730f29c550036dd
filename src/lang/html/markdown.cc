#include "lang/html/markdown.h"

#include <gumbo.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/budget.h"
#include "lang/html/html.h"
#include "lang/html/tree.h"

namespace paddock::html {
namespace {

constexpr int kMostColumnsOfCell = 100;

// Puts `first` before the first line and `others` before the others, but for blanks on empty ones.
std::string Prefixed(std::string_view text, std::string_view first, std::string_view others, Budget& budget) {
  std::string out(first);
  budget.Step(static_cast<int64_t>(text.size() / 32));
  for (size_t at = 0;;) {
    const size_t end = std::min(text.find('\n', at), text.size());
    out += text.substr(at, end - at);
    if (end == text.size()) return out;
    out += '\n';
    at = end + 1;
    const bool is_empty = at == text.size() || text[at] == '\n';
    out += is_empty ? others.substr(0, others.find_last_not_of(' ') + 1) : others;
  }
}

class Renderer {
 public:
  Renderer(const MarkdownSettings& settings, Budget& budget) : settings_(settings), budget_(budget) {}

  // The blocks in a node, between empty lines; in a tight list item between newlines.
  std::string Blocks(const GumboNode* node, bool is_tight = false) {
    budget_.CheckStack();
    std::string out, paragraph;
    const auto add = [&](std::string_view block, bool is_close) {
      if (block.empty()) return;
      if (!out.empty()) out += is_close ? "\n" : "\n\n";
      out += block;
    };
    const auto flush = [&] {
      add(Paragraph(paragraph), false);
      paragraph.clear();
    };
    for (const GumboNode* child : Children(node)) {
      budget_.Step();
      const Role role = IsElement(child) ? RoleOf(TagOf(child)) : Role::kInline;
      if (role == Role::kNothing || child->type == GUMBO_NODE_TEMPLATE) continue;
      if (role == Role::kInline) {
        Inline(child, paragraph);
        continue;
      }
      flush();
      const GumboTag tag = TagOf(child);
      add(Block(child), is_tight && (tag == GUMBO_TAG_UL || tag == GUMBO_TAG_OL));
    }
    flush();
    return out;
  }

 private:
  static std::string Paragraph(const std::string& inline_text) {
    std::string text(Trimmed(inline_text));
    if (text.empty()) return text;
    // What would begin a block at the start of a line.
    const size_t digits = text.find_first_not_of("0123456789");
    const bool is_item = digits != std::string::npos && digits > 0 && digits < 10 && (text[digits] == '.' || text[digits] == ')') &&
                         (digits + 1 == text.size() || text[digits + 1] == ' ');
    if (is_item) {
      text.insert(digits, "\\");
    } else if (text[0] == '#' || text[0] == '>' || ((text[0] == '-' || text[0] == '+') && (text.size() == 1 || text[1] == ' ' || text[1] == '-'))) {
      text.insert(0, "\\");
    }
    return text;
  }

  // Whether `text`, which begins with &, would be a character reference.
  static bool IsReference(std::string_view text) {
    constexpr size_t kLongest = 33;
    const size_t end = text.substr(0, kLongest).find(';');
    if (end == std::string_view::npos || end < 2) return false;
    return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
      return c == '#' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
  }

  static void AppendText(std::string_view text, std::string& out) {
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (IsSpace(c)) {
        if (!out.empty() && out.back() != ' ' && out.back() != '\n') out += ' ';
        if (out.empty()) out += ' ';
        continue;
      }
      if (std::string_view("\\`*_[]<").find(c) != std::string_view::npos || (c == '&' && IsReference(text.substr(i)))) out += '\\';
      out += c;
    }
  }

  void InlineChildren(const GumboNode* node, std::string& out) {
    for (const GumboNode* child : Children(node)) Inline(child, out);
  }

  // Text between marks, which may not have blanks on their inner sides.
  void Marked(const GumboNode* node, std::string_view mark, std::string& out) {
    std::string text;
    InlineChildren(node, text);
    const std::string_view inner = Trimmed(text);
    if (inner.empty()) {
      if (!text.empty()) AppendText(" ", out);
      return;
    }
    if (IsSpace(text.front())) AppendText(" ", out);
    out.append(mark).append(inner).append(mark);
    if (IsSpace(text.back())) out += ' ';
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

  static std::string Fence(std::string_view text, char mark, size_t least) {
    size_t longest = 0, run = 0;
    for (const char c : text) {
      run = c == mark ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    return std::string(std::max(longest + 1, least), mark);
  }

  void Code(const GumboNode* node, std::string& out) {
    std::string text;
    PlainText(node, text);
    std::replace_if(text.begin(), text.end(), IsSpace, ' ');
    if (Trimmed(text).empty()) return;
    const std::string fence = Fence(text, '`', 1);
    const char* room = text.front() == '`' || text.back() == '`' ? " " : "";
    out += fence + room + text + room + fence;
  }

  static std::string Destination(const GumboNode* node, const char* name) {
    std::string url(Trimmed(Attribute(node, name)));
    std::erase_if(url, [](char c) { return c == '\n' || c == '\r' || c == '\t'; });
    if (url.find_first_of(" ()<>") != std::string::npos) {
      std::string escaped = "<";
      for (const char c : url) {
        if (c == '<' || c == '>') escaped += '\\';
        escaped += c;
      }
      url = escaped + ">";
    }
    std::string title(Trimmed(Attribute(node, "title")));
    if (title.empty()) return url;
    std::string quoted = " \"";
    for (const char c : title) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c == '\n' || c == '\r' ? ' ' : c;
    }
    return url + quoted + "\"";
  }

  void Link(const GumboNode* node, std::string& out) {
    if (settings_.ignores_links || gumbo_get_attribute(&node->v.element.attributes, "href") == nullptr) return InlineChildren(node, out);
    std::string text;
    InlineChildren(node, text);
    const std::string_view inner = Trimmed(text);
    if (inner.empty()) return;
    if (IsSpace(text.front())) AppendText(" ", out);
    out.append("[").append(inner).append("](") += Destination(node, "href") + ")";
    if (IsSpace(text.back())) out += ' ';
  }

  void Image(const GumboNode* node, std::string& out) {
    std::string alt;
    AppendText(Trimmed(Attribute(node, "alt")), alt);
    if (settings_.ignores_images || Attribute(node, "src").empty()) {
      out += alt;
    } else {
      out += "![" + alt + "](" + Destination(node, "src") + ")";
    }
  }

  void Inline(const GumboNode* node, std::string& out) {
    budget_.Step();
    budget_.CheckStack();
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE || node->type == GUMBO_NODE_CDATA) return AppendText(node->v.text.text, out);
    if (!IsElement(node) || RoleOf(TagOf(node)) == Role::kNothing) return;
    switch (TagOf(node)) {
      case GUMBO_TAG_EM:
      case GUMBO_TAG_I: return Marked(node, "*", out);
      case GUMBO_TAG_STRONG:
      case GUMBO_TAG_B: return Marked(node, "**", out);
      case GUMBO_TAG_DEL:
      case GUMBO_TAG_S:
      case GUMBO_TAG_STRIKE: return Marked(node, "~~", out);
      case GUMBO_TAG_CODE:
      case GUMBO_TAG_KBD:
      case GUMBO_TAG_SAMP:
      case GUMBO_TAG_TT: return Code(node, out);
      case GUMBO_TAG_A: return Link(node, out);
      case GUMBO_TAG_IMG: return Image(node, out);
      case GUMBO_TAG_BR:
        while (!out.empty() && out.back() == ' ') out.pop_back();
        out += "  \n";
        return;
      case GUMBO_TAG_Q:
        out += '"';
        InlineChildren(node, out);
        out += '"';
        return;
      case GUMBO_TAG_INPUT:
        if (Attribute(node, "type") == "checkbox") out += gumbo_get_attribute(&node->v.element.attributes, "checked") != nullptr ? "[x] " : "[ ] ";
        return;
      default: break;
    }
    const bool is_block = RoleOf(TagOf(node)) == Role::kBlock;   // where no block can be: in a link, in a cell
    if (is_block) AppendText(" ", out);
    InlineChildren(node, out);
    if (is_block) AppendText(" ", out);
  }

  std::string Block(const GumboNode* node) {
    const GumboTag tag = TagOf(node);
    switch (tag) {
      case GUMBO_TAG_H1: case GUMBO_TAG_H2: case GUMBO_TAG_H3: case GUMBO_TAG_H4: case GUMBO_TAG_H5: case GUMBO_TAG_H6:
        return Heading(node, static_cast<size_t>(tag - GUMBO_TAG_H1) + 1);
      case GUMBO_TAG_UL:
      case GUMBO_TAG_MENU: return List(node, false);
      case GUMBO_TAG_OL: return List(node, true);
      case GUMBO_TAG_BLOCKQUOTE: {
        const std::string inner = Blocks(node);
        return inner.empty() ? inner : Prefixed(inner, "> ", "> ", budget_);
      }
      case GUMBO_TAG_PRE: return Preformatted(node);
      case GUMBO_TAG_HR: return "---";
      case GUMBO_TAG_TABLE: return Table(node);
      case GUMBO_TAG_DT: {
        std::string out;
        Marked(node, "**", out);
        return out;
      }
      case GUMBO_TAG_DD: {
        const std::string inner = Blocks(node);
        return inner.empty() ? inner : Prefixed(inner, ": ", "  ", budget_);
      }
      default: return Blocks(node);
    }
  }

  std::string Heading(const GumboNode* node, size_t level) {
    std::string text;
    InlineChildren(node, text);
    std::string line(Trimmed(text));
    if (line.empty()) return line;
    std::replace(line.begin(), line.end(), '\n', ' ');
    return std::string(level, '#') + " " + line;
  }

  static std::string LanguageOf(const GumboNode* node) {
    const std::string_view names = Attribute(node, "class");
    for (const std::string_view before : {"language-", "lang-", "highlight-source-"}) {
      const size_t at = names.find(before);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = names.substr(at + before.size());
      const std::string_view name = rest.substr(0, rest.find_first_of(" \t\n`"));
      return std::string(name);
    }
    return "";
  }

  std::string Preformatted(const GumboNode* node) {
    std::string text, language = LanguageOf(node);
    for (const GumboNode* child : Children(node)) {
      if (language.empty() && TagOf(child) == GUMBO_TAG_CODE) language = LanguageOf(child);
      PlainText(child, text);
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    const std::string fence = Fence(text, '`', 3);
    return fence + language + "\n" + text + "\n" + fence;
  }

  std::string List(const GumboNode* node, bool is_ordered) {
    int64_t number = 1;
    const std::string_view start = Attribute(node, "start");
    if (is_ordered) std::from_chars(start.data(), start.data() + start.size(), number);
    if (number < 0 || number > 99'999'999) number = 1;
    bool is_loose = false;
    for (const GumboNode* item : Children(node)) {
      if (TagOf(item) != GUMBO_TAG_LI) continue;
      for (const GumboNode* child : Children(item)) is_loose = is_loose || TagOf(child) == GUMBO_TAG_P;
    }
    std::string out;
    for (const GumboNode* item : Children(node)) {
      budget_.Step();
      if (!IsElement(item) || RoleOf(TagOf(item)) == Role::kNothing) continue;
      const std::string marker = is_ordered ? std::to_string(number) + ". " : std::string(1, settings_.bullet) + " ";
      const bool is_item = TagOf(item) == GUMBO_TAG_LI;
      // A list that stands in a list without an item belongs to the item before it.
      std::string text = is_item ? Blocks(item, !is_loose) : Block(item);
      if (!is_item && text.empty()) continue;
      if (!out.empty()) out += is_loose ? "\n\n" : "\n";
      const std::string room(marker.size(), ' ');
      out += Prefixed(text, is_item ? marker : room, room, budget_);
      while (!out.empty() && out.back() == ' ') out.pop_back();
      if (is_item) ++number;
    }
    return out;
  }

  struct Cell {
    std::string text;
    char align = 0;   // l, c, r
  };
  using Row = std::vector<Cell>;

  static char AlignOf(const GumboNode* node) {
    const std::string_view align = Attribute(node, "align"), style = Attribute(node, "style");
    for (const std::string_view name : {"left", "center", "right"}) {
      const size_t at = style.find("text-align");
      if (align == name || (at != std::string_view::npos && style.substr(at, 24).find(name) != std::string_view::npos)) return name[0];
    }
    return 0;
  }

  void CollectRows(const GumboNode* node, std::vector<Row>& rows, std::string& caption) {
    budget_.CheckStack();
    for (const GumboNode* child : Children(node)) {
      budget_.Step();
      switch (TagOf(child)) {
        case GUMBO_TAG_THEAD: case GUMBO_TAG_TBODY: case GUMBO_TAG_TFOOT: CollectRows(child, rows, caption); break;
        case GUMBO_TAG_CAPTION: InlineChildren(child, caption); break;
        case GUMBO_TAG_TR: rows.push_back(CollectCells(child)); break;
        default: break;
      }
    }
  }

  Row CollectCells(const GumboNode* node) {
    Row row;
    for (const GumboNode* child : Children(node)) {
      if (TagOf(child) != GUMBO_TAG_TD && TagOf(child) != GUMBO_TAG_TH) continue;
      std::string text;
      InlineChildren(child, text);
      Cell& cell = row.emplace_back();
      cell.align = AlignOf(child);
      for (const char c : Trimmed(text)) {
        if (c == '|') cell.text += '\\';
        if (c == '\n') {
          while (cell.text.ends_with(' ')) cell.text.pop_back();
          cell.text += "<br>";
        } else {
          cell.text += c;
        }
      }
      int span = 1;
      const std::string_view columns = Attribute(child, "colspan");
      std::from_chars(columns.data(), columns.data() + columns.size(), span);
      for (int i = 1; i < std::min(span, kMostColumnsOfCell); ++i) row.emplace_back();
    }
    return row;
  }

  std::string Table(const GumboNode* node) {
    std::vector<Row> rows;
    std::string caption;
    CollectRows(node, rows, caption);
    size_t columns = 0;
    for (const Row& row : rows) columns = std::max(columns, row.size());
    std::string out(Trimmed(caption));
    if (columns == 0) return out;
    if (!out.empty()) out += "\n\n";
    for (size_t i = 0; i < rows.size(); ++i) {
      budget_.Step(1 + static_cast<int64_t>(columns));
      if (i > 0) out += '\n';
      for (size_t c = 0; c < columns; ++c) out += "| " + (c < rows[i].size() ? rows[i][c].text : std::string()) + (c < rows[i].size() && !rows[i][c].text.empty() ? " " : "");
      out += '|';
      if (i > 0) continue;
      out += '\n';
      for (size_t c = 0; c < columns; ++c) {
        const char align = c < rows[0].size() ? rows[0][c].align : '\0';
        out += align == 'l' ? "| :-- " : align == 'c' ? "| :-: " : align == 'r' ? "| --: " : "| --- ";
      }
      out += '|';
    }
    return out;
  }

  const MarkdownSettings& settings_;
  Budget& budget_;
};

}  // namespace

std::string ToMarkdown(std::string_view html, const MarkdownSettings& settings, Budget& budget) {
  const Document document(html, budget);
  std::string out = Renderer(settings, budget).Blocks(document.root());
  if (!out.empty()) out += '\n';
  return out;
}

}  // namespace paddock::html
