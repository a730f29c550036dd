// eval's expressions, of 32 bits, and format.
#include <array>
#include <charconv>
#include <cstdio>

#include "lang/m4/processor.h"

namespace paddock::m4 {
namespace {

class Evaluator {
 public:
  Evaluator(Processor& m4, std::string_view text) : m4_(m4), text_(text) {}

  std::optional<int32_t> Run() {
    const int32_t value = Binary(0);
    Blank();
    if (!failed_ && at_ < text_.size()) {
      const char c = text_[at_];
      const bool is_operand = (c >= '0' && c <= '9') || c == '(' || c == ')';
      Fail(is_operand ? "excess input" : "invalid operator or excess input");
    }
    return failed_ ? std::nullopt : std::optional(value);
  }

 private:
  struct Operator {
    std::string_view text;
    int level;
  };
  static constexpr std::array<Operator, 19> kOperators = {{{"||", 0}, {"&&", 1}, {"==", 5}, {"!=", 5}, {"<=", 6}, {">=", 6}, {"<<", 7},
                                                           {">>", 7}, {"**", 10}, {"|", 2}, {"^", 3}, {"&", 4}, {"<", 6}, {">", 6},
                                                           {"+", 8}, {"-", 8}, {"*", 9}, {"/", 9}, {"%", 9}}};

  void Fail(const std::string& what) {
    if (!failed_) m4_.Error(Place(what) + std::string(text_));
    failed_ = true;
  }
  static std::string Place(const std::string& what) {
    if (what.empty()) return "bad expression in eval: ";
    if (what.starts_with("divide") || what.starts_with("modulo") || what.starts_with("negative")) return what + " in eval: ";
    return "bad expression in eval (" + what + "): ";
  }
  void Blank() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) ++at_;
  }
  const Operator* Next() {
    Blank();
    for (const Operator& op : kOperators) {
      if (text_.substr(at_).starts_with(op.text)) return &op;
    }
    return nullptr;
  }

  int32_t Binary(int level) {
    m4_.budget().CheckStack();
    int32_t left = Unary();
    while (!failed_) {
      m4_.budget().Step();
      const Operator* const op = Next();
      if (op == nullptr || op->level < level) break;
      at_ += op->text.size();
      const bool was_quiet = is_quiet_;
      if ((op->text == "||" && left != 0) || (op->text == "&&" && left == 0)) is_quiet_ = true;
      const int32_t right = Binary(op->text == "**" ? op->level : op->level + 1);
      if (!failed_) left = Apply(op->text, left, right);
      is_quiet_ = was_quiet;
    }
    return left;
  }

