#include "lang/awk/lint.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/budget.h"

namespace paddock::awk {
namespace {

// An expression that does nothing but have a value.
bool IsPure(const Node& node, Budget& budget) {
  budget.CheckStack();
  budget.Step();
  switch (node.kind) {
    case NodeKind::kNumber:
    case NodeKind::kString:
    case NodeKind::kRegex:
    case NodeKind::kVariable: return true;
    case NodeKind::kField:
    case NodeKind::kElement:
    case NodeKind::kAnd:
    case NodeKind::kOr:
    case NodeKind::kNot:
    case NodeKind::kNegate:
    case NodeKind::kArithmetic:
    case NodeKind::kCompare:
    case NodeKind::kConcat:
    case NodeKind::kMatch:
    case NodeKind::kIn: break;
    default: return false;
  }
  for (const Node* part : {node.a, node.b}) {
    if (part != nullptr && !IsPure(*part, budget)) return false;
  }
  return std::all_of(node.list.begin(), node.list.end(), [&](const Node* part) { return IsPure(*part, budget); });
}

// Functions that came with the awk of 1985.
bool IsNewSinceOld(Builtin id) {
  switch (id) {
    case Builtin::kAtan2: case Builtin::kClose: case Builtin::kCos: case Builtin::kGsub: case Builtin::kMatch:
    case Builtin::kRand: case Builtin::kSin: case Builtin::kSrand: case Builtin::kSub: case Builtin::kSystem:
    case Builtin::kTolower: case Builtin::kToupper: return true;
    default: return false;
  }
}

class Linter {
 public:
  Linter(const SyntaxTree& tree, LintLevel level, bool for_old_awk, Budget& budget)
      : tree_(tree),
        budget_(budget),
        is_old_(for_old_awk),
        warns_(level != LintLevel::kOff),
        names_extensions_(warns_ && level != LintLevel::kNoExtensions) {}

  std::vector<LintWarning> Run() {
    struct Item {
      Place place;
      const Rule* rule;
      const FunctionDefinition* function;
    };
    std::vector<Item> items;
    for (const Rule& rule : tree_.rules) items.push_back({rule.place, &rule, nullptr});
    for (const FunctionDefinition& function : tree_.functions) {
      if (function.is_defined) items.push_back({function.place, nullptr, &function});
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return a.place.source != b.place.source ? a.place.source < b.place.source : a.place.line < b.place.line;
    });
    for (const Item& item : items) {
      if (item.rule != nullptr) LintRule(*item.rule);
      else LintFunction(*item.function);
    }
    if (warns_) LintNames();
    return std::move(warnings_);
  }

 private:
  void Say(Place place, std::string text) { warnings_.push_back({place, true, std::move(text)}); }
  // A keyword, function or operator is named once.
  void SayOnce(Place place, const std::string& text) {
    if (said_.insert(text).second) Say(place, text);
  }
  void Extension(Place place, const std::string& name) {
    if (names_extensions_) SayOnce(place, "`" + name + "' is a gawk extension");
  }
  void Old(Place place, const std::string& what) {
    if (is_old_) SayOnce(place, what + " is not supported in old awk");
  }
  void OldEscapes(const Node& text) {
    for (const char c : text.text) {
      const char letter = c == '\b' ? 'b' : c == '\f' ? 'f' : c == '\r' ? 'r' : '\0';
      if (is_old_ && letter != '\0') Say(text.place, std::string("old awk does not support the `\\") + letter + "' escape sequence");
    }
  }
  void Power(const Node& node, const std::string& sign) {
    if (sign.starts_with("**") && warns_) SayOnce(node.place, "POSIX does not allow operator `" + sign + "'");
    Old(node.place, "operator `" + sign + "'");
  }

  void LintRule(const Rule& rule) {
    when_ = rule.when;
    const bool is_begin = when_ == Rule::When::kBegin;
    if (is_old_ && (is_begin || when_ == Rule::When::kEnd) && ++rule_counts_[is_begin ? 0 : 1] > 1) {
      Say(rule.place, "old awk does not support multiple `BEGIN' or `END' rules");
    }
    if (when_ == Rule::When::kBeginFile || when_ == Rule::When::kEndFile) {
      Extension(rule.place, when_ == Rule::When::kBeginFile ? "BEGINFILE" : "ENDFILE");
    }
    if (rule.pattern != nullptr) Walk(*rule.pattern);
    if (rule.range_end != nullptr) Walk(*rule.range_end);
    if (rule.action != nullptr) Walk(*rule.action);
  }

  void LintFunction(const FunctionDefinition& function) {
    when_ = Rule::When::kRecord;
    Old(function.place, "`function'");
    Walk(*function.body);
  }

