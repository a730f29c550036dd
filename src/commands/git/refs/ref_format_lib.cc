// Formats of references, and their order.
#include <string.h>
#include <strings.h>

#include <algorithm>

#include "commands/git/colour_spec.h"
#include "commands/git/refs/ref_field.h"
#include "commands/git/shell_words.h"
#include "text/utf8.h"

namespace paddock::git {
namespace {

std::string Quoted(std::string_view text, RefQuote quote) {
  std::string out;
  switch (quote) {
    case RefQuote::kNone: return std::string(text);
    case RefQuote::kShell: return InShellQuotes(text);
    case RefQuote::kPerl:
      out = "'";
      for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
      }
      return out + "'";
    case RefQuote::kPython:
      out = "'";
      for (const char c : text) {
        if (c == '\n') {
          out += "\\n";
          continue;
        }
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
      }
      return out + "'";
    case RefQuote::kTcl:
      out = "\"";
      for (const char c : text) {
        switch (c) {
          case '[': case ']': case '{': case '}': case '$': case '\\': case '"':
            out += '\\';
            out += c;
            break;
          case '\f': out += "\\f"; break;
          case '\r': out += "\\r"; break;
          case '\n': out += "\\n"; break;
          case '\t': out += "\\t"; break;
          case '\v': out += "\\v"; break;
          default: out += c;
        }
      }
      return out + "\"";
  }
  return out;
}

struct Alignment {
  size_t width = 0;
  std::string position = "left";
};
Alignment AlignmentOf(std::string_view argument) {
  Alignment alignment;
  while (!argument.empty()) {
    std::string_view one = argument.substr(0, argument.find(','));
    argument.remove_prefix(std::min(argument.size(), one.size() + 1));
    if (one.starts_with("position=") || one.starts_with("width=")) one.remove_prefix(one.find('=') + 1);
    int64_t width = 0;
    if (ParseOptionValue(one, width)) alignment.width = static_cast<size_t>(std::max<int64_t>(width, 0));
    else alignment.position = one;
  }
  return alignment;
}
std::string Aligned(std::string text, const Alignment& alignment, Budget& budget) {
  const size_t width = TextWidth(text);
  if (width >= alignment.width) return text;
  const size_t room = alignment.width - width, before = alignment.position == "right" ? room : alignment.position == "middle" ? room / 2 : 0;
  budget.WillAllocate(room);
  return std::string(before, ' ') + std::move(text) + std::string(room - before, ' ');
}

// What %(align) and %(if) have open.
struct Frame {
  std::string text;
  std::optional<Alignment> alignment;
  bool is_if = false, has_then = false, has_else = false, is_true = false;
  std::string wanted;
  enum class Compare { kNone, kEqual, kUnequal } compare = Compare::kNone;
};
Error Misplaced(const std::string& what) { return {Code::kInvalid, "format: " + what}; }

}  // namespace

Result<RefFormat> RefFormat::Parse(Git& git, std::string_view format, RefQuote quote, bool colours) {
  RefFormat parsed;
  parsed.quote_ = quote;
  parsed.colours_ = colours;
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    git.in.budget.Step();
    const std::string_view rest = format.substr(i);
    unsigned byte = 0;
    const auto hex = [&byte](char c) {
      if (c >= '0' && c <= '9') byte = byte * 16 + static_cast<unsigned>(c - '0');
      else if (c >= 'a' && c <= 'f') byte = byte * 16 + static_cast<unsigned>(c - 'a') + 10;
      else if (c >= 'A' && c <= 'F') byte = byte * 16 + static_cast<unsigned>(c - 'A') + 10;
      else return false;
      return true;
    };
    if (rest.starts_with("%(")) {
      const size_t end = rest.find(')');
      if (end == std::string_view::npos) return Error(Code::kSyntax, "malformed format string " + std::string(rest));
      if (!text.empty()) parsed.pieces_.push_back({std::move(text), std::nullopt});
      text.clear();
      PADDOCK_ASSIGN(RefField field, ParseRefField(git, rest.substr(2, end - 2)));
      if (quote != RefQuote::kNone && quote != RefQuote::kPerl && field.name == "raw" && !field.argument) return Error(Code::kInvalid, "--format=" + std::string(rest.substr(2, end - 2)) + " cannot be used with --python, --shell, --tcl");
      if (field.name == "color") parsed.resets_ = *field.argument != "reset";
      parsed.pieces_.push_back({"", std::move(field)});
      i += end;
    } else if (rest.starts_with("%%")) {
      text += '%';
      ++i;
    } else if (rest.size() > 2 && rest[0] == '%' && hex(rest[1]) && hex(rest[2])) {
      text += static_cast<char>(byte);
      i += 2;
    } else {
      text += format[i];
    }
  }
  if (!text.empty()) parsed.pieces_.push_back({std::move(text), std::nullopt});
  return parsed;
}

