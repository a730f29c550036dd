// expr - evaluate expressions
//
// usage: expr EXPRESSION
//
// Exit status: 0 if the value is neither null nor 0, 1 if it is, 2 for a bad expression.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/big_integer.h"
#include "text/quote.h"
#include "text/regex.h"
#include "text/utf8.h"

namespace paddock {
namespace {

constexpr ExitStatus kSyntaxStatus = 2;

struct Value {
  std::string text;
  std::optional<BigInteger> Integer() const { return BigInteger::Parse(text); }
  bool is_null() const {
    const size_t sign = text.size() > 1 && text[0] == '-' ? 1 : 0;
    return text.find_first_not_of('0', sign) == std::string::npos;
  }
};

// A position or length of substr: 0 for what is no positive number.
size_t ToSize(const Value& value) {
  const auto number = value.Integer();
  if (!number || number->is_negative()) return 0;
  const std::string digits = number->ToString();
  return digits.size() > 18 ? std::string::npos : std::stoul(digits);
}

class Evaluator {
 public:
  Evaluator(Invocation& in, std::vector<std::string> words) : in_(in), words_(std::move(words)) {}

  Result<Value> Run() {
    if (words_.empty()) return Error(Code::kSyntax, "missing operand");
    PADDOCK_ASSIGN(Value value, Or(true));
    if (next_ < words_.size()) return Unexpected();
    return value;
  }

 private:
  std::string QuoteWord(std::string_view word) const { return Quote(word, in_.locale.is_utf8); }
  Error Unexpected() const { return Error(Code::kInvalid, "syntax error: unexpected argument " + QuoteWord(words_[next_])); }
  bool Take(std::string_view word) {
    if (next_ >= words_.size() || words_[next_] != word) return false;
    ++next_;
    return true;
  }

  Result<Value> Or(bool counts) {
    PADDOCK_ASSIGN(Value left, And(counts));
    while (Take("|")) {
      PADDOCK_ASSIGN(Value right, And(counts && left.is_null()));
      if (left.is_null()) left = right.is_null() ? Value{"0"} : std::move(right);
    }
    return left;
  }

  Result<Value> And(bool counts) {
    PADDOCK_ASSIGN(Value left, Compare(counts));
    while (Take("&")) {
      PADDOCK_ASSIGN(Value right, Compare(counts && !left.is_null()));
      if (left.is_null() || right.is_null()) left = Value{"0"};
    }
    return left;
  }

  Result<Value> Compare(bool counts) {
    PADDOCK_ASSIGN(Value left, Add(counts));
    while (next_ < words_.size()) {
      const std::string op = words_[next_];
      if (op != "<" && op != "<=" && op != "=" && op != "==" && op != "!=" && op != ">=" && op != ">") break;
      ++next_;
      PADDOCK_ASSIGN(Value right, Add(counts));
      const auto a = left.Integer();
      const auto b = right.Integer();
      const int order = a && b ? BigInteger::Compare(*a, *b) : left.text.compare(right.text);
      const bool holds = op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0
                         : op == ">=" ? order >= 0 : op == "!=" ? order != 0 : order == 0;
      left = Value{holds ? "1" : "0"};
    }
    return left;
  }

  Result<Value> Calculate(const Value& left, const Value& right, char op) const {
    const auto a = left.Integer();
    const auto b = right.Integer();
    if (!a || !b) return Error(Code::kInvalid, "non-integer argument");
    switch (op) {
      case '+': return Value{BigInteger::Add(*a, *b).ToString()};
      case '-': return Value{BigInteger::Subtract(*a, *b).ToString()};
      case '*':
        in_.budget.WillAllocate(2 * (left.text.size() + right.text.size()));
        return Value{BigInteger::Multiply(*a, *b, in_.budget).ToString()};
      default: break;
    }
    if (b->is_zero()) return Error(Code::kInvalid, "division by zero");
    const BigInteger::Division division = BigInteger::Divide(*a, *b, in_.budget);
    return Value{(op == '/' ? division.quotient : division.remainder).ToString()};
  }

  Result<Value> Add(bool counts) {
    PADDOCK_ASSIGN(Value left, Multiply(counts));
    while (next_ < words_.size() && (words_[next_] == "+" || words_[next_] == "-")) {
      const char op = words_[next_++][0];
      PADDOCK_ASSIGN(Value right, Multiply(counts));
      if (!counts) continue;
      PADDOCK_ASSIGN(left, Calculate(left, right, op));
    }
    return left;
  }

  Result<Value> Multiply(bool counts) {
    PADDOCK_ASSIGN(Value left, Match(counts));
    while (next_ < words_.size() && (words_[next_] == "*" || words_[next_] == "/" || words_[next_] == "%")) {
      const char op = words_[next_++][0];
      PADDOCK_ASSIGN(Value right, Match(counts));
      if (!counts) continue;
      PADDOCK_ASSIGN(left, Calculate(left, right, op));
    }
    return left;
  }