  int32_t Apply(std::string_view op, int32_t a, int32_t b) {
    const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    const auto wrapped = [](uint32_t value) { return static_cast<int32_t>(value); };
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "<<") return wrapped(ua << (ub & 31));
    if (op == ">>") return a >> (ub & 31);
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "+") return wrapped(ua + ub);
    if (op == "-") return wrapped(ua - ub);
    if (op == "*") return wrapped(ua * ub);
    if (op == "**") return Power(a, b);
    if (b == 0) {
      if (is_quiet_) return 0;
      Fail(op == "/" ? "divide by zero" : "modulo by zero");
      return 0;
    }
    if (b == -1) return op == "/" ? wrapped(0u - ua) : 0;
    return op == "/" ? a / b : a % b;
  }

  int32_t Power(int32_t base, int32_t exponent) {
    if (exponent < 0) {
      if (!is_quiet_) Fail("negative exponent");
      return 0;
    }
    uint32_t result = 1;
    auto factor = static_cast<uint32_t>(base);
    for (auto left = static_cast<uint32_t>(exponent); left > 0; left >>= 1, factor *= factor) {
      if ((left & 1) != 0) result *= factor;
    }
    return static_cast<int32_t>(result);
  }

  int32_t Unary() {
    m4_.budget().CheckStack();
    Blank();
    if (failed_ || at_ >= text_.size()) {
      Fail("");
      return 0;
    }
    const char c = text_[at_];
    if (c == '-' || c == '+' || c == '~' || c == '!') {
      ++at_;
      const int32_t value = Unary();
      if (c == '-') return static_cast<int32_t>(0u - static_cast<uint32_t>(value));
      return c == '+' ? value : c == '~' ? ~value : value == 0;
    }
    if (c == '(') {
      ++at_;
      const int32_t value = Binary(0);
      Blank();
      if (at_ >= text_.size() || text_[at_] != ')') {
        Fail("missing right parenthesis");
        return 0;
      }
      ++at_;
      return value;
    }
    if (c < '0' || c > '9') {
      Fail(c == ')' ? "" : "bad input");
      return 0;
    }
    return Literal();
  }

  int32_t Literal() {
    uint32_t base = 10;
    if (text_[at_] == '0') {
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      base = 8;
      if (next == 'x' || next == 'X') base = 16, at_ += 2;
      if (next == 'b' || next == 'B') base = 2, at_ += 2;
      if (next == 'r' || next == 'R') {
        at_ += 2;
        base = 0;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && base < 100) base = base * 10 + static_cast<uint32_t>(text_[at_++] - '0');
        if (base < 1 || base > 36 || at_ >= text_.size() || text_[at_] != ':') return Fail("bad input"), 0;
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
      if (digit == 99) break;
      if (digit >= base && !(base == 1 && digit == 1)) return Fail("bad input"), 0;
      value = base == 1 ? value + 1 : value * base + digit;
    }
    return static_cast<int32_t>(value);
  }

  Processor& m4_;
  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
  bool is_quiet_ = false;   // in a part that does not count
};

}  // namespace

std::optional<int32_t> Evaluate(Processor& m4, std::string_view text) { return Evaluator(m4, text).Run(); }

std::string Format(Processor& m4, const Arguments& a) {
  const std::string& format = a[1];
  size_t next = 2;
  const auto take = [&] { return next < a.size() ? a[next++] : std::string(); };
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    m4.budget().Step();
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    std::string spec = "%";
    for (++i; i < format.size() && std::string_view("-+ #0123456789.*").find(format[i]) != std::string_view::npos; ++i) {
      if (format[i] == '*') {
        spec += std::to_string(std::atoi(take().c_str()));
      } else {
        spec += format[i];
      }
    }
    while (i < format.size() && (format[i] == 'l' || format[i] == 'h')) ++i;
    if (i >= format.size()) break;
    const char kind = format[i];
    if (kind == '%') {
      out += '%';
      continue;
    }
    if (spec.size() > 24) continue;
    std::string value;
    const auto print = [&](auto argument) {
      const int length = std::snprintf(nullptr, 0, spec.c_str(), argument);
      if (length <= 0) return;
      m4.budget().WillAllocate(static_cast<uint64_t>(length));
      m4.budget().Step(length);
      value.resize(static_cast<size_t>(length) + 1);
      std::snprintf(value.data(), value.size(), spec.c_str(), argument);
      value.resize(static_cast<size_t>(length));
    };
    // A width is looked at before anything of that size is made.
    spec += kind;
    const std::string argument = take();
    if (kind == 's') {
      print(argument.c_str());
    } else if (kind == 'c') {
      if (const int code = std::atoi(argument.c_str()) & 255; code != 0) value = std::string(1, static_cast<char>(code));
    } else if (std::string_view("dioxXu").find(kind) != std::string_view::npos) {
      print(static_cast<int>(std::strtol(argument.c_str(), nullptr, 10)));
    } else if (std::string_view("aAeEfFgG").find(kind) != std::string_view::npos) {
      print(std::strtod(argument.c_str(), nullptr));
    } else {
      m4.Warn("Warning: unrecognized specifier in `" + format + "'");
    }
    out += value;
  }
  return out;
}

}  // namespace paddock::m4