Result<std::string> RefFormat::Expand(RefFields& fields, const NamedRef& ref, Budget& budget) const {
  fields.Show(ref);
  std::vector<Frame> stack(1);
  const auto add = [&](const std::string& value) { stack.back().text += stack.size() == 1 ? Quoted(value, quote_) : value; };
  // What %(if) looks at stands before %(then).
  const auto judge = [](Frame& frame) {
    if (frame.compare != Frame::Compare::kNone) frame.is_true = (frame.text == frame.wanted) == (frame.compare == Frame::Compare::kEqual);
    else frame.is_true = frame.text.find_first_not_of(" \t\n\v\f\r") != std::string::npos;
    frame.text.clear();
  };
  for (const Piece& piece : pieces_) {
    budget.Step();
    if (!piece.field) {
      stack.back().text += piece.text;
      continue;
    }
    const RefField& field = *piece.field;
    const std::string argument = field.argument.value_or("");
    if (field.name == "color") {
      add(colours_ ? ColourSequence(argument).value_or("") : "");
    } else if (field.name == "align") {
      stack.emplace_back().alignment = AlignmentOf(argument);
    } else if (field.name == "if") {
      Frame& frame = stack.emplace_back();
      frame.is_if = true;
      if (field.argument) {
        frame.compare = argument.starts_with("equals=") ? Frame::Compare::kEqual : Frame::Compare::kUnequal;
        frame.wanted = argument.substr(argument.find('=') + 1);
      }
    } else if (field.name == "then") {
      Frame& frame = stack.back();
      if (!frame.is_if) return Misplaced("%(then) atom used without a %(if) atom");
      if (frame.has_then) return Misplaced("%(then) atom used more than once");
      if (frame.has_else) return Misplaced("%(then) atom used after %(else)");
      frame.has_then = true;
      judge(frame);
    } else if (field.name == "else") {
      Frame& frame = stack.back();
      if (!frame.is_if) return Misplaced("%(else) atom used without a %(if) atom");
      if (!frame.has_then) return Misplaced("%(else) atom used without a %(then) atom");
      if (frame.has_else) return Misplaced("%(else) atom used more than once");
      frame.has_else = true;
      // The first branch is kept aside while the second one comes in.
      frame.wanted = std::move(frame.text);
      frame.text.clear();
    } else if (field.name == "end") {
      if (stack.size() == 1) return Misplaced("%(end) atom used without corresponding atom");
      Frame frame = std::move(stack.back());
      stack.pop_back();
      if (frame.is_if && !frame.has_then) return Misplaced("%(if) atom used without a %(then) atom");
      std::string text;
      if (frame.alignment) text = Aligned(std::move(frame.text), *frame.alignment, budget);
      else if (frame.has_else) text = frame.is_true ? frame.wanted : frame.text;
      else if (frame.is_true) text = frame.text;
      add(text);
    } else {
      PADDOCK_ASSIGN(const std::string value, fields.Value(field));
      add(value);
    }
    if (stack.size() > 200) return Error(Code::kRange, "format: too many atoms inside of each other");
  }
  if (stack.size() > 1) return Misplaced("%(end) atom missing");
  if (resets_ && colours_) add(std::string(kColourReset));
  return std::move(stack[0].text);
}

