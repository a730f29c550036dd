#include "shell/parser/lexer.h"

#include <charconv>

#include "shell/parser/characters.h"

namespace paddock::shell {
namespace {

// Levels of nested substitutions, compound commands and the like; a `$(` counts two. Real scripts stay
// below 30. A level costs up to 1 KiB of stack (several times that under AddressSanitizer), and the
// smallest stack is 8 MiB.
#ifdef PADDOCK_SANITIZE
constexpr int kMaxDepth = 700;
#else
constexpr int kMaxDepth = 3000;
#endif

Reserved FindReserved(std::string_view text) {
  if (text.empty() || text.size() > 8) return Reserved::kNone;
  struct Entry {
    std::string_view text;
    Reserved reserved;
  };
  static constexpr Entry kEntries[] = {
      {"!", Reserved::kBang},          {"[[", Reserved::kLeftBrackets}, {"]]", Reserved::kRightBrackets},
      {"case", Reserved::kCase},       {"coproc", Reserved::kCoproc},   {"do", Reserved::kDo},
      {"done", Reserved::kDone},       {"elif", Reserved::kElif},       {"else", Reserved::kElse},
      {"esac", Reserved::kEsac},       {"fi", Reserved::kFi},           {"for", Reserved::kFor},
      {"function", Reserved::kFunction}, {"if", Reserved::kIf},         {"in", Reserved::kIn},
      {"select", Reserved::kSelect},   {"then", Reserved::kThen},       {"time", Reserved::kTime},
      {"until", Reserved::kUntil},     {"while", Reserved::kWhile},     {"{", Reserved::kLeftBrace},
      {"}", Reserved::kRightBrace},
  };
  for (const Entry& entry : kEntries) {
    if (entry.text == text) return entry.reserved;
  }
  return Reserved::kNone;
}

// True for a number that fits an int; longer ones are ordinary words to bash.
bool IsDescriptorNumber(std::string_view text) {
  int value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return IsDigit(text[0]) && result.ec == std::errc() && result.ptr == text.data() + text.size();
}

// The inside of {name} or {name[sub]}; empty if the text is not of that form.
std::string_view RedirectVariable(std::string_view text) {
  if (text.size() < 3 || text.front() != '{' || text.back() != '}') return {};
  const std::string_view inside = text.substr(1, text.size() - 2);
  if (!IsNameStart(inside.front())) return {};
  size_t end = 0;
  while (end < inside.size() && IsNameChar(inside[end])) ++end;
  if (end == inside.size() || (inside[end] == '[' && inside.back() == ']')) return inside;
  return {};
}

}  // namespace

Lexer::Lexer(std::string_view text, const ParserOptions& options, Budget& budget, int first_line)
    : source_(text, first_line), options_(options), budget_(budget) {}

void Lexer::Enter() {
  budget_.CheckStack();
  if (++depth_ > kMaxDepth) {
    depth_ = 0;
    budget_.Stop(LimitKind::kDepth);
  }
}

void Lexer::BeginCommand() {
  source_.BeginCommand();
  edits_.clear();
  closed_apart_.clear();
  pending_.clear();
  kept_.clear();
  expands_next_word_ = false;
}

void Lexer::SkipLine() {
  if (source_.pos() > 0 && source_.pos() <= source_.text().size() && source_.text()[source_.pos() - 1] == '\n') return;
  while (!source_.AtEnd()) {
    const size_t newline = source_.text().find('\n', source_.pos());
    source_.set_pos(newline == std::string_view::npos ? source_.text().size() : newline + 1);
    if (newline != std::string_view::npos) return;
  }
}

bool Lexer::Fail(std::string message, int line, std::string source_line) {
  if (!error_) {
    error_.emplace();
    error_->message = std::move(message);
    error_->line = line;
    error_->source_line = std::move(source_line);
  }
  return false;
}

bool Lexer::FailUnexpected(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return FailAtEnd();
    case TokenKind::kNewline:
      return FailUnexpectedText("newline", token.begin);
    case TokenKind::kWord:
      return FailUnexpectedText(token.word.source, token.end - 1);
    case TokenKind::kAssignment:
      return FailUnexpectedText(token.assignment->source, token.end - 1);
    default:
      return FailUnexpectedText(OperatorText(token), token.end - 1);
  }
}

std::string Lexer::OperatorText(const Token& token) const {
  std::string text;
  for (const char c : source_.Slice(token.begin, token.end)) {
    if (c != '\\' && c != '\n') text += c;
  }
  return text;
}

bool Lexer::FailUnexpectedText(std::string_view text, size_t offset) {
  return Fail("syntax error near unexpected token `" + std::string(text) + "'", source_.LineAt(offset),
              "`" + std::string(source_.LineTextAt(offset)) + "'");
}

