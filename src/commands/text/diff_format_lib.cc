#include <algorithm>
#include <cstdio>

#include "base/budget.h"
#include "commands/text/diff_print.h"

namespace paddock {
namespace {

constexpr size_t kWidestField = 1 << 20;

// A run of lines of both files that one group format is applied to.
struct Group {
  std::array<size_t, 2> first;
  std::array<size_t, 2> last;   // one past
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class FormatPrinter {
 public:
  FormatPrinter(const DiffPair& pair, const DiffLayout& layout, Output& out)
      : pair_(pair), layout_(layout), out_(out) {}

  void Print() {
    std::array<size_t, 2> next{};
    for (const DiffEdit& edit : pair_.edits()) {
      const DiffHunk hunk = pair_.MakeHunk(&edit, &edit + 1);
      if (hunk.change == DiffChange::kNone) continue;
      WriteGroup(DiffChange::kNone, {next, hunk.first});
      WriteGroup(hunk.change, {hunk.first, hunk.last});
      next = hunk.last;
    }
    const std::array<size_t, 2> end = {pair_.text(0).size(), pair_.text(1).size()};
    if (next[0] < end[0] || next[1] < end[1]) WriteGroup(DiffChange::kNone, {next, end});
  }

 private:
  void WriteGroup(DiffChange change, const Group& group) {
    const std::string& format = layout_.group_formats[static_cast<size_t>(change)];
    size_t at = 0;
    Expand(format, at, '\0', &group, true);
  }

  // Writes a group format up to `stop` (not quoted) from format[at] on; `at` is left behind it.
  void Expand(std::string_view format, size_t& at, char stop, const Group* group, bool is_shown) {
    pair_.budget().CheckStack();
    while (at < format.size() && (stop == '\0' || format[at] != stop)) {
      pair_.budget().Step();
      if (format[at] != '%') {
        if (is_shown) out_.Put(format[at]);
        ++at;
        continue;
      }
      const size_t begin = at++;
      if (at < format.size() && TakeDirective(format, at, *group, is_shown)) continue;
      // What is no directive stands for itself.
      if (is_shown) out_.Put('%');
      at = begin + 1;
    }
    if (at < format.size() && stop != '\0') ++at;
  }

  bool TakeDirective(std::string_view format, size_t& at, const Group& group, bool is_shown) {
    switch (format[at]) {
      case '%':
        if (is_shown) out_.Put('%');
        ++at;
        return true;
      case '<':
        ++at;
        if (is_shown) WriteLines(1, 0, group);
        return true;
      case '=':
        ++at;
        if (is_shown) WriteLines(0, 0, group);
        return true;
      case '>':
        ++at;
        if (is_shown) WriteLines(2, 1, group);
        return true;
      case '(': return TakeConditional(format, at, group, is_shown);
      case 'c': return TakeCharacter(format, at, is_shown);
      default: return TakeNumber(format, at, group, is_shown);
    }
  }

  // c'X' or c'\OOO'.
  bool TakeCharacter(std::string_view format, size_t& at, bool is_shown) {
    std::string_view rest = format.substr(at);
    if (rest.size() < 4 || rest[1] != '\'') return false;
    size_t end = 3;
    char value = rest[2];
    if (value == '\'') return false;
    if (value == '\\') {
      int octal = 0;
      while (end < rest.size() && rest[end] >= '0' && rest[end] <= '7') octal = octal * 8 + (rest[end++] - '0');
      value = static_cast<char>(octal);
    }
    if (end >= rest.size() || rest[end] != '\'') return false;
    if (is_shown) out_.Put(value);
    at += end + 1;
    return true;
  }

  static std::optional<int64_t> NumberOf(char letter, const Group& group) {
    const bool is_new = letter >= 'A' && letter <= 'Z';
    const size_t file = is_new ? 1 : 0;
    const auto first = static_cast<int64_t>(group.first[file]);
    const auto last = static_cast<int64_t>(group.last[file]);
    switch (is_new ? letter - 'A' + 'a' : letter) {
      case 'e': return first;
      case 'f': return first + 1;
      case 'l': return last;
      case 'm': return last + 1;
      case 'n': return last - first;
      default: return std::nullopt;
    }
  }

  // (A=B?T:E), where A and B are numbers or letters.
  bool TakeConditional(std::string_view format, size_t& at, const Group& group, bool is_shown) {
    size_t i = at + 1;
    std::array<int64_t, 2> values{};
    for (size_t k = 0; k < 2; ++k) {
      if (i < format.size() && IsDigit(format[i])) {
        while (i < format.size() && IsDigit(format[i])) {
          values[k] = std::min<int64_t>(values[k] * 10 + (format[i++] - '0'), int64_t{1} << 40);
        }
      } else {
        const auto value = i < format.size() ? NumberOf(format[i], group) : std::nullopt;
        if (!value) return false;
        values[k] = *value;
        ++i;
      }
      if (i >= format.size() || format[i] != (k == 0 ? '=' : '?')) return false;
      ++i;
    }
    const bool is_equal = values[0] == values[1];
    Expand(format, i, ':', &group, is_shown && is_equal);
    Expand(format, i, ')', &group, is_shown && !is_equal);
    at = i;
    return true;
  }

  // [-'0]*[WIDTH][.[PREC]]{doxX}LETTER
  bool TakeNumber(std::string_view format, size_t& at, const Group& group, bool is_shown) {
    size_t end = 0;
    const auto spec = ReadSpec(format.substr(at), &end);
    if (!spec || at + end >= format.size()) return false;
    const auto value = NumberOf(format[at + end], group);
    if (!value) return false;
    if (is_shown) WriteNumber(*spec, *value);
    at += end + 1;
    return true;
  }

  // A printf conversion for long long at the start of `text`; `end` is set behind it.
  static std::optional<std::string> ReadSpec(std::string_view text, size_t* end) {
    std::string spec = "%";
    size_t i = 0;
    while (i < text.size() && (text[i] == '-' || text[i] == '\'' || text[i] == '0')) spec += text[i++];
    for (int part = 0; part < 2; ++part) {
      size_t value = 0;
      const size_t digits = i;
      while (i < text.size() && IsDigit(text[i])) {
        value = value * 10 + static_cast<size_t>(text[i++] - '0');
        if (value > kWidestField) return std::nullopt;
      }
      spec += text.substr(digits, i - digits);
      if (part == 0) {
        if (i >= text.size() || text[i] != '.') break;
        spec += text[i++];
      }
    }
    if (i >= text.size() || std::string_view("doxX").find(text[i]) == std::string_view::npos) return std::nullopt;
    spec += "ll";
    spec += text[i++];
    *end = i;
    return spec;
  }

  void WriteNumber(const std::string& spec, int64_t value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int length = std::snprintf(nullptr, 0, spec.c_str(), static_cast<long long>(value));
    std::string text(static_cast<size_t>(length) + 1, '\0');
    std::snprintf(text.data(), text.size(), spec.c_str(), static_cast<long long>(value));
#pragma GCC diagnostic pop
    text.pop_back();
    pair_.budget().Step(length / 16);
    out_.Write(text);
  }

  void WriteLines(size_t line_format, size_t file, const Group& group) {
    const std::string& format = layout_.line_formats[line_format];
    for (size_t i = group.first[file]; i < group.last[file]; ++i) WriteLine(format, file, i);
  }

  void WriteLine(std::string_view format, size_t file, size_t line) {
    const DiffText& text = pair_.text(file);
    pair_.budget().Step();
    for (size_t at = 0; at < format.size();) {
      if (format[at] != '%' || at + 1 >= format.size()) {
        out_.Put(format[at++]);
        continue;
      }
      const char directive = format[at + 1];
      if (directive == '%') {
        out_.Put('%');
        at += 2;
      } else if (directive == 'l' || directive == 'L') {
        if (layout_.expand_tabs) WriteExpanded(out_, text.line(line), "", layout_.tab_size);
        else out_.Write(text.line(line));
        if (directive == 'L' && text.is_terminated(line)) out_.Put('\n');
        at += 2;
      } else if (directive == 'c') {
        size_t end = at + 1;
        if (TakeCharacter(format, end, true)) {
          at = end;
        } else {
          out_.Put(format[at++]);
        }
      } else {
        size_t end = 0;
        const auto spec = ReadSpec(format.substr(at + 1), &end);
        if (spec && at + 1 + end < format.size() && format[at + 1 + end] == 'n') {
          WriteNumber(*spec, static_cast<int64_t>(line + 1));
          at += end + 2;
        } else {
          out_.Put(format[at++]);
        }
      }
    }
  }

  const DiffPair& pair_;
  const DiffLayout& layout_;
  Output& out_;
};

}  // namespace

void PrintIfdef(const DiffPair& pair, const DiffLayout& layout, Output& out) {
  FormatPrinter(pair, layout, out).Print();
}

}  // namespace paddock
