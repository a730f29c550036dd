// eval's expressions, of 32 bits.
#include <array>

#include "lang/m4/processor.h"

namespace paddock::m4 {
namespace {

// What is wrong. Up to kExponent it counts for nothing in a part of && and || that is not needed.
enum class Fault { kNone, kDivide, kModulo, kExponent, kSyntax, kRight, kInput, kExcess, kOperator };

std::string Complaint(Fault fault) {
  switch (fault) {
    case Fault::kDivide: return "divide by zero in eval: ";
    case Fault::kModulo: return "modulo by zero in eval: ";
    case Fault::kExponent: return "negative exponent in eval: ";
    case Fault::kRight: return "bad expression in eval (missing right parenthesis): ";
    case Fault::kInput: return "bad expression in eval (bad input): ";
    case Fault::kExcess: return "bad expression in eval (excess input): ";
    case Fault::kOperator: return "invalid operator in eval: ";
    default: return "bad expression in eval: ";
  }
}

class Evaluator {
 public:
  Evaluator(Processor& m4, std::string_view text) : m4_(m4), text_(text) {}

  std::optional<int32_t> Run() {
    int32_t value = 0;
    Fault fault = Binary(0, Lex(), value);
    if (fault == Fault::kNone && at_ < text_.size()) fault = Lex().kind == Token::Kind::kBad ? Fault::kOperator : Fault::kExcess;
    if (fault == Fault::kNone) return value;
    m4_.Error(Complaint(fault) + std::string(text_));
    if (fault == Fault::kOperator) m4_.FailAtEnd();
    return std::nullopt;
  }

 private:
  struct Token {
    enum class Kind { kEnd, kNumber, kOperator, kBad, kUnknown };
    Kind kind;
    std::string_view text = {};
    int32_t value = 0;
  };
  struct Operator {
    std::string_view text;
    int level;   // -1: none between two operands
  };
  // Longer ones first. Those with = and ++ and -- are told apart to complain of them.
  static constexpr std::array<Operator, 24> kOperators = {{{"**", 10}, {"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<=", 6}, {">=", 6},
                                                           {"<<", 7}, {">>", 7}, {"|", 2}, {"^", 3}, {"&", 4}, {"=", 5}, {"<", 6},
                                                           {">", 6}, {"+", 8}, {"-", 8}, {"*", 9}, {"/", 9}, {"%", 9}, {"!", -1},
                                                           {"~", -1}, {"(", -1}, {")", -1}}};
  static constexpr int kPower = 10, kTightest = 11;

  static bool IsBad(std::string_view op, char next) {
    if (op == "+" || op == "-") return next == op[0] || next == '=';
    return next == '=' && (op == "*" || op == "/" || op == "%" || op == "^" || op == "|" || op == "&" || op == "<<" || op == ">>");
  }
  Token Lex() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) ++at_;
    before_ = at_;
    if (at_ >= text_.size()) return {Token::Kind::kEnd};
    if (text_[at_] >= '0' && text_[at_] <= '9') return Literal();
    for (const Operator& op : kOperators) {
      if (!text_.substr(at_).starts_with(op.text)) continue;
      at_ += op.text.size();
      if (IsBad(op.text, at_ < text_.size() ? text_[at_] : '\0')) return {Token::Kind::kBad};
      return {Token::Kind::kOperator, op.text};
    }
    return {Token::Kind::kUnknown};
  }
  static int LevelOf(const Token& token) {
    if (token.kind != Token::Kind::kOperator) return -1;
    for (const Operator& op : kOperators) {
      if (op.text == token.text) return op.level;
    }
    return -1;
  }

  // An expression of operators of that level and tighter ones; `token` is its first.
  Fault Binary(int level, Token token, int32_t& value) {
    m4_.budget().CheckStack();
    m4_.budget().Step();
    if (level == kTightest) return Unary(token, value);
    Fault fault = Binary(level + 1, token, value);
    while (fault == Fault::kNone) {
      const Token op = Lex();
      if (op.kind == Token::Kind::kUnknown) return Fault::kInput;
      if (LevelOf(op) != level) {
        at_ = before_;
        return Fault::kNone;
      }
      if (op.text == "=") m4_.Warn("Warning: recommend ==, not =, for equality operator");
      const Token next = Lex();
      if (next.kind == Token::Kind::kUnknown) return Fault::kInput;
      int32_t right = 0;
      fault = Binary(level == kPower ? level : level + 1, next, right);
      const bool decides = (op.text == "||" && value != 0) || (op.text == "&&" && value == 0);
      if (decides && fault < Fault::kSyntax) {
        value = op.text == "||";
        fault = Fault::kNone;
      } else if (fault == Fault::kNone) {
        fault = Apply(op.text, value, right);
      }
    }
    return fault;
  }

