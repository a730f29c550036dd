// Expansions that start with `$` or a backquote, and process substitution.
#include <string>

#include "shell/ast/printer.h"
#include "shell/expand/arithmetic.h"
#include "shell/parser/characters.h"
#include "shell/parser/lexer.h"

namespace paddock::shell {
namespace {

using Kind = WordPart::Kind;

bool IsSpecialParameter(char c) {
  return c == '@' || c == '*' || c == '#' || c == '?' || c == '-' || c == '$' || c == '!';
}

}  // namespace

// At `$`. `operand` is the double-quoted text around it, if any.
bool Lexer::ReadDollar(std::vector<WordPart>& parts, bool is_quoted, const QuotedContext* operand) {
  const size_t dollar = source_.pos();
  while (source_.Peek(1) == '\\' && source_.Peek(2) == '\n') source_.Advance(2);
  // A continued dollar: the newline stands for it from here on.
  if (source_.pos() != dollar) edits_.push_back({dollar, source_.pos() + 1, "$"});
  const char next = source_.Peek(1);
  switch (next) {
    case '(':
      return source_.Peek(2) == '(' ? ReadArithmeticOrCommand(parts) : ReadCommandSubstitution(parts);
    case '{':
      return ReadBraced(parts, is_quoted, operand != nullptr && !operand->is_quote_special);
    case '[':
      return ReadOldArithmetic(parts);
    case '\'':
      if (!is_quoted || (operand != nullptr && operand->is_operand && operand->is_quote_special)) {
        return ReadAnsiC(parts);
      }
      break;
    case '"':
      if (!is_quoted) {
        edits_.push_back({source_.pos(), source_.pos() + 1, {}});
        source_.Advance();
        return ReadDoubleQuoted(parts);
      }
      break;
    default:
      if (IsNameChar(next) || IsSpecialParameter(next)) return ReadParameter(parts);
      break;
  }
  AppendText(parts, is_quoted ? Kind::kQuoted : Kind::kLiteral, "$");
  source_.Advance();
  return true;
}

// $name, $1, $@
bool Lexer::ReadParameter(std::vector<WordPart>& parts) {
  const size_t begin = source_.pos();
  source_.Advance();
  const bool is_name = IsNameStart(source_.Peek());
  source_.Advance();
  std::string continued;   // the text so far, when a line continuation is inside the name
  size_t piece = begin;
  while (is_name) {
    if (IsNameChar(source_.Peek())) {
      source_.Advance();
    } else if (source_.Peek() == '\\' && source_.Peek(1) == '\n') {
      continued += source_.Slice(piece, source_.pos());
      edits_.push_back({source_.pos(), source_.pos() + 2, {}});
      source_.Advance(2);
      piece = source_.pos();
    } else {
      break;
    }
  }
  WordPart part(Kind::kParameter);
  part.parameter = std::make_unique<Parameter>();
  part.parameter->source = continued + std::string(source_.Slice(piece, source_.pos()));
  part.parameter->source[0] = '$';
  part.parameter->name = Name(part.parameter->source.substr(1));
  parts.push_back(std::move(part));
  return true;
}

bool Lexer::ReadBraced(std::vector<WordPart>& parts, bool is_quoted, bool is_here_document) {
  const Depth depth(*this);
  const size_t begin = source_.pos();
  const size_t first_edit = edits_.size();
  source_.Advance(2);
  WordPart part(Kind::kParameter);
  part.parameter = std::make_unique<Parameter>();
  Parameter& parameter = *part.parameter;
  if (!ReadBracedBody(parameter, is_quoted, is_here_document)) return false;
  if (source_.AtEnd()) return FailUnmatched('}', begin);
  if (source_.Peek() != '}' && !SkipBad(parameter, is_quoted, is_here_document, begin)) return false;
  source_.Advance();
  parameter.source = EditedSource(begin, source_.pos(), first_edit);
  parts.push_back(std::move(part));
  return true;
}

// What is left up to the brace makes no sense; it fails when it is expanded.
bool Lexer::SkipBad(Parameter& parameter, bool is_quoted, bool is_here_document, size_t begin) {
  parameter.op = ParameterOp::kBad;
  return ReadOperand(parameter.word, is_quoted, is_here_document, begin);
}

bool Lexer::ReadBracedBody(Parameter& parameter, bool is_quoted, bool is_here_document) {
  const size_t begin = source_.pos() - 2;
  SkipContinuations();
  const char first = source_.Peek();
  const char second = source_.Peek(1);
  if (first == '#' && second != '}') {
    const bool is_length = IsNameChar(second) || (IsSpecialParameter(second) && source_.Peek(2) == '}');
    if (is_length) {
      source_.Advance();
      parameter.op = ParameterOp::kLength;
      if (!ReadParameterName(parameter)) return false;
      return true;
    }
  }
  if (first == '!' && second != '}') {
    const bool is_indirect = IsNameChar(second) || second == '#' || second == '?' || second == '@' || second == '*';
    if (is_indirect) {
      source_.Advance();
      parameter.is_indirect = true;
    }
  }
  if (!ReadParameterName(parameter)) return false;
  if (parameter.name.empty()) {
    parameter.op = ParameterOp::kBad;
    return true;
  }
  const char c = source_.Peek();
  if (parameter.is_indirect) {
    if (c == '}') {
      const bool is_list = parameter.is_subscript_at || parameter.is_subscript_star;
      parameter.op = is_list ? ParameterOp::kKeys : ParameterOp::kIndirect;
      parameter.is_at = parameter.is_subscript_at;
      return true;
    }
    if ((c == '@' || c == '*') && source_.Peek(1) == '}' && parameter.subscript == nullptr &&
        IsNameStart(parameter.name.text[0])) {
      parameter.op = ParameterOp::kPrefixNames;
      parameter.is_at = c == '@';
      source_.Advance();
      return true;
    }
  }
  return c == '}' || ReadOperator(parameter, is_quoted, is_here_document, begin);
}

bool Lexer::ReadParameterName(Parameter& parameter) {
  SkipContinuations();
  const char first = source_.Peek();
  std::string name;
  const auto read = [&](bool (*accepts)(char)) {
    while (accepts(source_.Peek())) {
      const size_t begin = source_.pos();
      while (accepts(source_.Peek())) source_.Advance();
      name += source_.Slice(begin, source_.pos());
      SkipContinuations();
    }
  };
  if (IsDigit(first)) {
    read([](char c) { return IsDigit(c); });
  } else if (IsNameStart(first)) {
    read([](char c) { return IsNameChar(c); });
  } else if (IsSpecialParameter(first)) {
    name = first;
    source_.Advance();
    SkipContinuations();
  }
  parameter.name = Name(std::move(name));
  if (!IsNameStart(first) || source_.Peek() != '[') return true;
  const char kind = source_.Peek(1);
  if ((kind == '@' || kind == '*') && source_.Peek(2) == ']') {
    parameter.is_subscript_at = kind == '@';
    parameter.is_subscript_star = kind == '*';
    parameter.subscript = std::make_unique<Word>();
    parameter.subscript->parts.emplace_back(Kind::kLiteral, std::string(1, kind));
    parameter.subscript->source = std::string(1, kind);
    ClassifyWord(*parameter.subscript);
    source_.Advance(3);
    return true;
  }
  const size_t bracket = source_.pos();
  if (!ReadSubscript(parameter.subscript, bracket, '}')) return false;
  if (source_.Peek() != ']') {
    parameter.op = ParameterOp::kBad;
    return true;
  }
  source_.Advance();
  return true;
}

// At `[`; leaves the position at `]`, or at `second_closer` if that comes first.
bool Lexer::ReadSubscript(std::unique_ptr<Word>& subscript, size_t opened_at, char second_closer) {
  const Depth depth(*this);
  source_.Advance();
  const size_t begin = source_.pos();
  const size_t first_edit = edits_.size();
  Context context;
  context.closer = ']';
  context.second_closer = second_closer;
  context.opened_at = opened_at;
  subscript = std::make_unique<Word>();
  if (!ReadUnquoted(subscript->parts, context)) return false;
  FinishWord(*subscript, begin, first_edit);
  return true;
}

bool Lexer::ReadOperator(Parameter& parameter, bool is_quoted, bool is_here_document, size_t begin) {
  if (parameter.op != ParameterOp::kNone) return true;
  const std::string& name = parameter.name.text;
  const bool has_no_case = name == "#" || name == "?" || name == "-";
  if (has_no_case && (source_.Peek() == '^' || source_.Peek() == ',' || source_.Peek() == '~')) return true;
  const char c = source_.Peek();
  const char next = source_.Peek(1);
  const bool is_doubled = next == c;
  switch (c) {
    case ':':
      if (next != '-' && next != '=' && next != '?' && next != '+') {
        source_.Advance();
        parameter.op = ParameterOp::kSubstring;
        return ReadSubstringBounds(parameter, begin);
      }
      source_.Advance();
      parameter.has_colon = true;
      break;
    case '-': case '=': case '?': case '+':
      break;
    case '#':
      parameter.op = is_doubled ? ParameterOp::kRemoveLongPrefix : ParameterOp::kRemovePrefix;
      source_.Advance(is_doubled ? 2 : 1);
      return ReadPattern(parameter.word, '\0', begin);
    case '%':
      parameter.op = is_doubled ? ParameterOp::kRemoveLongSuffix : ParameterOp::kRemoveSuffix;
      source_.Advance(is_doubled ? 2 : 1);
      return ReadPattern(parameter.word, '\0', begin);
    case '^':
      parameter.op = is_doubled ? ParameterOp::kUpperAll : ParameterOp::kUpperFirst;
      source_.Advance(is_doubled ? 2 : 1);
      return ReadPattern(parameter.word, '\0', begin);
    case ',':
      parameter.op = is_doubled ? ParameterOp::kLowerAll : ParameterOp::kLowerFirst;
      source_.Advance(is_doubled ? 2 : 1);
      return ReadPattern(parameter.word, '\0', begin);
    case '~':
      parameter.op = is_doubled ? ParameterOp::kToggleAll : ParameterOp::kToggleFirst;
      source_.Advance(is_doubled ? 2 : 1);
      return ReadPattern(parameter.word, '\0', begin);
    case '/':
      return ReadReplacement(parameter, begin);
    case '@':
      // Other letters are refused when they are expanded, and then only for a parameter that is set.
      if (source_.Peek(2) == '}' && IsNameStart(next)) {
        parameter.op = ParameterOp::kTransform;
        parameter.transform = next;
        source_.Advance(2);
      }
      return true;
    default:
      return true;
  }
  switch (source_.Peek()) {
    case '-': parameter.op = ParameterOp::kDefault; break;
    case '=': parameter.op = ParameterOp::kAssign; break;
    case '?': parameter.op = ParameterOp::kError; break;
    default: parameter.op = ParameterOp::kAlternate; break;
  }
  source_.Advance();
  return ReadOperand(parameter.word, is_quoted, is_here_document, begin);
}

// ${x/pattern/replacement}: a second slash or the anchors # and % belong to the operator.
bool Lexer::ReadReplacement(Parameter& parameter, size_t begin) {
  source_.Advance();
  parameter.op = ParameterOp::kReplace;
  switch (source_.Peek()) {
    case '/': parameter.op = ParameterOp::kReplaceAll; break;
    case '#': parameter.op = ParameterOp::kReplacePrefix; break;
    case '%': parameter.op = ParameterOp::kReplaceSuffix; break;
    default: break;
  }
  if (parameter.op != ParameterOp::kReplace) source_.Advance();
  const bool is_anchored =
      parameter.op == ParameterOp::kReplacePrefix || parameter.op == ParameterOp::kReplaceSuffix;
  if (is_anchored && source_.Peek() == '/') {
    parameter.word = std::make_unique<Word>();
  } else if (!ReadPattern(parameter.word, '/', begin)) {
    // A slash right behind `/` or `//` was the pattern's first character.
    return false;
  }
  if (source_.Peek() != '/') return true;
  source_.Advance();
  return ReadPattern(parameter.word2, '\0', begin);
}

// The word of ${x:-…}: as in double quotes if the expansion is.
bool Lexer::ReadOperand(std::unique_ptr<Word>& word, bool is_quoted, bool is_here_document, size_t begin) {
  if (!is_quoted) return ReadPattern(word, '\0', begin);
  const size_t word_begin = source_.pos();
  const size_t first_edit = edits_.size();
  word = std::make_unique<Word>();
  QuotedContext context;
  context.closer = '}';
  context.is_operand = true;
  context.is_quote_special = !is_here_document;
  context.opened_at = begin;
  WordPart quoted(Kind::kDoubleQuoted);
  if (!ReadQuoted(quoted.parts, context)) return false;
  word->parts.push_back(std::move(quoted));
  FinishWord(*word, word_begin, first_edit);
  return true;
}

// A pattern, or any word that is read as unquoted whatever is around the expansion.
bool Lexer::ReadPattern(std::unique_ptr<Word>& word, char second_closer, size_t begin) {
  const size_t word_begin = source_.pos();
  const size_t first_edit = edits_.size();
  word = std::make_unique<Word>();
  Context context;
  context.closer = '}';
  context.second_closer = second_closer;
  context.is_extglob = options_.extglob;
  context.opened_at = begin;
  if (second_closer != '\0' && source_.Peek() == second_closer) {
    AppendText(word->parts, Kind::kLiteral, std::string_view(&second_closer, 1));
    source_.Advance();
  }
  if (!ReadUnquoted(word->parts, context)) return false;
  FinishWord(*word, word_begin, first_edit);
  return true;
}

bool Lexer::ReadSubstringBounds(Parameter& parameter, size_t begin) {
  parameter.word = std::make_unique<Word>();
  if (ReadExpression(*parameter.word, ExpressionEnd::kColon, begin) != Found::kYes) return false;
  if (source_.Peek() != ':') return true;
  source_.Advance();
  parameter.word2 = std::make_unique<Word>();
  return ReadExpression(*parameter.word2, ExpressionEnd::kBrace, begin) == Found::kYes;
}

Lexer::Found Lexer::ReadExpression(Word& word, ExpressionEnd end, size_t opened_at) {
  const size_t begin = source_.pos();
  const size_t first_edit = edits_.size();
  WordPart quoted(Kind::kDoubleQuoted);
  std::vector<WordPart>& parts = quoted.parts;
  int parens = 0;
  int brackets = 0;
  int questions = 0;
  const char closer = end == ExpressionEnd::kBracket                               ? ']'
                      : end == ExpressionEnd::kColon || end == ExpressionEnd::kBrace ? '}'
                                                                                   : ')';
  const auto finish = [&] {
    word.parts.clear();
    word.parts.push_back(std::move(quoted));
    FinishWord(word, begin, first_edit);
    return Found::kYes;
  };
  while (!source_.AtEnd()) {
    const char c = source_.Peek();
    switch (c) {
      case '$':
        if (!ReadDollar(parts, true, nullptr)) return Found::kError;
        continue;
      case '`':
        if (!ReadBackquoted(parts, true)) return Found::kError;
        continue;
      case '"': {
        QuotedContext context;
        context.opened_at = source_.pos();
        source_.Advance();
        if (!ReadQuoted(parts, context)) return Found::kError;
        source_.Advance();
        continue;
      }
      case '\'': {
        // Single quotes only hide what is between them from the search for the end.
        std::vector<WordPart> hidden;
        const size_t quote = source_.pos();
        if (!ReadSingleQuoted(hidden)) return Found::kError;
        AppendText(parts, Kind::kQuoted, source_.Slice(quote, source_.pos()));
        continue;
      }
      case '\\': {
        const char next = source_.Peek(1);
        if (next == '\n') {
          edits_.push_back({source_.pos(), source_.pos() + 2, {}});
          source_.Advance(2);
          continue;
        }
        const bool is_escape = next == '$' || next == '`' || next == '"' || next == '\\';
        if (is_escape) source_.Advance();
        AppendText(parts, Kind::kQuoted, source_.Slice(source_.pos(), source_.pos() + 1));
        source_.Advance();
        continue;
      }
      case '(': ++parens; break;
      case ')':
        if (parens == 0 && closer == ')') {
          if (source_.Peek(1) == ')') return finish();
          return Found::kNo;
        }
        --parens;
        break;
      case '[': ++brackets; break;
      case ']':
        if (brackets == 0 && closer == ']') return finish();
        --brackets;
        break;
      case '}':
        if (closer == '}') return finish();
        break;
      case '?': ++questions; break;
      case ':':
        // The colon of a `?:` belongs to it, within parentheses too.
        if (end != ExpressionEnd::kColon) break;
        if (questions > 0) --questions;
        else if (parens <= 0) return finish();
        break;
      case ';':
        if (end == ExpressionEnd::kForPart && parens == 0) return finish();
        break;
      default: break;
    }
    const size_t from = source_.pos();
    size_t to = from + 1;
    const std::string_view text = source_.text();
    while (to < text.size() && (IsNameChar(text[to]) || text[to] == ' ')) ++to;
    AppendText(parts, Kind::kQuoted, text.substr(from, to - from));
    budget_.Step(static_cast<int64_t>((to - from) / 32) + 1);
    source_.set_pos(to);
  }
  FailUnmatched(closer, opened_at);
  return Found::kError;
}

Lexer::Found Lexer::ReadArithmeticCommand(Word& word) {
  const size_t opened_at = source_.pos();
  const size_t first_edit = edits_.size();
  // A failed attempt is remembered: with substitutions inside, trying again at each level would double
  // the work each time.
  if (closed_apart_.count(opened_at) != 0) return Found::kNo;
  std::vector<PendingHereDocument> pending = pending_;
  source_.Advance();
  const Found found = ReadExpression(word, ExpressionEnd::kParens, opened_at);
  edits_.resize(first_edit);
  if (found == Found::kYes) source_.Advance(2);
  if (found == Found::kNo) {
    closed_apart_.insert(opened_at);
    pending_ = std::move(pending);
    source_.set_pos(opened_at);
  }
  return found;
}

// At `$(`.
bool Lexer::ReadCommandSubstitution(std::vector<WordPart>& parts) {
  const Depth depth(*this);
  const size_t dollar = source_.pos();
  const size_t first_edit = edits_.size();
  source_.Advance(2);
  const size_t begin = source_.pos();
  WordPart part(Kind::kCommand);
  part.program = substitutions_->ParseSubstitution();
  if (part.program == nullptr) return false;
  const size_t end = source_.pos() - 1;
  part.text = source_.Slice(begin, end);
  part.line = part.program->items.empty() ? source_.LineAt(dollar) : part.program->items.front().statement->line;
  edits_.resize(first_edit);
  edits_.push_back({begin, end, PrintSubstitution(*part.program)});
  // Aliases are looked up when the text runs, not now.
  if (options_.expand_aliases && !HasPending()) part.program = nullptr;
  parts.push_back(std::move(part));
  return true;
}

// At `$((`: arithmetic if the two parentheses close together, else a command substitution that starts
// with a subshell, which is parsed when it runs.
bool Lexer::ReadArithmeticOrCommand(std::vector<WordPart>& parts) {
  const Depth depth(*this);
  const size_t dollar = source_.pos();
  const size_t first_edit = edits_.size();
  std::vector<PendingHereDocument> pending = pending_;
  source_.Advance(3);
  WordPart part(Kind::kArithmetic);
  part.expression = std::make_unique<Word>();
  switch (ReadExpression(*part.expression, ExpressionEnd::kParens, dollar)) {
    case Found::kError: return false;
    case Found::kYes:
      source_.Advance(2);
      part.compiled = CompileArithmetic(*part.expression);
      parts.push_back(std::move(part));
      return true;
    case Found::kNo: break;
  }
  source_.Advance();
  if (!SkipParens(dollar)) return false;
  pending_ = std::move(pending);
  edits_.resize(first_edit);
  WordPart command(Kind::kCommand);
  command.text = source_.Slice(dollar + 2, source_.pos());
  command.line = source_.LineAt(dollar);
  source_.Advance();
  parts.push_back(std::move(command));
  return true;
}

// Skips text up to the `)` that closes, and stops at it.
bool Lexer::SkipParens(size_t opened_at) {
  Context context;
  context.closer = ')';
  context.opened_at = opened_at;
  std::vector<WordPart> skipped;
  return ReadUnquoted(skipped, context);
}

// At `$[`.
bool Lexer::ReadOldArithmetic(std::vector<WordPart>& parts) {
  const Depth depth(*this);
  const size_t dollar = source_.pos();
  source_.Advance(2);
  WordPart part(Kind::kArithmetic);
  part.expression = std::make_unique<Word>();
  if (ReadExpression(*part.expression, ExpressionEnd::kBracket, dollar) != Found::kYes) return false;
  source_.Advance();
  part.compiled = CompileArithmetic(*part.expression);
  parts.push_back(std::move(part));
  return true;
}

// At a backquote. Parsed ahead if it can be; its errors are the expansion's. The text loses one level of backslashes.
bool Lexer::ReadBackquoted(std::vector<WordPart>& parts, bool is_quoted) {
  const Depth depth(*this);
  const size_t opened_at = source_.pos();
  WordPart part(Kind::kCommand);
  part.is_backquoted = true;
  part.line = source_.LineAt(opened_at);
  source_.Advance();
  while (!source_.AtEnd()) {
    const char c = source_.Peek();
    if (c == '`') {
      source_.Advance();
      if (!options_.expand_aliases) part.program = ParseAhead(part.text, options_, budget_, part.line, depth_);
      parts.push_back(std::move(part));
      return true;
    }
    if (c == '\\') {
      const char next = source_.Peek(1);
      if (next == '\n') {
        edits_.push_back({source_.pos(), source_.pos() + 2, {}});
        source_.Advance(2);
        continue;
      }
      const bool is_escape = next == '`' || next == '\\' || next == '$' || (next == '"' && is_quoted);
      if (is_escape) source_.Advance();
      part.text += source_.Peek();
      source_.Advance();
      continue;
    }
    const std::string_view text = source_.text();
    const size_t begin = source_.pos();
    size_t end = text.find_first_of("`\\", begin);
    if (end == std::string_view::npos) end = text.size();
    part.text.append(text.substr(begin, end - begin));
    budget_.Step(static_cast<int64_t>((end - begin) / 32) + 1);
    source_.set_pos(end);
  }
  return FailUnmatched('`', opened_at);
}

// At `<(` or `>(`.
bool Lexer::ReadProcess(std::vector<WordPart>& parts) {
  const Depth depth(*this);
  const size_t first_edit = edits_.size();
  WordPart part(Kind::kProcess);
  part.is_output = source_.Peek() == '>';
  part.line = source_.LineAt(source_.pos());
  source_.Advance(2);
  const size_t begin = source_.pos();
  part.program = substitutions_->ParseSubstitution();
  if (part.program == nullptr) return false;
  const size_t end = source_.pos() - 1;
  part.text = source_.Slice(begin, end);
  edits_.resize(first_edit);
  edits_.push_back({begin, end, PrintSubstitution(*part.program)});
  parts.push_back(std::move(part));
  return true;
}

}  // namespace paddock::shell
