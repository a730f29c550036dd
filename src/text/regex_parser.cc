#include "text/regex_parser.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace paddock {
namespace {

constexpr int kMaxRepeat = 32767;
constexpr int kMaxNesting = 1000;

// Where the dialects differ.
struct Syntax {
  bool escaped_operators = false;  // \( \) \{ \} \| are the operators, not ( ) { } |
  bool escaped_bar = false;
  bool escaped_plus = false;       // \+ \? rather than + ?
  bool has_intervals = true;
  bool has_classes = true;         // [:alpha:] in brackets
  bool has_back_references = true;
  bool anchors_anywhere = false;   // ^ and $ are anchors wherever they stand
  bool operator_first_is_error = false;
  bool operator_first_is_skipped = false;
  bool interval_first_is_error = false;  // and so is * or \{ directly after another repetition
  bool bad_interval_is_text = false;
  bool lone_close_is_text = false;
  bool backslash_in_brackets = false;
  bool empty_range_is_error = true;
  bool warns_of_class_syntax = false;  // [:alpha:] without the outer brackets
  bool has_awk_escapes = false;
  bool is_grep = false;
  bool open_bracket_is_bad = false;    // what a pattern that ends in [ is called
};

Syntax SyntaxOf(RegexDialect dialect) {
  Syntax s;
  s.is_grep = dialect == RegexDialect::kGrepBasic || dialect == RegexDialect::kGrepExtended;
  switch (dialect) {
    case RegexDialect::kBasic:
    case RegexDialect::kGrepBasic:
      s.escaped_operators = s.escaped_bar = s.escaped_plus = true;
      s.interval_first_is_error = dialect == RegexDialect::kBasic;
      s.open_bracket_is_bad = true;
      s.warns_of_class_syntax = true;
      break;
    case RegexDialect::kExtended:
    case RegexDialect::kSedExtended:
      s.anchors_anywhere = s.operator_first_is_error = s.open_bracket_is_bad = true;
      s.lone_close_is_text = dialect == RegexDialect::kExtended;
      s.warns_of_class_syntax = dialect == RegexDialect::kSedExtended;
      break;
    case RegexDialect::kGrepExtended:
      s.anchors_anywhere = s.operator_first_is_skipped = true;
      s.bad_interval_is_text = s.lone_close_is_text = s.warns_of_class_syntax = true;
      s.open_bracket_is_bad = true;
      break;
    case RegexDialect::kAwk:
      s.anchors_anywhere = s.bad_interval_is_text = s.lone_close_is_text = true;
      s.backslash_in_brackets = s.has_awk_escapes = true;
      s.has_back_references = false;
      break;
    case RegexDialect::kEmacs:
      s.escaped_operators = s.escaped_bar = s.open_bracket_is_bad = true;
      s.has_intervals = s.has_classes = s.empty_range_is_error = false;
      break;
    case RegexDialect::kPerl: break;
  }
  return s;
}

enum class TokenKind {
  kEnd,
  kCharacter,
  kAny,
  kBracket,
  kOpen,
  kClose,
  kBar,
  kStar,
  kPlus,
  kQuestion,
  kInterval,
  kCloseInterval,
  kAssertion,
  kBackReference,
  kEscapedClass,
  kTrailingBackslash,
};

bool IsRepetition(TokenKind kind) {
  return kind == TokenKind::kStar || kind == TokenKind::kPlus || kind == TokenKind::kQuestion ||
         kind == TokenKind::kInterval;
}

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t length = 0;
  char32_t code = 0;        // kCharacter: the character or, not is_valid, the byte; kEscapedClass: its letter
  bool is_valid = true;
  uint32_t value = 0;       // kAssertion, kBackReference
};

Error Syntax_(const char* message) { return Error(Code::kSyntax, message); }

class Parser {
 public:
  explicit Parser(const RegexFlags& flags) : flags_(flags), syntax_(SyntaxOf(flags.dialect)) {
    tree_.is_utf8 = flags.is_utf8;
    tree_.ignore_case = flags.ignore_case;
    tree_.multiline = flags.multiline;
  }

  Result<RegexTree> Run(std::span<const std::string> patterns);
  Result<uint32_t> ParsePattern(std::string_view pattern);
  RegexTree TakeTree(uint32_t root) {
    tree_.root = AddExtent(root);
    return std::move(tree_);
  }

