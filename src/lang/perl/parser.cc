// The parser of lang/perl: recursive descent on the text itself, since what a '/' means depends on what comes before it.
#include <algorithm>
#include <optional>

#include "lang/perl/tree.h"

namespace paddock::perl {
namespace {

constexpr Function kFunctions[] = {
    {"abs", 1, 1, true, true},       {"chomp", 1, 1, true, true},    {"chop", 1, 1, true, true},    {"chr", 1, 1, true, true},
    {"defined", 1, 1, true, true},   {"die", 0, -1, false, false},   {"hex", 1, 1, true, true},
    {"index", 2, 3, false, false},   {"int", 1, 1, true, true},      {"join", 1, -1, false, false}, {"lc", 1, 1, true, true},
    {"lcfirst", 1, 1, true, true},   {"length", 1, 1, true, true},   {"oct", 1, 1, true, true},     {"ord", 1, 1, true, true},
    {"pop", 1, 1, false, true},      {"print", 0, -1, true, false},  {"push", 2, -1, false, false}, {"quotemeta", 1, 1, true, true},
    {"reverse", 0, -1, false, false}, {"rindex", 2, 3, false, false}, {"scalar", 1, 1, false, true}, {"shift", 1, 1, false, true},
    {"sort", 0, -1, false, false},   {"split", 0, 3, false, false},  {"sprintf", 1, -1, false, false}, {"substr", 2, 4, false, false},
    {"uc", 1, 1, true, true},        {"ucfirst", 1, 1, true, true},  {"unshift", 2, -1, false, false}, {"warn", 0, -1, false, false},
};

// Binary operators by how tight they bind; `right` for those that group from the right.
struct Operator {
  std::string_view text;
  int level;
};
constexpr Operator kOperators[] = {
    {"||", 1}, {"//", 1}, {"&&", 2}, {"==", 4}, {"!=", 4}, {"<=>", 4}, {"<=", 5}, {">=", 5}, {"<", 5}, {">", 5},
    {"+", 6},  {"-", 6},  {".", 6},  {"**", 9}, {"*", 7},  {"/", 7},   {"%", 7},  {"=~", 8}, {"!~", 8},
};
constexpr Operator kWordOperators[] = {{"eq", 4}, {"ne", 4}, {"cmp", 4}, {"lt", 5}, {"gt", 5}, {"le", 5}, {"ge", 5}, {"x", 7}};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWord(char c) { return IsDigit(c) || IsLetter(c); }
char Closing(char open) {
  switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return open;
  }
}

NodePtr Make(Kind kind, std::string text = {}) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->text = std::move(text);
  return node;
}

class Parser {
 public:
  Parser(std::string_view code, Budget& budget, std::vector<Variable>& variables) : text_(code), budget_(budget), variables_(variables) {}

  void set_line(int line) { first_line_ = line; }

  Result<NodePtr> Program() {
    PADDOCK_ASSIGN(NodePtr block, Statements());
    if (!AtEnd()) return Fail("Unmatched right curly bracket");
    return block;
  }

