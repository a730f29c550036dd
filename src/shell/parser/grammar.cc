#include "shell/parser/grammar.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "shell/parser/characters.h"

namespace paddock::shell {
namespace {

// Operators of one && || list. They nest to the left, and trees are walked recursively.
constexpr int kMaxChain = 2000;

bool IsDeclaration(std::string_view name) {
  return name == "declare" || name == "typeset" || name == "local" || name == "export" ||
         name == "readonly";
}

// True for what >& duplicates: digits, "-", digits and "-"; anything else that is fixed text is a file.
bool IsDescriptorWord(std::string_view text) {
  if (!text.empty() && text.back() == '-') text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), IsDigit);
}

Redirect::Kind RedirectKind(TokenKind kind) {
  switch (kind) {
    case TokenKind::kLess: return Redirect::Kind::kInput;
    case TokenKind::kGreat: return Redirect::Kind::kOutput;
    case TokenKind::kGreatPipe: return Redirect::Kind::kClobber;
    case TokenKind::kGreatGreat: return Redirect::Kind::kAppend;
    case TokenKind::kLessGreat: return Redirect::Kind::kReadWrite;
    case TokenKind::kLessAnd: return Redirect::Kind::kDuplicateInput;
    case TokenKind::kGreatAnd: return Redirect::Kind::kDuplicateOutput;
    case TokenKind::kAndGreat: return Redirect::Kind::kBoth;
    case TokenKind::kAndGreatGreat: return Redirect::Kind::kBothAppend;
    case TokenKind::kHereString: return Redirect::Kind::kHereString;
    default: return Redirect::Kind::kHereDocument;
  }
}

Redirect StderrToStdout() {
  Redirect redirect;
  redirect.kind = Redirect::Kind::kDuplicateOutput;
  redirect.descriptor = 2;
  redirect.target.parts.emplace_back(WordPart::Kind::kLiteral, "1");
  redirect.target.source = "1";
  ClassifyWord(redirect.target);
  return redirect;
}

}  // namespace

Token& Grammar::Peek(TokenMode mode) {
  if (!has_token_) {
    if (!lexer_.Read(token_, mode)) token_.kind = TokenKind::kEnd;
    has_token_ = true;
  }
  return token_;
}

Token Grammar::Take() {
  has_token_ = false;
  return std::move(token_);
}

std::nullptr_t Grammar::Unexpected() {
  const Token& token = Peek();
  if (lexer_.has_error()) return nullptr;
  if (token.kind == TokenKind::kEnd && is_substitution_) {
    lexer_.Fail("unexpected EOF while looking for matching `)'", lexer_.EndLine());
    lexer_.error()->is_incomplete = true;
    return nullptr;
  }
  lexer_.FailUnexpected(token);
  return nullptr;
}

bool Grammar::Expect(Reserved reserved) {
  if (!PeekIs(reserved)) {
    Unexpected();
    return false;
  }
  Drop();
  return true;
}

bool Grammar::Expect(TokenKind kind) {
  if (!PeekIs(kind)) {
    Unexpected();
    return false;
  }
  Drop();
  return true;
}

void Grammar::SkipNewlines(TokenMode mode) {
  while (PeekIs(TokenKind::kNewline, mode)) Drop();
}

int Grammar::LineOf(const Token& token) { return lexer_.source().LineAt(token.begin); }

Grammar::StatementPtr Grammar::Make(Statement::Kind kind, int line) {
  auto statement = std::make_unique<Statement>(kind);
  statement->line = line;
  return statement;
}

StatementListPtr Grammar::ParseCompleteCommand() {
  auto list = std::make_shared<StatementList>();
  if (PeekIs(TokenKind::kEnd)) return nullptr;
  if (PeekIs(TokenKind::kNewline)) {
    Drop();
    return list;
  }
  if (!ParseItems(*list, true)) return nullptr;
  if (!PeekIs(TokenKind::kEnd) && !PeekIs(TokenKind::kNewline)) return Unexpected();
  if (lexer_.has_error()) return nullptr;
  Drop();
  return list;
}