  Result<Value> MatchRegex(const std::string& text, const std::string& pattern) const {
    const auto regex = Regex::Compile("^" + (pattern.starts_with("^") ? pattern.substr(1) : pattern),
                                      {.dialect = RegexDialect::kBasic, .is_utf8 = in_.locale.is_utf8});
    if (!regex) return Error(Code::kInvalid, regex.error().message);
    std::vector<RegexGroup> groups(regex->group_count() + 1);
    PADDOCK_ASSIGN(const bool found, regex->Search(text, 0, &groups, in_.budget));
    const bool has_group = regex->group_count() > 0;
    if (!found) return Value{has_group ? "" : "0"};
    if (has_group) return Value{groups[1].is_set() ? text.substr(groups[1].begin, groups[1].end - groups[1].begin) : ""};
    const std::string_view matched = std::string_view(text).substr(0, groups[0].end);
    return Value{std::to_string(in_.locale.is_utf8 ? CountUtf8(matched) : matched.size())};
  }

  Result<Value> Match(bool counts) {
    PADDOCK_ASSIGN(Value left, Function(counts));
    while (Take(":")) {
      PADDOCK_ASSIGN(const Value right, Function(counts));
      if (!counts) continue;
      PADDOCK_ASSIGN(left, MatchRegex(left.text, right.text));
    }
    return left;
  }

  size_t Length(std::string_view text) const { return in_.locale.is_utf8 ? CountUtf8(text) : text.size(); }

  Result<Value> Function(bool counts) {
    in_.budget.CheckStack();
    in_.budget.Step();
    if (Take("+")) return TakeWord();
    if (Take("length")) {
      PADDOCK_ASSIGN(const Value text, Function(counts));
      return Value{std::to_string(Length(text.text))};
    }
    if (Take("match")) {
      PADDOCK_ASSIGN(const Value text, Function(counts));
      PADDOCK_ASSIGN(const Value pattern, Function(counts));
      return counts ? MatchRegex(text.text, pattern.text) : Result<Value>(Value{});
    }
    if (Take("index")) {
      PADDOCK_ASSIGN(const Value text, Function(counts));
      PADDOCK_ASSIGN(const Value set, Function(counts));
      size_t position = 1;
      for (size_t i = 0; i < text.text.size(); ++position) {
        const size_t length = in_.locale.is_utf8 ? DecodeUtf8(std::string_view(text.text).substr(i)).length : 1;
        if (set.text.find(text.text.substr(i, length)) != std::string::npos) return Value{std::to_string(position)};
        i += length;
      }
      return Value{"0"};
    }
    if (Take("substr")) {
      PADDOCK_ASSIGN(const Value text, Function(counts));
      PADDOCK_ASSIGN(const Value position, Function(counts));
      PADDOCK_ASSIGN(const Value length, Function(counts));
      const size_t first = ToSize(position);
      const size_t count = ToSize(length);
      if (first == 0 || count == 0 || first > text.text.size()) return Value{""};
      if (!in_.locale.is_utf8) return Value{text.text.substr(first - 1, count)};
      const size_t begin = OffsetOfChar(text.text, first - 1);
      const size_t end = begin + OffsetOfChar(std::string_view(text.text).substr(begin), count);
      return Value{text.text.substr(begin, end - begin)};
    }
    if (Take("(")) {
      PADDOCK_ASSIGN(Value inner, Or(counts));
      if (!Take(")")) {
        if (next_ < words_.size()) {
          return Error(Code::kInvalid, "syntax error: expecting ')' instead of " + QuoteWord(words_[next_]));
        }
        return Error(Code::kInvalid, "syntax error: expecting ')' after " + QuoteWord(words_.back()));
      }
      return inner;
    }
    if (next_ < words_.size() && words_[next_] == ")") {
      return Error(Code::kInvalid, "syntax error: unexpected ')'");
    }
    return TakeWord();
  }

  Result<Value> TakeWord() {
    if (next_ >= words_.size()) {
      return Error(Code::kInvalid, "syntax error: missing argument after " + QuoteWord(words_.empty() ? "" : words_.back()));
    }
    return Value{words_[next_++]};
  }

  Invocation& in_;
  std::vector<std::string> words_;
  size_t next_ = 0;
};

ExitStatus Run(Invocation& in) {
  std::vector<std::string> words(in.args.begin() + 1, in.args.end());
  if (words.size() == 1 && words[0] == "--help") {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (words.size() == 1 && words[0] == "--version") {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  auto value = Evaluator(in, std::move(words)).Run();
  if (!value) {
    if (value.error().code == Code::kSyntax) return in.Usage(value.error().Text());
    return in.Fail(value.error().Text(), kSyntaxStatus);
  }
  in.out.WriteLine(value->text);
  return value->is_null() ? 1 : 0;
}

}  // namespace

extern const Command kCommand_expr;
const Command kCommand_expr = {
    .name = "expr",
    .summary = "print the value of EXPRESSION",
    .synopsis = "EXPRESSION",
    .usage_status = kSyntaxStatus,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
