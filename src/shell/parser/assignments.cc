// Assignments: name=value, name[sub]+=value, name=(…).
#include "shell/parser/characters.h"
#include "shell/parser/lexer.h"

namespace paddock::shell {
namespace {

using Kind = WordPart::Kind;

}  // namespace

// At an identifier. kNo leaves the position where it was.
Lexer::Found Lexer::ReadAssignmentToken(Token& token, TokenMode mode) {
  const size_t begin = source_.pos();
  size_t end = begin;
  const std::string_view text = source_.text();
  while (end < text.size() && IsNameChar(text[end])) ++end;
  const char stop = end < text.size() ? text[end] : '\0';
  const bool is_append = stop == '+' && end + 1 < text.size() && text[end + 1] == '=';
  if (stop != '=' && stop != '[' && !is_append) return Found::kNo;
  const size_t value_at = end + (is_append ? 2 : 1);
  if (mode == TokenMode::kEvaluated && stop != '[') {
    const bool is_compound = value_at < text.size() && text[value_at] == '(';
    if (!is_compound) return Found::kNo;
  }
  const size_t first_edit = edits_.size();
  Assignment assignment;
  assignment.name = Name(std::string(text.substr(begin, end - begin)));
  source_.set_pos(end);
  if (stop == '[') {
    if (!ReadSubscript(assignment.subscript, end, '\0')) return Found::kError;
    source_.Advance();
  }
  const bool appends = source_.Peek() == '+' && source_.Peek(1) == '=';
  const bool assigns = (appends || source_.Peek() == '=') &&
                       (mode != TokenMode::kEvaluated || source_.Peek(appends ? 2 : 1) == '(');
  if (!assigns) {
    // Only name[…]: a word after all, whose brackets may hold blanks.
    token.word = Word();
    AppendText(token.word.parts, Kind::kLiteral, assignment.name.text + "[");
    for (WordPart& part : assignment.subscript->parts) token.word.parts.push_back(std::move(part));
    AppendText(token.word.parts, Kind::kLiteral, "]");
    return FinishWordToken(token, mode, begin, first_edit) ? Found::kYes : Found::kError;
  }
  assignment.is_append = appends;
  source_.Advance(appends ? 2 : 1);
  if (source_.Peek() == '(' && mode == TokenMode::kEvaluated) {
    token.word = Word();
    AppendText(token.word.parts, Kind::kLiteral, source_.Slice(begin, source_.pos()));
    if (!ReadCompoundText(token.word.parts)) return Found::kError;
    return FinishWordToken(token, mode, begin, first_edit) ? Found::kYes : Found::kError;
  }
  if (source_.Peek() == '(' && mode != TokenMode::kScalar) {
    const size_t opened_at = source_.pos();
    assignment.source = EditedSource(begin, opened_at, first_edit);
    source_.Advance();
    if (!ReadArrayElements(assignment, opened_at)) return Found::kError;
  } else {
    if (!ReadValue(assignment.value)) return Found::kError;
    assignment.source = EditedSource(begin, source_.pos(), first_edit);
  }
  edits_.resize(first_edit);
  token.kind = TokenKind::kAssignment;
  token.assignment = std::make_unique<Assignment>(std::move(assignment));
  return Found::kYes;
}

// The rest of a word whose first parts are read.
bool Lexer::FinishWordToken(Token& token, TokenMode mode, size_t begin, size_t first_edit) {
  Context context;
  context.is_extglob = IsExtglobAllowed(mode);
  token.kind = TokenKind::kWord;
  if (!ReadUnquoted(token.word.parts, context)) return false;
  FinishWord(token.word, begin, first_edit);
  edits_.resize(first_edit);
  return true;
}

bool Lexer::ReadValue(Word& value) {
  const size_t begin = source_.pos();
  const size_t first_edit = edits_.size();
  Context context;
  context.is_extglob = options_.extglob;
  if (!ReadUnquoted(value.parts, context)) return false;
  FinishWord(value, begin, first_edit);
  return true;
}

// "(…)" kept as text with its expansions: eval and let see it as one argument.
bool Lexer::ReadCompoundText(std::vector<WordPart>& parts) {
  Context context;
  return ReadGroup(parts, context, ')');
}

bool Lexer::ReadArrayElements(Assignment& assignment, size_t opened_at) {
  const Depth depth(*this);
  assignment.is_array = true;
  assignment.source += '(';
  while (true) {
    budget_.Step();
    if (!SkipBlanks()) {
      FailUnmatched(')', opened_at);
      error_->discards_line = true;
      return false;
    }
    const char c = source_.Peek();
    if (c == ')') {
      source_.Advance();
      assignment.source += ')';
      return true;
    }
    Token token;
    token.begin = source_.pos();
    if (c == '\n') {
      if (!ReadNewline(token)) return false;
      continue;
    }
    const bool is_process = (c == '<' || c == '>') && source_.Peek(1) == '(';
    if (HasBit(c, kMetaChar) && !is_process) {
      ReadOperator(token, c);
      token.end = source_.pos();
      FailUnexpected(token);
      error_->discards_line = true;
      return false;
    }
    const size_t first_edit = edits_.size();
    Assignment::Element element;
    if (!ReadElement(element)) {
      error_->discards_line = !error_->is_in_substitution;
      return false;
    }
    if (!assignment.elements.empty()) assignment.source += ' ';
    assignment.source += EditedSource(token.begin, source_.pos(), first_edit);
    edits_.resize(first_edit);
    assignment.elements.push_back(std::move(element));
  }
}

bool Lexer::ReadElement(Assignment::Element& element) {
  const size_t begin = source_.pos();
  const size_t first_edit = edits_.size();
  Context context;
  context.is_extglob = options_.extglob;
  if (source_.Peek() == '[') {
    if (!ReadSubscript(element.subscript, begin, '\0')) return false;
    source_.Advance();
    element.is_append = source_.Peek() == '+' && source_.Peek(1) == '=';
    if (element.is_append || source_.Peek() == '=') {
      source_.Advance(element.is_append ? 2 : 1);
      return ReadValue(element.value);
    }
    AppendText(element.value.parts, Kind::kLiteral, "[");
    for (WordPart& part : element.subscript->parts) element.value.parts.push_back(std::move(part));
    AppendText(element.value.parts, Kind::kLiteral, "]");
    element.subscript = nullptr;
  }
  if (!ReadUnquoted(element.value.parts, context)) return false;
  FinishWord(element.value, begin, first_edit);
  return true;
}

bool Lexer::ReadAssignment(Assignment& assignment) {
  if (source_.Peek() == '(') {
    source_.Advance();
    return ReadArrayElements(assignment, 0);
  }
  Token token;
  if (!IsNameStart(source_.Peek())) return false;
  if (ReadAssignmentToken(token, TokenMode::kDeclaration) != Found::kYes) return false;
  if (token.assignment == nullptr) return false;
  assignment = std::move(*token.assignment);
  return true;
}

}  // namespace paddock::shell
