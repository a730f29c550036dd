#include "lang/jq/lexer.h"

#include <algorithm>
#include <array>

#include "text/utf8.h"

namespace paddock::jq {
namespace {

constexpr std::array<std::string_view, 19> kKeywords = {
    "__loc__", "and", "as", "break",   "catch", "def",    "elif", "else",   "end", "foreach",
    "if",      "import", "include", "label", "module", "or", "reduce", "then", "try"};

// Longest first.
constexpr std::array<std::string_view, 32> kSymbols = {"?//", "//=", "!=", "==", "//", "|=", "+=", "-=", "*=", "/=", "%=",
                                                       "<=",  ">=",  "..", ".",  "[",  "]",  "(",  ")",  "{",  "}",  "|",
                                                       ",",   ":",   ";",  "=",  "<",  ">",  "+",  "-",  "*",  "/"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || IsDigit(c); }

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int HexCode(std::string_view text) {
  if (text.size() < 4) return -1;
  int code = 0;
  for (size_t i = 0; i < 4; ++i) {
    if (HexDigit(text[i]) < 0) return -1;
    code = code * 16 + HexDigit(text[i]);
  }
  return code;
}

}  // namespace

bool IsKeyword(std::string_view text) { return std::find(kKeywords.begin(), kKeywords.end(), text) != kKeywords.end(); }

void Lexer::SkipSpace() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++at_;
    } else if (c == '#') {
      // A comment goes on after a line that ends in an odd number of backslashes.
      size_t backslashes = 0;
      for (; at_ < source_.size(); ++at_) {
        if (source_[at_] == '\n' && backslashes % 2 == 0) break;
        if (source_[at_] == '\r' && at_ + 1 < source_.size() && source_[at_ + 1] == '\n') continue;
        backslashes = source_[at_] == '\\' ? backslashes + 1 : 0;
      }
    } else {
      return;
    }
  }
}

LexToken Lexer::Make(Word word, size_t begin, size_t skip) {
  return {word, source_.substr(begin + skip, at_ - begin - skip), {begin, at_}};
}

void Lexer::ReadName(bool takes_namespaces) {
  for (;;) {
    while (at_ < source_.size() && IsNameChar(source_[at_])) ++at_;
    if (!takes_namespaces || source_.substr(at_, 2) != "::") return;
    if (at_ + 2 >= source_.size() || !IsNameStart(source_[at_ + 2])) return;
    at_ += 2;
  }
}

bool Lexer::ReadNumber() {
  size_t at = at_;
  const size_t start = at;
  while (at < source_.size() && IsDigit(source_[at])) ++at;
  const bool has_whole = at > start;
  if (at < source_.size() && source_[at] == '.') {
    const size_t fraction = at + 1;
    size_t end = fraction;
    while (end < source_.size() && IsDigit(source_[end])) ++end;
    if (!has_whole && end == fraction) return false;
    at = end;
  } else if (!has_whole) {
    return false;
  }
  if (at < source_.size() && (source_[at] | 0x20) == 'e') {
    size_t end = at + 1;
    if (end < source_.size() && (source_[end] == '+' || source_[end] == '-')) ++end;
    const size_t digits = end;
    while (end < source_.size() && IsDigit(source_[end])) ++end;
    if (end > digits) at = end;
  }
  at_ = at;
  return true;
}

bool Lexer::Nest(char bracket) {
  switch (bracket) {
    case '(': open_ += ')'; return true;
    case '[': open_ += ']'; return true;
    case '{': open_ += '}'; return true;
    case ')':
    case ']':
    case '}':
      if (open_.empty() || open_.back() != bracket) return false;
      open_.pop_back();
      return true;
    default: return true;
  }
}

LexToken Lexer::Next() {
  SkipSpace();
  const size_t begin = at_;
  if (at_ == source_.size()) return Make(Word::kEnd, begin);
  const char c = source_[at_];
  const char next = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
  if (c == '"') {
    ++at_;
    return Make(Word::kQuote, begin);
  }
  if (IsNameStart(c)) {
    ReadName(true);
    LexToken token = Make(Word::kName, begin);
    if (IsKeyword(token.text)) token.word = Word::kKeyword;
    return token;
  }
  if ((c == '.' || c == '$') && IsNameStart(next)) {
    ++at_;
    ReadName(c == '$');
    return Make(c == '.' ? Word::kField : Word::kVariable, begin, 1);
  }
  if (c == '@' && IsNameChar(next)) {
    ++at_;
    ReadName(false);
    return Make(Word::kFormat, begin, 1);
  }
  if (ReadNumber()) return Make(Word::kNumber, begin);
  for (const std::string_view symbol : kSymbols) {
    if (source_.substr(at_, symbol.size()) != symbol) continue;
    at_ += symbol.size();
    return Make(symbol.size() == 1 && !Nest(c) ? Word::kInvalid : Word::kSymbol, begin);
  }
  ++at_;
  if (c == '%' || c == '?' || c == '$') return Make(Word::kSymbol, begin);
  return Make(Word::kInvalid, begin);
}

Lexer::Part Lexer::NextPart(std::string& text) {
  while (at_ < source_.size()) {
    const char c = source_[at_++];
    if (c == '"') return Part::kEnd;
    if (c != '\\') {
      text += c;
      continue;
    }
    if (at_ == source_.size()) return Part::kUnfinished;
    const char escaped = source_[at_++];
    switch (escaped) {
      case '(':
        Nest('(');
        return Part::kInterpolation;
      case '"': case '\\': case '/': text += escaped; break;
      case 'b': text += '\b'; break;
      case 'f': text += '\f'; break;
      case 'n': text += '\n'; break;
      case 'r': text += '\r'; break;
      case 't': text += '\t'; break;
      case 'u': {
        int code = HexCode(source_.substr(at_));
        if (code < 0) return Part::kBadEscape;
        at_ += 4;
        if (code >= 0xd800 && code < 0xdc00 && source_.substr(at_, 2) == "\\u") {
          const int second = HexCode(source_.substr(at_ + 2));
          if (second >= 0xdc00 && second < 0xe000) {
            code = 0x10000 + ((code & 0x3ff) << 10) + (second & 0x3ff);
            at_ += 6;
          }
        }
        if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
        AppendUtf8(text, static_cast<char32_t>(code));
        break;
      }
      default: return Part::kBadEscape;
    }
  }
  return Part::kUnfinished;
}

}  // namespace paddock::jq