Result<std::string> ExpandRefFormat(Git& git, const NamedRef& ref, std::string_view format) {
  PADDOCK_ASSIGN(const RefFormat parsed, RefFormat::Parse(git, format));
  RefFields fields(git);
  return parsed.Expand(fields, ref, git.in.budget);
}

namespace {

// Suffixes of versionsort.suffix bring what has them before what has none.
int CompareVersions(const std::string& a, const std::string& b, const std::vector<std::string>& suffixes) {
  if (a == b) return 0;
  size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  const auto place = [&](const std::string& text) -> int64_t {
    int64_t found = -1;
    size_t start = std::string::npos, length = 0;
    for (size_t i = 0; i < suffixes.size(); ++i) {
      const std::string& suffix = suffixes[i];
      // It has to reach the first difference.
      for (size_t at = same >= suffix.size() ? same - suffix.size() + 1 : 0; at <= same && at < text.size() + 1; ++at) {
        if (text.compare(at, suffix.size(), suffix) != 0) continue;
        if (found < 0 || at < start || (at == start && suffix.size() > length)) {
          found = static_cast<int64_t>(i);
          start = at;
          length = suffix.size();
        }
        break;
      }
    }
    return found;
  };
  const int64_t of_a = place(a), of_b = place(b);
  if (of_a != of_b && (of_a >= 0 || of_b >= 0)) {
    if (of_a >= 0 && of_b >= 0) return of_a < of_b ? -1 : 1;
    return of_a >= 0 ? -1 : 1;
  }
  return strverscmp(a.c_str(), b.c_str());
}

}  // namespace

Status SortRefs(Git& git, std::vector<NamedRef>& refs, const std::vector<std::string>& fields, bool ignores_case) {
  struct Order {
    RefField field;
    bool is_reversed = false, by_version = false;
  };
  std::vector<Order> orders;
  for (size_t i = fields.size(); i-- > 0;) {
    std::string_view text = fields[i];
    Order order;
    order.is_reversed = text.starts_with('-');
    if (order.is_reversed) text.remove_prefix(1);
    order.by_version = text.starts_with("version:") || text.starts_with("v:");
    if (order.by_version) text.remove_prefix(text.find(':') + 1);
    PADDOCK_ASSIGN(order.field, ParseRefField(git, text));
    orders.push_back(std::move(order));
  }
  struct Row {
    NamedRef ref;
    std::vector<RefFields::Key> keys;
  };
  std::vector<Row> rows;
  RefFields values(git);
  for (NamedRef& ref : refs) {
    git.in.budget.Step(4);
    Row& row = rows.emplace_back(Row{std::move(ref), {}});
    values.Show(row.ref);
    for (const Order& order : orders) {
      PADDOCK_ASSIGN(RefFields::Key key, values.SortKey(order.field));
      row.keys.push_back(std::move(key));
    }
  }
  std::vector<std::string> suffixes = git.config.GetAll("versionsort.suffix");
  if (suffixes.empty()) suffixes = git.config.GetAll("versionsort.prereleasesuffix");
  const auto compare_text = [ignores_case](const std::string& a, const std::string& b) { return ignores_case ? strcasecmp(a.c_str(), b.c_str()) : a.compare(b); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    // A HEAD that is on no branch comes before all branches.
    if (a.ref.title.empty() != b.ref.title.empty()) return !a.ref.title.empty();
    for (size_t i = 0; i < orders.size(); ++i) {
      const RefFields::Key &x = a.keys[i], &y = b.keys[i];
      int order = x.number < y.number ? -1 : x.number > y.number ? 1 : 0;
      if (order == 0) order = orders[i].by_version ? CompareVersions(x.text, y.text, suffixes) : compare_text(x.text, y.text);
      if (order != 0) return (order < 0) != orders[i].is_reversed;
    }
    return orders.empty() && ignores_case ? strcasecmp(a.ref.name.c_str(), b.ref.name.c_str()) < 0 : a.ref.name < b.ref.name;
  });
  refs.clear();
  for (Row& row : rows) refs.push_back(std::move(row.ref));
  return {};
}

}  // namespace paddock::git
