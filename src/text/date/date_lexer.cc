#include "text/date/date_lexer.h"

#include <algorithm>

#include "base/budget.h"

namespace paddock::date_internal {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Lexer {
 public:
  Lexer(std::string_view text, const TimeZone& zone, Budget& budget)
      : text_(text), zone_(zone), budget_(budget) {}

  std::vector<Lexeme> Run() {
    std::vector<Lexeme> lexemes;
    do {
      budget_.Step();
      lexemes.push_back(Next());
      lexemes.back().end = at_;
    } while (lexemes.back().token != Token::kEnd && lexemes.back().token != Token::kError);
    return lexemes;
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Lexeme Next() {
    while (true) {
      while (IsSpace(Peek())) ++at_;
      const char c = Peek();
      if (at_ >= text_.size()) return {};
      if (IsDigit(c)) return Number(0);
      if (c == '-' || c == '+') {
        ++at_;
        while (IsSpace(Peek())) ++at_;
        if (IsDigit(Peek())) return Number(c == '-' ? -1 : 1);
        continue;   // a sign before no number is skipped
      }
      if (IsAlpha(c)) return ReadWord();
      if (c != '(') {
        ++at_;
        return {.token = Token::kChar, .value = static_cast<unsigned char>(c)};
      }
      SkipComment();
    }
  }

  void SkipComment() {
    int depth = 0;
    do {
      if (at_ >= text_.size()) return;
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')') --depth;
      ++at_;
    } while (depth > 0);
  }

  Lexeme ReadWord() {
    constexpr size_t kLongestWord = 20;
    const size_t start = at_;
    while (IsAlpha(Peek()) || Peek() == '.') ++at_;
    const Word word = FindWord(text_.substr(start, std::min(at_ - start, kLongestWord - 1)), zone_);
    return {.token = word.token, .value = word.value, .word = text_.substr(start, at_ - start)};
  }

  Lexeme Number(int sign) {
    Lexeme number{.token = sign == 0 ? Token::kUnsigned : Token::kSigned, .is_negative = sign < 0};
    const size_t start = at_;
    for (; IsDigit(Peek()); ++at_) {
      const int64_t digit = Peek() - '0';
      if (__builtin_mul_overflow(number.value, int64_t{10}, &number.value) ||
          __builtin_add_overflow(number.value, sign < 0 ? -digit : digit, &number.value)) {
        return {.token = Token::kError};
      }
    }
    number.digits = at_ - start;
    if ((Peek() == '.' || Peek() == ',') && IsDigit(Peek(1))) Fraction(number, sign);
    return number;
  }

  // Nanoseconds, rounded down.
  void Fraction(Lexeme& number, int sign) {
    number.token = sign == 0 ? Token::kUnsignedDecimal : Token::kSignedDecimal;
    ++at_;
    int32_t nanos = 0;
    int scale = 9;
    bool has_rest = false;
    for (; IsDigit(Peek()); ++at_) {
      if (scale > 0) {
        nanos = nanos * 10 + (Peek() - '0');
        --scale;
      } else if (Peek() != '0') {
        has_rest = true;
      }
    }
    for (; scale > 0; --scale) nanos *= 10;
    if (sign < 0 && has_rest) ++nanos;
    if (sign < 0 && nanos != 0) {
      if (number.value == INT64_MIN) {
        number.token = Token::kError;
        return;
      }
      --number.value;
      nanos = 1'000'000'000 - nanos;
    }
    number.nanos = nanos;
  }

  std::string_view text_;
  const TimeZone& zone_;
  Budget& budget_;
  size_t at_ = 0;
};

}  // namespace

std::vector<Lexeme> ReadLexemes(std::string_view text, const TimeZone& zone, Budget& budget) { return Lexer(text, zone, budget).Run(); }

}  // namespace paddock::date_internal
