#include "lang/perl/parser_parts.h"

#include <algorithm>
#include <utility>

namespace paddock::perl {

char Closing(char open) {
  switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return open;
  }
}

Status Parser::ChangeCase(char next, std::vector<Node*>& open, char once) {
  budget_.CheckStack();
  if (open.size() > 50) return Fail("Too many nested case changes");
  NodePtr changed = Make(Kind::kCase, std::string(1, next));
  changed->kids.push_back(Make(Kind::kConcat));
  Node* inner = changed->kids[0].get();
  if (once != 0) {   // \u\L…: the first letter of what follows
    NodePtr wrapped = Make(Kind::kCase, std::string(1, once));
    wrapped->kids.push_back(std::move(changed));
    changed = std::move(wrapped);
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
  return {};
}

Result<NodePtr> Parser::Interpolated(bool is_pattern) {
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
        PADDOCK_TRY(ChangeCase(next, open, std::exchange(once, 0)));
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

Result<std::string_view> Parser::Delimited(char open, std::string_view complaint) {
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

std::string Parser::Single(std::string_view raw, char open) {
  std::string out;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\\' && i + 1 < raw.size() && (raw[i + 1] == '\\' || raw[i + 1] == open || raw[i + 1] == Closing(open))) ++i;
    out += raw[i];
  }
  return out;
}

Result<NodePtr> Parser::Inside(std::string_view text, bool is_pattern, bool is_replacement) {
  budget_.CheckStack();
  Parser parser(text, budget_, variables_);
  parser.is_replacement_ = is_replacement;
  parser.set_line(Line());
  return parser.Interpolated(is_pattern);
}

std::string Parser::Undelimited(std::string_view raw, char open) {
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

std::string Parser::PatternText(std::string_view raw, char open) {
  return std::string_view("()[]{}.*+?|^$").find(open) == std::string_view::npos ? Undelimited(raw, open) : std::string(raw);
}

Result<NodePtr> Parser::Quoted(char open) {
  ++at_;
  PADDOCK_ASSIGN(const std::string_view raw, Delimited(open, Terminator(open)));
  if (open == '\'') return Make(Kind::kConstant, Single(raw, open));
  return Inside(raw, false);
}

Result<std::string> Parser::Modifiers(std::string_view known) {
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

Result<NodePtr> Parser::Pattern(std::string_view what, char open) {
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

Result<std::string> Parser::Set(std::string_view raw, char delimiter) {
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

Result<NodePtr> Parser::Translate(char open) {
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

Status Parser::Escape(std::string* out) {
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

}  // namespace paddock::perl