StatementListPtr Grammar::ParseSubstitution() {
  Grammar inner(lexer_, true);
  const ParserOptions& options = lexer_.options();
  const bool expands_aliases = lexer_.ExchangeAliases(options.expand_aliases && options.posix);
  std::vector<Lexer::PendingHereDocument> pending = lexer_.TakePending();
  lexer_.EnterSubstitution();
  StatementListPtr list = inner.ParseCompoundList(true);
  if (list != nullptr && !inner.PeekIs(TokenKind::kRightParen)) {
    inner.Unexpected();
    list = nullptr;
  }
  if (list == nullptr && !lexer_.error()->is_incomplete) lexer_.error()->is_in_substitution = true;
  lexer_.LeaveSubstitution();
  lexer_.ExchangeAliases(expands_aliases);
  lexer_.RestorePending(std::move(pending), list);
  return list;
}

bool Grammar::IsListEnd() {
  const Token& token = Peek();
  switch (token.kind) {
    case TokenKind::kEnd:
    case TokenKind::kRightParen:
    case TokenKind::kDoubleSemicolon:
    case TokenKind::kSemicolonAmpersand:
    case TokenKind::kDoubleSemicolonAmpersand:
      return true;
    case TokenKind::kWord:
      break;
    default:
      return false;
  }
  switch (token.reserved) {
    case Reserved::kThen:
    case Reserved::kElse:
    case Reserved::kElif:
    case Reserved::kFi:
    case Reserved::kDo:
    case Reserved::kDone:
    case Reserved::kEsac:
    case Reserved::kRightBrace:
      return true;
    default:
      return false;
  }
}

// Commands and their separators. `is_line`: a newline ends the list and is left ahead.
bool Grammar::ParseItems(StatementList& list, bool is_line) {
  while (true) {
    StatementList::Item item;
    item.statement = ParseAndOr();
    if (item.statement == nullptr) return false;
    list.items.push_back(std::move(item));
    if (PeekIs(TokenKind::kAmpersand)) {
      list.items.back().is_background = true;
      Drop();
    } else if (PeekIs(TokenKind::kSemicolon)) {
      Drop();
    } else if (is_line || !PeekIs(TokenKind::kNewline)) {
      return !lexer_.has_error();
    } else {
      list.items.back().is_line_end = lexer_.is_in_substitution();
    }
    if (is_line) {
      if (PeekIs(TokenKind::kNewline) || PeekIs(TokenKind::kEnd)) return !lexer_.has_error();
    } else {
      SkipNewlines();
      if (IsListEnd()) return !lexer_.has_error();
    }
  }
}

// A list in which newlines separate too, up to a word or operator that cannot start a command.
StatementListPtr Grammar::ParseCompoundList(bool may_be_empty) {
  const Lexer::Depth depth(lexer_);
  auto list = std::make_shared<StatementList>();
  SkipNewlines();
  if (may_be_empty && IsListEnd()) return lexer_.has_error() ? nullptr : list;
  if (!ParseItems(*list, false)) return nullptr;
  return list;
}

Grammar::StatementPtr Grammar::ParseAndOr() {
  StatementPtr left = ParsePipeline();
  int count = 0;
  while (left != nullptr) {
    const bool is_and = PeekIs(TokenKind::kAndAnd);
    if (!is_and && !PeekIs(TokenKind::kOrOr)) break;
    if (++count > kMaxChain) lexer_.budget().Stop(LimitKind::kDepth);
    Drop();
    SkipNewlines();
    StatementPtr both = Make(is_and ? Statement::Kind::kAnd : Statement::Kind::kOr, left->line);
    StatementPtr right = ParsePipeline();
    if (right == nullptr) return nullptr;
    both->children.push_back(std::move(left));
    both->children.push_back(std::move(right));
    left = std::move(both);
  }
  return left;
}

// `!` and `time [-p] [--]`, in any number.
void Grammar::ParsePipelinePrefix(Statement& pipeline) {
  while (true) {
    if (PeekIs(Reserved::kBang)) {
      Drop();
      pipeline.is_negated = !pipeline.is_negated;
    } else if (PeekIs(Reserved::kTime)) {
      Drop();
      pipeline.is_timed = true;
      if (Peek().kind == TokenKind::kWord && Peek().word.source == "-p") {
        Drop();
        pipeline.is_time_posix = true;
      }
      if (Peek().kind == TokenKind::kWord && Peek().word.source == "--") {
        Drop();
        pipeline.is_time_posix = true;   // so it is in bash, too
      }
    } else {
      return;
    }
  }
}

