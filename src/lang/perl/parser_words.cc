#include "lang/perl/parser_parts.h"

#include <algorithm>

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

}  // namespace

bool Parser::StartsVariable(bool is_pattern) const {
  const char next = Peek(1);
  if (Peek() == '@') return IsLetter(next);
  if (IsLetter(next) || next == '{') return true;
  if (IsDigit(next)) return true;
  if (next == '#') return !is_pattern && (IsLetter(Peek(2)) || Peek(2) == '{');
  return next == '&' && !is_pattern;
}

Result<NodePtr> Parser::InString(bool is_pattern) {
  if (Peek(1) == '#') return VariableTerm();
  const bool is_array = Peek() == '@';
  if (Peek(1) == '{' && !IsWord(Peek(2)) && Peek(2) != '^') return Unknown("${ … }");
  PADDOCK_ASSIGN(NodePtr node, Name(is_pattern));
  if (!is_array) return node;
  NodePtr joined = Make(Kind::kJoin);
  joined->kids.push_back(std::move(node));
  return joined;
}

Result<NodePtr> Parser::VariableTerm() {
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

Result<NodePtr> Parser::Name(bool is_pattern) {
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

Result<size_t> Parser::Slot(const std::string& name) {
  for (size_t i = variables_.size(); i-- > 0;) {
    if (variables_[i].is_visible && variables_[i].name == name) return i;
  }
  if (name == "$a" || name == "$b") return Declare(name, true);   // free of strict, for sort
  return Fail("Global symbol \"" + name + "\" requires explicit package name (did you forget to declare \"my " + name + "\"?)");
}

size_t Parser::Declare(const std::string& name, bool is_ours) {
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

Result<NodePtr> Parser::Declaration(bool is_ours) {
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

Result<NodePtr> Parser::Word(std::string_view word) {
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

std::optional<Result<NodePtr>> Parser::QuoteLike(std::string_view word) {
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

Result<NodePtr> Parser::Call(const Function& function) {
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

const Function* FindFunction(std::string_view name) {
  for (const Function& function : kFunctions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace paddock::perl
