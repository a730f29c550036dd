// How the emitter writes scalars: which styles a text allows, and each style.
#include <array>

#include "lang/yaml/emitter.h"

namespace paddock::yaml {
namespace {

constexpr char32_t kEnd = static_cast<char32_t>(-1);   // behind the last character

bool IsBreak(char32_t c) { return c == '\n' || c == 0x85 || c == 0x2028 || c == 0x2029; }
bool IsBlankOrBreak(char32_t c) { return c == 0 || c == ' ' || c == '\t' || c == '\r' || IsBreak(c); }
bool IsOneOf(char32_t c, std::u32string_view set) { return set.find(c) != std::u32string_view::npos; }

bool IsPrintable(char32_t c) {
  if (c == '\n' || (c >= 0x20 && c <= 0x7e)) return true;
  return c != 0xfeff && (c == 0x85 || (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c < 0x10ffff));
}

// In double quotes, which have an escape for everything else.
bool IsWrittenAsIs(char32_t c) {
  if (c == '"' || c == '\\' || c == 0x85 || c == 0x2028 || c == 0x2029 || c == 0xfeff) return false;
  return (c >= 0x20 && c <= 0x7e) || (c >= 0xa0 && c <= 0xd7ff) || (c >= 0xe000 && c <= 0xfffd);
}

std::string Escape(char32_t c) {
  switch (c) {
    case 0: return "\\0";
    case 7: return "\\a";
    case 8: return "\\b";
    case 9: return "\\t";
    case 10: return "\\n";
    case 11: return "\\v";
    case 12: return "\\f";
    case 13: return "\\r";
    case 27: return "\\e";
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case 0x85: return "\\N";
    case 0x2028: return "\\L";
    case 0x2029: return "\\P";
    default: break;
  }
  constexpr char kHexDigits[] = "0123456789ABCDEF";
  const int digits = c <= 0xff ? 2 : c <= 0xffff ? 4 : 8;
  std::string text = digits == 2 ? "\\x" : digits == 4 ? "\\u" : "\\U";
  for (int shift = digits * 4 - 4; shift >= 0; shift -= 4) text += kHexDigits[(c >> shift) & 15];
  return text;
}

char32_t At(std::u32string_view text, size_t at) { return at < text.size() ? text[at] : kEnd; }

}  // namespace

Emitter::Analysis Emitter::Analyze(std::u32string_view text) {
  Analysis result;
  if (text.empty()) {
    result.is_empty = true;
    result.allows_flow_plain = false;
    result.allows_block = false;
    return result;
  }
  bool has_block_indicator = false, has_flow_indicator = false, has_break = false, has_special = false;
  bool has_break_space = false, has_space_break = false, was_space = false, was_break = false;
  if (text.starts_with(U"---") || text.starts_with(U"...")) has_block_indicator = has_flow_indicator = true;
  bool is_after_blank = true;
  for (size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    const bool is_before_blank = i + 1 >= text.size() || IsBlankOrBreak(text[i + 1]);
    if (i == 0) {
      if (IsOneOf(c, U"#,[]{}&*!|>'\"%@`")) has_flow_indicator = has_block_indicator = true;
      if (c == '?' || c == ':') has_flow_indicator = true;
      if ((c == '?' || c == ':' || c == '-') && is_before_blank) has_flow_indicator = has_block_indicator = true;
    } else {
      if (IsOneOf(c, U",?[]{}:")) has_flow_indicator = true;
      if (c == ':' && is_before_blank) has_block_indicator = true;
      if (c == '#' && is_after_blank) has_flow_indicator = has_block_indicator = true;
    }
    if (IsBreak(c)) has_break = true;
    if (!IsPrintable(c)) has_special = true;
    if (c == ' ' && was_break) has_break_space = true;
    if (IsBreak(c) && was_space) has_space_break = true;
    was_space = c == ' ';
    was_break = IsBreak(c);
    is_after_blank = IsBlankOrBreak(c);
  }
  const bool is_bare = !IsBreak(text.front()) && text.front() != ' ' && !IsBreak(text.back()) && text.back() != ' ';
  const bool is_hard = has_space_break || has_special;
  result.is_multiline = has_break;
  result.allows_flow_plain = is_bare && !has_break_space && !is_hard && !has_break && !has_flow_indicator;
  result.allows_block_plain = is_bare && !has_break_space && !is_hard && !has_break && !has_block_indicator;
  result.allows_single = !has_break_space && !is_hard;
  result.allows_block = text.back() != ' ' && !is_hard;
  return result;
}

void Emitter::WriteBreaks(std::u32string_view breaks) {
  for (const char32_t c : breaks) {
    if (c == '\n') {
      LineBreak();
      continue;
    }
    Write({&c, 1});
    is_space_ = is_indention_ = true;
    column_ = 0;
  }
}

void Emitter::Plain(std::u32string_view text, bool may_split, bool is_root) {
  if (is_root) is_open_ended_ = true;
  if (text.empty()) return;
  if (!is_space_) WriteAscii(" ");
  is_space_ = is_indention_ = false;
  bool in_spaces = false;
  size_t start = 0;
  for (size_t end = 0; end <= text.size(); ++end) {
    const char32_t c = At(text, end);
    if (in_spaces) {
      if (c != ' ') {
        if (start + 1 == end && column_ > settings_.width && may_split) {
          Indent();
          is_space_ = is_indention_ = false;
        } else {
          Write(text.substr(start, end - start));
        }
        start = end;
      }
    } else if (c == kEnd || c == ' ') {
      Write(text.substr(start, end - start));
      start = end;
    }
    in_spaces = c == ' ';
  }
}

void Emitter::SingleQuoted(std::u32string_view text, bool may_split) {
  Indicator("'", true);
  bool in_spaces = false, in_breaks = false;
  size_t start = 0;
  for (size_t end = 0; end <= text.size(); ++end) {
    const char32_t c = At(text, end);
    if (in_spaces) {
      if (c != ' ') {
        if (start + 1 == end && column_ > settings_.width && may_split && start != 0 && end != text.size()) {
          Indent();
        } else {
          Write(text.substr(start, end - start));
        }
        start = end;
      }
    } else if (in_breaks) {
      if (c == kEnd || !IsBreak(c)) {
        if (text[start] == '\n') LineBreak();
        WriteBreaks(text.substr(start, end - start));
        Indent();
        start = end;
      }
    } else if (c == kEnd || c == ' ' || c == '\'' || IsBreak(c)) {
      Write(text.substr(start, end - start));
      start = end;
    }
    if (c == '\'') {
      WriteAscii("''");
      start = end + 1;
    }
    in_spaces = c == ' ';
    in_breaks = c != kEnd && IsBreak(c);
  }
  Indicator("'", false);
}

void Emitter::DoubleQuoted(std::u32string_view text, bool may_split) {
  Indicator("\"", true);
  size_t start = 0;
  for (size_t end = 0; end <= text.size(); ++end) {
    const char32_t c = At(text, end);
    if (c == kEnd || !IsWrittenAsIs(c)) {
      if (start < end) {
        Write(text.substr(start, end - start));
        start = end;
      }
      if (c != kEnd) {
        WriteAscii(Escape(c));
        start = end + 1;
      }
    }
    const bool is_inside = end > 0 && end + 1 < text.size();
    if (!is_inside || !may_split || (c != ' ' && start < end)) continue;
    if (column_ + end - std::min(start, end) <= settings_.width + (start > end ? 1 : 0)) continue;
    if (start < end) {
      Write(text.substr(start, end - start));
      start = end;
    }
    WriteAscii("\\");
    Indent();
    is_space_ = is_indention_ = false;
    if (At(text, start) == ' ') WriteAscii("\\");
  }
  Indicator("\"", false);
}

std::string Emitter::BlockHints(std::u32string_view text) const {
  std::string hints;
  if (text.empty()) return hints;
  if (text.front() == ' ' || IsBreak(text.front())) hints += '2';
  if (!IsBreak(text.back())) {
    hints += '-';
  } else if (text.size() == 1 || IsBreak(text[text.size() - 2])) {
    hints += '+';
  }
  return hints;
}

void Emitter::Literal(std::u32string_view text) {
  const std::string hints = BlockHints(text);
  Indicator("|" + hints, true);
  if (hints.ends_with('+')) is_open_ended_ = true;
  LineBreak();
  bool in_breaks = true;
  size_t start = 0;
  for (size_t end = 0; end <= text.size(); ++end) {
    const char32_t c = At(text, end);
    if (in_breaks) {
      if (c == kEnd || !IsBreak(c)) {
        WriteBreaks(text.substr(start, end - start));
        if (c != kEnd) Indent();
        start = end;
      }
    } else if (c == kEnd || IsBreak(c)) {
      Write(text.substr(start, end - start));
      if (c == kEnd) LineBreak();
      start = end;
    }
    in_breaks = c != kEnd && IsBreak(c);
  }
}

void Emitter::Folded(std::u32string_view text) {
  const std::string hints = BlockHints(text);
  Indicator(">" + hints, true);
  if (hints.ends_with('+')) is_open_ended_ = true;
  LineBreak();
  bool has_leading_space = true, in_spaces = false, in_breaks = true;
  size_t start = 0;
  for (size_t end = 0; end <= text.size(); ++end) {
    const char32_t c = At(text, end);
    if (in_breaks) {
      if (c == kEnd || !IsBreak(c)) {
        if (!has_leading_space && c != kEnd && c != ' ' && At(text, start) == '\n') LineBreak();
        has_leading_space = c == ' ';
        WriteBreaks(text.substr(start, end - start));
        if (c != kEnd) Indent();
        start = end;
      }
    } else if (in_spaces) {
      if (c != ' ') {
        if (start + 1 == end && column_ > settings_.width) {
          Indent();
        } else {
          Write(text.substr(start, end - start));
        }
        start = end;
      }
    } else if (c == kEnd || c == ' ' || IsBreak(c)) {
      Write(text.substr(start, end - start));
      if (c == kEnd) LineBreak();
      start = end;
    }
    in_breaks = c != kEnd && IsBreak(c);
    in_spaces = c == ' ';
  }
}

}  // namespace paddock::yaml