  // The parts of a string: variables, escapes and \U…\E. In a pattern only variables count.
  Result<NodePtr> Interpolated(bool is_pattern) {
    NodePtr all = Make(Kind::kConcat);
    std::vector<Node*> open{all.get()};
    std::string literal;
    char once = 0;
    const auto flush = [&] {
      if (literal.empty()) return;
      NodePtr piece = Make(Kind::kConstant, std::move(literal));
      literal.clear();
      open.back()->kids.push_back(std::move(piece));
    };
    const auto add = [&](NodePtr piece) {
      flush();
      if (once != 0) {
        NodePtr wrapped = Make(Kind::kCase, std::string(1, once));
        wrapped->kids.push_back(std::move(piece));
        piece = std::move(wrapped);
        once = 0;
      }
      open.back()->kids.push_back(std::move(piece));
    };
    while (at_ < text_.size()) {
      budget_.Step();
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[at_ + 1];
        if (std::string_view("LUQ").find(next) != std::string_view::npos) {
          at_ += 2;
          flush();
          budget_.CheckStack();
          if (open.size() > 50) return Fail("Too many nested case changes");
          NodePtr changed = Make(Kind::kCase, std::string(1, next));
          changed->kids.push_back(Make(Kind::kConcat));
          Node* inner = changed->kids[0].get();
          if (once != 0) {   // \u\L…: the first letter of what follows
            NodePtr wrapped = Make(Kind::kCase, std::string(1, once));
            wrapped->kids.push_back(std::move(changed));
            changed = std::move(wrapped);
            once = 0;
          }
          if (open.size() > 1 && next != 'Q') open.pop_back();   // \L in \U ends it
          open.back()->kids.push_back(std::move(changed));
          open.push_back(inner);
          // \L\u$1 is \u\L$1
          if (text_.substr(at_).starts_with("\\u") || text_.substr(at_).starts_with("\\l")) {
            const char first = text_[at_ + 1];
            at_ += 2;
            auto& holder = open[open.size() - 2]->kids.back();
            NodePtr wrapped = Make(Kind::kCase, std::string(1, first));
            wrapped->kids.push_back(std::move(holder));
            holder = std::move(wrapped);
          }
          continue;
        }
        if (next == 'E') {
          at_ += 2;
          flush();
          if (open.size() > 1) open.pop_back();
          continue;
        }
        if (next == 'u' || next == 'l') {
          at_ += 2;
          flush();
          once = next;
          continue;
        }
        if (is_pattern) {
          literal += text_.substr(at_, 2);
          at_ += 2;
          continue;
        }
        if (is_replacement_ && next >= '1' && next <= '9' && !IsDigit(Peek(2))) {
          at_ += 2;
          NodePtr group = Make(Kind::kGroup);
          group->number = next - '0';
          add(std::move(group));
          continue;
        }
        PADDOCK_TRY(Escape(&literal));
        if (once != 0 && !literal.empty()) {
          NodePtr piece = Make(Kind::kConstant, std::move(literal));
          literal.clear();
          add(std::move(piece));
        }
        continue;
      }
      if ((c == '$' || c == '@') && StartsVariable(is_pattern)) {
        PADDOCK_ASSIGN(NodePtr variable, InString(is_pattern));
        add(std::move(variable));
        continue;
      }
      ++at_;
      if (once != 0) {
        add(Make(Kind::kConstant, std::string(1, c)));
      } else {
        literal += c;
      }
    }
    flush();
    return all;
  }

 private:
  Error Fail(std::string message) const { return Error(Code::kSyntax, std::move(message) + " at line " + std::to_string(Line())); }
  Error Unknown(std::string_view what) const { return Fail("\"" + std::string(what) + "\" is not among the Perl that is known here"); }
  Error SyntaxError() {
    if (AtEnd()) return Fail("syntax error");
    size_t end = at_;
    while (end < text_.size() && text_[end] != '\n' && end - at_ < 40) ++end;
    return Fail("syntax error, near \"" + std::string(text_.substr(at_, end - at_)) + "\"");
  }
  int Line() const {
    return first_line_ + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n'));
  }

  void Skip() {
    while (at_ < text_.size()) {
      budget_.Step();
      if (std::string_view(" \t\r\n\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        break;
      }
    }
  }
  bool AtEnd() {
    Skip();
    return at_ >= text_.size();
  }
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool Take(char c) {
    Skip();
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  std::string_view WordAhead() {
    Skip();
    if (!IsLetter(Peek())) return {};
    size_t end = at_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool TakeWord(std::string_view word) {
    if (WordAhead() != word) return false;
    at_ += word.size();
    return true;
  }

  Result<NodePtr> Statements() {
    budget_.CheckStack();
    NodePtr block = Make(Kind::kBlock);
    while (!AtEnd() && Peek() != '}') {
      if (Take(';')) continue;
      PADDOCK_ASSIGN(NodePtr statement, Statement());
      if (statement != nullptr) block->kids.push_back(std::move(statement));
    }
    return block;
  }
  Result<NodePtr> Block() {
    if (!Take('{')) return SyntaxError();
    const size_t seen = variables_.size();
    PADDOCK_ASSIGN(NodePtr block, Statements());
    for (size_t i = seen; i < variables_.size(); ++i) variables_[i].is_visible = false;
    if (!Take('}')) return Fail("Missing right curly or square bracket");
    return block;
  }
  Result<NodePtr> Condition(bool is_negated) {
    if (!Take('(')) return SyntaxError();
    PADDOCK_ASSIGN(NodePtr condition, Expression());
    if (!Take(')')) return SyntaxError();
    return is_negated ? Not(std::move(condition)) : std::move(condition);
  }
  static NodePtr Not(NodePtr kid) {
    NodePtr node = Make(Kind::kUnary, "!");
    node->kids.push_back(std::move(kid));
    return node;
  }

  Result<NodePtr> Statement() {
    if (Peek() == '{') return Block();
    const std::string_view word = WordAhead();
    if (word == "if" || word == "unless") return If();
    if (word == "use" || word == "no") return Use();
    for (const std::string_view refused : {"while", "until", "for", "foreach", "sub", "package", "do", "eval", "require", "local", "goto", "last", "redo",
                                           "next", "BEGIN", "END", "state", "given", "when"}) {
      if (word == refused) return Unknown(word);
    }
    NodePtr body;
    PADDOCK_ASSIGN(body, Expression());
    if (const std::string_view modifier = WordAhead(); modifier == "if" || modifier == "unless") {
      at_ += modifier.size();
      PADDOCK_ASSIGN(NodePtr condition, Expression());
      if (modifier == "unless") condition = Not(std::move(condition));
      NodePtr node = Make(Kind::kIf);
      node->kids.push_back(std::move(condition));
      node->kids.push_back(std::move(body));
      body = std::move(node);
    } else if (!modifier.empty() && (modifier == "for" || modifier == "foreach" || modifier == "while" || modifier == "until")) {
      return Unknown(modifier);
    }
    if (AtEnd() || Peek() == '}') return body;
    if (!Take(';')) return SyntaxError();
    return body;
  }
  Result<NodePtr> If() {
    NodePtr node = Make(Kind::kIf);
    const bool is_negated = WordAhead() == "unless";
    at_ += WordAhead().size();
    PADDOCK_ASSIGN(NodePtr condition, Condition(is_negated));
    node->kids.push_back(std::move(condition));
    PADDOCK_ASSIGN(NodePtr block, Block());
    node->kids.push_back(std::move(block));
    while (TakeWord("elsif")) {
      PADDOCK_ASSIGN(NodePtr other, Condition(false));
      node->kids.push_back(std::move(other));
      PADDOCK_ASSIGN(NodePtr then, Block());
      node->kids.push_back(std::move(then));
    }
    if (TakeWord("else")) {
      PADDOCK_ASSIGN(NodePtr last, Block());
      node->kids.push_back(std::move(last));
    }
    return node;
  }
  // `use strict` and `use warnings` say what holds anyway.
  Result<NodePtr> Use() {
    if (TakeWord("no")) return Unknown("no");
    at_ += 3;
    const std::string module(WordAhead());
    if (module != "strict" && module != "warnings") return Unknown("use " + module);
    at_ += module.size();
    if (!AtEnd() && Peek() != ';' && Peek() != '}') return Unknown("use " + module);
    return NodePtr();
  }

  // or, and, not; then commas; then the rest.
  Result<NodePtr> Expression() {
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
  Result<NodePtr> And() {
    PADDOCK_ASSIGN(NodePtr left, NotWord());
    while (TakeWord("and")) {
      PADDOCK_ASSIGN(NodePtr right, NotWord());
      left = Binary("&&", std::move(left), std::move(right));
    }
    return left;
  }
  Result<NodePtr> NotWord() {
    budget_.CheckStack();
    if (TakeWord("not")) {
      PADDOCK_ASSIGN(NodePtr kid, NotWord());
      return Not(std::move(kid));
    }
    return Commas();
  }
  static NodePtr Binary(std::string text, NodePtr left, NodePtr right) {
    NodePtr node = Make(Kind::kBinary, std::move(text));
    node->kids.push_back(std::move(left));
    node->kids.push_back(std::move(right));
    return node;
  }
  bool TakeComma() {
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
  // Whether no further argument can begin here.
  bool AtListEnd() {
    if (AtEnd() || std::string_view(");]}:").find(Peek()) != std::string_view::npos) return true;
    const std::string_view word = WordAhead();
    return word == "or" || word == "and" || word == "if" || word == "unless" || word == "xor";
  }
  Result<NodePtr> Commas() {
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
  static bool IsAssignable(const Node& node) {
    return node.kind == Kind::kScalar || node.kind == Kind::kTopic || node.kind == Kind::kArray || node.kind == Kind::kElement || node.kind == Kind::kList ||
           (node.kind == Kind::kCall && node.text == "substr");
  }
  Result<NodePtr> Assignment() {
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
  static std::string Describe(const Node& node) {
    if (node.kind == Kind::kConstant) return "constant item";
    if (node.kind == Kind::kCall) return node.text;
    return "non-lvalue expression";
  }
  Result<NodePtr> Ternary() {
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

  // The operator of at least this level that stands here.
  std::optional<Operator> OperatorAhead() {
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
  Result<NodePtr> Level(int least) {
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
  Result<NodePtr> Bind(NodePtr target, bool is_negated) {
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

  Result<NodePtr> Unary() {
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
  Result<NodePtr> Step(std::string op, NodePtr target, bool is_prefix) {
    if (target->kind != Kind::kScalar && target->kind != Kind::kTopic && target->kind != Kind::kElement) return SyntaxError();
    NodePtr node = Make(Kind::kStep, std::move(op));
    node->is_prefix = is_prefix;
    node->kids.push_back(std::move(target));
    return node;
  }
  Result<NodePtr> FileTest() {
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

  Result<NodePtr> Term() {
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
  Result<NodePtr> Parenthesis() {
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
  Result<NodePtr> Number() {
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

  // What stands between the delimiters; `text` with the backslashes in front of them kept.
  Result<std::string_view> Delimited(char open, std::string_view complaint) {
    const char close = Closing(open);
    int depth = 1;
    const size_t start = at_;
    while (at_ < text_.size()) {
      budget_.Step();
      const char c = text_[at_];
      if (c == '\\') {
        at_ = std::min(at_ + 2, text_.size());
        continue;
      }
      if (c == close) {
        if (--depth == 0) return text_.substr(start, at_++ - start);
      } else if (c == open) {
        ++depth;
      }
      ++at_;
    }
    at_ = start;
    return Fail(std::string(complaint));
  }
  static std::string Terminator(char open) { return std::string("Can't find string terminator ") + (open == '"' ? "'\"'" : "\"" + std::string(1, Closing(open)) + "\"") + " anywhere before EOF"; }
  static std::string Single(std::string_view raw, char open) {
    std::string out;
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\' && i + 1 < raw.size() && (raw[i + 1] == '\\' || raw[i + 1] == open || raw[i + 1] == Closing(open))) ++i;
      out += raw[i];
    }
    return out;
  }
  // Another parser for text inside of this one.
  Result<NodePtr> Inside(std::string_view text, bool is_pattern, bool is_replacement = false) {
    budget_.CheckStack();
    Parser parser(text, budget_, variables_);
    parser.is_replacement_ = is_replacement;
    parser.set_line(Line());
    return parser.Interpolated(is_pattern);
  }
  // Without the backslash in front of a delimiter that is no letter.
  static std::string Undelimited(std::string_view raw, char open) {
    std::string out;
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\' && i + 1 < raw.size()) {
        if (raw[i + 1] != open && raw[i + 1] != Closing(open)) out += raw[i];
        ++i;
      }
      out += raw[i];
    }
    return out;
  }
  // The same in a pattern, where a delimiter that is special there stays escaped.
  static std::string PatternText(std::string_view raw, char open) {
    return std::string_view("()[]{}.*+?|^$").find(open) == std::string_view::npos ? Undelimited(raw, open) : std::string(raw);
  }
  Result<NodePtr> Quoted(char open) {
    ++at_;
    PADDOCK_ASSIGN(const std::string_view raw, Delimited(open, Terminator(open)));
    if (open == '\'') return Make(Kind::kConstant, Single(raw, open));
    return Inside(raw, false);
  }
  Result<std::string> Modifiers(std::string_view known) {
    std::string flags;
    while (IsLetter(Peek())) {
      if (known.find(Peek()) == std::string_view::npos) {
        const std::string_view word = WordAhead();
        if (word == "x" || word == "if" || word == "unless" || word == "and" || word == "or" || word == "eq" || word == "ne" || word == "cmp") break;
        return Fail("Unknown regexp modifier \"/" + std::string(1, Peek()) + "\"");
      }
      flags += text_[at_++];
    }
    return flags;
  }
  Result<NodePtr> Pattern(std::string_view what, char open) {
    at_ += 1;
    PADDOCK_ASSIGN(const std::string_view raw, Delimited(open, what == "s" ? "Substitution pattern not terminated" : "Search pattern not terminated"));
    NodePtr node = Make(what == "s" ? Kind::kSubstitute : Kind::kMatch);
    node->line = Line();
    node->kids.push_back(Make(Kind::kTopic));
    const std::string pattern = PatternText(raw, open);
    if (open == '\'') {
      node->kids.push_back(Make(Kind::kConstant, pattern));
    } else {
      PADDOCK_ASSIGN(NodePtr part, Inside(pattern, true));
      node->kids.push_back(std::move(part));
    }
    if (what != "s") {
      PADDOCK_ASSIGN(node->flags, Modifiers("gimsxnaul"));
      return node;
    }
    char second = open;
    if (Closing(open) != open) {
      Skip();
      second = Peek();
      if (at_ >= text_.size()) return Fail("Substitution replacement not terminated");
      ++at_;
    }
    PADDOCK_ASSIGN(const std::string_view replacement, Delimited(second, "Substitution replacement not terminated"));
    PADDOCK_ASSIGN(node->flags, Modifiers("gimsxenraul"));
    if (std::count(node->flags.begin(), node->flags.end(), 'e') > 1) return Unknown("ee");
    const std::string plain = Undelimited(replacement, second);
    if (node->flags.find('e') != std::string::npos) {
      Parser parser(plain, budget_, variables_);
      parser.set_line(Line());
      PADDOCK_ASSIGN(NodePtr code, parser.Program());
      node->kids.push_back(std::move(code));
    } else if (second == '\'') {
      node->kids.push_back(Make(Kind::kConstant, plain));
    } else {
      PADDOCK_ASSIGN(NodePtr part, Inside(plain, false, true));
      node->kids.push_back(std::move(part));
    }
    return node;
  }

  // The bytes of one side of tr///, ranges spread out.
  Result<std::string> Set(std::string_view raw, char delimiter) {
    std::string plain;
    std::vector<bool> is_range;
    Parser parser(raw, budget_, variables_);
    while (parser.at_ < raw.size()) {
      budget_.Step();
      const char c = raw[parser.at_];
      if (c == '\\' && parser.at_ + 1 < raw.size()) {
        const char next = raw[parser.at_ + 1];
        if (next == '-' || next == delimiter) {
          plain += next;
          parser.at_ += 2;
        } else {
          PADDOCK_TRY(parser.Escape(&plain));
        }
        is_range.resize(plain.size(), false);
        continue;
      }
      plain += c;
      is_range.push_back(c == '-');
      ++parser.at_;
    }
    std::string out;
    for (size_t i = 0; i < plain.size(); ++i) {
      if (is_range[i] && i > 0 && i + 1 < plain.size()) {
        const auto low = static_cast<unsigned char>(plain[i - 1]), high = static_cast<unsigned char>(plain[i + 1]);
        if (low > high) return Fail("Invalid range \"" + plain.substr(i - 1, 3) + "\" in transliteration operator");
        for (int b = low + 1; b <= high; ++b) out += static_cast<char>(b);
        ++i;
        continue;
      }
      out += plain[i];
    }
    return out;
  }
  Result<NodePtr> Translate(char open) {
    ++at_;
    PADDOCK_ASSIGN(const std::string_view from_raw, Delimited(open, "Transliteration pattern not terminated"));
    char second = open;
    if (Closing(open) != open) {
      Skip();
      second = Peek();
      if (at_ < text_.size()) ++at_;
    }
    PADDOCK_ASSIGN(const std::string_view to_raw, Delimited(second, "Transliteration replacement not terminated"));
    NodePtr node = Make(Kind::kTranslate);
    node->kids.push_back(Make(Kind::kTopic));
    while (std::string_view("cdsr").find(Peek()) != std::string_view::npos && Peek() != '\0') node->flags += text_[at_++];
    PADDOCK_ASSIGN(std::string from, Set(from_raw, open));
    PADDOCK_ASSIGN(std::string to, Set(to_raw, second));
    const bool deletes = node->flags.find('d') != std::string::npos;
    if (node->flags.find('c') != std::string::npos) {
      std::string others;
      for (int b = 0; b < 256; ++b) {
        if (from.find(static_cast<char>(b)) == std::string::npos) others += static_cast<char>(b);
      }
      from = others;
    }
    if (to.empty() && !deletes) to = from;
    node->translation = std::make_unique<Translation>();
    node->translation->map.fill(-1);
    for (size_t i = 0; i < from.size(); ++i) {
      int& entry = node->translation->map[static_cast<unsigned char>(from[i])];
      if (entry != -1) continue;   // the first one counts
      entry = i < to.size() ? static_cast<unsigned char>(to[i]) : deletes ? -2 : static_cast<unsigned char>(to.back());
    }
    return node;
  }

  static int HexDigit(char c) { return IsDigit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }
  // The escape that stands here in a double-quoted string.
  Status Escape(std::string* out) {
    const char next = Peek(1);
    at_ += 2;
    switch (next) {
      case 'n': *out += '\n'; return {};
      case 't': *out += '\t'; return {};
      case 'r': *out += '\r'; return {};
      case 'f': *out += '\f'; return {};
      case 'a': *out += '\a'; return {};
      case 'e': *out += '\033'; return {};
      case 'x': break;
      case 'N': case 'c': case 'o': return Unknown(std::string("\\") + next);
      default:
        if (next >= '0' && next <= '7') {
          // In a replacement \1 is the group, as in sed.
          int value = next - '0';
          for (int i = 0; i < 2 && Peek() >= '0' && Peek() <= '7'; ++i) value = value * 8 + (text_[at_++] - '0');
          *out += static_cast<char>(value);
        } else {
          *out += next;
        }
        return {};
    }
    int value = 0;
    if (Peek() == '{') {
      ++at_;
      while (HexDigit(Peek()) >= 0 && value < 0x100) value = value * 16 + HexDigit(text_[at_++]);
      if (Peek() != '}' || value > 255) return Unknown("\\x{…} above ff");
      ++at_;
    } else {
      for (int i = 0; i < 2 && HexDigit(Peek()) >= 0; ++i) value = value * 16 + HexDigit(text_[at_++]);
    }
    *out += static_cast<char>(value);
    return {};
  }

  // Whether the $ or @ here is a variable in a string.
  bool StartsVariable(bool is_pattern) const {
    const char next = Peek(1);
    if (Peek() == '@') return IsLetter(next);
    if (IsLetter(next) || next == '{') return true;
    if (IsDigit(next)) return true;
    if (next == '#') return !is_pattern && (IsLetter(Peek(2)) || Peek(2) == '{');
    return next == '&' && !is_pattern;
  }
  // A variable in a string, perhaps with [index].
  Result<NodePtr> InString(bool is_pattern) {
    if (Peek(1) == '#') return VariableTerm();
    const bool is_array = Peek() == '@';
    if (Peek(1) == '{' && !IsWord(Peek(2)) && Peek(2) != '^') return Unknown("${ … }");
    PADDOCK_ASSIGN(NodePtr node, Name(is_pattern));
    if (!is_array) return node;
    NodePtr joined = Make(Kind::kJoin);
    joined->kids.push_back(std::move(node));
    return joined;
  }
  Result<NodePtr> VariableTerm() {
    if (Peek() == '$' && Peek(1) == '#') {
      at_ += 2;
      const bool has_brace = Take('{');
      const std::string_view name = WordAhead();
      if (name.empty()) return SyntaxError();
      at_ += name.size();
      if (has_brace && !Take('}')) return SyntaxError();
      NodePtr node = Make(Kind::kLastIndex);
      PADDOCK_ASSIGN(node->slot, Slot("@" + std::string(name)));
      return node;
    }
    return Name(false);
  }
  // $x, ${x}, $1, $&, $_, $x[…], @x; at_ stands on the sigil.
  Result<NodePtr> Name(bool is_pattern) {
    const char sigil = text_[at_++];
    const bool has_brace = Peek() == '{';
    if (has_brace) ++at_;
    std::string name;
    if (IsLetter(Peek())) {
      while (IsWord(Peek())) name += text_[at_++];
      if (Peek() == ':' && Peek(1) == ':') return Unknown(name + "::");
    } else if (IsDigit(Peek())) {
      while (IsDigit(Peek()) && name.size() < 6) name += text_[at_++];
    } else if (!has_brace && sigil == '$' && (Peek() == '&' || Peek() == '`' || Peek() == '\'')) {
      const char which = text_[at_++];
      NodePtr node = Make(which == '&' ? Kind::kGroup : which == '`' ? Kind::kBefore : Kind::kAfter);
      return node;
    } else {
      return AtEnd() ? SyntaxError() : Unknown(std::string(1, sigil) + Peek());
    }
    if (has_brace) {
      if (Peek() != '}') return Unknown("${ … }");
      ++at_;
    }
    if (sigil == '$' && IsDigit(name[0])) {
      NodePtr node = Make(Kind::kGroup);
      node->number = std::stod(name);
      if (name == "0") return Unknown("$0");
      return node;
    }
    // In a pattern $x[…] is more often a set behind a variable than an element; digits tell.
    if (sigil == '$' && Peek() == '[' && (!is_pattern || IsDigit(Peek(1)) || (Peek(1) == '-' && IsDigit(Peek(2))))) {
      NodePtr node = Make(Kind::kElement);
      PADDOCK_ASSIGN(node->slot, Slot("@" + name));
      ++at_;
      PADDOCK_ASSIGN(NodePtr index, Expression());
      if (!Take(']')) return SyntaxError();
      node->kids.push_back(std::move(index));
      return node;
    }
    if (sigil == '$' && Peek() == '{' && !is_pattern) return Unknown("%" + name);
    if (sigil == '$' && Peek() == '-' && Peek(1) == '>') return Unknown("->");
    if (sigil == '$' && name == "_") return Make(Kind::kTopic);
    if (sigil == '@' && Peek() == '[') return Unknown("@" + name + "[");
    NodePtr node = Make(sigil == '$' ? Kind::kScalar : Kind::kArray);
    PADDOCK_ASSIGN(node->slot, Slot(sigil + name));
    return node;
  }
  Result<size_t> Slot(const std::string& name) {
    for (size_t i = variables_.size(); i-- > 0;) {
      if (variables_[i].is_visible && variables_[i].name == name) return i;
    }
    if (name == "$a" || name == "$b") return Declare(name, true);   // free of strict, for sort
    return Fail("Global symbol \"" + name + "\" requires explicit package name (did you forget to declare \"my " + name + "\"?)");
  }
  size_t Declare(const std::string& name, bool is_ours) {
    if (is_ours) {
      for (size_t i = 0; i < variables_.size(); ++i) {
        if (variables_[i].is_ours && variables_[i].name == name) {
          variables_.push_back(variables_[i]);
          return i;
        }
      }
    }
    variables_.push_back({name, is_ours, true});
    return variables_.size() - 1;
  }
  // my $x, my ($x, @y), our $x. A new variable is seen from the next statement on; here from its name on.
  Result<NodePtr> Declaration(bool is_ours) {
    const bool is_list = Take('(');
    NodePtr list = Make(Kind::kList);
    do {
      Skip();
      if (is_list && Peek() == ')') break;
      const char sigil = Peek();
      if (sigil == '%') return Unknown("%");
      if (sigil != '$' && sigil != '@') return SyntaxError();
      ++at_;
      const std::string name(WordAhead());
      if (name.empty() || name == "_") return SyntaxError();
      at_ += name.size();
      NodePtr node = Make(sigil == '$' ? Kind::kScalar : Kind::kArray);
      node->is_prefix = !is_ours;   // made anew each time it is met
      node->slot = Declare(sigil + name, is_ours);
      list->kids.push_back(std::move(node));
    } while (is_list && TakeComma());
    if (!is_list) return std::move(list->kids[0]);
    if (!Take(')')) return SyntaxError();
    return list;
  }

  Result<NodePtr> Word(std::string_view word) {
    if (word == "my" || word == "our") {
      at_ += word.size();
      return Declaration(word == "our");
    }
    if (word == "return") {
      at_ += word.size();
      NodePtr node = Make(Kind::kReturn);
      if (!AtListEnd()) {
        PADDOCK_ASSIGN(NodePtr kid, Commas());
        node->kids.push_back(std::move(kid));
      }
      return node;
    }
    if (word == "undef") {
      at_ += word.size();
      NodePtr node = Make(Kind::kCall, "undef");
      if (Take('(') && !Take(')')) return Unknown("undef(…)");
      return node;
    }
    if (auto quoted = QuoteLike(word)) return std::move(*quoted);
    const Function* function = FindFunction(word);
    if (function == nullptr) {
      size_t end = at_ + word.size();
      while (end < text_.size() && text_[end] == ' ') ++end;
      if (end < text_.size() && text_.substr(end).starts_with("=>")) {
        at_ += word.size();
        return Make(Kind::kConstant, std::string(word));
      }
      return Unknown(word);
    }
    at_ += word.size();
    return Call(*function);
  }
  // m//, s///, tr///, y///, q(), qq(), qw(), qr//; nothing when the word is none.
  std::optional<Result<NodePtr>> QuoteLike(std::string_view word) {
    const bool is_known = word == "m" || word == "s" || word == "tr" || word == "y" || word == "q" || word == "qq" || word == "qw" || word == "qr";
    if (!is_known) {
      // s_a_b_ is a substitution, too: the word goes on, since _ is a letter.
      for (const std::string_view one : {"s_", "y_", "tr_", "m_"}) {
        if (!word.starts_with(one)) continue;
        at_ += one.size() - 1;
        return one == "y_" || one == "tr_" ? Translate('_') : Pattern(one.substr(0, 1), '_');
      }
      return std::nullopt;
    }
    const size_t start = at_;
    at_ += word.size();
    const bool has_blank = Peek() == ' ';
    if (has_blank) Skip();
    const char open = Peek();
    if (at_ >= text_.size() || (open == ',' && has_blank) || open == ';' || open == ')' || (open == '=' && (Peek(1) == '>' || has_blank)) || IsWord(open)) {
      at_ = start;
      return std::nullopt;
    }
    if (word == "m" || word == "s") return Pattern(word, open);
    if (word == "tr" || word == "y") return Translate(open);
    if (word == "qr") return Unknown("qr");
    if (word == "qq" && open != '\'') return Quoted(open == '\'' ? '"' : open);
    ++at_;
    auto raw = Delimited(open, Terminator(open));
    if (!raw) return Result<NodePtr>(raw.error());
    if (word == "qq") return Inside(*raw, false);
    if (word == "q") return Result<NodePtr>(Make(Kind::kConstant, Single(*raw, open)));
    NodePtr list = Make(Kind::kList);
    std::string_view rest = *raw;
    while (!rest.empty()) {
      const size_t begin = rest.find_first_not_of(" \t\n");
      if (begin == std::string_view::npos) break;
      const size_t end = std::min(rest.find_first_of(" \t\n", begin), rest.size());
      list->kids.push_back(Make(Kind::kConstant, std::string(rest.substr(begin, end - begin))));
      rest.remove_prefix(end);
    }
    return Result<NodePtr>(std::move(list));
  }
  Result<NodePtr> Call(const Function& function) {
    NodePtr node = Make(Kind::kCall, std::string(function.name));
    node->line = Line();
    const auto add = [&](NodePtr arguments) {
      if (arguments->kind == Kind::kList && !function.is_unary) {
        for (auto& kid : arguments->kids) node->kids.push_back(std::move(kid));
      } else {
        node->kids.push_back(std::move(arguments));
      }
    };
    if (Take('(')) {
      if (!Take(')')) {
        PADDOCK_ASSIGN(NodePtr arguments, Expression());
        if (!Take(')')) return SyntaxError();
        add(std::move(arguments));
      }
    } else if (function.is_unary) {
      if (!AtListEnd() && Peek() != ',' && Peek() != '?' && Peek() != '=' && (!OperatorAhead() || Peek() == '-' || (Peek() == '/' && function.name == "split"))) {
        PADDOCK_ASSIGN(NodePtr argument, Level(6));
        add(std::move(argument));
      }
    } else if (!AtListEnd()) {
      if (function.name == "sort" && Peek() == '{') return Unknown("sort {");
      PADDOCK_ASSIGN(NodePtr arguments, Commas());
      add(std::move(arguments));
    }
    if (node->kids.empty() && function.takes_topic) node->kids.push_back(Make(Kind::kTopic));
    const int count = static_cast<int>(node->kids.size());
    if (count < function.least) return Fail("Not enough arguments for " + std::string(function.name));
    if (function.most >= 0 && count > function.most) return Fail("Too many arguments for " + std::string(function.name));
    return node;
  }

  std::string_view text_;
  size_t at_ = 0;
  int first_line_ = 1;
  bool is_replacement_ = false;   // \1 is $1
  Budget& budget_;
  std::vector<Variable>& variables_;
};

}  // namespace

const Function* FindFunction(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

Result<Tree> Parse(std::string_view code, Budget& budget) {
  Tree tree;
  Parser parser(code, budget, tree.variables);
  PADDOCK_ASSIGN(tree.root, parser.Program());
  return tree;
}

}  // namespace paddock::perl