Grammar::StatementPtr Grammar::ParsePipeline() {
  StatementPtr pipeline;
  if (PeekIs(Reserved::kBang) || PeekIs(Reserved::kTime)) {
    pipeline = Make(Statement::Kind::kPipeline, LineOf(Peek()));
    ParsePipelinePrefix(*pipeline);
    if (PeekIs(TokenKind::kNewline) || PeekIs(TokenKind::kSemicolon) || PeekIs(TokenKind::kEnd)) {
      if (lexer_.has_error()) return nullptr;
      StatementPtr empty = Make(Statement::Kind::kSimple, pipeline->line);
      empty->simple = std::make_unique<SimpleCommand>();
      pipeline->children.push_back(std::move(empty));
      return pipeline;
    }
  }
  while (true) {
    StatementPtr stage = ParseCommand();
    if (stage == nullptr) return nullptr;
    const bool pipes_stderr = PeekIs(TokenKind::kPipeAmpersand);
    const bool is_last = !pipes_stderr && !PeekIs(TokenKind::kPipe);
    if (pipeline == nullptr) {
      if (is_last) return stage;
      pipeline = Make(Statement::Kind::kPipeline, stage->line);
    }
    // As in bash, `|&` is one more redirection, behind those of the command itself.
    if (pipes_stderr) stage->redirects.push_back(StderrToStdout());
    pipeline->children.push_back(std::move(stage));
    if (is_last) return pipeline;
    Drop();
    SkipNewlines();
  }
}

Grammar::StatementPtr Grammar::ParseCommand() {
  const Token& token = Peek();
  lexer_.budget().Step(2);
  switch (token.kind) {
    case TokenKind::kWord:
      switch (token.reserved) {
        case Reserved::kNone:
        case Reserved::kTime:
          return ParseSimple(nullptr);
        case Reserved::kFunction:
          return ParseFunctionKeyword();
        case Reserved::kCoproc:
          return ParseCoprocess();
        default:
          return ParseCompound();
      }
    case TokenKind::kLeftParen:
      return ParseCompound();
    default:
      if (token.kind == TokenKind::kAssignment || IsRedirect(token.kind)) return ParseSimple(nullptr);
      return Unexpected();
  }
}

bool Grammar::IsRedirect(TokenKind kind) const {
  return (kind >= TokenKind::kLess && kind <= TokenKind::kHereString) || kind == TokenKind::kDescriptor ||
         kind == TokenKind::kVariable;
}

// How the next argument is read, given the word just taken.
TokenMode Grammar::ModeAfter(const Word& word, TokenMode mode, bool* is_prefix) const {
  const std::string& name = word.source;
  if (mode == TokenMode::kCommand) {
    if (IsDeclaration(name)) return TokenMode::kDeclaration;
    if (name == "alias") return TokenMode::kScalar;
    if (name == "eval" || name == "let") return TokenMode::kEvaluated;
    *is_prefix = name == "command" || name == "builtin";
    return TokenMode::kArgument;
  }
  if (*is_prefix) {
    if (IsDeclaration(name)) {
      *is_prefix = false;
      return TokenMode::kScalar;
    }
    *is_prefix = name == "command" || name == "builtin" || (!name.empty() && name[0] == '-');
  }
  return mode;
}

