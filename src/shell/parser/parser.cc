#include "shell/parser/parser.h"

#include "shell/parser/grammar.h"
#include "shell/parser/lexer.h"

namespace paddock::shell {
namespace {

// A lexer with the grammar for the substitutions inside.
struct WordReader {
  WordReader(std::string_view text, const ParserOptions& options, Budget& budget, int first_line = 1)
      : lexer(text, options, budget, first_line), grammar(lexer) {
    lexer.set_substitution_parser(&grammar);
  }
  Error Failure() {
    if (lexer.has_error()) return Error(Code::kSyntax, lexer.error()->message);
    return Error(Code::kSyntax, "syntax error");
  }

  Lexer lexer;
  Grammar grammar;
};

}  // namespace

struct Parser::Impl {
  Impl(std::string_view text, const ParserOptions& options, Budget& budget, int first_line)
      : reader(text, options, budget, first_line) {}

  WordReader reader;
};

Parser::Parser(std::string_view text, const ParserOptions& options, Budget& budget, int first_line)
    : impl_(std::make_unique<Impl>(text, options, budget, first_line)) {}

Parser::~Parser() = default;

Parser::Outcome Parser::Next() {
  Lexer& lexer = impl_->reader.lexer;
  Outcome outcome;
  lexer.BeginCommand();
  outcome.list = impl_->reader.grammar.ParseCompleteCommand();
  outcome.warnings = std::exchange(lexer.warnings(), {});
  if (lexer.has_error()) {
    outcome.list = nullptr;
    outcome.error = std::exchange(lexer.error(), std::nullopt);
    lexer.SkipLine();
    impl_->reader.grammar.Reset();
  }
  return outcome;
}

void Parser::set_options(const ParserOptions& options) { impl_->reader.lexer.set_options(options); }

size_t Parser::offset() const { return impl_->reader.lexer.source().main_offset(); }

int Parser::line() const {
  Source& source = impl_->reader.lexer.source();
  return source.LineAt(source.pos());
}

namespace {

// All complete commands of the reader's text; null after an error.
StatementListPtr ReadProgram(WordReader& reader) {
  auto program = std::make_shared<StatementList>();
  while (true) {
    reader.lexer.BeginCommand();
    const StatementListPtr list = reader.grammar.ParseCompleteCommand();
    if (reader.lexer.has_error()) return nullptr;
    if (list == nullptr) return program;
    // The list was made here and nobody else holds it.
    for (StatementList::Item& item : const_cast<StatementList&>(*list).items) {
      program->items.push_back(std::move(item));
    }
  }
}

}  // namespace

ParsedProgram ParseProgram(std::string_view text, const ParserOptions& options, Budget& budget,
                           int first_line) {
  WordReader reader(text, options, budget, first_line);
  StatementListPtr program = ReadProgram(reader);
  bool is_incomplete = reader.lexer.has_error() && reader.lexer.error()->is_incomplete;
  for (const ParserWarning& warning : reader.lexer.warnings()) is_incomplete |= warning.is_incomplete;
  return {std::move(program), std::move(reader.lexer.error()), is_incomplete};
}

StatementListPtr ParseAhead(std::string_view text, const ParserOptions& options, Budget& budget,
                            int first_line, int depth) {
  WordReader reader(text, options, budget, first_line);
  reader.lexer.set_depth(depth);
  StatementListPtr program = ReadProgram(reader);
  return reader.lexer.warnings().empty() ? program : nullptr;
}

Word ParseHereDocumentBody(std::string_view body, const ParserOptions& options, Budget& budget,
                           int first_line, int depth) {
  WordReader reader(body, options, budget, first_line);
  reader.lexer.set_depth(depth);
  Word word;
  if (!reader.lexer.ReadAllQuoted(word, true)) {
    WordPart bad(WordPart::Kind::kParameter);
    bad.parameter = std::make_unique<Parameter>();
    bad.parameter->op = ParameterOp::kBad;
    bad.parameter->source = body;
    word = Word();
    word.parts.push_back(std::move(bad));
  }
  word.source = body;
  return word;
}

Result<Word> ParseDoubleQuoted(std::string_view text, const ParserOptions& options, Budget& budget) {
  WordReader reader(text, options, budget);
  Word word;
  if (!reader.lexer.ReadAllQuoted(word, true)) return reader.Failure();
  return word;
}

Result<Word> ParseWord(std::string_view text, const ParserOptions& options, Budget& budget) {
  WordReader reader(text, options, budget);
  Word word;
  if (!reader.lexer.ReadAllUnquoted(word)) return reader.Failure();
  return word;
}

Result<Assignment> ParseAssignment(std::string_view text, const ParserOptions& options, Budget& budget) {
  WordReader reader(text, options, budget);
  Assignment assignment;
  if (!reader.lexer.ReadAssignment(assignment)) return reader.Failure();
  return assignment;
}

}  // namespace paddock::shell
