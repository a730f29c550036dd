#include "lang/jq/parser.h"

#include "base/budget.h"
#include "lang/jq/parser_internal.h"

namespace paddock::jq {
namespace {

// How tightly operators bind; nothing stands beside an operator of the same level that does not associate.
enum Level { kPipeLevel = 1, kCommaLevel, kAlternativeLevel, kAssignLevel, kOrLevel, kAndLevel, kCompareLevel, kAddLevel,
             kMultiplyLevel, kTermLevel };

struct Infix {
  std::string_view text;
  NodeKind kind;
  Operator op;
  int level;
  enum { kLeft, kRight, kNone } side;
};

constexpr Infix kInfixes[] = {
    {"|", NodeKind::kPipe, Operator::kAdd, kPipeLevel, Infix::kRight},
    {",", NodeKind::kComma, Operator::kAdd, kCommaLevel, Infix::kLeft},
    {"//", NodeKind::kAlternative, Operator::kAdd, kAlternativeLevel, Infix::kRight},
    {"=", NodeKind::kAssign, Operator::kAdd, kAssignLevel, Infix::kNone},
    {"|=", NodeKind::kUpdate, Operator::kAdd, kAssignLevel, Infix::kNone},
    {"+=", NodeKind::kOpUpdate, Operator::kAdd, kAssignLevel, Infix::kNone},
    {"-=", NodeKind::kOpUpdate, Operator::kSubtract, kAssignLevel, Infix::kNone},
    {"*=", NodeKind::kOpUpdate, Operator::kMultiply, kAssignLevel, Infix::kNone},
    {"/=", NodeKind::kOpUpdate, Operator::kDivide, kAssignLevel, Infix::kNone},
    {"%=", NodeKind::kOpUpdate, Operator::kModulo, kAssignLevel, Infix::kNone},
    {"//=", NodeKind::kOpUpdate, Operator::kAlternative, kAssignLevel, Infix::kNone},
    {"or", NodeKind::kOr, Operator::kAdd, kOrLevel, Infix::kLeft},
    {"and", NodeKind::kAnd, Operator::kAdd, kAndLevel, Infix::kLeft},
    {"==", NodeKind::kBinary, Operator::kEqual, kCompareLevel, Infix::kNone},
    {"!=", NodeKind::kBinary, Operator::kNotEqual, kCompareLevel, Infix::kNone},
    {"<", NodeKind::kBinary, Operator::kLess, kCompareLevel, Infix::kNone},
    {"<=", NodeKind::kBinary, Operator::kLessEqual, kCompareLevel, Infix::kNone},
    {">", NodeKind::kBinary, Operator::kGreater, kCompareLevel, Infix::kNone},
    {">=", NodeKind::kBinary, Operator::kGreaterEqual, kCompareLevel, Infix::kNone},
    {"+", NodeKind::kBinary, Operator::kAdd, kAddLevel, Infix::kLeft},
    {"-", NodeKind::kBinary, Operator::kSubtract, kAddLevel, Infix::kLeft},
    {"*", NodeKind::kBinary, Operator::kMultiply, kMultiplyLevel, Infix::kLeft},
    {"/", NodeKind::kBinary, Operator::kDivide, kMultiplyLevel, Infix::kLeft},
    {"%", NodeKind::kBinary, Operator::kModulo, kMultiplyLevel, Infix::kLeft},
};

const Infix* FindInfix(const LexToken& token) {
  if (token.word != Word::kSymbol && token.word != Word::kKeyword) return nullptr;
  for (const Infix& infix : kInfixes) {
    if (infix.text == token.text) return &infix;
  }
  return nullptr;
}

}  // namespace

void Parser::Advance() {
  last_end_ = token_.span.end;
  token_ = lexer_.Next();
  budget_.Step();
}

Node* Parser::Make(NodeKind kind, size_t begin, std::vector<Node*> children) {
  Node& node = tree_->nodes.emplace_back();
  node.kind = kind;
  node.span = {begin, last_end_};
  node.children = std::move(children);
  return &node;
}

Node* Parser::Constant(Value value, size_t begin) {
  Node* const node = Make(NodeKind::kConstant, begin);
  node->value = std::move(value);
  return node;
}

bool Parser::Fail(std::string message, Span span) {
  if (complaints_.empty()) complaints_.push_back({std::move(message), span});
  return false;
}

bool Parser::Unexpected() {
  std::string what;
  switch (token_.word) {
    case Word::kEnd: what = "end of file"; break;
    case Word::kInvalid: what = "INVALID_CHARACTER"; break;
    case Word::kName: what = "IDENT"; break;
    case Word::kField: what = "FIELD"; break;
    case Word::kVariable: what = "BINDING"; break;
    case Word::kFormat: what = "FORMAT"; break;
    case Word::kNumber: what = "LITERAL"; break;
    case Word::kQuote: what = "QQSTRING_START"; break;
    case Word::kKeyword: what = token_.text; break;
    case Word::kSymbol: what = token_.text.size() == 1 ? "'" + std::string(token_.text) + "'" : std::string(token_.text);
  }
  Span span = token_.span;
  if (token_.word == Word::kEnd && span.begin > 0) --span.begin;   // where jq points to
  return Fail("syntax error, unexpected " + what + " (Unix shell quoting issues?)", span);
}

bool Parser::Expect(std::string_view symbol) {
  if (!Is(symbol)) return Unexpected();
  Advance();
  return true;
}

Node* Parser::ParsePipe() { return ParseExpression(kPipeLevel); }

// `def`, `label` and `as` reach as far as they can, whatever stands before them.
Node* Parser::ParseExpression(int level) {
  budget_.CheckStack();
  Node* left = ParseOperand(level);
  while (left != nullptr) {
    const Infix* const infix = FindInfix(token_);
    if (infix == nullptr || infix->level < level) return left;
    Advance();
    Node* const right = ParseExpression(infix->side == Infix::kRight ? infix->level : infix->level + 1);
    if (right == nullptr) return nullptr;
    left = Make(infix->kind, left->span.begin, {left, right});
    left->op = infix->op;
    if (infix->side != Infix::kNone) continue;
    const Infix* const next = FindInfix(token_);
    if (next != nullptr && next->level == infix->level) {
      Unexpected();
      return nullptr;
    }
  }
  return nullptr;
}

Node* Parser::ParseOperand(int level) {
  const size_t begin = token_.span.begin;
  if (Is("def")) {
    Node* const function = ParseFunction();
    if (function == nullptr) return nullptr;
    Node* const body = ParsePipe();
    if (body == nullptr) return nullptr;
    function->children.push_back(body);
    return function;
  }
  if (Is("label")) {
    Advance();
    if (token_.word != Word::kVariable) return Unexpected(), nullptr;
    const std::string name(token_.text);
    Advance();
    if (!Expect("|")) return nullptr;
    Node* const body = ParsePipe();
    if (body == nullptr) return nullptr;
    Node* const node = Make(NodeKind::kLabel, begin, {body});
    node->name = name;
    return node;
  }
  if (Is("try")) {
    Advance();
    return ParseTry(begin);
  }
  if (Is("-")) {
    Advance();
    Node* const operand = ParseExpression(std::max(level, static_cast<int>(kMultiplyLevel)));
    return operand == nullptr ? nullptr : Make(NodeKind::kNegate, begin, {operand});
  }
  Node* const term = ParseTerm();
  if (term == nullptr || !Is("as")) return term;
  Advance();
  Node* const node = Make(NodeKind::kBind, begin, {term});
  if (!ParsePatterns(node->patterns) || !Expect("|")) return nullptr;
  Node* const body = ParsePipe();
  if (body == nullptr) return nullptr;
  node->children.push_back(body);
  return node;
}

Node* Parser::ParseTry(size_t begin) {
  Node* const body = ParseExpression(kTermLevel);
  if (body == nullptr) return nullptr;
  Node* handler = nullptr;
  if (Is("catch")) {
    Advance();
    handler = ParseExpression(kTermLevel);
    if (handler == nullptr) return nullptr;
  }
  return Make(NodeKind::kTry, begin, {body, handler});
}

Node* Parser::ParseFunction() {
  const size_t begin = token_.span.begin;
  Advance();
  if (token_.word != Word::kName && token_.word != Word::kKeyword) return Unexpected(), nullptr;
  Node* const node = Make(NodeKind::kFunction, begin);
  node->name = token_.text;
  Advance();
  if (Is("(")) {
    do {
      Advance();
      if (token_.word == Word::kVariable) {
        node->parameters.push_back("$" + std::string(token_.text));
      } else if (token_.word == Word::kName || token_.word == Word::kKeyword) {
        node->parameters.emplace_back(token_.text);
      } else {
        return Unexpected(), nullptr;
      }
      Advance();
    } while (Is(";"));
    if (!Expect(")")) return nullptr;
  }
  if (!Expect(":")) return nullptr;
  Node* const body = ParsePipe();
  if (body == nullptr || !Expect(";")) return nullptr;
  node->children = {body};
  return node;
}

bool Parser::ParsePatterns(std::vector<Pattern*>& patterns) {
  for (;;) {
    Pattern* const pattern = ParsePattern();
    if (pattern == nullptr) return false;
    patterns.push_back(pattern);
    if (!Is("?//")) return true;
    Advance();
  }
}

Pattern* Parser::ParsePattern() {
  budget_.CheckStack();
  Pattern& pattern = tree_->patterns.emplace_back();
  if (token_.word == Word::kVariable) {
    pattern.name = token_.text;
    Advance();
    return &pattern;
  }
  if (!Is("[") && !Is("{")) return Unexpected(), nullptr;
  pattern.kind = Is("[") ? Pattern::kArray : Pattern::kObject;
  do {
    Advance();
    Pattern::Member member;
    if (pattern.kind == Pattern::kArray) {
      member.pattern = ParsePattern();
      if (member.pattern == nullptr) return nullptr;
    } else if (!ParsePatternMember(member)) {
      return nullptr;
    }
    pattern.members.push_back(std::move(member));
  } while (Is(","));
  return Expect(pattern.kind == Pattern::kArray ? "]" : "}") ? &pattern : nullptr;
}

bool Parser::ParsePatternMember(Pattern::Member& member) {
  const size_t begin = token_.span.begin;
  if (token_.word == Word::kVariable) {
    member.variable = token_.text;
    Advance();
    if (!Is(":")) return true;
  } else if (token_.word == Word::kName || token_.word == Word::kKeyword) {
    member.key = Constant(Value::String(token_.text), begin);
    Advance();
  } else if (token_.word == Word::kQuote) {
    member.key = ParseString("text");
    if (member.key == nullptr) return false;
  } else if (Is("(")) {
    Advance();
    member.key = ParsePipe();
    if (member.key == nullptr || !Expect(")")) return false;
  } else {
    return Unexpected();
  }
  if (!Expect(":")) return false;
  member.pattern = ParsePattern();
  return member.pattern != nullptr;
}

// The value of a constant expression, invalid for anything else.
Value Parser::ConstantOf(const Node* node) {
  budget_.CheckStack();
  if (node->kind == NodeKind::kConstant) return node->value;
  if (node->kind == NodeKind::kCall && node->children.empty()) {
    if (node->name == "null") return Value::Null();
    if (node->name == "true" || node->name == "false") return Value::Bool(node->name == "true");
  }
  if (node->kind == NodeKind::kObject) {
    Value object = Value::Object();
    for (size_t i = 0; i < node->children.size(); i += 2) {
      const Value key = ConstantOf(node->children[i]), value = ConstantOf(node->children[i + 1]);
      if (!key.is_string() || !value.is_valid()) return Value();
      object.Set(key.text(), value);
    }
    return object;
  }
  if (node->kind == NodeKind::kArray) {
    Value array = Value::Array();
    std::vector<const Node*> rest = {};
    if (!node->children.empty()) rest.push_back(node->children[0]);
    while (!rest.empty()) {
      const Node* const last = rest.back();
      rest.pop_back();
      if (last->kind == NodeKind::kComma) {
        rest.push_back(last->children[1]);
        rest.push_back(last->children[0]);
        continue;
      }
      const Value element = ConstantOf(last);
      if (!element.is_valid()) return Value();
      array.Append(element);
    }
    return array;
  }
  return Value();
}

bool Parser::ParseMetadata(Value& metadata, const char* what) {
  const size_t begin = token_.span.begin;
  Node* const node = ParseTerm();
  if (node == nullptr) return false;
  metadata = ConstantOf(node);
  if (!metadata.is_valid()) return Fail(std::string(what) + " metadata must be constant", {begin, last_end_});
  if (!metadata.is_object()) return Fail(std::string(what) + " metadata must be an object", {begin, last_end_});
  return true;
}

bool Parser::ParseDirectives() {
  if (Is("module")) {
    Advance();
    if (!ParseMetadata(tree_->metadata, "Module") || !Expect(";")) return false;
    tree_->has_module = true;
  }
  while (Is("import") || Is("include")) {
    Import import;
    const bool is_include = Is("include");
    import.span.begin = token_.span.begin;
    Advance();
    if (token_.word != Word::kQuote) return Unexpected();
    const Span path_span = token_.span;
    Node* const path = ParseString("text");
    if (path == nullptr) return false;
    const Value path_value = ConstantOf(path);
    if (!path_value.is_string()) return Fail("Import path must be constant", path_span);
    import.path = path_value.view();
    if (!is_include) {
      if (!Expect("as")) return false;
      if (token_.word != Word::kName && token_.word != Word::kVariable) return Unexpected();
      import.is_data = token_.word == Word::kVariable;
      import.name = token_.text;
      Advance();
    }
    import.metadata = Value::Object();
    if (!Is(";") && !ParseMetadata(import.metadata, "Module")) return false;
    if (!Expect(";")) return false;
    import.span.end = last_end_;
    tree_->imports.push_back(std::move(import));
  }
  return true;
}

std::unique_ptr<Tree> Parser::Parse(bool is_module) {
  Advance();
  last_end_ = 0;
  if (!ParseDirectives()) return nullptr;
  // Definitions at the top may stand alone, also in a program: then it is the identity.
  std::vector<Node*> functions;
  while (Is("def")) {
    Node* const function = ParseFunction();
    if (function == nullptr) return nullptr;
    functions.push_back(function);
  }
  if (is_module) {
    if (token_.word != Word::kEnd) return Unexpected(), nullptr;
    tree_->functions = std::move(functions);
    return std::move(tree_);
  }
  Node* body = token_.word == Word::kEnd ? Make(NodeKind::kIdentity, token_.span.begin) : ParsePipe();
  if (body == nullptr) return nullptr;
  if (token_.word != Word::kEnd) return Unexpected(), nullptr;
  for (size_t i = functions.size(); i-- > 0;) {
    functions[i]->children.push_back(body);
    body = functions[i];
  }
  tree_->body = body;
  return std::move(tree_);
}

std::unique_ptr<Tree> Parse(std::string_view source, bool is_module, Budget& budget, std::vector<Complaint>& complaints) {
  return Parser(source, budget, complaints).Parse(is_module);
}

}  // namespace paddock::jq