// `statement` continues one whose first word was taken already, or is null.
Grammar::StatementPtr Grammar::ParseSimple(StatementPtr statement) {
  TokenMode mode = TokenMode::kCommand;
  bool is_prefix = false;
  if (statement == nullptr) {
    statement = Make(Statement::Kind::kSimple, 0);
    statement->simple = std::make_unique<SimpleCommand>();
  } else {
    mode = ModeAfter(statement->simple->words[0].word, mode, &is_prefix);
  }
  SimpleCommand& simple = *statement->simple;
  while (true) {
    Token& token = Peek(mode);
    if (lexer_.has_error()) return nullptr;
    const bool is_first = statement->line == 0;
    if (token.kind == TokenKind::kWord) {
      const TokenMode next_mode = ModeAfter(token.word, mode, &is_prefix);
      simple.words.push_back({std::move(token.word), nullptr});
      Drop();
      if (is_first) {
        // As in bash, the line is the one reached when the next token has been read.
        const Token& next = Peek(next_mode);
        statement->line = lexer_.source().LineAt(next.kind == TokenKind::kNewline ? next.begin : next.end);
        if (next.kind == TokenKind::kLeftParen) return ParseFunctionBehindName(std::move(statement));
      }
      mode = next_mode;
      lexer_.budget().Step();
      continue;
    }
    if (token.kind == TokenKind::kAssignment) {
      if (is_first) statement->line = lexer_.source().LineAt(token.end);
      if (mode == TokenMode::kCommand) {
        simple.assignments.push_back(std::move(*token.assignment));
      } else {
        Word word;
        word.source = token.assignment->source;
        simple.words.push_back({std::move(word), std::move(token.assignment)});
      }
      Drop();
      continue;
    }
    if (!IsRedirect(token.kind)) return statement;
    if (!ParseRedirect(*statement)) return nullptr;
    if (is_first) statement->line = lexer_.source().LineAt(lexer_.source().pos());
  }
}

bool Grammar::ParseRedirect(Statement& statement) {
  Redirect redirect;
  redirect.line = LineOf(Peek());
  if (Peek().kind == TokenKind::kDescriptor) {
    // A number that no descriptor can have fails when the redirection is done.
    const std::string& digits = Peek().word.source;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), redirect.descriptor);
    if (parsed.ec != std::errc()) redirect.descriptor = std::numeric_limits<int>::max();
    Drop();
  } else if (Peek().kind == TokenKind::kVariable) {
    redirect.variable = Peek().word.plain;
    Drop();
  }
  const TokenKind operation = Peek().kind;
  Drop();
  redirect.kind = RedirectKind(operation);
  Token& target = Peek(TokenMode::kArgument);
  if (target.kind != TokenKind::kWord) {
    Unexpected();
    return false;
  }
  Word word = std::move(target.word);
  Drop();
  if (redirect.kind != Redirect::Kind::kHereDocument) {
    const bool is_both = operation == TokenKind::kGreatAnd && redirect.descriptor == -1 &&
                         redirect.variable.empty() && word.is_plain && !IsDescriptorWord(word.plain);
    if (is_both) {
      redirect.kind = Redirect::Kind::kBoth;
      redirect.descriptor = 1;
    }
    redirect.target = std::move(word);
    statement.redirects.push_back(std::move(redirect));
    return true;
  }
  redirect.strips_tabs = operation == TokenKind::kHereDocumentStrip;
  redirect.is_quoted = word.has_quotes;
  redirect.delimiter = word.has_quotes ? RemoveQuotes(word.source) : word.source;
  // <<- takes the tabs of the delimiter, too: no line could match it otherwise.
  if (redirect.strips_tabs) redirect.delimiter.erase(0, std::min(redirect.delimiter.find_first_not_of('\t'), redirect.delimiter.size()));
  statement.redirects.push_back(std::move(redirect));
  lexer_.AddHereDocument(&statement, statement.redirects.size() - 1);
  return true;
}

// name ( ): the word is taken, the parenthesis ahead.
Grammar::StatementPtr Grammar::ParseFunctionBehindName(StatementPtr simple) {
  Drop();
  if (!PeekIs(TokenKind::kRightParen)) return Unexpected();
  Drop();
  StatementPtr function = Make(Statement::Kind::kFunction, simple->line);
  function->name = Name(simple->simple->words[0].word.source);
  return ParseFunction(std::move(function));
}

Grammar::StatementPtr Grammar::ParseFunction(StatementPtr function) {
  SkipNewlines();
  if (!IsCompoundStart()) return Unexpected();
  StatementPtr definition = ParseCompound();
  if (definition == nullptr) return nullptr;
  function->definition = std::move(definition);
  return function;
}

}  // namespace paddock::shell
