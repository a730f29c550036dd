#include "shell/exec/condition.h"

#include <algorithm>
#include <charconv>

#include "shell/ast/printer.h"
#include "shell/exec/executor.h"
#include "shell/expand/arithmetic.h"
#include "shell/expand/expander.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "text/pattern.h"
#include "text/regex.h"

namespace paddock::shell {
namespace {

constexpr std::string_view kUnary = "abcdefghknoprstuvwxzGLNORS";
constexpr std::string_view kBinary[] = {"=",   "==",  "!=",  "<",   ">",   "-eq", "-ne", "-lt",
                                        "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};

bool TestVariable(Shell& shell, const std::string& reference) {
  const size_t bracket = reference.find('[');
  if (bracket == std::string::npos || reference.back() != ']') {
    if (!reference.empty() && reference.find_first_not_of("0123456789") == std::string::npos) {
      const size_t index = std::min<size_t>(std::strtoul(reference.c_str(), nullptr, 10), 1u << 30);
      return index == 0 || index <= shell.positionals().size();
    }
    return shell.Get(Name(reference)).has_value();
  }
  Target target;
  if (!ResolveName(shell, Name(reference.substr(0, bracket)), &target)) return false;
  const Variable* variable = target.Find(shell.variables);
  if (variable == nullptr || !variable->is_set) return false;
  const std::string subscript = reference.substr(bracket + 1, reference.size() - bracket - 2);
  if (variable->has(kAssociative)) {
    if (subscript == "@" || subscript == "*") return variable->associative && variable->associative->size() > 0;
    return variable->associative && variable->associative->Get(subscript) != nullptr;
  }
  if (subscript == "@" || subscript == "*") {
    return variable->has(kIndexed) ? variable->indexed && variable->indexed->size() > 0 : true;
  }
  const auto index = EvaluateIndex(shell, target.name, variable, subscript);
  if (!index) return false;
  if (variable->has(kIndexed)) return variable->indexed && variable->indexed->Get(*index) != nullptr;
  return *index == 0;
}

bool TestFile(Shell& shell, char op, const std::string& path) {
  const bool is_link_test = op == 'h' || op == 'L';
  auto stat = shell.files().Stat(path, is_link_test ? vfs::Follow::kNo : vfs::Follow::kYes);
  if (!stat) return false;
  const vfs::Credentials& who = shell.files().credentials();
  switch (op) {
    case 'a':
    case 'e': return true;
    case 'b': return stat->type == vfs::FileType::kBlockDevice;
    case 'c': return stat->type == vfs::FileType::kCharDevice;
    case 'd': return stat->is_directory();
    case 'f': return stat->is_file();
    case 'g': return (stat->mode & 02000) != 0;
    case 'h':
    case 'L': return stat->is_symlink();
    case 'k': return (stat->mode & 01000) != 0;
    case 'p': return stat->type == vfs::FileType::kFifo;
    case 'r': return shell.files().Access(path, 4).has_value();
    case 's': return stat->size > 0;
    case 'u': return (stat->mode & 04000) != 0;
    case 'w': return shell.files().Access(path, 2).has_value();
    case 'x': return shell.files().Access(path, 1).has_value();
    case 'G': return stat->gid == who.gid;
    case 'N': return stat->modify_time > stat->access_time;
    case 'O': return stat->uid == who.uid;
    case 'S': return stat->type == vfs::FileType::kSocket;
    default: return false;
  }
}

std::optional<int64_t> ParseTestInteger(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool CompareFiles(Shell& shell, std::string_view op, const std::string& left, const std::string& right) {
  auto a = shell.files().Stat(left);
  auto b = shell.files().Stat(right);
  if (op == "-ef") return a && b && a->inode == b->inode && a->device == b->device;
  if (op == "-nt") return a && (!b || a->modify_time > b->modify_time);
  return b && (!a || a->modify_time < b->modify_time);
}

bool CompareNumbers(std::string_view op, int64_t left, int64_t right) {
  if (op == "-eq") return left == right;
  if (op == "-ne") return left != right;
  if (op == "-lt") return left < right;
  if (op == "-le") return left <= right;
  if (op == "-gt") return left > right;
  return left >= right;
}

bool IsArithmetic(std::string_view op) {
  return op == "-eq" || op == "-ne" || op == "-lt" || op == "-le" || op == "-gt" || op == "-ge";
}

// --- [[ ]] -----------------------------------------------------------------------------------------

// The answer of a condition; nothing after an error (complaint printed).
using Answer = std::optional<bool>;

void SetRematch(Shell& shell, std::string_view subject, const std::vector<RegexGroup>& groups) {
  Variable& variable = shell.variables.ObtainGlobal(Name("BASH_REMATCH"));
  variable.attributes |= kIndexed;
  variable.indexed = std::make_shared<IndexedArray>();
  variable.is_set = true;
  for (size_t i = 0; i < groups.size(); ++i) {
    variable.indexed->Set(static_cast<int64_t>(i),
                          groups[i].is_set()
                              ? std::string(subject.substr(groups[i].begin, groups[i].end - groups[i].begin))
                              : std::string());
  }
}

Answer MatchRegex(Shell& shell, const std::string& subject, const std::string& pattern) {
  const RegexFlags flags{.dialect = RegexDialect::kExtended,
                         .ignore_case = shell.options.Get(ShoptOption::kNocasematch),
                         .is_utf8 = shell.locale().is_utf8};
  const Regex* regex = shell.CompiledRegex(pattern, flags);
  if (regex == nullptr) {
    shell.last_status = 2;
    return std::nullopt;
  }
  std::vector<RegexGroup> groups(regex->group_count() + 1);
  auto found = regex->Search(subject, 0, &groups, shell.budget());
  if (!found) {
    shell.Complain(found.error().Text());
    shell.last_status = 2;
    return std::nullopt;
  }
  SetRematch(shell, subject, *found ? groups : std::vector<RegexGroup>());
  return *found;
}

void TraceCondition(Shell& shell, bool is_negated, const std::string& text) {
  if (shell.options.Get(SetOption::kXtrace)) TraceLine(shell, std::string("[[ ") + (is_negated ? "! " : "") + text + " ]]");
}

std::string Shown(const std::string& text) { return text.empty() ? "''" : text; }

Answer EvaluateBinary(Shell& shell, const Condition& condition, bool is_negated) {
  std::string left;
  if (!ExpandToString(shell, condition.word, &left)) return std::nullopt;
  const std::string& op = condition.op;
  if (op == "=~") {
    std::string pattern;
    if (!ExpandRegex(shell, condition.word2, &pattern)) return std::nullopt;
    TraceCondition(shell, is_negated, Shown(left) + " =~ " + Shown(pattern));
    return MatchRegex(shell, left, pattern);
  }
  if (op == "=" || op == "==" || op == "!=") {
    std::string pattern;
    if (!ExpandPattern(shell, condition.word2, &pattern)) return std::nullopt;
    TraceCondition(shell, is_negated, Shown(left) + " " + op + " " + Shown(pattern));
    const PatternFlags flags{.extglob = true,
                             .ignore_case = shell.options.Get(ShoptOption::kNocasematch),
                             .is_utf8 = shell.locale().is_utf8};
    return Pattern(pattern, flags).Matches(left, shell.budget()) == (op != "!=");
  }
  std::string right;
  if (!ExpandToString(shell, condition.word2, &right)) return std::nullopt;
  TraceCondition(shell, is_negated, Shown(left) + " " + op + " " + Shown(right));
  if (op == "<") return left < right;
  if (op == ">") return left > right;
  if (IsArithmetic(op)) {
    const auto a = EvaluateText(shell, left, "[[");
    if (!a) return std::nullopt;
    const auto b = EvaluateText(shell, right, "[[");
    if (!b) return std::nullopt;
    return CompareNumbers(op, *a, *b);
  }
  return CompareFiles(shell, op, left, right);
}

// `is_negated`: behind an odd number of '!', which only set -x asks for.
Answer EvaluateCondition(Shell& shell, const Condition& condition, bool is_negated = false) {
  shell.budget().Step();
  shell.budget().CheckStack();
  switch (condition.kind) {
    case Condition::Kind::kAnd: {
      const Answer left = EvaluateCondition(shell, *condition.left);
      if (!left || !*left) return left;
      return EvaluateCondition(shell, *condition.right);
    }
    case Condition::Kind::kOr: {
      const Answer left = EvaluateCondition(shell, *condition.left);
      if (!left || *left) return left;
      return EvaluateCondition(shell, *condition.right);
    }
    case Condition::Kind::kNot: {
      const Answer inner = EvaluateCondition(shell, *condition.left, !is_negated);
      if (!inner) return inner;
      return !*inner;
    }
    case Condition::Kind::kWord: {
      std::string text;
      if (!ExpandToString(shell, condition.word, &text)) return std::nullopt;
      TraceCondition(shell, is_negated, "-n " + Shown(text));
      return !text.empty();
    }
    case Condition::Kind::kUnary: {
      std::string operand;
      if (!ExpandToString(shell, condition.word, &operand)) return std::nullopt;
      TraceCondition(shell, is_negated, condition.op + " " + Shown(operand));
      return TestUnary(shell, condition.op, operand);
    }
    case Condition::Kind::kBinary: return EvaluateBinary(shell, condition, is_negated);
  }
  return false;
}

}  // namespace

bool IsUnaryTest(std::string_view op) {
  return op.size() == 2 && op[0] == '-' && kUnary.find(op[1]) != std::string_view::npos;
}

bool IsBinaryTest(std::string_view op) {
  return std::find(std::begin(kBinary), std::end(kBinary), op) != std::end(kBinary);
}

bool TestUnary(Shell& shell, std::string_view op, const std::string& operand) {
  switch (op[1]) {
    case 'n': return !operand.empty();
    case 'z': return operand.empty();
    case 'v': return TestVariable(shell, operand);
    case 'R': {
      const Variable* variable = shell.variables.Find(Name(operand));
      return variable != nullptr && variable->has(kNameref) && variable->is_set;
    }
    case 'o': {
      const auto option = FindSetOption(operand);
      return option && shell.options.Get(*option);
    }
    case 't': {
      const auto number = ParseTestInteger(operand);
      if (!number || *number < 0 || *number >= proc::kMaxDescriptors) return false;
      const auto& file = shell.process().descriptors().Get(static_cast<int>(*number));
      return file && file->is_terminal();
    }
    default: return TestFile(shell, op[1], operand);
  }
}

std::optional<bool> TestBinary(Shell& shell, std::string_view op, const std::string& left,
                               const std::string& right, std::string_view builtin) {
  if (op == "=" || op == "==") return left == right;
  if (op == "!=") return left != right;
  if (op == "<") return left < right;
  if (op == ">") return left > right;
  if (!IsArithmetic(op)) return CompareFiles(shell, op, left, right);
  const auto a = ParseTestInteger(left);
  const auto b = ParseTestInteger(right);
  if (!a || !b) {
    shell.Complain(builtin, (a ? right : left) + ": integer expression expected");
    return std::nullopt;
  }
  return CompareNumbers(op, *a, *b);
}

void RunConditional(Shell& shell, const Statement& statement) {
  shell.line = statement.line;
  shell.command = &statement;
  if (shell.has_traps() && !shell.AnnounceCommand(PrintStatement(statement))) return;
  shell.last_status = 0;
  const Answer answer = EvaluateCondition(shell, *statement.test);
  if (answer) {
    shell.last_status = *answer ? 0 : 1;
  } else if (shell.flow == Flow::kNone && shell.last_status == 0) {
    shell.last_status = 1;
  }
  shell.pipe_status.assign(1, shell.last_status);
}

const Regex* Shell::CompiledRegex(const std::string& pattern, const RegexFlags& flags) {
  constexpr size_t kKept = 32;
  const std::string key =
      std::string(1, static_cast<char>('0' + (flags.ignore_case ? 1 : 0) + (flags.is_utf8 ? 2 : 0))) + pattern;
  if (!regexes_) regexes_ = std::make_shared<std::map<std::string, Regex>>();
  const auto it = regexes_->find(key);
  if (it != regexes_->end()) return &it->second;
  auto compiled = Regex::Compile(pattern, flags);
  if (!compiled) {
    // Bash says nothing of a bad pattern but the status 2.
    return nullptr;
  }
  if (regexes_->size() >= kKept) regexes_ = std::make_shared<std::map<std::string, Regex>>();
  return &regexes_->emplace(key, std::move(*compiled)).first->second;
}

}  // namespace paddock::shell
