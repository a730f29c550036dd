#include "lang/perl/interpreter.h"

#include <algorithm>
#include <cmath>

namespace paddock::perl {

Status Interpreter::Run(std::string& topic) {
  topic_ = Value::Text(topic);
  Eval(*tree_.root);
  if (failure_) return *failure_;
  topic = topic_.AsText();
  return {};
}

void Interpreter::Fail(Code code, std::string message) {
  if (!failure_) failure_ = Error(code, std::move(message));
}

Value Interpreter::Eval(const Node& node) {
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

Values Interpreter::List(const Node& node) {
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

void Interpreter::Append(Values& to, Values more) {
  budget_.Step(static_cast<int64_t>(more.size()));
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Values& Interpreter::Array(const Node& node) {
  if (node.is_prefix) arrays_[node.slot].clear();
  return arrays_[node.slot];
}

Value Interpreter::Read(const Node& node) {
  if (node.kind == Kind::kTopic) return topic_;
  if (node.kind == Kind::kScalar) {
    if (node.is_prefix) scalars_[node.slot] = {};
    return scalars_[node.slot];
  }
  const auto index = ElementIndex(node);
  return index ? arrays_[node.slot][*index] : Value();
}

std::optional<size_t> Interpreter::ElementIndex(const Node& node) {
  double index = std::trunc(Eval(*node.kids[0]).AsNumber());
  const auto size = static_cast<double>(arrays_[node.slot].size());
  if (index < 0) index += size;
  if (!(index >= 0 && index < size)) return std::nullopt;
  return static_cast<size_t>(index);
}

Value* Interpreter::Target(const Node& node) {
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

Value Interpreter::Group(size_t number) {
  if (number >= groups_.size() || !groups_[number].is_set()) return {};
  return Value::Text(matched_.substr(groups_[number].begin, groups_[number].end - groups_[number].begin));
}

Value Interpreter::Concat(const Node& node) {
  std::string out;
  for (const auto& kid : node.kids) {
    const std::string piece = Eval(*kid).AsText();
    Charge(out.size() + piece.size());
    out += piece;
  }
  return Value::Text(std::move(out));
}

void Interpreter::Charge(size_t bytes) {
  budget_.WillAllocate(bytes);
  budget_.Step(static_cast<int64_t>(bytes / 32));
}

std::string Interpreter::Joined(const std::string& separator, const Values& values, size_t from) {
  std::string out;
  for (size_t i = from; i < values.size(); ++i) {
    const std::string piece = values[i].AsText();
    Charge(piece.size() + separator.size());
    if (i > from) out += separator;
    out += piece;
  }
  return out;
}

Value Interpreter::Assign(const Node& node) {
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

Value Interpreter::AssignList(const Node& to, Values values) {
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

Value Interpreter::Binary(const Node& node) {
  const std::string& op = node.text;
  Value left = Eval(*node.kids[0]);
  if (op == "||") return left.AsTruth() ? left : Eval(*node.kids[1]);
  if (op == "&&") return left.AsTruth() ? Eval(*node.kids[1]) : left;
  if (op == "//") return left.is_defined ? left : Eval(*node.kids[1]);
  return Operate(op, left, Eval(*node.kids[1]), node);
}

Value Interpreter::Operate(const std::string& op, const Value& left, const Value& right, const Node& node) {
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

Value Interpreter::Arithmetic(const std::string& op, double a, double b, const Node& node) {
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

Value Interpreter::Repeated(const std::string& text, double count) {
  if (!(count >= 1) || text.empty()) return Value::Text({});
  const double size = std::trunc(count) * static_cast<double>(text.size());
  Charge(size > 1e15 ? size_t{1} << 50 : static_cast<size_t>(size));
  std::string out;
  for (auto left = static_cast<uint64_t>(count); left > 0; --left) out += text;
  return Value::Text(std::move(out));
}

Value Interpreter::Unary(const Node& node) {
  const Value value = Eval(*node.kids[0]);
  if (node.text == "!") return Value::Truth(!value.AsTruth());
  if (node.text == "+") return value;
  if (!value.is_number && !value.text.empty() && ((value.text[0] | 32) >= 'a' && (value.text[0] | 32) <= 'z')) return Value::Text("-" + value.text);
  return Value::Number(-value.AsNumber());
}

Value Interpreter::Step(const Node& node) {
  Value* target = Target(*node.kids[0]);
  if (target == nullptr) return {};
  const Value old = *target;
  *target = node.text == "++" ? perl::Incremented(old) : Value::Number(old.AsNumber() - 1);
  if (node.is_prefix) return *target;
  return old.is_defined ? old : Value::Number(0);
}

Value Interpreter::If(const Node& node) {
  size_t i = 0;
  for (; i + 1 < node.kids.size(); i += 2) {
    if (Eval(*node.kids[i]).AsTruth()) return Eval(*node.kids[i + 1]);
    if (is_over()) return {};
  }
  return i < node.kids.size() ? Eval(*node.kids[i]) : Value();
}

}  // namespace paddock::perl