bool Lexer::FailUnmatched(char closer, size_t opened_at) {
  if (error_) return false;
  Fail(std::string("unexpected EOF while looking for matching `") + closer + "'",
       source_.LineAt(opened_at));
  error_->is_incomplete = true;
  return false;
}

bool Lexer::FailAtEnd() {
  if (error_) return false;
  Fail("syntax error: unexpected end of file", EndLine());
  error_->is_incomplete = true;
  return false;
}

int Lexer::EndLine() {
  while (source_.More()) {
  }
  const std::string_view text = source_.text();
  const int line = source_.LineAt(text.size());
  return text.empty() || text.back() == '\n' ? line : line + 1;
}

void Lexer::SkipContinuations() {
  while (source_.Peek() == '\\' && source_.Peek(1) == '\n') source_.Advance(2);
}

bool Lexer::Eat(char c) {
  SkipContinuations();
  if (source_.Peek() != c || source_.AtEnd()) return false;
  source_.Advance();
  return true;
}

// Skips blanks, continuations and a comment. False at the end of the text.
bool Lexer::SkipBlanks() {
  while (!source_.AtEnd()) {
    const char c = source_.Peek();
    if (IsBlank(c)) {
      source_.Advance();
    } else if (c == '\\' && source_.Peek(1) == '\n') {
      source_.Advance(2);
    } else if (c == '#') {
      while (!source_.AtEnd() && source_.Peek() != '\n') {
        const size_t newline = source_.text().find('\n', source_.pos());
        source_.set_pos(newline == std::string_view::npos ? source_.text().size() : newline);
      }
    } else {
      return true;
    }
  }
  return false;
}

bool Lexer::Read(Token& token, TokenMode mode) {
  if (has_error()) return false;
  while (true) {
    const bool has_more = SkipBlanks();
    const size_t begin = source_.pos();
    budget_.Step(1);
    if (source_.LeaveAliases(begin)) expands_next_word_ = true;
    token.begin = begin;
    token.reserved = Reserved::kNone;
    token.assignment.reset();
    if (!has_more) {
      token.end = begin;
      // A last line without its newline gets one, as in bash.
      if (!has_read_end_ && begin > 0 && source_.text()[begin - 1] != '\n') {
        has_read_end_ = true;
        token.kind = TokenKind::kNewline;
        return pending_.empty() || ReadPendingBodies();
      }
      token.kind = TokenKind::kEnd;
      return FinishHereDocuments();
    }
    const char c = source_.Peek();
    if (c == '\n') {
      expands_next_word_ = false;
      return ReadNewline(token);
    }
    const bool is_process = (c == '<' || c == '>') && source_.Peek(1) == '(';
    const bool is_regex_text = mode == TokenMode::kRegex && (c == '(' || c == '|');
    if (HasBit(c, kMetaChar) && !is_process && !is_regex_text) {
      expands_next_word_ = false;
      ReadOperator(token, c);
      token.end = source_.pos();
      return true;
    }
    if (!ReadWordToken(token, mode)) return false;
    budget_.Step(static_cast<int64_t>((source_.pos() - begin) / 32));
    token.end = source_.pos();
    const bool is_looked_up = mode == TokenMode::kCommand || expands_next_word_;
    expands_next_word_ = false;
    if (!is_looked_up || !options_.expand_aliases || !ExpandAlias(token)) return true;
  }
}

// Replaces the token's word by its alias; true if it did, and the lexer is to read again.
bool Lexer::ExpandAlias(Token& token) {
  if (token.kind != TokenKind::kWord || token.word.has_quotes || !options_.find_alias) return false;
  for (const WordPart& part : token.word.parts) {
    if (part.kind != WordPart::Kind::kLiteral) return false;
  }
  const std::string& name = token.word.source;
  if (options_.posix && token.reserved != Reserved::kNone) return false;
  if (source_.IsExpanding(name)) return false;
  const std::string* value = options_.find_alias(name);
  if (value == nullptr) return false;
  budget_.Step(static_cast<int64_t>(value->size() / 32 + 1));
  source_.SpliceAlias(token.begin, token.end, std::string(name), *value);
  return true;
}

bool Lexer::ReadNewline(Token& token) {
  source_.Advance();
  token.kind = TokenKind::kNewline;
  token.end = source_.pos();
  return pending_.empty() || ReadPendingBodies();
}

