#include "lang/perl/parser_parts.h"

#include <algorithm>

namespace paddock::perl {
namespace {

constexpr Operator kOperators[] = {
    {"||", 1}, {"//", 1}, {"&&", 2}, {"==", 4}, {"!=", 4}, {"<=>", 4}, {"<=", 5}, {">=", 5}, {"<", 5}, {">", 5},
    {"+", 6},  {"-", 6},  {".", 6},  {"**", 9}, {"*", 7},  {"/", 7},   {"%", 7},  {"=~", 8}, {"!~", 8},
};
constexpr Operator kWordOperators[] = {{"eq", 4}, {"ne", 4}, {"cmp", 4}, {"lt", 5}, {"gt", 5}, {"le", 5}, {"ge", 5}, {"x", 7}};

}  // namespace

Result<NodePtr> Parser::Expression() {
  budget_.CheckStack();
  PADDOCK_ASSIGN(NodePtr left, And());
  while (true) {
    const std::string_view word = WordAhead();
    if (word != "or" && word != "xor") return left;
    at_ += word.size();
    PADDOCK_ASSIGN(NodePtr right, And());
    left = Binary(word == "or" ? "||" : "xor", std::move(left), std::move(right));
  }
}

Result<NodePtr> Parser::And() {
  PADDOCK_ASSIGN(NodePtr left, NotWord());
  while (TakeWord("and")) {
    PADDOCK_ASSIGN(NodePtr right, NotWord());
    left = Binary("&&", std::move(left), std::move(right));
  }
  return left;
}

Result<NodePtr> Parser::NotWord() {
  budget_.CheckStack();
  if (TakeWord("not")) {
    PADDOCK_ASSIGN(NodePtr kid, NotWord());
    return Not(std::move(kid));
  }
  return Commas();
}

NodePtr Parser::Binary(std::string text, NodePtr left, NodePtr right) {
  NodePtr node = Make(Kind::kBinary, std::move(text));
  node->kids.push_back(std::move(left));
  node->kids.push_back(std::move(right));
  return node;
}

bool Parser::TakeComma() {
  Skip();
  if (Peek() == ',') {
    ++at_;
    return true;
  }
  if (Peek() == '=' && Peek(1) == '>') {
    at_ += 2;
    return true;
  }
  return false;
}

bool Parser::AtListEnd() {
  if (AtEnd() || std::string_view(");]}:").find(Peek()) != std::string_view::npos) return true;
  const std::string_view word = WordAhead();
  return word == "or" || word == "and" || word == "if" || word == "unless" || word == "xor";
}

Result<NodePtr> Parser::Commas() {
  PADDOCK_ASSIGN(NodePtr first, Assignment());
  Skip();
  if (Peek() != ',' && !(Peek() == '=' && Peek(1) == '>')) return first;
  NodePtr list = Make(Kind::kList);
  list->kids.push_back(std::move(first));
  while (TakeComma()) {
    if (AtListEnd()) break;
    PADDOCK_ASSIGN(NodePtr next, Assignment());
    list->kids.push_back(std::move(next));
  }
  return list;
}

bool Parser::IsAssignable(const Node& node) {
  return node.kind == Kind::kScalar || node.kind == Kind::kTopic || node.kind == Kind::kArray || node.kind == Kind::kElement || node.kind == Kind::kList ||
         (node.kind == Kind::kCall && node.text == "substr");
}

Result<NodePtr> Parser::Assignment() {
  budget_.CheckStack();
  PADDOCK_ASSIGN(NodePtr left, Ternary());
  Skip();
  for (const std::string_view op : {"**=", "||=", "&&=", "//=", "+=", "-=", "*=", "/=", ".=", "%=", "x=", "="}) {
    if (!text_.substr(at_).starts_with(op)) continue;
    if (op == "=" && (Peek(1) == '=' || Peek(1) == '~' || Peek(1) == '>')) break;
    if (op == "x=" && Peek(2) == '=') break;
    if (!IsAssignable(*left)) return Fail("Can't modify " + Describe(*left) + " in scalar assignment");
    if (op != "=" && (left->kind == Kind::kList || left->kind == Kind::kArray)) return Fail("Can't modify array dereference in " + std::string(op));
    at_ += op.size();
    PADDOCK_ASSIGN(NodePtr right, Assignment());
    NodePtr node = Make(Kind::kAssign, std::string(op.substr(0, op.size() - 1)));
    node->line = Line();
    node->kids.push_back(std::move(left));
    node->kids.push_back(std::move(right));
    return node;
  }
  return left;
}

std::string Parser::Describe(const Node& node) {
  if (node.kind == Kind::kConstant) return "constant item";
  if (node.kind == Kind::kCall) return node.text;
  return "non-lvalue expression";
}

Result<NodePtr> Parser::Ternary() {
  PADDOCK_ASSIGN(NodePtr condition, Level(1));
  if (!Take('?')) return condition;
  PADDOCK_ASSIGN(NodePtr yes, Assignment());
  if (!Take(':')) return SyntaxError();
  PADDOCK_ASSIGN(NodePtr no, Assignment());
  NodePtr node = Make(Kind::kTernary);
  node->kids.push_back(std::move(condition));
  node->kids.push_back(std::move(yes));
  node->kids.push_back(std::move(no));
  return node;
}

std::optional<Operator> Parser::OperatorAhead() {
  Skip();
  const std::string_view rest = text_.substr(std::min(at_, text_.size()));
  if (IsLetter(Peek())) {
    for (const Operator& op : kWordOperators) {
      if (!rest.starts_with(op.text)) continue;
      const char next = Peek(op.text.size());
      // "-" x3 is a repetition, too.
      if (IsLetter(next) || (IsDigit(next) && op.text != "x") || (op.text == "x" && next == '=' && Peek(2) != '=')) continue;
      return op;
    }
    return std::nullopt;
  }
  std::optional<Operator> found;
  for (const Operator& op : kOperators) {
    if (rest.starts_with(op.text) && (!found || op.text.size() > found->text.size())) found = op;
  }
  if (!found) return std::nullopt;
  const char next = Peek(found->text.size());
  if (next == '=' && found->level != 4 && found->level != 5 && found->level != 8) return std::nullopt;   // an assignment
  if (found->text == "." && next == '.') return std::nullopt;
  return found;
}

Result<NodePtr> Parser::Level(int least) {
  budget_.CheckStack();
  PADDOCK_ASSIGN(NodePtr left, Unary());
  while (true) {
    budget_.Step();
    const auto op = OperatorAhead();
    if (!op || op->level < least) return left;
    at_ += op->text.size();
    if (op->level == 8) {
      PADDOCK_ASSIGN(left, Bind(std::move(left), op->text == "!~"));
      continue;
    }
    PADDOCK_ASSIGN(NodePtr right, Level(op->text == "**" ? op->level : op->level + 1));
    const int line = Line();
    left = Binary(std::string(op->text), std::move(left), std::move(right));
    left->line = line;
  }
}

Result<NodePtr> Parser::Bind(NodePtr target, bool is_negated) {
  PADDOCK_ASSIGN(NodePtr right, Unary());
  if (right->kind != Kind::kMatch && right->kind != Kind::kSubstitute && right->kind != Kind::kTranslate) {
    NodePtr match = Make(Kind::kMatch);
    match->kids.push_back(nullptr);
    match->kids.push_back(std::move(right));
    right = std::move(match);
  }
  if (right->kind != Kind::kMatch && right->flags.find('r') == std::string::npos && target->kind != Kind::kScalar && target->kind != Kind::kTopic &&
      target->kind != Kind::kElement && target->kind != Kind::kAssign && !(target->kind == Kind::kList && target->kids.size() == 1)) {
    return Fail("Can't modify " + Describe(*target) + (right->kind == Kind::kSubstitute ? " in substitution (s///)" : " in transliteration (tr///)"));
  }
  right->kids[0] = std::move(target);
  right->is_negated = is_negated;
  return right;
}

Result<NodePtr> Parser::Unary() {
  budget_.CheckStack();
  Skip();
  const char c = Peek();
  if ((c == '+' || c == '-') && Peek(1) == c) {
    at_ += 2;
    PADDOCK_ASSIGN(NodePtr target, Unary());
    return Step(std::string(2, c), std::move(target), true);
  }
  if (c == '!' && Peek(1) != '~') {
    ++at_;
    PADDOCK_ASSIGN(NodePtr kid, Unary());
    return Not(std::move(kid));
  }
  if (c == '-' && IsLetter(Peek(1)) && !IsWord(Peek(2))) return FileTest();
  if (c == '-' || c == '+') {
    ++at_;
    PADDOCK_ASSIGN(NodePtr kid, Level(9));
    NodePtr node = Make(Kind::kUnary, std::string(1, c));
    node->kids.push_back(std::move(kid));
    return node;
  }
  if (c == '\\') return Unknown("\\");
  PADDOCK_ASSIGN(NodePtr term, Term());
  Skip();
  if ((Peek() == '+' || Peek() == '-') && Peek(1) == Peek()) {
    const std::string op(2, Peek());
    at_ += 2;
    return Step(op, std::move(term), false);
  }
  return term;
}

Result<NodePtr> Parser::Step(std::string op, NodePtr target, bool is_prefix) {
  if (target->kind != Kind::kScalar && target->kind != Kind::kTopic && target->kind != Kind::kElement) return SyntaxError();
  NodePtr node = Make(Kind::kStep, std::move(op));
  node->is_prefix = is_prefix;
  node->kids.push_back(std::move(target));
  return node;
}

Result<NodePtr> Parser::FileTest() {
  const char test = Peek(1);
  if (std::string_view("efdlszrwx").find(test) == std::string_view::npos) return Unknown(text_.substr(at_, 2));
  at_ += 2;
  NodePtr node = Make(Kind::kCall, std::string("-") + test);
  if (AtListEnd() || OperatorAhead() || Peek() == '?' || Peek() == ',') {
    node->kids.push_back(Make(Kind::kTopic));
  } else {
    PADDOCK_ASSIGN(NodePtr kid, Unary());
    node->kids.push_back(std::move(kid));
  }
  return node;
}

Result<NodePtr> Parser::Term() {
  Skip();
  const char c = Peek();
  if (c == '$' || c == '@') return VariableTerm();
  if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
  if (c == '"' || c == '\'') return Quoted(c);
  if (c == '/') return Pattern("m", c);
  if (c == '(') return Parenthesis();
  if (c == '`' || c == '<' || c == '%' || c == '&' || c == '{' || c == '[') return AtEnd() ? SyntaxError() : Unknown(std::string_view(&text_[at_], 1));
  const std::string_view word = WordAhead();
  if (word.empty()) return SyntaxError();
  return Word(word);
}

Result<NodePtr> Parser::Parenthesis() {
  ++at_;
  NodePtr list = Make(Kind::kList);
  if (!Take(')')) {
    PADDOCK_ASSIGN(NodePtr inner, Expression());
    if (!Take(')')) return SyntaxError();
    if (inner->kind == Kind::kList) {
      list = std::move(inner);
    } else {
      list->kids.push_back(std::move(inner));
    }
  }
  Skip();
  if (Peek() != '[') return list;
  ++at_;
  PADDOCK_ASSIGN(NodePtr index, Expression());
  if (!Take(']')) return SyntaxError();
  NodePtr node = Make(Kind::kIndex);
  node->kids.push_back(std::move(list));
  node->kids.push_back(std::move(index));
  return node;
}

Result<NodePtr> Parser::Number() {
  size_t end = at_;
  std::string digits;
  if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'b' || IsDigit(Peek(1)))) {
    end = at_ + 1;
    const bool is_octal = IsDigit(Peek(1));
    if (!is_octal) ++end;
    const int base = is_octal ? 8 : Peek(1) == 'x' ? 16 : 2;
    uint64_t value = 0;
    for (; end < text_.size() && IsWord(text_[end]); ++end) {
      const char d = text_[end];
      if (d == '_') continue;
      const int digit = IsDigit(d) ? d - '0' : (d | 32) >= 'a' && (d | 32) <= 'f' ? (d | 32) - 'a' + 10 : 99;
      if (digit >= base) return SyntaxError();
      value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
    }
    digits = std::to_string(value);
  } else {
    const auto take_digits = [&] {
      while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '_')) {
        if (text_[end] != '_') digits += text_[end];
        ++end;
      }
    };
    take_digits();
    if (end + 1 < text_.size() && text_[end] == '.' && text_[end + 1] != '.') {
      digits += '.';
      ++end;
      take_digits();
    }
    if (end + 1 < text_.size() && (text_[end] | 32) == 'e' && (IsDigit(text_[end + 1]) || (end + 2 < text_.size() && IsDigit(text_[end + 2])))) {
      digits += text_.substr(end, 2);
      end += 2;
      take_digits();
    }
  }
  at_ = end;
  NodePtr node = Make(Kind::kConstant, digits);
  node->is_number = true;
  return node;
}

}  // namespace paddock::perl