 private:
  uint32_t ParseLiteral();
  Token Lex(bool caret_is_anchor);
  Token LexEscape();
  Token LexAwkEscape(char c) const;
  Token LexCharacter(size_t at) const;
  bool DollarIsAnchor() const;
  void Next(bool caret_is_anchor = false) {
    at_ += token_.length;
    token_ = Lex(caret_is_anchor);
  }

  Result<uint32_t> ParseAlternatives(int depth);
  Result<uint32_t> ParseBranch(int depth);
  Result<uint32_t> ParseExpression(int depth);
  void WarnOfOperator();
  Result<uint32_t> ParseGroup(int depth);
  Result<uint32_t> ParseRepetitions(uint32_t atom);
  Result<uint32_t> ParseBracket();

  struct Interval {
    int min;
    int max;
  };
  // Nothing when the text is no interval and stands for itself.
  Result<std::optional<Interval>> ParseInterval();
  std::optional<int> ParseNumber(size_t& at, bool& is_end) const;
  bool EndsInterval(size_t at) const;

  struct Element {
    enum class Kind { kCharacter, kClass, kEquivalence } kind = Kind::kCharacter;
    char32_t code = 0;
    std::string_view name;
  };
  Result<Element> ParseElement(bool hyphen_is_text);
  Result<std::string_view> ParseElementName(char kind);
  bool IsBareClass(size_t open, size_t close) const;

  uint32_t AddCharacter(char32_t code, bool is_valid);
  uint32_t AddSet(CharSet set, bool is_negated);
  uint32_t AddEscapedClass(char32_t letter);
  uint32_t AddAssertion(Assertion assertion) {
    return tree_.Add({RegexNode::Kind::kAssertion, static_cast<uint32_t>(assertion), 0, 0, {}});
  }
  uint32_t AddExtent(uint32_t node);

  std::string_view text_;
  RegexFlags flags_;
  Syntax syntax_;
  RegexTree tree_;
  Token token_;
  size_t at_ = 0;
  bool has_bare_class_ = false;
  bool is_branch_start_ = false;   // nothing but assertions stands before the expression being read
  uint32_t first_group_ = 0;       // groups of the patterns before this one
  std::vector<bool> is_complete_;  // groups of this pattern by number from 1
};

Token Parser::LexCharacter(size_t at) const {
  Token token{TokenKind::kCharacter, 1, static_cast<unsigned char>(text_[at]), true, 0};
  if (!flags_.is_utf8 || token.code < 0x80) return token;
  const DecodedChar c = DecodeUtf8(text_.substr(at));
  token.length = c.length;
  token.code = c.code;
  token.is_valid = c.is_valid;
  return token;
}

Token Parser::Lex(bool caret_is_anchor) {
  if (at_ >= text_.size()) return {};
  const auto simple = [](TokenKind kind) { return Token{kind, 1, 0, true, 0}; };
  const auto assertion = [](Assertion a) { return Token{TokenKind::kAssertion, 1, 0, true, static_cast<uint32_t>(a)}; };
  switch (text_[at_]) {
    case '\\': return LexEscape();
    case '.': return simple(TokenKind::kAny);
    case '[': return simple(TokenKind::kBracket);
    case '*': return {TokenKind::kStar, 1, '*', true, 0};
    case '+':
      if (!syntax_.escaped_plus) return {TokenKind::kPlus, 1, '+', true, 0};
      break;
    case '?':
      if (!syntax_.escaped_plus) return {TokenKind::kQuestion, 1, '?', true, 0};
      break;
    case '(':
      if (!syntax_.escaped_operators) return simple(TokenKind::kOpen);
      break;
    case ')':
      if (!syntax_.escaped_operators) return {TokenKind::kClose, 1, ')', true, 0};
      break;
    case '|':
      if (!syntax_.escaped_bar) return simple(TokenKind::kBar);
      break;
    case '{':
      if (!syntax_.escaped_operators && syntax_.has_intervals) return {TokenKind::kInterval, 1, '{', true, 0};
      break;
    case '}':
      if (!syntax_.escaped_operators && syntax_.has_intervals) return {TokenKind::kCloseInterval, 1, '}', true, 0};
      break;
    case '^':
      if (syntax_.anchors_anywhere || caret_is_anchor || at_ == 0) return assertion(Assertion::kLineStart);
      break;
    case '$':
      if (syntax_.anchors_anywhere || DollarIsAnchor()) return assertion(Assertion::kLineEnd);
      break;
    default: break;
  }
  return LexCharacter(at_);
}

