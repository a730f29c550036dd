// test - evaluate a conditional expression
//
// usage: test EXPRESSION | [ EXPRESSION ]
// The program behind `env test` and `xargs test`; the shell has its own.
//
// Exit status: 0 true, 1 false, 2 for an error.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include <algorithm>

#include "proc/command.h"
#include "proc/process.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;
constexpr std::string_view kUnary = "bcdefghknprstuwxzGLNOS";
constexpr std::string_view kBinary[] = {"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};

// An integer of any size in a form that compares as text.
struct Integer {
  bool is_negative;
  std::string_view digits;   // without leading zeros
};

std::optional<Integer> ParseInteger(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\v\f\r");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(" \t\n\v\f\r") - first + 1);
  const bool is_negative = text[0] == '-';
  if (is_negative || text[0] == '+') text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  return Integer{is_negative && !text.empty(), text};
}

int Compare(const Integer& a, const Integer& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  int order = a.digits.size() < b.digits.size() ? -1 : a.digits.size() > b.digits.size() ? 1 : a.digits.compare(b.digits);
  return a.is_negative ? -order : order;
}

bool IsBinary(std::string_view op) {
  return std::find(std::begin(kBinary), std::end(kBinary), op) != std::end(kBinary);
}

// Parses by the number of arguments, as POSIX has it, and evaluates.
class Test {
 public:
  using Answer = std::optional<bool>;   // nothing after a complaint

  Test(Invocation& in, std::span<const std::string> args) : in_(in), args_(args) {}

  ExitStatus Run() {
    if (args_.empty()) return 1;
    const Answer answer = ByCount(args_.size());
    if (!answer) return kTrouble;
    if (next_ < args_.size()) {
      Complain("extra argument " + QuoteWord(args_[next_]));
      return kTrouble;
    }
    return *answer ? 0 : 1;
  }

 private:
  std::string QuoteWord(std::string_view word) const { return Quote(word, in_.locale.is_utf8); }
  Answer Complain(const std::string& message) {
    in_.Fail(message);
    return std::nullopt;
  }
  Answer Missing() { return Complain("missing argument after " + QuoteWord(args_.back())); }
  static Answer Negated(Answer answer) { return answer ? Answer(!*answer) : answer; }
  const std::string& At(size_t offset) const { return args_[next_ + offset]; }
  size_t left_over() const { return args_.size() - next_; }

  Answer ByCount(size_t count) {
    switch (count) {
      case 1: return One();
      case 2: return Two();
      case 3: return Three();
      case 4:
        if (At(0) == "!") {
          ++next_;
          return Negated(Three());
        }
        if (At(0) == "(" && At(3) == ")") {
          ++next_;
          const Answer inner = Two();
          ++next_;
          return inner;
        }
        break;
      default: break;
    }
    return left_over() == 0 ? Missing() : Or();
  }

  Answer One() { return !args_[next_++].empty(); }

  Answer Two() {
    if (At(0) == "!") {
      ++next_;
      return Negated(One());
    }
    if (At(0).size() == 2 && At(0)[0] == '-') return TakeUnary();
    return Missing();
  }

  Answer Three() {
    if (IsBinary(At(1))) return TakeBinary(false);
    if (At(0) == "!") {
      ++next_;
      return Negated(Two());
    }
    if (At(0) == "(" && At(2) == ")") {
      ++next_;
      const Answer inner = One();
      ++next_;
      return inner;
    }
    if (At(1) == "-a" || At(1) == "-o") return Or();
    return Complain(QuoteWord(At(1)) + ": binary operator expected");
  }

  Answer Or() {
    Answer left = And();
    while (left && left_over() > 0 && At(0) == "-o") {
      ++next_;
      const Answer right = And();
      left = right ? Answer(*left || *right) : right;
    }
    return left;
  }

  Answer And() {
    Answer left = Term();
    while (left && left_over() > 0 && At(0) == "-a") {
      ++next_;
      const Answer right = Term();
      left = right ? Answer(*left && *right) : right;
    }
    return left;
  }

  Answer Term() {
    in_.budget.Step();
    in_.budget.CheckStack();
    bool is_negated = false;
    while (left_over() > 0 && At(0) == "!") {
      is_negated = !is_negated;
      if (++next_ == args_.size()) return Missing();
    }
    if (left_over() == 0) return Missing();
    const Answer answer = Primary();
    return is_negated ? Negated(answer) : answer;
  }

  Answer Primary() {
    if (At(0) == "(") return Group();
    if (left_over() >= 4 && At(0) == "-l" && IsBinary(At(2))) return TakeBinary(true);
    if (left_over() >= 3 && IsBinary(At(1))) return TakeBinary(false);
    if (At(0).size() == 2 && At(0)[0] == '-') return TakeUnary();
    return One();
  }

  Answer Group() {
    if (++next_ == args_.size()) return Missing();
    size_t count = 1;
    for (; next_ + count < args_.size() && At(count) != ")"; ++count) {
      if (count == 4) {
        count = left_over();
        break;
      }
    }
    const Answer inner = ByCount(count);
    if (!inner) return inner;
    if (left_over() == 0) return Complain(QuoteWord(")") + " expected");
    if (At(0) != ")") return Complain(QuoteWord(")") + " expected, found " + QuoteWord(At(0)));
    ++next_;
    return inner;
  }

  // -OP OPERAND
  Answer TakeUnary() {
    const char op = At(0)[1];
    if (kUnary.find(op) == std::string_view::npos) return Complain(QuoteWord(At(0)) + ": unary operator expected");
    if (left_over() < 2) return Missing();
    next_ += 2;
    const std::string& operand = args_[next_ - 1];
    if (op == 'n' || op == 'z') return operand.empty() == (op == 'z');
    if (op == 't') return IsTerminal(operand);
    if (op == 'r' || op == 'w' || op == 'x') {
      return in_.fs.Access(operand, op == 'r' ? 4 : op == 'w' ? 2 : 1).has_value();
    }
    auto stat = in_.fs.Stat(operand, op == 'h' || op == 'L' ? vfs::Follow::kNo : vfs::Follow::kYes);
    return stat && Holds(op, *stat);
  }

  Answer IsTerminal(const std::string& text) {
    const auto number = ParseInteger(text);
    if (!number) return Complain("invalid integer " + QuoteWord(text));
    if (number->is_negative || number->digits.size() > 4) return false;
    const int descriptor = number->digits.empty() ? 0 : std::stoi(std::string(number->digits));
    if (descriptor >= proc::kMaxDescriptors) return false;
    const auto& file = in_.process.descriptors().Get(descriptor);
    return file && file->is_terminal();
  }

  // [-l] LEFT OP [-l] RIGHT; with -l it is the length that counts.
  Answer TakeBinary(bool is_length) {
    std::string left = is_length ? std::to_string(At(1).size()) : At(0);
    next_ += is_length ? 2 : 1;
    const std::string op = args_[next_++];
    const bool is_numeric = op == "-eq" || op == "-ne" || op == "-lt" || op == "-le" || op == "-gt" || op == "-ge";
    std::string right = args_[next_++];
    if (right == "-l" && left_over() > 0 && is_numeric) right = std::to_string(args_[next_++].size());
    if (op == "=" || op == "==") return left == right;
    if (op == "!=") return left != right;
    if (!is_numeric) return CompareFiles(op, left, right);
    const auto a = ParseInteger(left);
    const auto b = ParseInteger(right);
    if (!a || !b) return Complain("invalid integer " + QuoteWord(a ? right : left));
    const int order = Compare(*a, *b);
    if (op == "-eq") return order == 0;
    if (op == "-ne") return order != 0;
    if (op == "-lt") return order < 0;
    if (op == "-le") return order <= 0;
    return op == "-gt" ? order > 0 : order >= 0;
  }

  bool Holds(char op, const vfs::Attributes& stat) const {
    switch (op) {
      case 'b': return stat.type == vfs::FileType::kBlockDevice;
      case 'c': return stat.type == vfs::FileType::kCharDevice;
      case 'd': return stat.is_directory();
      case 'f': return stat.is_file();
      case 'g': return (stat.mode & 02000) != 0;
      case 'h':
      case 'L': return stat.is_symlink();
      case 'k': return (stat.mode & 01000) != 0;
      case 'p': return stat.type == vfs::FileType::kFifo;
      case 's': return stat.size > 0;
      case 'u': return (stat.mode & 04000) != 0;
      case 'G': return stat.gid == in_.fs.credentials().gid;
      case 'N': return stat.modify_time > stat.access_time;
      case 'O': return stat.uid == in_.fs.credentials().uid;
      case 'S': return stat.type == vfs::FileType::kSocket;
      default: return true;
    }
  }
  bool CompareFiles(std::string_view op, const std::string& left, const std::string& right) {
    auto a = in_.fs.Stat(left);
    auto b = in_.fs.Stat(right);
    if (op == "-ef") return a && b && a->inode == b->inode && a->device == b->device;
    if (op == "-nt") return a && (!b || a->modify_time > b->modify_time);
    return b && (!a || a->modify_time < b->modify_time);
  }

  Invocation& in_;
  std::span<const std::string> args_;
  size_t next_ = 0;
};

ExitStatus Run(Invocation& in) {
  std::span<const std::string> args = in.args.subspan(1);
  if (in.name() == "[") {
    // Only under this name, and alone.
    if (args.size() == 1 && args[0] == "--help") return in.out.Write(HelpText(in.command, in.name())), 0;
    if (args.size() == 1 && args[0] == "--version") return in.out.Write(VersionText(in.command, in.name())), 0;
    if (args.empty() || args.back() != "]") return in.Fail("missing " + Quote("]", in.locale.is_utf8), 2);
    args = args.first(args.size() - 1);
  }
  return Test(in, args).Run();
}

constexpr const char* kAliases[] = {"["};

}  // namespace

extern const Command kCommand_test_;
const Command kCommand_test_ = {
    .name = "test",
    .aliases = kAliases,
    .summary = "check file types and compare values",
    .synopsis = "EXPRESSION",
    .usage_status = 2,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
