#include "lang/test/test_expression.h"

#include "base/budget.h"

namespace paddock {
namespace {

class Evaluator {
 public:
  Evaluator(TestHost& host, std::span<const std::string> arguments) : host_(host), arguments_(arguments) {}

  int Run() {
    const std::optional<bool> answer = ByCount(arguments_);
    if (!answer) return 2;
    return *answer ? 0 : 1;
  }

 private:
  using Answer = std::optional<bool>;

  // POSIX gives fixed meanings to up to four arguments.
  Answer ByCount(std::span<const std::string> args) {
    switch (args.size()) {
      case 0: return false;
      case 1: return !args[0].empty();
      case 2: return Two(args);
      case 3: return Three(args);
      case 4:
        if (args[0] == "!") return Negated(Three(args.subspan(1)));
        if (args[0] == "(" && args[3] == ")") return Two(args.subspan(1, 2));
        break;
      default: break;
    }
    return Whole(args);
  }

  static Answer Negated(Answer answer) {
    if (!answer) return answer;
    return !*answer;
  }

  Answer Two(std::span<const std::string> args) {
    if (args[0] == "!") return args[1].empty();
    if (host_.IsUnary(args[0])) return host_.Unary(args[0], args[1]);
    host_.Complain(args[0] + ": unary operator expected");
    return std::nullopt;
  }

  Answer Three(std::span<const std::string> args) {
    if (host_.IsBinary(args[1])) return host_.Binary(args[1], args[0], args[2]);
    if (args[1] == "-a") return !args[0].empty() && !args[2].empty();
    if (args[1] == "-o") return !args[0].empty() || !args[2].empty();
    if (args[0] == "!") return Negated(Two(args.subspan(1)));
    if (args[0] == "(" && args[2] == ")") return !args[1].empty();
    host_.Complain(args[1] + ": binary operator expected");
    return std::nullopt;
  }

  Answer Whole(std::span<const std::string> args) {
    args_ = args;
    next_ = 0;
    Answer answer = Or();
    if (answer && next_ < args_.size()) {
      const std::string& word = args_[next_];
      host_.Complain(word.starts_with('-') ? "syntax error: `" + word + "' unexpected" : "too many arguments");
      return std::nullopt;
    }
    return answer;
  }

  bool Peek(std::string_view word) const { return next_ < args_.size() && args_[next_] == word; }

  Answer Or() {
    Answer left = And();
    while (left && Peek("-o")) {
      ++next_;
      const Answer right = And();
      if (!right) return right;
      left = *left || *right;
    }
    return left;
  }

  Answer And() {
    Answer left = Term();
    while (left && Peek("-a")) {
      ++next_;
      const Answer right = Term();
      if (!right) return right;
      left = *left && *right;
    }
    return left;
  }

  Answer Missing() {
    host_.Complain("argument expected");
    return std::nullopt;
  }

  Answer Term() {
    host_.budget().Step();
    host_.budget().CheckStack();
    if (next_ >= args_.size()) return Missing();
    const std::string& word = args_[next_];
    if (word == "!") {
      ++next_;
      return Negated(Term());
    }
    if (word == "(") {
      ++next_;
      const Answer inner = Or();
      if (!inner) return inner;
      if (!Peek(")")) {
        host_.Complain(next_ < args_.size() ? "`)' expected, found " + args_[next_] : std::string("`)' expected"));
        return std::nullopt;
      }
      ++next_;
      return inner;
    }
    const size_t left_over = args_.size() - next_;
    if (left_over >= 3 && host_.IsBinary(args_[next_ + 1])) {
      next_ += 3;
      return host_.Binary(args_[next_ - 2], args_[next_ - 3], args_[next_ - 1]);
    }
    if (left_over >= 2 && host_.IsUnary(word)) {
      next_ += 2;
      return host_.Unary(word, args_[next_ - 1]);
    }
    ++next_;
    return !word.empty();
  }

  TestHost& host_;
  std::span<const std::string> arguments_;
  std::span<const std::string> args_;
  size_t next_ = 0;
};

}  // namespace

int EvaluateTest(TestHost& host, std::span<const std::string> arguments) { return Evaluator(host, arguments).Run(); }

}  // namespace paddock
