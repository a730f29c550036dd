// Terms: literals, paths, calls, control structures, and what may follow them.
#include "base/budget.h"
#include "lang/jq/native.h"
#include "lang/jq/number.h"
#include "lang/jq/parser_internal.h"

namespace paddock::jq {

Node* Parser::Optional(Node* access) {
  if (!Is("?")) return access;
  Advance();
  access->is_optional = true;
  return access;
}

// A primary expression and the accesses behind it.
Node* Parser::ParseTerm() {
  budget_.CheckStack();
  const size_t begin = token_.span.begin;
  Node* term = ParsePrimary();
  while (term != nullptr) {
    if (token_.word == Word::kField) {
      Node* const key = Constant(Value::String(token_.text), token_.span.begin);
      Advance();
      term = Optional(Make(NodeKind::kIndex, begin, {term, key}));
    } else if (Is("[")) {
      term = ParseBrackets(term, begin);
    } else if (Is("?")) {
      Advance();
      term = Make(NodeKind::kTry, begin, {term, nullptr});
    } else if (Is(".")) {
      Advance();
      if (token_.word == Word::kQuote || token_.word == Word::kFormat) {
        Node* const key = token_.word == Word::kFormat ? ParseFormat() : ParseString("text");
        if (key == nullptr) return nullptr;
        term = Optional(Make(NodeKind::kIndex, begin, {term, key}));
      } else if (Is("[")) {
        term = ParseBrackets(term, begin);
      } else {
        return Unexpected(), nullptr;
      }
    } else {
      return term;
    }
  }
  return nullptr;
}

Node* Parser::ParseBrackets(Node* target, size_t begin) {
  Advance();
  if (Is("]")) {
    Advance();
    return Optional(Make(NodeKind::kIterate, begin, {target}));
  }
  Node* from = nullptr;
  if (!Is(":")) {
    from = ParsePipe();
    if (from == nullptr) return nullptr;
    if (Is("]")) {
      Advance();
      return Optional(Make(NodeKind::kIndex, begin, {target, from}));
    }
  }
  if (!Expect(":")) return nullptr;
  Node* to = nullptr;
  if (!Is("]") || from == nullptr) {
    to = ParsePipe();
    if (to == nullptr) return nullptr;
  }
  if (!Expect("]")) return nullptr;
  return Optional(Make(NodeKind::kSlice, begin, {target, from, to}));
}

Node* Parser::ParsePrimary() {
  const size_t begin = token_.span.begin;
  switch (token_.word) {
    case Word::kNumber: return ParseNumber();
    case Word::kQuote: return ParseString("text");
    case Word::kFormat: return ParseFormat();
    case Word::kName: return ParseName();
    case Word::kField: {
      Node* const key = Constant(Value::String(token_.text), begin);
      Node* const identity = Make(NodeKind::kIdentity, begin);
      Advance();
      return Optional(Make(NodeKind::kIndex, begin, {identity, key}));
    }
    case Word::kVariable: {
      const std::string name(token_.text);
      const Span span = token_.span;
      Advance();
      if (name == "__loc__") {
        Value place = Value::Object(2);
        place.Set("file", Value::String("<top-level>"));
        size_t line = 1;
        for (size_t i = 0; i < begin; ++i) line += source_[i] == '\n' ? 1u : 0u;
        place.Set("line", Value::Number(static_cast<double>(line)));
        return Constant(std::move(place), begin);
      }
      Node* const node = Make(NodeKind::kVariable, begin);
      node->name = name;
      node->span = span;
      return node;
    }
    case Word::kKeyword:
      if (Is("if")) return ParseIf(begin);
      if (Is("reduce")) return ParseLoop(begin, NodeKind::kReduce);
      if (Is("foreach")) return ParseLoop(begin, NodeKind::kForeach);
      if (Is("break")) {
        Advance();
        if (token_.word != Word::kVariable) {
          Fail("break requires a label to break to", {begin, token_.span.end});
          return nullptr;
        }
        Node* const node = Make(NodeKind::kBreak, begin);
        node->name = token_.text;
        Advance();
        node->span = {begin, last_end_};
        return node;
      }
      break;
    case Word::kSymbol:
      if (Is(".")) return ParseDot();
      if (Is("..")) {
        Advance();
        return Make(NodeKind::kRecurse, begin);
      }
      if (Is("[")) return ParseArray(begin);
      if (Is("{")) return ParseObject(begin);
      if (Is("(")) {
        Advance();
        Node* const inner = ParsePipe();
        return inner != nullptr && Expect(")") ? inner : nullptr;
      }
      break;
    default: break;
  }
  Unexpected();
  return nullptr;
}

Node* Parser::ParseNumber() {
  Node* const node = Constant(jq::ParseNumber(token_.text), token_.span.begin);
  Advance();
  return node;
}

Node* Parser::ParseDot() {
  const size_t begin = token_.span.begin;
  Advance();
  Node* const identity = Make(NodeKind::kIdentity, begin);
  if (token_.word == Word::kQuote || token_.word == Word::kFormat) {
    Node* const key = token_.word == Word::kFormat ? ParseFormat() : ParseString("text");
    return key == nullptr ? nullptr : Optional(Make(NodeKind::kIndex, begin, {identity, key}));
  }
  return identity;
}

// @name, alone or before the string whose interpolations it formats.
Node* Parser::ParseFormat() {
  const size_t begin = token_.span.begin;
  const std::string name(token_.text);
  Advance();
  if (token_.word == Word::kQuote) return ParseString(name);
  Node* const node = Make(NodeKind::kFormat, begin);
  node->name = name;
  return node;
}

Node* Parser::ParseString(std::string_view format) {
  const size_t begin = token_.span.begin;
  budget_.CheckStack();
  std::vector<Node*> parts;
  for (;;) {
    std::string text;
    const Lexer::Part part = lexer_.NextPart(text);
    budget_.Step(static_cast<int64_t>(1 + text.size() / 16));
    if (part == Lexer::Part::kBadEscape) {
      Fail("Invalid escape in string", {begin, lexer_.position()});
      return nullptr;
    }
    if (part == Lexer::Part::kUnfinished) {
      const Span end = {source_.size(), source_.size()};
      Fail("syntax error, unexpected end of file, expecting QQSTRING_TEXT or QQSTRING_INTERP_START or "
           "QQSTRING_END (Unix shell quoting issues?)", end);
      return nullptr;
    }
    if (!text.empty()) parts.push_back(Constant(StringFromBytes(text), begin));
    if (part == Lexer::Part::kEnd) break;
    Advance();
    Node* const expression = ParsePipe();
    if (expression == nullptr) return nullptr;
    if (!Is(")")) return Unexpected(), nullptr;
    // Each interpolation is a format of its own, so that constants and expressions can be told apart.
    Node* const formatted = Make(NodeKind::kFormat, begin, {expression});
    formatted->name = format;
    parts.push_back(formatted);
  }
  Advance();
  if (parts.empty()) return Constant(Value::String(""), begin);
  if (parts.size() == 1 && parts[0]->kind == NodeKind::kConstant) return parts[0];
  return Make(NodeKind::kString, begin, std::move(parts));
}

Node* Parser::ParseName() {
  const size_t begin = token_.span.begin;
  const std::string name(token_.text);
  Advance();
  std::vector<Node*> arguments;
  if (Is("(")) {
    do {
      Advance();
      Node* const argument = ParsePipe();
      if (argument == nullptr) return nullptr;
      arguments.push_back(argument);
    } while (Is(";"));
    if (!Expect(")")) return nullptr;
  }
  Node* const node = Make(NodeKind::kCall, begin, std::move(arguments));
  node->name = name;
  return node;
}

Node* Parser::ParseIf(size_t begin) {
  Node* const node = ParseIfParts(begin);
  if (node == nullptr && token_.word == Word::kEnd && complaints_.size() == 1) {
    complaints_.push_back({"Possibly unterminated 'if' statement", {begin, token_.span.end}});
  }
  return node;
}

Node* Parser::ParseIfParts(size_t begin) {
  budget_.CheckStack();
  Advance();
  Node* const condition = ParsePipe();
  if (condition == nullptr) return nullptr;
  if (!Expect("then")) return nullptr;
  Node* const then = ParsePipe();
  if (then == nullptr) return nullptr;
  Node* otherwise = nullptr;
  if (Is("elif")) {
    otherwise = ParseIfParts(token_.span.begin);
    if (otherwise == nullptr) return nullptr;
    return Make(NodeKind::kIf, begin, {condition, then, otherwise});
  }
  if (Is("else")) {
    Advance();
    otherwise = ParsePipe();
    if (otherwise == nullptr) return nullptr;
  }
  if (!Expect("end")) return nullptr;
  return Make(NodeKind::kIf, begin, {condition, then, otherwise});
}

Node* Parser::ParseLoop(size_t begin, NodeKind kind) {
  Advance();
  Node* const source = ParseTerm();
  if (source == nullptr || !Expect("as")) return nullptr;
  Node* const node = Make(kind, begin, {source});
  if (!ParsePatterns(node->patterns) || !Expect("(")) return nullptr;
  const size_t most = kind == NodeKind::kReduce ? 2 : 3;
  for (size_t i = 0; i < most; ++i) {
    if (i == 2 && Is(")")) break;
    if (i > 0 && !Expect(";")) return nullptr;
    Node* const part = ParsePipe();
    if (part == nullptr) return nullptr;
    node->children.push_back(part);
  }
  if (!Expect(")")) return nullptr;
  if (kind == NodeKind::kForeach && node->children.size() == 3) node->children.push_back(nullptr);
  node->span.end = last_end_;
  return node;
}

Node* Parser::ParseArray(size_t begin) {
  Advance();
  if (Is("]")) {
    Advance();
    return Make(NodeKind::kArray, begin);
  }
  Node* const content = ParsePipe();
  return content != nullptr && Expect("]") ? Make(NodeKind::kArray, begin, {content}) : nullptr;
}

Node* Parser::ParseObject(size_t begin) {
  budget_.CheckStack();
  Advance();
  Node* const object = Make(NodeKind::kObject, begin);
  if (Is("}")) {
    Advance();
    return object;
  }
  while (ParseObjectMember(object)) {
    if (Is("}")) {
      Advance();
      object->span.end = last_end_;
      return object;
    }
    if (!Expect(",")) return nullptr;
    if (Is("}")) {
      Advance();
      return object;
    }
  }
  return nullptr;
}

bool Parser::ParseObjectMember(Node* object) {
  const size_t begin = token_.span.begin;
  Node* key = nullptr;
  if (token_.word == Word::kVariable) {
    const std::string name(token_.text);
    Node* const variable = ParsePrimary();
    if (!Is(":")) {
      object->children.insert(object->children.end(), {Constant(Value::String(name), begin), variable});
      return true;
    }
    Advance();
    Node* const value = ParseObjectValue();
    object->children.insert(object->children.end(), {variable, value});
    return value != nullptr;
  }
  if (Is("(")) {
    Advance();
    key = ParsePipe();
    if (key == nullptr || !Expect(")") || !Is(":")) return key != nullptr && Unexpected();
    if (key->kind == NodeKind::kConstant && !key->value.is_string()) {
      return Fail("Cannot use " + Describe(key->value, budget_) + " as object key", {begin, token_.span.end});
    }
  } else if (token_.word == Word::kName || token_.word == Word::kKeyword) {
    key = Constant(Value::String(token_.text), begin);
    Advance();
  } else if (token_.word == Word::kQuote || token_.word == Word::kFormat) {
    key = token_.word == Word::kQuote ? ParseString("text") : ParseFormat();
    if (key == nullptr) return false;
  } else {
    Unexpected();
    if (token_.word == Word::kNumber) {
      complaints_.push_back({"May need parentheses around object key expression", token_.span});
    }
    return false;
  }
  Node* value = nullptr;
  if (Is(":")) {
    Advance();
    value = ParseObjectValue();
    if (value == nullptr) return false;
  } else {
    Node* const identity = Make(NodeKind::kIdentity, begin);
    value = Make(NodeKind::kIndex, begin, {identity, key});
  }
  object->children.insert(object->children.end(), {key, value});
  return true;
}

// Terms and pipes of terms; a comma would belong to the object.
Node* Parser::ParseObjectValue() {
  const size_t begin = token_.span.begin;
  budget_.CheckStack();
  Node* value = nullptr;
  if (Is("-")) {
    Advance();
    value = ParseObjectValue();
    return value == nullptr ? nullptr : Make(NodeKind::kNegate, begin, {value});
  }
  value = ParseTerm();
  if (value == nullptr || !Is("|")) return value;
  Advance();
  Node* const right = ParseObjectValue();
  return right == nullptr ? nullptr : Make(NodeKind::kPipe, begin, {value, right});
}

}  // namespace paddock::jq