  static Fault Apply(std::string_view op, int32_t& a, int32_t b) {
    const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    const auto give = [&](uint32_t value) {
      a = static_cast<int32_t>(value);
      return Fault::kNone;
    };
    if (op == "||") return give(a != 0 || b != 0);
    if (op == "&&") return give(a != 0 && b != 0);
    if (op == "==" || op == "=") return give(a == b);
    if (op == "!=") return give(a != b);
    if (op == "<=") return give(a <= b);
    if (op == ">=") return give(a >= b);
    if (op == "<") return give(a < b);
    if (op == ">") return give(a > b);
    if (op == "<<") return give(ua << (ub & 31));
    if (op == ">>") return give(static_cast<uint32_t>(a >> (ub & 31)));
    if (op == "|") return give(ua | ub);
    if (op == "^") return give(ua ^ ub);
    if (op == "&") return give(ua & ub);
    if (op == "+") return give(ua + ub);
    if (op == "-") return give(ua - ub);
    if (op == "*") return give(ua * ub);
    if (op == "**") return Power(a, b);
    if (b == 0) return op == "/" ? Fault::kDivide : Fault::kModulo;
    if (b == -1) return give(op == "/" ? 0u - ua : 0);
    return give(static_cast<uint32_t>(op == "/" ? a / b : a % b));
  }

  static Fault Power(int32_t& base, int32_t exponent) {
    if (exponent < 0) return Fault::kExponent;
    if (base == 0 && exponent == 0) return Fault::kDivide;
    uint32_t result = 1;
    auto factor = static_cast<uint32_t>(base);
    for (auto left = static_cast<uint32_t>(exponent); left > 0; left >>= 1, factor *= factor) {
      if ((left & 1) != 0) result *= factor;
    }
    base = static_cast<int32_t>(result);
    return Fault::kNone;
  }

  Fault Unary(const Token& token, int32_t& value) {
    if (token.kind == Token::Kind::kOperator && token.text.size() == 1 && std::string_view("+-~!").find(token.text[0]) != std::string_view::npos) {
      m4_.budget().CheckStack();
      m4_.budget().Step();
      const Token next = Lex();
      if (next.kind == Token::Kind::kUnknown) return Fault::kInput;
      if (const Fault fault = Unary(next, value); fault != Fault::kNone) return fault;
      const char c = token.text[0];
      if (c == '-') value = static_cast<int32_t>(0u - static_cast<uint32_t>(value));
      if (c == '~') value = ~value;
      if (c == '!') value = value == 0;
      return Fault::kNone;
    }
    return Primary(token, value);
  }

  Fault Primary(const Token& token, int32_t& value) {
    if (token.kind == Token::Kind::kBad) return Fault::kOperator;
    if (token.kind == Token::Kind::kNumber) {
      value = token.value;
      return Fault::kNone;
    }
    if (token.text != "(") return Fault::kSyntax;
    const Token first = Lex();
    if (first.kind == Token::Kind::kUnknown) return Fault::kInput;
    if (const Fault fault = Binary(0, first, value); fault != Fault::kNone) return fault;
    const Token last = Lex();
    if (last.kind == Token::Kind::kUnknown) return Fault::kInput;
    return last.text == ")" ? Fault::kNone : Fault::kRight;
  }

  Token Literal() {
    uint32_t base = 10;
    if (text_[at_] == '0') {
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      base = 8;
      if (next == 'x' || next == 'X') base = 16, at_ += 2;
      if (next == 'b' || next == 'B') base = 2, at_ += 2;
      if (next == 'r' || next == 'R') {
        at_ += 2;
        base = 0;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && base <= 36) base = base * 10 + static_cast<uint32_t>(text_[at_++] - '0');
        if (base < 1 || base > 36 || at_ >= text_.size() || text_[at_] != ':') return {Token::Kind::kUnknown};
        ++at_;
      }
    }
    uint32_t value = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      uint32_t digit = 99;
      if (c >= '0' && c <= '9') digit = static_cast<uint32_t>(c - '0');
      if (c >= 'a' && c <= 'z') digit = static_cast<uint32_t>(c - 'a') + 10;
      if (c >= 'A' && c <= 'Z') digit = static_cast<uint32_t>(c - 'A') + 10;
      if (base == 1 ? digit > 1 || (digit == 0 && value > 0) : digit >= base) break;
      value = base == 1 ? value + digit : value * base + digit;
    }
    return {Token::Kind::kNumber, {}, static_cast<int32_t>(value)};
  }

  Processor& m4_;
  std::string_view text_;
  size_t at_ = 0, before_ = 0;   // before_: where the last token began
};

}  // namespace

std::optional<int32_t> Evaluate(Processor& m4, std::string_view text) { return Evaluator(m4, text).Run(); }

}  // namespace paddock::m4