bool Parser::DollarIsAnchor() const {
  const std::string_view rest = text_.substr(at_ + 1);
  return rest.empty() || rest.starts_with("\\)") || rest.starts_with("\\|");
}

Token Parser::LexAwkEscape(char c) const {
  const auto character = [](char32_t code, size_t length) {
    return Token{TokenKind::kCharacter, length, code, code < 0x80, 0};
  };
  switch (c) {
    case 'a': return character('\a', 2);
    case 'b': return character('\b', 2);
    case 'f': return character('\f', 2);
    case 'n': return character('\n', 2);
    case 'r': return character('\r', 2);
    case 't': return character('\t', 2);
    case 'v': return character('\v', 2);
    case 'y': return {TokenKind::kAssertion, 2, 0, true, static_cast<uint32_t>(Assertion::kWordBoundary)};
    default: break;
  }
  if (c >= '0' && c <= '7') {
    char32_t code = 0;
    size_t length = 1;
    for (; length < 4 && at_ + length < text_.size(); ++length) {
      const char digit = text_[at_ + length];
      if (digit < '0' || digit > '7') break;
      code = code * 8 + static_cast<char32_t>(digit - '0');
    }
    return character(code & 0xFF, length);
  }
  return {};
}

Token Parser::LexEscape() {
  if (at_ + 1 >= text_.size()) return {TokenKind::kTrailingBackslash, 1, 0, true, 0};
  const char c = text_[at_ + 1];
  const auto simple = [c](TokenKind kind) { return Token{kind, 2, static_cast<char32_t>(c), true, 0}; };
  const auto assertion = [](Assertion a) { return Token{TokenKind::kAssertion, 2, 0, true, static_cast<uint32_t>(a)}; };
  if (syntax_.has_awk_escapes) {
    if (const Token token = LexAwkEscape(c); token.kind != TokenKind::kEnd) return token;
  }
  switch (c) {
    case 'w': case 'W': case 's': case 'S': return simple(TokenKind::kEscapedClass);
    case 'b': return assertion(Assertion::kWordBoundary);
    case 'B': return assertion(Assertion::kNotWordBoundary);
    case '<': return assertion(Assertion::kWordStart);
    case '>': return assertion(Assertion::kWordEnd);
    case '`': return assertion(Assertion::kTextStart);
    case '\'': return assertion(Assertion::kTextEnd);
    case '(':
      if (syntax_.escaped_operators) return simple(TokenKind::kOpen);
      break;
    case ')':
      if (syntax_.escaped_operators) return simple(TokenKind::kClose);
      break;
    case '|':
      if (syntax_.escaped_bar) return simple(TokenKind::kBar);
      break;
    case '{':
      if (syntax_.escaped_operators && syntax_.has_intervals) return simple(TokenKind::kInterval);
      break;
    case '}':
      if (syntax_.escaped_operators && syntax_.has_intervals) return simple(TokenKind::kCloseInterval);
      break;
    case '+':
      if (syntax_.escaped_plus) return simple(TokenKind::kPlus);
      break;
    case '?':
      if (syntax_.escaped_plus) return simple(TokenKind::kQuestion);
      break;
    default:
      if (c >= '1' && c <= '9' && syntax_.has_back_references) {
        return {TokenKind::kBackReference, 2, 0, true, static_cast<uint32_t>(c - '0')};
      }
  }
  Token token = LexCharacter(at_ + 1);
  token.length += 1;
  return token;
}

uint32_t Parser::AddCharacter(char32_t code, bool is_valid) {
  const bool may_have_case = flags_.ignore_case && is_valid && (flags_.is_utf8 || code < 0x80);
  if (const std::u32string variants = may_have_case ? CaseVariants(code) : U""; !variants.empty()) {
    CharSet set;
    set.Add(code, code);
    for (const char32_t variant : variants) set.Add(variant, variant);
    return AddSet(std::move(set), false);
  }
  const auto begin = static_cast<uint32_t>(tree_.literals.size());
  if (is_valid && flags_.is_utf8) {
    AppendUtf8(tree_.literals, code);
  } else {
    tree_.literals.push_back(static_cast<char>(code));
  }
  const int size = static_cast<int>(tree_.literals.size() - begin);
  return tree_.Add({RegexNode::Kind::kLiteral, begin, size, 0, {}});
}