  // What takes the whole program to know.
  void LintNames() {
    for (size_t i = 0; i < tree_.functions.size(); ++i) {
      const FunctionDefinition& named = tree_.functions[i];
      if (!named.is_defined && FindExtension(named.name, tree_.libraries) == nullptr) {
        warnings_.push_back({{}, false, "function `" + named.name + "' called but never defined"});
      }
      if (tree_.functions[i].is_defined && !called_.contains(static_cast<int>(i))) {
        warnings_.push_back({{}, false, "function `" + tree_.functions[i].name + "' defined but never called directly"});
      }
    }
    for (const FunctionDefinition& function : tree_.functions) {
      for (const std::string& parameter : function.parameters) {
        budget_.Step();
        if (!tree_.global_index.contains(parameter)) continue;
        Say(function.place, "function `" + function.name + "': parameter `" + parameter + "' shadows global variable");
        warnings_.back().is_mild = true;
      }
    }
  }

  void Walk(const Node& node) {
    budget_.CheckStack();
    budget_.Step();
    Before(node);
    for (const Node* part : {node.a, node.b, node.c}) {
      if (part != nullptr) Walk(*part);
    }
    const bool is_list = node.kind == NodeKind::kBlock || node.kind == NodeKind::kCase;
    for (const Node* part : node.list) {
      if (part == nullptr) continue;
      Walk(*part);
      const bool is_value = is_list && part->kind == NodeKind::kExpression && part->a->paren_count == 0;
      if (warns_ && is_value && IsPure(*part->a, budget_)) Say(part->place, "statement has no effect");
    }
    After(node);
  }

  void Before(const Node& node) {
    switch (node.kind) {
      case NodeKind::kString: OldEscapes(node); return;
      case NodeKind::kSwitch: Extension(node.place, "switch"); return;
      case NodeKind::kCase: Extension(node.place, node.a == nullptr ? "default" : "case"); return;
      case NodeKind::kDo: Old(node.place, "`do'"); return;
      case NodeKind::kDelete: Old(node.place, "`delete'"); return;
      case NodeKind::kReturn: Old(node.place, "`return'"); return;
      case NodeKind::kGetline: Old(node.place, "`getline'"); return;
      case NodeKind::kBuiltin:
        if (!InfoOf(node.builtin).is_posix) Extension(node.place, std::string(InfoOf(node.builtin).name));
        if (IsNewSinceOld(node.builtin)) Old(node.place, "`" + std::string(InfoOf(node.builtin).name) + "'");
        if (node.builtin == Builtin::kLength && node.is_bare && warns_) {
          Say(node.place, "call of `length' without parentheses is not portable");
        }
        return;
      case NodeKind::kNumber: LintNumber(node); return;
      case NodeKind::kRegex:
        if (node.text.empty() && warns_) Say(node.place, "regexp constant `//' looks like a C++ comment, but is not");
        return;
      case NodeKind::kArithmetic:
        if (node.op == Tok::kCaret) Power(node, node.literal);
        return;
      case NodeKind::kAssign:
        if (node.op == Tok::kPowerAssign) Power(node, node.literal + "=");
        return;
      default: return;
    }
  }

  void After(const Node& node) {
    switch (node.kind) {
      case NodeKind::kCall: called_.insert(node.slot); return;
      case NodeKind::kPrint:
        if (warns_ && node.list.empty() && (when_ == Rule::When::kBegin || when_ == Rule::When::kEnd)) {
          Say(node.place, "plain `print' in BEGIN or END rule should probably be `print \"\"'");
        }
        return;
      case NodeKind::kAssign:
        if (warns_ && node.b->kind == NodeKind::kRegex && node.b->paren_count == 0) {
          Say(node.place, "regular expression on right of assignment");
        }
        return;
      case NodeKind::kElement:
        if (node.a->kind == NodeKind::kElement) {
          if (names_extensions_) Say(node.place, "multidimensional arrays are a gawk extension");
        }
        return;
      case NodeKind::kIn:
        if (!is_old_) return;
        Say(node.place, "old awk does not support the keyword `in' except after `for'");
        if (node.list.size() > 1) Say(node.place, "old awk does not support multidimensional arrays");
        return;
      default: return;
    }
  }

  void LintNumber(const Node& node) {
    const std::string& text = node.literal;
    if (!warns_ || text.size() < 2 || text[0] != '0') return;
    if (text[1] == 'x' || text[1] == 'X') {
      Say(node.place, "numeric constant `" + text + "' treated as hexadecimal");
    } else if (text.find_first_not_of("01234567") == std::string::npos) {
      Say(node.place, "numeric constant `" + text + "' treated as octal");
    }
  }

  int rule_counts_[2] = {};   // BEGIN, END
  const SyntaxTree& tree_;
  Budget& budget_;
  const bool is_old_, warns_, names_extensions_;
  std::vector<LintWarning> warnings_;
  std::set<int> called_;
  std::set<std::string> said_;
  Rule::When when_ = Rule::When::kRecord;
};

}  // namespace

std::vector<LintWarning> LintProgram(const SyntaxTree& tree, LintLevel level, bool for_old_awk, Budget& budget) {
  return Linter(tree, level, for_old_awk, budget).Run();
}

}  // namespace paddock::awk