void Lexer::ReadOperator(Token& token, char first) {
  source_.Advance();
  switch (first) {
    case ';':
      if (Eat(';')) {
        token.kind = Eat('&') ? TokenKind::kDoubleSemicolonAmpersand : TokenKind::kDoubleSemicolon;
      } else {
        token.kind = Eat('&') ? TokenKind::kSemicolonAmpersand : TokenKind::kSemicolon;
      }
      return;
    case '&':
      if (Eat('&')) {
        token.kind = TokenKind::kAndAnd;
      } else if (Eat('>')) {
        token.kind = Eat('>') ? TokenKind::kAndGreatGreat : TokenKind::kAndGreat;
      } else {
        token.kind = TokenKind::kAmpersand;
      }
      return;
    case '|':
      token.kind = Eat('|')   ? TokenKind::kOrOr
                   : Eat('&') ? TokenKind::kPipeAmpersand
                              : TokenKind::kPipe;
      return;
    case '(':
      token.kind = TokenKind::kLeftParen;
      return;
    case ')':
      token.kind = TokenKind::kRightParen;
      return;
    case '<':
      if (Eat('<')) {
        token.kind = Eat('-')   ? TokenKind::kHereDocumentStrip
                     : Eat('<') ? TokenKind::kHereString
                                : TokenKind::kHereDocument;
      } else {
        token.kind = Eat('&')   ? TokenKind::kLessAnd
                     : Eat('>') ? TokenKind::kLessGreat
                                : TokenKind::kLess;
      }
      return;
    default:
      token.kind = Eat('>')   ? TokenKind::kGreatGreat
                   : Eat('&') ? TokenKind::kGreatAnd
                   : Eat('|') ? TokenKind::kGreatPipe
                              : TokenKind::kGreat;
      return;
  }
}

bool Lexer::IsExtglobAllowed(TokenMode mode) const {
  return options_.extglob || mode == TokenMode::kPattern;
}

bool Lexer::ReadWordToken(Token& token, TokenMode mode) {
  const char first = source_.Peek();
  const bool may_assign = mode == TokenMode::kCommand || mode == TokenMode::kDeclaration ||
                          mode == TokenMode::kScalar || mode == TokenMode::kEvaluated;
  if (may_assign && IsNameStart(first)) {
    switch (ReadAssignmentToken(token, mode)) {
      case Found::kYes: return true;
      case Found::kError: return false;
      case Found::kNo: break;
    }
  }
  // The common case: a word of ordinary characters up to a metacharacter.
  const std::string_view text = source_.text();
  const size_t begin = source_.pos();
  size_t end = begin;
  while (end < text.size() && !HasBit(text[end], kMetaChar | kQuoteChar | kActiveChar)) ++end;
  const bool is_ended = end < text.size() && HasBit(text[end], kMetaChar);
  const bool is_bracket_word = end == begin && !is_ended && text[end] == '[' && end + 1 < text.size() &&
                               HasBit(text[end + 1], kMetaChar);
  if (is_bracket_word) ++end;
  const char stop = end < text.size() ? text[end] : '\0';
  const char next = end + 1 < text.size() ? text[end + 1] : '\0';
  const bool is_continued = ((stop == '<' || stop == '>') && next == '(') ||
                            (stop == '(' && IsExtglobAllowed(mode)) || mode == TokenMode::kRegex;
  if ((!is_ended && !is_bracket_word) || end == begin || is_continued) return ReadSlowWord(token, mode);

  source_.set_pos(end);
  token.kind = TokenKind::kWord;
  const std::string_view value = text.substr(begin, end - begin);
  Word& word = token.word;
  word = Word();
  word.parts.emplace_back(WordPart::Kind::kLiteral, std::string(value));
  word.source = value;
  word.plain = value;
  word.is_plain = true;
  token.reserved = FindReserved(value);
  if (stop == '<' || stop == '>') MarkDescriptor(token);
  return true;
}

bool Lexer::ReadSlowWord(Token& token, TokenMode mode) {
  Context context;
  context.is_regex = mode == TokenMode::kRegex;
  context.is_extglob = IsExtglobAllowed(mode);
  const size_t begin = source_.pos();
  const size_t first_edit = edits_.size();
  token.kind = TokenKind::kWord;
  token.word = Word();
  if (!ReadUnquoted(token.word.parts, context)) return false;
  FinishWord(token.word, begin, first_edit);
  edits_.resize(first_edit);
  if (!token.word.has_quotes) {
    if (token.word.is_plain) token.reserved = FindReserved(token.word.plain);
    const char stop = source_.Peek();
    if (stop == '<' || stop == '>') MarkDescriptor(token);
  }
  return true;
}

void Lexer::MarkDescriptor(Token& token) {
  if (IsDescriptorNumber(token.word.source)) {
    token.kind = TokenKind::kDescriptor;
  } else if (!RedirectVariable(token.word.source).empty()) {
    token.word.plain = RedirectVariable(token.word.source);
    token.kind = TokenKind::kVariable;
  }
}

}  // namespace paddock::shell