uint32_t Parser::AddSet(CharSet set, bool is_negated) {
  set.Finish(is_negated, flags_.ignore_case, flags_.newline_is_text, flags_.is_utf8);
  tree_.sets.push_back(std::move(set));
  return tree_.Add({RegexNode::Kind::kSet, static_cast<uint32_t>(tree_.sets.size() - 1), 0, 0, {}});
}

uint32_t Parser::AddEscapedClass(char32_t letter) {
  CharSet set;
  set.AddClass(letter == 'w' || letter == 'W' ? CharClass::kWord : CharClass::kSpace);
  return AddSet(std::move(set), letter == 'W' || letter == 'S');
}

Result<uint32_t> Parser::ParseAlternatives(int depth) {
  if (depth > kMaxNesting) return Syntax_(syntax_.is_grep ? "stack overflow" : "Regular expression too big");
  RegexNode alternatives{RegexNode::Kind::kAlternate, 0, 0, 0, {}};
  // A group of one branch cannot be referred to in another.
  const std::vector<bool> before = is_complete_;
  std::vector<bool> after = is_complete_;
  for (;;) {
    PADDOCK_ASSIGN(const uint32_t branch, ParseBranch(depth));
    alternatives.children.push_back(branch);
    after.resize(is_complete_.size());
    std::transform(after.begin(), after.end(), is_complete_.begin(), after.begin(), std::logical_or<>());
    if (token_.kind != TokenKind::kBar) break;
    is_complete_ = before;
    is_complete_.resize(after.size());
    Next(true);
  }
  is_complete_ = std::move(after);
  if (alternatives.children.size() == 1) return alternatives.children.front();
  return tree_.Add(std::move(alternatives));
}

Result<uint32_t> Parser::ParseBranch(int depth) {
  RegexNode branch{RegexNode::Kind::kConcat, 0, 0, 0, {}};
  bool is_start = true;
  while (token_.kind != TokenKind::kEnd && token_.kind != TokenKind::kBar &&
         !(token_.kind == TokenKind::kClose && depth > 0)) {
    is_branch_start_ = is_start;
    PADDOCK_ASSIGN(const uint32_t next, ParseExpression(depth));
    is_start = is_start && tree_.at(next).kind == RegexNode::Kind::kAssertion;
    RegexNode* last = branch.children.empty() ? nullptr : &tree_.nodes[branch.children.back()];
    const RegexNode& node = tree_.at(next);
    if (last != nullptr && last->kind == RegexNode::Kind::kLiteral && node.kind == RegexNode::Kind::kLiteral &&
        last->value + static_cast<uint32_t>(last->min) == node.value) {
      last->min += node.min;
    } else {
      branch.children.push_back(next);
    }
  }
  if (branch.children.size() == 1) return branch.children.front();
  if (branch.children.empty()) branch.kind = RegexNode::Kind::kEmpty;
  return tree_.Add(std::move(branch));
}

Result<uint32_t> Parser::ParseGroup(int depth) {
  const uint32_t number = ++tree_.group_count;
  const uint32_t own_number = number - first_group_;
  is_complete_.resize(own_number + 1);
  Next(true);
  PADDOCK_ASSIGN(const uint32_t inside, ParseAlternatives(depth + 1));
  if (token_.kind != TokenKind::kClose) return Syntax_("Unmatched ( or \\(");
  is_complete_[own_number] = true;
  return tree_.Add({RegexNode::Kind::kGroup, number, 0, 0, {inside}});
}

void Parser::WarnOfOperator() {
  const bool is_interval = token_.kind == TokenKind::kInterval;
  const std::string shown(is_interval ? "{...}" : text_.substr(at_, token_.length));
  tree_.warnings.push_back(shown + " at start of expression");
}

