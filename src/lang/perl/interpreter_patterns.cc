#include "lang/perl/interpreter.h"

#include <algorithm>
#include <cmath>

namespace paddock::perl {
namespace {

constexpr size_t kMostPatterns = 64;

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

}  // namespace

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

const Regex* Interpreter::Pattern(const Node& node) {
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

bool Interpreter::Search(const Regex& regex, const std::string& text, size_t from, std::vector<RegexGroup>* groups) {
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

bool Interpreter::Match(const Node& node) {
  const std::string text = Eval(*node.kids[0]).AsText();
  const Regex* regex = Pattern(node);
  std::vector<RegexGroup> groups;
  if (regex == nullptr || !Search(*regex, text, 0, &groups)) return false;
  matched_ = text;
  groups_ = std::move(groups);
  return true;
}

Values Interpreter::MatchList(const Node& node) {
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

Value Interpreter::Substitute(const Node& node) {
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

Value Interpreter::Translate(const Node& node) {
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

Values Interpreter::Split(const Node& node) {
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

}  // namespace paddock::perl
