// test - evaluate a conditional expression
//
// usage: test EXPRESSION | [ EXPRESSION ]
// The program behind `env test` and `xargs test`; the shell has its own.
//
// Exit status: 0 true, 1 false, 2 for an error.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include <algorithm>
#include <charconv>

#include "lang/test/test_expression.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr std::string_view kUnary = "bcdefghknprstuwxzGLNOS";
constexpr std::string_view kBinary[] = {"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};

std::optional<int64_t> ParseNumber(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  if (text.front() == '+') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Host final : public TestHost {
 public:
  explicit Host(Invocation& in) : in_(in) {}
  bool IsUnary(std::string_view op) override {
    return op.size() == 2 && op[0] == '-' && kUnary.find(op[1]) != std::string_view::npos;
  }
  bool IsBinary(std::string_view op) override {
    return std::find(std::begin(kBinary), std::end(kBinary), op) != std::end(kBinary);
  }
  bool Unary(std::string_view op, const std::string& operand) override {
    if (op == "-n") return !operand.empty();
    if (op == "-z") return operand.empty();
    if (op == "-t") {
      const auto number = ParseNumber(operand);
      if (!number || *number < 0 || *number >= proc::kMaxDescriptors) return false;
      const auto& file = in_.process.descriptors().Get(static_cast<int>(*number));
      return file && file->is_terminal();
    }
    if (op == "-r" || op == "-w" || op == "-x") {
      return in_.fs.Access(operand, op == "-r" ? 4 : op == "-w" ? 2 : 1).has_value();
    }
    const bool is_link = op == "-h" || op == "-L";
    auto stat = in_.fs.Stat(operand, is_link ? vfs::Follow::kNo : vfs::Follow::kYes);
    return stat && Holds(op[1], *stat);
  }
  std::optional<bool> Binary(std::string_view op, const std::string& left, const std::string& right) override {
    if (op == "=" || op == "==") return left == right;
    if (op == "!=") return left != right;
    if (op == "-nt" || op == "-ot" || op == "-ef") return CompareFiles(op, left, right);
    const auto a = ParseNumber(left);
    const auto b = ParseNumber(right);
    if (!a || !b) {
      Complain("invalid integer " + Quote(a ? right : left, in_.locale.is_utf8));
      return std::nullopt;
    }
    if (op == "-eq") return *a == *b;
    if (op == "-ne") return *a != *b;
    if (op == "-lt") return *a < *b;
    if (op == "-le") return *a <= *b;
    return op == "-gt" ? *a > *b : *a >= *b;
  }
  void Complain(std::string_view message) override { in_.Fail(message); }
  Budget& budget() override { return in_.budget; }

 private:
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
};

ExitStatus Run(Invocation& in) {
  std::span<const std::string> args = in.args.subspan(1);
  if (in.name() == "[") {
    if (args.empty() || args.back() != "]") return in.Fail("missing " + Quote("]", in.locale.is_utf8), 2);
    args = args.first(args.size() - 1);
  }
  Host host(in);
  return EvaluateTest(host, args);
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
