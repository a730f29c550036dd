// The parser of lang/perl: recursive descent on the text itself, since what a '/' means depends on what comes before it.
#include "lang/perl/parser_parts.h"

namespace paddock::perl {

Result<NodePtr> Parser::Program() {
  PADDOCK_ASSIGN(NodePtr block, Statements());
  if (!AtEnd()) return Fail("Unmatched right curly bracket");
  return block;
}

Error Parser::SyntaxError() {
  if (AtEnd()) return Fail("syntax error");
  size_t end = at_;
  while (end < text_.size() && text_[end] != '\n' && end - at_ < 40) ++end;
  return Fail("syntax error, near \"" + std::string(text_.substr(at_, end - at_)) + "\"");
}

int Parser::Line() const {
  return first_line_ + static_cast<int>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())), '\n'));
}

void Parser::Skip() {
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

bool Parser::AtEnd() {
  Skip();
  return at_ >= text_.size();
}

bool Parser::Take(char c) {
  Skip();
  if (Peek() != c) return false;
  ++at_;
  return true;
}

std::string_view Parser::WordAhead() {
  Skip();
  if (!IsLetter(Peek())) return {};
  size_t end = at_;
  while (end < text_.size() && IsWord(text_[end])) ++end;
  return text_.substr(at_, end - at_);
}

bool Parser::TakeWord(std::string_view word) {
  if (WordAhead() != word) return false;
  at_ += word.size();
  return true;
}

Result<NodePtr> Parser::Statements() {
  budget_.CheckStack();
  NodePtr block = Make(Kind::kBlock);
  while (!AtEnd() && Peek() != '}') {
    if (Take(';')) continue;
    PADDOCK_ASSIGN(NodePtr statement, Statement());
    if (statement != nullptr) block->kids.push_back(std::move(statement));
  }
  return block;
}

Result<NodePtr> Parser::Block() {
  if (!Take('{')) return SyntaxError();
  const size_t seen = variables_.size();
  PADDOCK_ASSIGN(NodePtr block, Statements());
  for (size_t i = seen; i < variables_.size(); ++i) variables_[i].is_visible = false;
  if (!Take('}')) return Fail("Missing right curly or square bracket");
  return block;
}

Result<NodePtr> Parser::Condition(bool is_negated) {
  if (!Take('(')) return SyntaxError();
  PADDOCK_ASSIGN(NodePtr condition, Expression());
  if (!Take(')')) return SyntaxError();
  return is_negated ? Not(std::move(condition)) : std::move(condition);
}

NodePtr Parser::Not(NodePtr kid) {
  NodePtr node = Make(Kind::kUnary, "!");
  node->kids.push_back(std::move(kid));
  return node;
}

Result<NodePtr> Parser::Statement() {
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

Result<NodePtr> Parser::If() {
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

Result<NodePtr> Parser::Use() {
  if (TakeWord("no")) return Unknown("no");
  at_ += 3;
  const std::string module(WordAhead());
  if (module != "strict" && module != "warnings") return Unknown("use " + module);
  at_ += module.size();
  if (!AtEnd() && Peek() != ';' && Peek() != '}') return Unknown("use " + module);
  return NodePtr();
}

Result<Tree> Parse(std::string_view code, Budget& budget) {
  Tree tree;
  Parser parser(code, budget, tree.variables);
  PADDOCK_ASSIGN(tree.root, parser.Program());
  return tree;
}

}  // namespace paddock::perl
