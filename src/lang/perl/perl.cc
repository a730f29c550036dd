// The interpreter of lang/perl: walks the tree.
#include "lang/perl/perl.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lang/perl/tree.h"
#include "lang/perl/value.h"
#include "text/regex.h"

namespace paddock {

using perl::Kind;
using perl::Node;
using perl::Value;
using Values = std::vector<Value>;

namespace {

bool Has(const Node& node, char flag) { return node.flags.find(flag) != std::string::npos; }

Result<Regex> CompilePattern(const Node& node, const std::string& pattern) {
  std::string inline_flags;
  if (Has(node, 'x')) inline_flags += 'x';
  if (Has(node, 's')) inline_flags += 's';
  auto regex = Regex::Compile(inline_flags.empty() ? pattern : "(?" + inline_flags + ")" + pattern,
                              {.dialect = RegexDialect::kPerl, .ignore_case = Has(node, 'i'), .is_utf8 = false, .multiline = Has(node, 'm')});
  if (!regex) return Error(Code::kSyntax, std::string(regex.error().Text()) + " in regex m/" + pattern + "/ at line " + std::to_string(node.line));
  return regex;
}

bool IsConstantPattern(const Node& pattern, std::string* text) {
  if (pattern.kind == Kind::kConstant) {
    *text += pattern.text;
    return true;
  }
  return pattern.kind == Kind::kConcat && std::all_of(pattern.kids.begin(), pattern.kids.end(), [&](const auto& kid) { return IsConstantPattern(*kid, text); });
}

// What patterns are known before it runs is compiled before anything is renamed.
Status CheckPatterns(const Node& node, Budget& budget) {
  budget.CheckStack();
  budget.Step();
  if (node.kind == Kind::kMatch || node.kind == Kind::kSubstitute) {
    std::string pattern;
    if (IsConstantPattern(*node.kids[1], &pattern)) PADDOCK_TRY(CompilePattern(node, pattern));
  }
  for (const auto& kid : node.kids) {
    if (kid != nullptr) PADDOCK_TRY(CheckPatterns(*kid, budget));
  }
  return {};
}

}  // namespace

struct PerlProgram::State {
  perl::Tree tree;
  Values scalars;
  std::vector<Values> arrays;
  std::map<std::string, Regex> patterns;   // by flags and text
};

namespace {

constexpr size_t kMostPatterns = 64;

class Interpreter {
 public:
  Interpreter(const perl::Tree& tree, Values& scalars, std::vector<Values>& arrays, std::map<std::string, Regex>& patterns, PerlHost& host, Budget& budget)
      : tree_(tree), scalars_(scalars), arrays_(arrays), patterns_(patterns), host_(host), budget_(budget) {}

  Status Run(std::string& topic) {
    topic_ = Value::Text(topic);
    Eval(*tree_.root);
    if (failure_) return *failure_;
    topic = topic_.AsText();
    return {};
  }

 private:
  bool is_over() const { return is_returning_ || failure_.has_value(); }
  void Fail(Code code, std::string message) {
    if (!failure_) failure_ = Error(code, std::move(message));
  }
  static std::string Where(const Node& node) { return " at (eval 25) line " + std::to_string(node.line + 1) + ".\n"; }

