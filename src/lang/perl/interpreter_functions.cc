#include "lang/perl/interpreter.h"

#include <algorithm>
#include <cmath>

namespace paddock::perl {

Values Interpreter::Ordered(const Node& node) {
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

bool Interpreter::Range(double size, double offset, std::optional<double> length, size_t* begin, size_t* count) {
  double from = std::trunc(offset) < 0 ? size + std::trunc(offset) : std::trunc(offset);
  double to = !length ? size : std::trunc(*length) < 0 ? size + std::trunc(*length) : from + std::trunc(*length);
  if (from > size || (from < 0 && (to < 0 || (length && to <= 0 && *length >= 0)))) return false;
  from = std::clamp(from, 0.0, size);
  to = std::clamp(to, from, size);
  *begin = static_cast<size_t>(from);
  *count = static_cast<size_t>(to - from);
  return true;
}

Value Interpreter::Substring(const Node& node) {
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

Value Interpreter::AssignSubstring(const Node& node, const Value& value) {
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

Value Interpreter::Find(const Node& node, bool from_end) {
  const std::string text = Eval(*node.kids[0]).AsText(), what = Eval(*node.kids[1]).AsText();
  budget_.Step(static_cast<int64_t>(text.size() / 32));
  size_t from = from_end ? std::string::npos : 0;
  if (node.kids.size() > 2) from = static_cast<size_t>(std::clamp(Eval(*node.kids[2]).AsNumber(), 0.0, static_cast<double>(text.size())));
  const size_t at = from_end ? text.rfind(what, from) : text.find(what, from);
  return Value::Number(at == std::string::npos ? -1 : static_cast<double>(at));
}

double Interpreter::Based(std::string text, int base) {
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

std::string Interpreter::Told(const Node& node, std::string_view otherwise) {
  Values all;
  for (const auto& kid : node.kids) Append(all, List(*kid));
  std::string text = Joined("", all, 0);
  if (text.empty()) text = otherwise;
  if (text.back() != '\n') text += Where(node);
  return text;
}

Value Interpreter::Call(const Node& node) {
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

Value Interpreter::OfOne(const std::string& name, const Value& value) {
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

Value Interpreter::Cut(const Node& node) {
  Value* target = Target(*node.kids[0]);
  if (target == nullptr) return {};
  std::string text = target->AsText();
  if (text.empty() || (node.text == "chomp" && text.back() != '\n')) return Value::Number(0);
  const std::string last(1, text.back());
  text.pop_back();
  *Again(*node.kids[0]) = Value::Text(text);
  return node.text == "chomp" ? Value::Number(1) : Value::Text(last);
}

Value Interpreter::ChangeArray(const Node& node) {
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

}  // namespace paddock::perl