Result<uint32_t> Parser::ParseExpression(int depth) {
  uint32_t atom = 0;
  switch (token_.kind) {
    case TokenKind::kInterval:
      if (syntax_.interval_first_is_error) return Syntax_("Invalid preceding regular expression");
      [[fallthrough]];
    case TokenKind::kStar:
    case TokenKind::kPlus:
    case TokenKind::kQuestion:
      if (syntax_.operator_first_is_error) return Syntax_("Invalid preceding regular expression");
      if (syntax_.operator_first_is_skipped) {
        if (is_branch_start_) WarnOfOperator();
        const uint32_t nothing = tree_.Add({});
        return ParseRepetitions(nothing);
      }
      atom = AddCharacter(token_.code, true);
      break;
    case TokenKind::kClose:
      if (!syntax_.lone_close_is_text) return Syntax_("Unmatched ) or \\)");
      [[fallthrough]];
    case TokenKind::kCloseInterval:
    case TokenKind::kCharacter: atom = AddCharacter(token_.code, token_.is_valid); break;
    case TokenKind::kAny: atom = AddSet(CharSet(), true); break;
    case TokenKind::kBracket: {
      PADDOCK_ASSIGN(atom, ParseBracket());
      break;
    }
    case TokenKind::kOpen: {
      PADDOCK_ASSIGN(atom, ParseGroup(depth));
      break;
    }
    case TokenKind::kAssertion: {
      // An anchor is not repeated: what follows begins a new expression.
      const auto assertion = static_cast<Assertion>(token_.value);
      // Where newlines are no text, each line is a text of its own.
      const bool is_by_line = flags_.multiline && !flags_.newline_is_text;
      const uint32_t node = AddAssertion(is_by_line && assertion == Assertion::kTextStart ? Assertion::kLineStart
                                         : is_by_line && assertion == Assertion::kTextEnd ? Assertion::kLineEnd
                                                                                          : assertion);
      Next();
      // GNU grep's own matcher repeats it nevertheless; words in UTF-8 it leaves to the C library.
      const bool is_line = assertion == Assertion::kLineStart || assertion == Assertion::kLineEnd;
      if (!syntax_.operator_first_is_skipped || !(is_line || !flags_.is_utf8)) return node;
      if (!IsRepetition(token_.kind)) return node;
      if (is_branch_start_) WarnOfOperator();
      return ParseRepetitions(node);
    }
    case TokenKind::kBackReference:
      if (token_.value >= is_complete_.size() || !is_complete_[token_.value]) {
        return Syntax_("Invalid back reference");
      }
      atom = tree_.Add({RegexNode::Kind::kBackReference, first_group_ + token_.value, 0, 0, {}});
      break;
    case TokenKind::kEscapedClass: atom = AddEscapedClass(token_.code); break;
    case TokenKind::kTrailingBackslash: return Syntax_("Trailing backslash");
    case TokenKind::kEnd:
    case TokenKind::kBar: return tree_.Add({});
  }
  Next();
  return ParseRepetitions(atom);
}

Result<uint32_t> Parser::ParseRepetitions(uint32_t atom) {
  for (;;) {
    RegexNode repeat{RegexNode::Kind::kRepeat, 0, 0, RegexNode::kNoMaximum, {atom}};
    switch (token_.kind) {
      case TokenKind::kStar: break;
      case TokenKind::kPlus: repeat.min = 1; break;
      case TokenKind::kQuestion: repeat.max = 1; break;
      case TokenKind::kInterval: {
        PADDOCK_ASSIGN(const auto interval, ParseInterval());
        if (!interval) return atom;
        repeat.min = interval->min;
        repeat.max = interval->max;
        break;
      }
      default: return atom;
    }
    Next();
    atom = tree_.Add(std::move(repeat));
    if (syntax_.interval_first_is_error &&
        (token_.kind == TokenKind::kStar || token_.kind == TokenKind::kInterval)) {
      return Syntax_("Invalid preceding regular expression");
    }
  }
}

bool Parser::EndsInterval(size_t at) const {
  return text_.substr(at).starts_with(syntax_.escaped_operators ? "\\}" : "}");
}

// The digits at `at`: -1 if there are none, nothing if something else stands there. Moves to the comma or
// the closing brace, or sets `is_end`.
std::optional<int> Parser::ParseNumber(size_t& at, bool& is_end) const {
  std::optional<int> number = -1;
  for (; at < text_.size() && text_[at] != ',' && !EndsInterval(at); ++at) {
    const char c = text_[at];
    if (c == '\\' && at + 1 < text_.size()) ++at;
    if (c < '0' || c > '9' || !number) {
      number.reset();
    } else {
      number = std::min(kMaxRepeat + 1, std::max(0, *number) * 10 + (c - '0'));
    }
  }
  is_end = at >= text_.size();
  if (is_end) return std::nullopt;
  return number;
}