  Value Eval(const Node& node) {
    budget_.Step();
    budget_.CheckStack();
    if (failure_) return {};
    switch (node.kind) {
      case Kind::kConstant: return node.is_number ? Value::Number(perl::NumberOf(node.text)) : Value::Text(node.text);
      case Kind::kScalar:
      case Kind::kTopic:
      case Kind::kElement: return Read(node);
      case Kind::kGroup: return Group(static_cast<size_t>(node.number));
      case Kind::kBefore: return groups_.empty() ? Value() : Value::Text(matched_.substr(0, groups_[0].begin));
      case Kind::kAfter: return groups_.empty() ? Value() : Value::Text(matched_.substr(groups_[0].end));
      case Kind::kArray: return Value::Number(static_cast<double>(Array(node).size()));
      case Kind::kLastIndex: return Value::Number(static_cast<double>(arrays_[node.slot].size()) - 1);
      case Kind::kConcat: return Concat(node);
      case Kind::kJoin: return Value::Text(Joined(" ", List(*node.kids[0]), 0));
      case Kind::kCase: return Value::Text(perl::CaseChanged(node.text[0], Eval(*node.kids[0]).AsText()));
      case Kind::kList: {
        Value last;
        for (const auto& kid : node.kids) last = Eval(*kid);
        return last;
      }
      case Kind::kIndex: {
        const Values all = List(node);
        return all.empty() ? Value() : all.back();
      }
      case Kind::kAssign: return Assign(node);
      case Kind::kBinary: return Binary(node);
      case Kind::kUnary: return Unary(node);
      case Kind::kStep: return Step(node);
      case Kind::kTernary: return Eval(*node.kids[Eval(*node.kids[0]).AsTruth() ? 1 : 2]);
      case Kind::kMatch: return Value::Truth(Match(node) != node.is_negated);
      case Kind::kSubstitute: return Substitute(node);
      case Kind::kTranslate: return Translate(node);
      case Kind::kCall: return Call(node);
      case Kind::kBlock: {
        Value last;
        for (const auto& kid : node.kids) {
          last = Eval(*kid);
          if (is_over()) break;
        }
        return last;
      }
      case Kind::kIf: return If(node);
      case Kind::kReturn:
        if (!node.kids.empty()) Eval(*node.kids[0]);
        is_returning_ = true;
        return {};
    }
    return {};
  }

