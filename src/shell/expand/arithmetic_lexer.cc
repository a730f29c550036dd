// Tokens of arithmetic expressions: numbers with bases, names with subscripts, operators.

#include "shell/expand/arithmetic_lexer.h"

namespace paddock::shell {
namespace {

using Token = ArithmeticToken;

bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }
bool IsLetter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }
bool IsNameStart(char byte) { return IsLetter(byte) || byte == '_'; }
bool IsNameByte(char byte) { return IsNameStart(byte) || IsDigit(byte); }
bool IsBlank(char byte) { return byte == ' ' || byte == '\t' || byte == '\n'; }

// Digits of bases up to 64: 0-9 a-z A-Z @ _; up to 36 both cases are the same.
int DigitValue(char byte, uint64_t base) {
  if (IsDigit(byte)) return byte - '0';
  if (byte >= 'a' && byte <= 'z') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'Z') return byte - 'A' + (base <= 36 ? 10 : 36);
  return byte == '@' ? 62 : 63;
}

struct Number {
  uint64_t value = 0;
  const char* error = nullptr;
};

Number ParseNumber(std::string_view text) {
  uint64_t base = 10;
  uint64_t value = 0;
  bool has_base = false;
  size_t i = 0;
  if (text[0] == '0' && text.size() > 1) {
    has_base = true;
    const bool is_hex = text[1] == 'x' || text[1] == 'X';
    base = is_hex ? 16 : 8;
    i = is_hex ? 2 : 1;
  }
  for (; i < text.size(); ++i) {
    if (text[i] == '#') {
      if (has_base) return {0, "invalid number"};
      if (value < 2 || value > 64) return {0, "invalid arithmetic base"};
      if (i + 1 == text.size()) return {0, "invalid integer constant"};
      base = value;
      value = 0;
      has_base = true;
      continue;
    }
    const auto digit = static_cast<uint64_t>(DigitValue(text[i], base));
    if (digit >= base) return {0, "value too great for base"};
    value = value * base + digit;
  }
  return {value, nullptr};
}

// Skips a quoted stretch that starts at `at`; returns the offset of its last byte (or of the last byte of
// the text).
size_t SkipQuoted(std::string_view text, size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at) {
    if (text[at] == '\\' && quote != '\'') ++at;
  }
  return at;
}

}  // namespace

size_t FindSubscriptEnd(std::string_view text, size_t open) {
  size_t depth = 1;
  for (size_t i = open + 1; i < text.size(); ++i) {
    switch (text[i]) {
      case '\\':
        ++i;
        break;
      case '"':
      case '\'':
      case '`':
        i = SkipQuoted(text, i);
        break;
      case '[':
        ++depth;
        break;
      case ']':
        if (--depth == 0) return i;
        break;
      default:
        break;
    }
  }
  return std::string_view::npos;
}

void ArithmeticLexer::Fail(const char* message, size_t shown_end) {
  token_ = Token::kError;
  error_ = message;
  error_end_ = shown_end;
}

bool ArithmeticLexer::Take(char byte) {
  if (at_ >= text_.size() || text_[at_] != byte) return false;
  ++at_;
  return true;
}

bool ArithmeticLexer::IsBeforeName() const {
  size_t i = at_;
  while (i < text_.size() && IsBlank(text_[i])) ++i;
  return i < text_.size() && IsNameStart(text_[i]);
}

void ArithmeticLexer::ReadNumber() {
  size_t end = at_;
  while (end < text_.size() &&
         (IsNameByte(text_[end]) || text_[end] == '#' || text_[end] == '@')) {
    ++end;
  }
  const Number number = ParseNumber(text_.substr(at_, end - at_));
  at_ = end;
  number_ = static_cast<int64_t>(number.value);
  token_ = Token::kNumber;
  if (number.error != nullptr) Fail(number.error, end);
}

void ArithmeticLexer::ReadName() {
  size_t end = at_;
  while (end < text_.size() && IsNameByte(text_[end])) ++end;
  name_ = text_.substr(at_, end - at_);
  at_ = end;
  token_ = Token::kName;
  if (end == text_.size() || text_[end] != '[') return;
  const size_t close = FindSubscriptEnd(text_, end);
  if (close == std::string_view::npos) return Fail("bad array subscript", text_.size());
  subscript_ = text_.substr(end + 1, close - end - 1);
  at_ = close + 1;
  token_ = Token::kElement;
}

void ArithmeticLexer::Advance() {
  if (token_ == Token::kError) return;
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  if (at_ == text_.size()) {
    token_ = Token::kEnd;
    return;
  }
  start_ = at_;
  const char byte = text_[at_];
  if (IsDigit(byte)) return ReadNumber();
  if (IsNameStart(byte)) return ReadName();
  ReadOperator();
}

void ArithmeticLexer::ReadOperator() {
  const Token before = token_;
  const bool after_variable = before == Token::kName || before == Token::kElement;
  const char byte = text_[at_++];
  // An operator that may be doubled or followed by '='.
  const auto choose = [&](Token plain, Token assign) { return Take('=') ? assign : plain; };
  switch (byte) {
    case '(': token_ = Token::kLeft; return;
    case ')': token_ = Token::kRight; return;
    case ',': token_ = Token::kComma; return;
    case '?': token_ = Token::kQuestion; return;
    case ':': token_ = Token::kColon; return;
    case '~': token_ = Token::kTilde; return;
    case '=': token_ = choose(Token::kAssign, Token::kEqual); return;
    case '!': token_ = choose(Token::kNot, Token::kNotEqual); return;
    case '/': token_ = choose(Token::kSlash, Token::kAssignDivide); return;
    case '%': token_ = choose(Token::kPercent, Token::kAssignRemainder); return;
    case '^': token_ = choose(Token::kXor, Token::kAssignXor); return;
    case '*':
      token_ = Take('*') ? Token::kPower : choose(Token::kStar, Token::kAssignMultiply);
      return;
    case '&':
      token_ = Take('&') ? Token::kAndAnd : choose(Token::kAnd, Token::kAssignAnd);
      return;
    case '|':
      token_ = Take('|') ? Token::kOrOr : choose(Token::kOr, Token::kAssignOr);
      return;
    case '<':
      token_ = Take('<') ? choose(Token::kShiftLeft, Token::kAssignShiftLeft)
                         : choose(Token::kLess, Token::kLessEqual);
      return;
    case '>':
      token_ = Take('>') ? choose(Token::kShiftRight, Token::kAssignShiftRight)
                         : choose(Token::kGreater, Token::kGreaterEqual);
      return;
    case '+':
    case '-': {
      const bool is_plus = byte == '+';
      if (at_ < text_.size() && text_[at_] == byte) {
        ++at_;
        if (after_variable) {
          token_ = is_plus ? Token::kPostIncrement : Token::kPostDecrement;
          return;
        }
        if (IsBeforeName()) {
          token_ = is_plus ? Token::kPreIncrement : Token::kPreDecrement;
          return;
        }
        --at_;
      } else if (Take('=')) {
        token_ = is_plus ? Token::kAssignAdd : Token::kAssignSubtract;
        return;
      }
      token_ = is_plus ? Token::kPlus : Token::kMinus;
      return;
    }
    default: break;
  }
  const bool after_operand = after_variable || before == Token::kNumber ||
                             before == Token::kPostIncrement || before == Token::kPostDecrement;
  Fail(after_operand ? "syntax error: invalid arithmetic operator" : "syntax error: operand expected",
       text_.size());
}

}  // namespace paddock::shell