// Leaves the current token as the whole interval, or as the text of its brace.
Result<std::optional<Parser::Interval>> Parser::ParseInterval() {
  size_t at = at_ + token_.length;
  bool is_end = false;
  std::optional<int> min = ParseNumber(at, is_end);
  std::optional<int> max = min;
  if (min == -1) {
    if (text_[at] != ',') return Syntax_("Invalid content of \\{\\}");
    min = 0;
  }
  if (min && text_[at] == ',') {
    ++at;
    max = ParseNumber(at, is_end);
  }
  if (!min || !max) {
    if (!syntax_.bad_interval_is_text) {
      return Syntax_(is_end ? "Unmatched \\{" : "Invalid content of \\{\\}");
    }
    token_.kind = TokenKind::kCharacter;
    return std::optional<Interval>();
  }
  if (!EndsInterval(at) || (*max != -1 && *min > *max)) return Syntax_("Invalid content of \\{\\}");
  if (std::max(*min, *max) > kMaxRepeat) return Syntax_("Regular expression too big");
  token_.length = at + (syntax_.escaped_operators ? 2 : 1) - at_;
  return std::optional<Interval>({*min, *max});
}

Result<std::string_view> Parser::ParseElementName(char kind) {
  constexpr size_t kMaxName = 32;
  const char end[] = {kind, ']'};
  const size_t close = text_.find(std::string_view(end, 2), at_ + 2);
  if (close == std::string_view::npos || close - at_ - 2 >= kMaxName) {
    return Syntax_("Unmatched [, [^, [:, [., or [=");
  }
  const std::string_view name = text_.substr(at_ + 2, close - at_ - 2);
  at_ = close + 2;
  return name;
}

Result<Parser::Element> Parser::ParseElement(bool hyphen_is_text) {
  if (at_ >= text_.size()) return Syntax_("Unmatched [, [^, [:, [., or [=");
  const char c = text_[at_];
  const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  if (c == '[' && (second == '.' || second == '=' || (second == ':' && syntax_.has_classes))) {
    PADDOCK_ASSIGN(const std::string_view name, ParseElementName(second));
    if (second == ':') return Element{Element::Kind::kClass, 0, name};
    if (name.size() != 1) return Syntax_("Invalid collation character");
    return Element{second == '=' ? Element::Kind::kEquivalence : Element::Kind::kCharacter,
                   static_cast<unsigned char>(name[0]), {}};
  }
  if (c == '-' && at_ + 1 >= text_.size()) return Syntax_("Unmatched [, [^, [:, [., or [=");
  if (c == '-' && !hyphen_is_text && second != ']') return Syntax_("Invalid range end");
  if (c == '\\' && syntax_.backslash_in_brackets && at_ + 1 < text_.size()) {
    Token token = LexAwkEscape(second);
    if (token.kind != TokenKind::kCharacter) {
      token = LexCharacter(at_ + 1);
      ++token.length;
    }
    at_ += token.length;
    return Element{Element::Kind::kCharacter, token.code, {}};
  }
  const Token token = LexCharacter(at_);
  at_ += token.length;
  // A byte that is no character can be in no set of characters.
  return Element{Element::Kind::kCharacter, token.is_valid ? token.code : 0x110000, {}};
}

// [:alpha:] where [[:alpha:]] is meant.
bool Parser::IsBareClass(size_t open, size_t close) const {
  std::string_view inside = text_.substr(open, close - open);
  if (inside.starts_with('^')) inside.remove_prefix(1);
  return inside.size() > 2 && inside.front() == ':' && inside.back() == ':' &&
         inside.find_first_of("-[") == std::string_view::npos &&
         inside.find_first_not_of(':') != std::string_view::npos;
}