  // The values of a node where Perl wants a list.
  Values List(const Node& node) {
    budget_.Step();
    budget_.CheckStack();
    Values out;
    switch (node.kind) {
      case Kind::kList:
        for (const auto& kid : node.kids) Append(out, List(*kid));
        return out;
      case Kind::kArray: return Array(node);
      case Kind::kIndex: {
        const Values all = List(*node.kids[0]);
        for (const Value& index : List(*node.kids[1])) {
          double at = std::trunc(index.AsNumber());
          if (at < 0) at += static_cast<double>(all.size());
          out.push_back(at >= 0 && at < static_cast<double>(all.size()) ? all[static_cast<size_t>(at)] : Value());
        }
        return out;
      }
      case Kind::kTernary: return List(*node.kids[Eval(*node.kids[0]).AsTruth() ? 1 : 2]);
      case Kind::kMatch:
        if (!node.is_negated) return MatchList(node);
        break;
      case Kind::kAssign:
        if (IsListTarget(*node.kids[0])) {
          Assign(node);
          return List(*node.kids[0]);
        }
        break;
      case Kind::kCall:
        if (node.text == "split") return Split(node);
        if (node.text == "reverse" || node.text == "sort") return Ordered(node);
        break;
      default: break;
    }
    out.push_back(Eval(node));
    return out;
  }
  void Append(Values& to, Values more) {
    budget_.Step(static_cast<int64_t>(more.size()));
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  Values& Array(const Node& node) {
    if (node.is_prefix) arrays_[node.slot].clear();
    return arrays_[node.slot];
  }

  Value Read(const Node& node) {
    if (node.kind == Kind::kTopic) return topic_;
    if (node.kind == Kind::kScalar) {
      if (node.is_prefix) scalars_[node.slot] = {};
      return scalars_[node.slot];
    }
    const auto index = ElementIndex(node);
    return index ? arrays_[node.slot][*index] : Value();
  }
  // Where an element is; nothing if there is none.
  std::optional<size_t> ElementIndex(const Node& node) {
    double index = std::trunc(Eval(*node.kids[0]).AsNumber());
    const auto size = static_cast<double>(arrays_[node.slot].size());
    if (index < 0) index += size;
    if (!(index >= 0 && index < size)) return std::nullopt;
    return static_cast<size_t>(index);
  }
  // What a node that can be assigned to stands for; null after a failure.
  Value* Target(const Node& node) {
    switch (node.kind) {
      case Kind::kTopic: return &topic_;
      case Kind::kScalar:
        if (node.is_prefix) scalars_[node.slot] = {};
        return &scalars_[node.slot];
      case Kind::kElement: {
        Values& array = arrays_[node.slot];
        double index = std::trunc(Eval(*node.kids[0]).AsNumber());
        if (index < 0) index += static_cast<double>(array.size());
        if (!(index >= 0)) {
          Fail(Code::kInvalid, "Modification of non-creatable array value attempted, subscript " + Eval(*node.kids[0]).AsText() + Where(node));
          return nullptr;
        }
        if (index >= static_cast<double>(array.size())) {
          budget_.WillAllocate(index > 1e12 ? uint64_t{1} << 50 : static_cast<uint64_t>(index) * sizeof(Value));
          array.resize(static_cast<size_t>(index) + 1);
        }
        return &array[static_cast<size_t>(index)];
      }
      case Kind::kAssign:
        Eval(node);
        return Again(*node.kids[0]);
      case Kind::kList: return node.kids.size() == 1 ? Target(*node.kids[0]) : nullptr;
      default: return nullptr;
    }
  }
  // The target of an assignment that was made just now: `my` does not make it anew.
  Value* Again(const Node& node) { return node.kind == Kind::kScalar ? &scalars_[node.slot] : node.kind == Kind::kList && node.kids.size() == 1 ? Again(*node.kids[0]) : Target(node); }

  Value Group(size_t number) {
    if (number >= groups_.size() || !groups_[number].is_set()) return {};
    return Value::Text(matched_.substr(groups_[number].begin, groups_[number].end - groups_[number].begin));
  }
  Value Concat(const Node& node) {
    std::string out;
    for (const auto& kid : node.kids) {
      const std::string piece = Eval(*kid).AsText();
      Charge(out.size() + piece.size());
      out += piece;
    }
    return Value::Text(std::move(out));
  }
  void Charge(size_t bytes) {
    budget_.WillAllocate(bytes);
    budget_.Step(static_cast<int64_t>(bytes / 32));
  }
  std::string Joined(const std::string& separator, const Values& values, size_t from) {
    std::string out;
    for (size_t i = from; i < values.size(); ++i) {
      const std::string piece = values[i].AsText();
      Charge(piece.size() + separator.size());
      if (i > from) out += separator;
      out += piece;
    }
    return out;
  }

  static bool IsListTarget(const Node& node) { return node.kind == Kind::kList || node.kind == Kind::kArray; }
  Value Assign(const Node& node) {
    const Node& to = *node.kids[0];
    if (node.text.empty() && IsListTarget(to)) return AssignList(to, List(*node.kids[1]));
    if (to.kind == Kind::kCall) {
      const Value value = Eval(*node.kids[1]);
      return AssignSubstring(to, node.text.empty() ? value : Operate(node.text, Eval(to), value, node));
    }
    if (node.text == "||" || node.text == "&&" || node.text == "//") {
      const Value old = Read(to);
      const bool keeps = node.text == "||" ? old.AsTruth() : node.text == "&&" ? !old.AsTruth() : old.is_defined;
      if (keeps) return old;
    }
    Value value = Eval(*node.kids[1]);
    if (!node.text.empty() && node.text != "||" && node.text != "&&" && node.text != "//") value = Operate(node.text, Read(to), value, node);
    if (failure_) return {};
    if (Value* target = Target(to)) *target = value;
    return value;
  }
  Value AssignList(const Node& to, Values values) {
    const Value count = Value::Number(static_cast<double>(values.size()));
    if (to.kind == Kind::kArray) {
      arrays_[to.slot] = std::move(values);
      return count;
    }
    size_t next = 0;
    for (const auto& kid : to.kids) {
      if (kid->kind == Kind::kArray) {
        arrays_[kid->slot].assign(values.begin() + static_cast<std::ptrdiff_t>(std::min(next, values.size())), values.end());
        next = values.size();
        continue;
      }
      Value* target = Target(*kid);
      Value value = next < values.size() ? values[next] : Value();
      ++next;
      if (target != nullptr) *target = std::move(value);
    }
    return count;
  }

  Value Binary(const Node& node) {
    const std::string& op = node.text;
    Value left = Eval(*node.kids[0]);
    if (op == "||") return left.AsTruth() ? left : Eval(*node.kids[1]);
    if (op == "&&") return left.AsTruth() ? Eval(*node.kids[1]) : left;
    if (op == "//") return left.is_defined ? left : Eval(*node.kids[1]);
    return Operate(op, left, Eval(*node.kids[1]), node);
  }
  Value Operate(const std::string& op, const Value& left, const Value& right, const Node& node) {
    if (op == ".") {
      std::string text = left.AsText();
      const std::string more = right.AsText();
      Charge(text.size() + more.size());
      return Value::Text(std::move(text += more));
    }
    if (op == "x") return Repeated(left.AsText(), right.AsNumber());
    if (op == "xor") return Value::Truth(left.AsTruth() != right.AsTruth());
    if (op == "eq") return Value::Truth(left.AsText() == right.AsText());
    if (op == "ne") return Value::Truth(left.AsText() != right.AsText());
    if (op == "lt") return Value::Truth(left.AsText() < right.AsText());
    if (op == "gt") return Value::Truth(left.AsText() > right.AsText());
    if (op == "le") return Value::Truth(left.AsText() <= right.AsText());
    if (op == "ge") return Value::Truth(left.AsText() >= right.AsText());
    if (op == "cmp") return Value::Number(std::clamp(left.AsText().compare(right.AsText()), -1, 1));
    return Arithmetic(op, left.AsNumber(), right.AsNumber(), node);
  }
  Value Arithmetic(const std::string& op, double a, double b, const Node& node) {
    if (op == "==") return Value::Truth(a == b);
    if (op == "!=") return Value::Truth(a != b);
    if (op == "<") return Value::Truth(a < b);
    if (op == ">") return Value::Truth(a > b);
    if (op == "<=") return Value::Truth(a <= b);
    if (op == ">=") return Value::Truth(a >= b);
    if (op == "<=>") return Value::Number(a < b ? -1 : a > b ? 1 : 0);
    if (op == "+") return Value::Number(a + b);
    if (op == "-") return Value::Number(a - b);
    if (op == "*") return Value::Number(a * b);
    if (op == "**") return Value::Number(std::pow(a, b));
    if (op == "/") {
      if (b == 0) Fail(Code::kInvalid, "Illegal division by zero" + Where(node));
      return Value::Number(b == 0 ? 0 : a / b);
    }
    const double x = std::trunc(a), y = std::trunc(b);
    if (y == 0 || std::isnan(y)) {
      Fail(Code::kInvalid, "Illegal modulus zero" + Where(node));
      return {};
    }
    const double rest = std::fmod(x, y);
    return Value::Number(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
  }
  Value Repeated(const std::string& text, double count) {
    if (!(count >= 1) || text.empty()) return Value::Text({});
    const double size = std::trunc(count) * static_cast<double>(text.size());
    Charge(size > 1e15 ? size_t{1} << 50 : static_cast<size_t>(size));
    std::string out;
    for (auto left = static_cast<uint64_t>(count); left > 0; --left) out += text;
    return Value::Text(std::move(out));
  }
  Value Unary(const Node& node) {
    const Value value = Eval(*node.kids[0]);
    if (node.text == "!") return Value::Truth(!value.AsTruth());
    if (node.text == "+") return value;
    if (!value.is_number && !value.text.empty() && ((value.text[0] | 32) >= 'a' && (value.text[0] | 32) <= 'z')) return Value::Text("-" + value.text);
    return Value::Number(-value.AsNumber());
  }
  Value Step(const Node& node) {
    Value* target = Target(*node.kids[0]);
    if (target == nullptr) return {};
    const Value old = *target;
    *target = node.text == "++" ? perl::Incremented(old) : Value::Number(old.AsNumber() - 1);
    if (node.is_prefix) return *target;
    return old.is_defined ? old : Value::Number(0);
  }
  Value If(const Node& node) {
    size_t i = 0;
    for (; i + 1 < node.kids.size(); i += 2) {
      if (Eval(*node.kids[i]).AsTruth()) return Eval(*node.kids[i + 1]);
      if (is_over()) return {};
    }
    return i < node.kids.size() ? Eval(*node.kids[i]) : Value();
  }

  // Null after a failure.
  const Regex* Pattern(const Node& node) {
    const std::string text = Eval(*node.kids[1]).AsText();
    if (failure_) return nullptr;
    const std::string key = std::string(Has(node, 'i') ? "i" : "") + (Has(node, 'm') ? "m" : "") + (Has(node, 's') ? "s" : "") + (Has(node, 'x') ? "x" : "") + "/" + text;
    if (const auto found = patterns_.find(key); found != patterns_.end()) return &found->second;
    auto regex = CompilePattern(node, text);
    if (!regex) {
      Fail(Code::kInvalid, std::string(regex.error().Text()) + "\n");
      return nullptr;
    }
    if (patterns_.size() >= kMostPatterns) patterns_.clear();
    return &patterns_.emplace(key, std::move(*regex)).first->second;
  }
  bool Search(const Regex& regex, const std::string& text, size_t from, std::vector<RegexGroup>* groups) {
    if (from > text.size()) return false;
    budget_.Step(1 + static_cast<int64_t>(text.size() / 32));
    groups->assign(regex.group_count() + 1, {});
    const auto found = regex.Search(text, from, groups, budget_);
    if (!found) {
      Fail(Code::kLimit, std::string(found.error().Text()) + "\n");
      return false;
    }
    return *found;
  }
  bool Match(const Node& node) {
    const std::string text = Eval(*node.kids[0]).AsText();
    const Regex* regex = Pattern(node);
    std::vector<RegexGroup> groups;
    if (regex == nullptr || !Search(*regex, text, 0, &groups)) return false;
    matched_ = text;
    groups_ = std::move(groups);
    return true;
  }
  Values MatchList(const Node& node) {
    Values out;
    if (!Has(node, 'g')) {
      if (!Match(node)) return out;
      for (size_t i = 1; i < groups_.size(); ++i) out.push_back(Group(i));
      if (out.empty()) out.push_back(Value::Number(1));
      return out;
    }
    const std::string text = Eval(*node.kids[0]).AsText();
    const Regex* regex = Pattern(node);
    std::vector<RegexGroup> groups;
    for (size_t from = 0; regex != nullptr && Search(*regex, text, from, &groups);) {
      from = groups[0].end + (groups[0].end == groups[0].begin ? 1 : 0);
      matched_ = text;
      groups_ = groups;
      for (size_t i = groups_.size() > 1 ? 1 : 0; i < groups_.size(); ++i) out.push_back(Group(i));
    }
    return out;
  }
  Value Substitute(const Node& node) {
    const bool returns = Has(node, 'r');
    Value* target = returns ? nullptr : Target(*node.kids[0]);
    if (!returns && target == nullptr) return {};
    const std::string text = returns ? Eval(*node.kids[0]).AsText() : target->AsText();
    const Regex* regex = Pattern(node);
    if (regex == nullptr) return {};
    std::string out;
    size_t done = 0;
    double count = 0;
    std::vector<RegexGroup> groups;
    for (size_t from = 0; Search(*regex, text, from, &groups);) {
      ++count;
      const RegexGroup whole = groups[0];
      matched_ = text;
      groups_ = groups;
      out.append(text, done, whole.begin - done);
      const std::string with = Eval(*node.kids[2]).AsText();
      Charge(with.size());
      out += with;
      done = whole.end;
      from = whole.end + (whole.end == whole.begin ? 1 : 0);
      if (!Has(node, 'g') || failure_) break;
      if ((regex = Pattern(node)) == nullptr) return {};   // the replacement may have pushed it out
    }
    if (failure_) return {};
    out.append(text, std::min(done, text.size()));
    if (returns) return Value::Text(std::move(out));
    if (count > 0) *Again(*node.kids[0]) = Value::Text(std::move(out));
    if (node.is_negated) return Value::Truth(count == 0);
    return count > 0 ? Value::Number(count) : Value::Text({});
  }
  Value Translate(const Node& node) {
    const bool returns = Has(node, 'r');
    Value* target = returns ? nullptr : Target(*node.kids[0]);
    if (!returns && target == nullptr) return {};
    const std::string text = returns ? Eval(*node.kids[0]).AsText() : target->AsText();
    budget_.Step(static_cast<int64_t>(text.size()));
    std::string out;
    double count = 0;
    int last = -1;
    for (const char c : text) {
      const int to = node.translation->map[static_cast<unsigned char>(c)];
      if (to == -1) {
        out += c;
        last = -1;
        continue;
      }
      ++count;
      if (to == -2) continue;
      if (!Has(node, 's') || to != last) out += static_cast<char>(to);
      last = to;
    }
    if (returns) return Value::Text(std::move(out));
    if (out != text) *target = Value::Text(std::move(out));
    return Value::Number(count);
  }

  Values Split(const Node& node) {
    const std::string text = node.kids.size() > 1 ? Eval(*node.kids[1]).AsText() : topic_.AsText();
    const double limit = node.kids.size() > 2 ? std::trunc(Eval(*node.kids[2]).AsNumber()) : 0;
    Node blank{};
    blank.kind = Kind::kMatch;
    blank.kids.push_back(nullptr);
    blank.kids.push_back(std::make_unique<Node>());
    blank.kids[1]->kind = Kind::kConstant;
    blank.kids[1]->text = "\\s+";
    const Node* pattern = node.kids.empty() ? &blank : node.kids[0].get();
    bool skips_first = node.kids.empty();
    if (pattern->kind != Kind::kMatch) {
      std::string separator = Eval(*pattern).AsText();
      skips_first = separator == " ";
      if (!skips_first) blank.kids[1]->text = std::move(separator);
      pattern = &blank;
    }
    const Regex* regex = Pattern(*pattern);
    Values out;
    if (regex == nullptr || text.empty()) return out;
    size_t done = skips_first ? std::min(text.find_first_not_of(" \t\n\r\f"), text.size()) : 0;
    std::vector<RegexGroup> groups;
    double fields = 1;
    for (size_t from = done; (limit <= 0 || fields < limit) && Search(*regex, text, from, &groups);) {
      const RegexGroup whole = groups[0];
      const bool is_empty = whole.begin == whole.end;
      if (is_empty && whole.begin >= text.size()) break;
      if (is_empty && whole.begin == done) {
        from = done + 1;
        auto again = Search(*regex, text, from, &groups);
        if (!again || groups[0].begin >= text.size()) break;
        from = groups[0].begin;
        if (groups[0].begin == groups[0].end) {
          out.push_back(Value::Text(text.substr(done, from - done)));
          done = from;
          ++fields;
        }
        continue;
      }
      out.push_back(Value::Text(text.substr(done, whole.begin - done)));
      for (size_t i = 1; i < groups.size(); ++i) out.push_back(groups[i].is_set() ? Value::Text(text.substr(groups[i].begin, groups[i].end - groups[i].begin)) : Value());
      done = whole.end;
      from = is_empty ? whole.end + 1 : whole.end;
      ++fields;
    }
    out.push_back(Value::Text(text.substr(done)));
    while (limit == 0 && !out.empty() && out.back().text.empty()) out.pop_back();
    return out;
  }
  Values Ordered(const Node& node) {
    Values all;
    for (const auto& kid : node.kids) Append(all, List(*kid));
    if (node.text == "reverse") {
      std::reverse(all.begin(), all.end());
    } else {
      budget_.Step(static_cast<int64_t>(all.size()) * 16);
      std::stable_sort(all.begin(), all.end(), [](const Value& a, const Value& b) { return a.AsText() < b.AsText(); });
    }
    return all;
  }

  // The range of substr() in `size` bytes; false when it is outside.
  static bool Range(double size, double offset, std::optional<double> length, size_t* begin, size_t* count) {
    double from = std::trunc(offset) < 0 ? size + std::trunc(offset) : std::trunc(offset);
    double to = !length ? size : std::trunc(*length) < 0 ? size + std::trunc(*length) : from + std::trunc(*length);
    if (from > size || (from < 0 && (to < 0 || (length && to <= 0 && *length >= 0)))) return false;
    from = std::clamp(from, 0.0, size);
    to = std::clamp(to, from, size);
    *begin = static_cast<size_t>(from);
    *count = static_cast<size_t>(to - from);
    return true;
  }
  Value Substring(const Node& node) {
    std::string text = Eval(*node.kids[0]).AsText();
    const double offset = Eval(*node.kids[1]).AsNumber();
    std::optional<double> length;
    if (node.kids.size() > 2) {
      const Value given = Eval(*node.kids[2]);
      if (given.is_defined) length = given.AsNumber();
    }
    size_t begin = 0, count = 0;
    if (!Range(static_cast<double>(text.size()), offset, length, &begin, &count)) return {};
    const Value part = Value::Text(text.substr(begin, count));
    if (node.kids.size() > 3) {
      const std::string with = Eval(*node.kids[3]).AsText();
      if (Value* target = Target(*node.kids[0])) *target = Value::Text(text.replace(begin, count, with));
    }
    return part;
  }
  // substr(…) = …
  Value AssignSubstring(const Node& node, const Value& value) {
    Value* target = Target(*node.kids[0]);
    if (target == nullptr) {
      Fail(Code::kInvalid, "Can't modify constant item in substr" + Where(node));
      return {};
    }
    std::string text = target->AsText();
    const double offset = Eval(*node.kids[1]).AsNumber();
    std::optional<double> length;
    if (node.kids.size() > 2) length = Eval(*node.kids[2]).AsNumber();
    size_t begin = 0, count = 0;
    if (!Range(static_cast<double>(text.size()), offset, length, &begin, &count)) {
      Fail(Code::kInvalid, "substr outside of string" + Where(node));
      return {};
    }
    Charge(text.size());
    *Again(*node.kids[0]) = Value::Text(text.replace(begin, count, value.AsText()));
    return value;
  }
  Value Find(const Node& node, bool from_end) {
    const std::string text = Eval(*node.kids[0]).AsText(), what = Eval(*node.kids[1]).AsText();
    budget_.Step(static_cast<int64_t>(text.size() / 32));
    size_t from = from_end ? std::string::npos : 0;
    if (node.kids.size() > 2) from = static_cast<size_t>(std::clamp(Eval(*node.kids[2]).AsNumber(), 0.0, static_cast<double>(text.size())));
    const size_t at = from_end ? text.rfind(what, from) : text.find(what, from);
    return Value::Number(at == std::string::npos ? -1 : static_cast<double>(at));
  }
  static double Based(std::string text, int base) {
    std::erase(text, '_');
    std::string_view digits = text;
    while (!digits.empty() && digits[0] == ' ') digits.remove_prefix(1);
    if (digits.starts_with("0x") || digits.starts_with("0X") || (base == 16 && digits.starts_with("x"))) {
      base = 16;
      digits.remove_prefix(digits.find_first_of("xX") + 1);
    } else if (base == 8 && (digits.starts_with("0b") || digits.starts_with("0B"))) {
      base = 2;
      digits.remove_prefix(2);
    }
    uint64_t value = 0;
    for (const char c : digits) {
      const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
      if (digit >= base) break;
      value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
    }
    return static_cast<double>(value);
  }
  std::string Told(const Node& node, std::string_view otherwise) {
    Values all;
    for (const auto& kid : node.kids) Append(all, List(*kid));
    std::string text = Joined("", all, 0);
    if (text.empty()) text = otherwise;
    if (text.back() != '\n') text += Where(node);
    return text;
  }

  Value Call(const Node& node) {
    const std::string& name = node.text;
    if (name[0] == '-') return Value::Text(host_.FileTest(name[1], Eval(*node.kids[0]).AsText()));
    if (name == "undef") return {};
    if (name == "substr") return Substring(node);
    if (name == "index" || name == "rindex") return Find(node, name == "rindex");
    if (name == "split") return Value::Number(static_cast<double>(Split(node).size()));
    if (name == "push" || name == "unshift" || name == "pop" || name == "shift") return ChangeArray(node);
    if (name == "scalar") return Eval(*node.kids[0]);
    if (name == "defined") return Value::Truth(Eval(*node.kids[0]).is_defined);
    if (name == "chomp" || name == "chop") return Cut(node);
    Values all;
    if (name == "join" || name == "sprintf" || name == "print" || name == "reverse" || name == "sort") {
      for (const auto& kid : node.kids) Append(all, List(*kid));
      if (failure_) return {};
      if (name == "join") return Value::Text(all.empty() ? std::string() : Joined(all[0].AsText(), all, 1));
      if (name == "sprintf") return Value::Text(perl::Formatted(all, budget_));
      if (name == "sort") return Value::Number(static_cast<double>(all.size()));
      std::string text = all.empty() && name == "reverse" ? topic_.AsText() : Joined("", all, 0);
      if (name == "reverse") {
        std::reverse(text.begin(), text.end());
        return Value::Text(std::move(text));
      }
      host_.Print(text);
      return Value::Number(1);
    }
    if (name == "die") {
      Fail(Code::kInvalid, Told(node, "Died"));
      return {};
    }
    if (name == "warn") {
      const std::string text = Told(node, "Warning: something's wrong");
      if (!failure_) host_.Warn(text);
      return Value::Number(1);
    }
    return OfOne(name, Eval(*node.kids[0]));
  }
  Value OfOne(const std::string& name, const Value& value) {
    if (name == "abs") return Value::Number(std::fabs(value.AsNumber()));
    if (name == "int") return Value::Number(std::trunc(value.AsNumber()));
    if (name == "length") return value.is_defined ? Value::Number(static_cast<double>(value.AsText().size())) : Value();
    if (name == "hex") return Value::Number(Based(value.AsText(), 16));
    if (name == "oct") return Value::Number(Based(value.AsText(), 8));
    const std::string text = value.AsText();
    if (name == "ord") return Value::Number(text.empty() ? 0 : static_cast<unsigned char>(text[0]));
    if (name == "chr") {
      const double code = std::trunc(value.AsNumber());
      if (!(code >= 0 && code <= 255)) Fail(Code::kInvalid, "chr of " + value.AsText() + " is no byte\n");
      return Value::Text(std::string(1, static_cast<char>(static_cast<int>(std::clamp(code, 0.0, 255.0)))));
    }
    if (name == "lcfirst" || name == "ucfirst") return Value::Text(perl::CaseChanged(name[0], text));
    if (name == "quotemeta") return Value::Text(perl::CaseChanged('Q', text));
    return Value::Text(name == "uc" ? perl::Upper(text) : perl::Lower(text));
  }
  Value Cut(const Node& node) {
    Value* target = Target(*node.kids[0]);
    if (target == nullptr) return {};
    std::string text = target->AsText();
    if (text.empty() || (node.text == "chomp" && text.back() != '\n')) return Value::Number(0);
    const std::string last(1, text.back());
    text.pop_back();
    *Again(*node.kids[0]) = Value::Text(text);
    return node.text == "chomp" ? Value::Number(1) : Value::Text(last);
  }
  Value ChangeArray(const Node& node) {
    if (node.kids[0]->kind != Kind::kArray) {
      Fail(Code::kInvalid, "Experimental " + node.text + " on scalar is now forbidden" + Where(node));
      return {};
    }
    Values more;
    for (size_t i = 1; i < node.kids.size(); ++i) Append(more, List(*node.kids[i]));
    Values& array = Array(*node.kids[0]);
    if (node.text == "push" || node.text == "unshift") {
      array.insert(node.text == "push" ? array.end() : array.begin(), more.begin(), more.end());
      return Value::Number(static_cast<double>(array.size()));
    }
    if (array.empty()) return {};
    Value taken = node.text == "pop" ? array.back() : array.front();
    array.erase(node.text == "pop" ? array.end() - 1 : array.begin());
    return taken;
  }

  const perl::Tree& tree_;
  Values& scalars_;
  std::vector<Values>& arrays_;
  std::map<std::string, Regex>& patterns_;
  PerlHost& host_;
  Budget& budget_;
  Value topic_;
  std::string matched_;               // what the last match was made in
  std::vector<RegexGroup> groups_;
  bool is_returning_ = false;
  std::optional<Error> failure_;
};

}  // namespace

PerlProgram::PerlProgram(std::unique_ptr<State> state) : state_(std::move(state)) {}
PerlProgram::PerlProgram(PerlProgram&&) noexcept = default;
PerlProgram& PerlProgram::operator=(PerlProgram&&) noexcept = default;
PerlProgram::~PerlProgram() = default;

Result<PerlProgram> PerlProgram::Compile(std::string_view code, Budget& budget) {
  auto state = std::make_unique<State>();
  PADDOCK_ASSIGN(state->tree, perl::Parse(code, budget));
  PADDOCK_TRY(CheckPatterns(*state->tree.root, budget));
  state->scalars.resize(state->tree.variables.size());
  state->arrays.resize(state->tree.variables.size());
  return PerlProgram(std::move(state));
}

Status PerlProgram::Run(std::string& topic, PerlHost& host, Budget& budget) {
  return Interpreter(state_->tree, state_->scalars, state_->arrays, state_->patterns, host, budget).Run(topic);
}

}  // namespace paddock