// Leaves the current token such that Next() goes on behind the bracket.
Result<uint32_t> Parser::ParseBracket() {
  at_ += token_.length;
  token_.length = 0;
  const size_t open = at_;
  CharSet set;
  bool is_negated = false;
  if (at_ < text_.size() && text_[at_] == '^') {
    is_negated = true;
    ++at_;
  }
  if (at_ >= text_.size() && syntax_.open_bracket_is_bad) return Syntax_("Invalid regular expression");
  for (bool is_first = true;; is_first = false) {
    if (at_ >= text_.size()) return Syntax_("Unmatched [, [^, [:, [., or [=");
    if (text_[at_] == ']' && !is_first) break;
    PADDOCK_ASSIGN(const Element first, ParseElement(is_first));
    const bool is_range = at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] != ']';
    if (is_range) {
      ++at_;
      PADDOCK_ASSIGN(const Element last, ParseElement(true));
      if (first.kind != Element::Kind::kCharacter || last.kind != Element::Kind::kCharacter ||
          (first.code > last.code && syntax_.empty_range_is_error)) {
        return Syntax_("Invalid range end");
      }
      if (first.code <= last.code) set.Add(first.code, last.code);
    } else if (first.kind == Element::Kind::kClass) {
      const CharClass found = FindCharClass(first.name);
      if (found == CharClass::kUnknown || found == CharClass::kWord) {
        return Syntax_("Invalid character class name");
      }
      set.AddClass(found);
    } else if (first.code <= 0x10FFFF) {
      set.Add(first.code, first.code);
    }
  }
  if (syntax_.warns_of_class_syntax && IsBareClass(open, at_)) has_bare_class_ = true;
  ++at_;
  return AddSet(std::move(set), is_negated);
}

uint32_t Parser::AddExtent(uint32_t node) {
  if (flags_.extent == RegexExtent::kAny) return node;
  const bool is_line = flags_.extent == RegexExtent::kWholeLine;
  const uint32_t before = AddAssertion(is_line ? Assertion::kLineStart : Assertion::kNotAfterWord);
  const uint32_t after = AddAssertion(is_line ? Assertion::kLineEnd : Assertion::kNotBeforeWord);
  return tree_.Add({RegexNode::Kind::kConcat, 0, 0, 0, {before, node, after}});
}

uint32_t Parser::ParseLiteral() {
  RegexNode all{RegexNode::Kind::kConcat, 0, 0, 0, {}};
  while (at_ < text_.size()) {
    const Token token = LexCharacter(at_);
    const uint32_t node = AddCharacter(token.code, token.is_valid);
    at_ += token.length;
    if (tree_.at(node).kind == RegexNode::Kind::kLiteral && !all.children.empty() &&
        tree_.at(all.children.back()).kind == RegexNode::Kind::kLiteral) {
      tree_.nodes[all.children.back()].min += tree_.at(node).min;
      tree_.nodes.pop_back();
    } else {
      all.children.push_back(node);
    }
  }
  if (all.children.size() == 1) return all.children.front();
  if (all.children.empty()) all.kind = RegexNode::Kind::kEmpty;
  return tree_.Add(std::move(all));
}

Result<uint32_t> Parser::ParsePattern(std::string_view pattern) {
  text_ = pattern;
  at_ = 0;
  if (flags_.is_literal) return ParseLiteral();
  // A pattern refers to its own groups only, and counts them from one.
  first_group_ = tree_.group_count;
  is_complete_.assign(1, false);
  token_ = Lex(true);
  PADDOCK_ASSIGN(const uint32_t root, ParseAlternatives(0));
  if (has_bare_class_) return Syntax_("character class syntax is [[:space:]], not [:space:]");
  return root;
}

Result<RegexTree> Parser::Run(std::span<const std::string> patterns) {
  RegexNode any{RegexNode::Kind::kAlternate, 0, 0, 0, {}};
  for (const std::string& pattern : patterns) {
    PADDOCK_ASSIGN(const uint32_t root, ParsePattern(pattern));
    any.children.push_back(root);
  }
  if (any.children.size() == 1) return TakeTree(any.children.front());
  if (any.children.empty()) {
    tree_.sets.emplace_back();
    return TakeTree(tree_.Add({RegexNode::Kind::kSet, 0, 0, 0, {}}));
  }
  return TakeTree(tree_.Add(std::move(any)));
}

}  // namespace

Result<RegexTree> ParseRegex(std::string_view pattern, const RegexFlags& flags) {
  Parser parser(flags);
  PADDOCK_ASSIGN(const uint32_t root, parser.ParsePattern(pattern));
  return parser.TakeTree(root);
}

Result<RegexTree> ParseAnyRegex(std::span<const std::string> patterns, const RegexFlags& flags) {
  return Parser(flags).Run(patterns);
}

}  // namespace paddock
