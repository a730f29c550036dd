// Lexer: tokens of the shell language, with their words already taken apart.
//
// What a character means depends on where it stands, so the grammar says with each request what it
// expects (TokenMode). Substitutions inside words hold whole programs; the lexer asks the grammar for
// them through `SubstitutionParser`. Here-documents are read when the newline after their operator is.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "shell/ast/ast.h"
#include "shell/parser/parser.h"
#include "shell/parser/source.h"

namespace paddock::shell {

enum class TokenKind : uint8_t {
  kWord,
  kAssignment,
  kDescriptor,   // 2 in 2>
  kVariable,     // {name} in {name}>
  kNewline,
  kEnd,
  kSemicolon, kDoubleSemicolon, kSemicolonAmpersand, kDoubleSemicolonAmpersand,
  kAmpersand, kAndAnd, kPipe, kOrOr, kPipeAmpersand,
  kLeftParen, kRightParen,
  kLess, kGreat, kGreatPipe, kGreatGreat, kLessGreat, kLessAnd, kGreatAnd, kAndGreat, kAndGreatGreat,
  kHereDocument, kHereDocumentStrip, kHereString,
};

enum class Reserved : uint8_t {
  kNone, kIf, kThen, kElse, kElif, kFi, kFor, kSelect, kWhile, kUntil, kDo, kDone, kCase, kEsac, kIn,
  kFunction, kTime, kCoproc, kBang, kLeftBrace, kRightBrace, kLeftBrackets, kRightBrackets,
};

// What the grammar expects next.
enum class TokenMode : uint8_t {
  kCommand,       // a command word: assignments, aliases
  kArgument,      // a plain word
  kDeclaration,   // an argument of a declaration builtin: assignments, arrays too
  kScalar,        // the same behind `command` or `builtin`: assignments without arrays
  kEvaluated,     // an argument of eval or let: a compound value is part of the word
  kPattern,       // right of == inside [[ ]]: extended patterns
  kRegex,         // right of =~ inside [[ ]]
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Reserved reserved = Reserved::kNone;   // of an unquoted word spelled like one
  size_t begin = 0;
  size_t end = 0;
  Word word;
  std::unique_ptr<Assignment> assignment;
};

// Parses the program inside $(…), <(…) and >(…) up to the closing parenthesis, which it consumes.
class SubstitutionParser {
 public:
  virtual ~SubstitutionParser() = default;
  // Null after an error.
  virtual StatementListPtr ParseSubstitution() = 0;
};

class Lexer {
 public:
  Lexer(std::string_view text, const ParserOptions& options, Budget& budget, int first_line);

  void set_substitution_parser(SubstitutionParser* parser) { substitutions_ = parser; }
  void set_options(const ParserOptions& options) { options_ = options; }
  const ParserOptions& options() const { return options_; }
  Source& source() { return source_; }
  Budget& budget() { return budget_; }

  // Reads the next token into `token`; false after an error.
  bool Read(Token& token, TokenMode mode);

  // --- Errors ---
  // Records the first error; always returns false.
  bool Fail(std::string message, int line, std::string source_line = {});
  bool FailUnexpected(const Token& token);                // "syntax error near unexpected token `x'"
  bool FailUnexpectedText(std::string_view text, size_t offset);
  // An operator as written, without line continuations.
  std::string OperatorText(const Token& token) const;
  bool FailUnmatched(char closer, size_t opened_at);      // "unexpected EOF while looking for matching"
  bool FailAtEnd();                                       // "syntax error: unexpected end of file"
  bool has_error() const { return error_.has_value(); }
  std::optional<SyntaxError>& error() { return error_; }
  std::vector<ParserWarning>& warnings() { return warnings_; }
  int EndLine();

  // --- Words and expressions read on request ---
  // Text of an arithmetic expression as double-quoted text. Which character ended it is left unread.
  enum class ExpressionEnd : uint8_t {
    kParens,      // )) of $((…)) and ((…)); false without error if the parentheses close apart
    kBracket,     // ] of $[…]
    kForPart,     // ; or )) of for ((…))
    kColon,       // : or } of ${x:a:b}
    kBrace,       // }
  };
  enum class Found : uint8_t { kYes, kNo, kError };
  Found ReadExpression(Word& word, ExpressionEnd end, size_t opened_at);
  // The rest of the text as if between double quotes (where `"` itself is special or not).
  bool ReadAllQuoted(Word& word, bool is_here_document);
  // The rest of the text as one unquoted word, blanks included.
  bool ReadAllUnquoted(Word& word);
  // The inside of name=(…), after the opening parenthesis, with the closing one.
  bool ReadArrayElements(Assignment& assignment, size_t opened_at);
  bool ReadAssignment(Assignment& assignment);

  // --- Here-documents ---
  void AddHereDocument(Statement* statement, size_t redirect_index);
  // At the end of input: what still waits is cut off.
  bool FinishHereDocuments();
  // A substitution reads its own; what waits outside is put aside meanwhile.
  struct PendingHereDocument {
    Statement* statement;
    size_t redirect_index;
    int line;
  };
  std::vector<PendingHereDocument> TakePending() { return std::exchange(pending_, {}); }
  // Puts the outer ones back in front of what the substitution left unread.
  void RestorePending(std::vector<PendingHereDocument> pending, StatementListPtr substitution);
  bool HasPending() const { return !pending_.empty(); }
  void EnterSubstitution() { ++substitution_depth_; }
  void LeaveSubstitution() { --substitution_depth_; }
  bool is_in_substitution() const { return substitution_depth_ > 0; }
  // Turns alias expansion on or off and returns what it was.
  bool ExchangeAliases(bool on) { return std::exchange(options_.expand_aliases, on); }

  // "((" of a command, the first parenthesis taken. kNo: it is a subshell in a subshell after all.
  Found ReadArithmeticCommand(Word& word);
  // After an error: goes on with the next line.
  void SkipLine();

  // One level of nesting; stops the exec when there are too many.
  class Depth {
   public:
    explicit Depth(Lexer& lexer) : lexer_(lexer) { lexer_.Enter(); }
    ~Depth() { --lexer_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Lexer& lexer_;
  };
  int depth() const { return depth_; }
  void set_depth(int depth) { depth_ = depth; }

  void BeginCommand();

 private:
  // Where unquoted text stands.
  struct Context {
    char closer = '\0';            // ends the text (left unread); NUL: a metacharacter does
    char second_closer = '\0';     // another one, or NUL
    bool is_everything = false;    // only the end of the text ends it
    bool is_regex = false;
    bool is_extglob = false;
    size_t opened_at = 0;          // for the complaint about a missing closer
  };
  // A stretch of the source whose spelling in Word::source differs.
  struct Edit {
    size_t begin;
    size_t end;
    std::string text;
  };
  // What double-quoted text ends at.
  struct QuotedContext {
    char closer = '"';             // NUL: the end of the text
    bool is_quote_special = true;  // `"` is not, in a here-document
    bool is_operand = false;       // of ${x:-…}: nested quotes come and go, `\}` is `}`
    size_t opened_at = 0;
  };

  void Enter();

  // lexer.cc
  bool SkipBlanks();
  void SkipContinuations();
  bool Eat(char c);
  void ReadOperator(Token& token, char first);
  bool ReadNewline(Token& token);
  bool ReadWordToken(Token& token, TokenMode mode);
  bool ReadSlowWord(Token& token, TokenMode mode);
  bool ExpandAlias(Token& token);
  bool IsExtglobAllowed(TokenMode mode) const;
  void MarkDescriptor(Token& token);

  // words.cc
  bool ReadUnquoted(std::vector<WordPart>& parts, const Context& context);
  bool ReadQuoted(std::vector<WordPart>& parts, const QuotedContext& context);
  bool ReadSingleQuoted(std::vector<WordPart>& parts);
  bool ReadDoubleQuoted(std::vector<WordPart>& parts);
  bool ReadAnsiC(std::vector<WordPart>& parts);
  bool ReadExtglob(std::vector<WordPart>& parts, const Context& context);
  bool ReadGroup(std::vector<WordPart>& parts, const Context& context, char closer);
  size_t LiteralEnd(const Context& context);
  void FinishWord(Word& word, size_t begin, size_t first_edit);
  std::string EditedSource(size_t begin, size_t end, size_t first_edit);

  // substitutions.cc
  bool ReadDollar(std::vector<WordPart>& parts, bool is_quoted, const QuotedContext* operand);
  bool ReadParameter(std::vector<WordPart>& parts);
  bool ReadBraced(std::vector<WordPart>& parts, bool is_quoted, bool is_here_document);
  bool ReadBracedBody(Parameter& parameter, bool is_quoted, bool is_here_document);
  bool ReadParameterName(Parameter& parameter);
  bool ReadOperator(Parameter& parameter, bool is_quoted, bool is_here_document, size_t begin);
  bool ReadSubscript(std::unique_ptr<Word>& subscript, size_t opened_at, char second_closer);
  bool ReadOperand(std::unique_ptr<Word>& word, bool is_quoted, bool is_here_document, size_t begin);
  bool ReadPattern(std::unique_ptr<Word>& word, char second_closer, size_t begin);
  bool ReadReplacement(Parameter& parameter, size_t begin);
  bool ReadSubstringBounds(Parameter& parameter, size_t begin);
  bool SkipBad(Parameter& parameter, bool is_quoted, bool is_here_document, size_t begin);
  bool ReadCommandSubstitution(std::vector<WordPart>& parts);
  bool ReadArithmeticOrCommand(std::vector<WordPart>& parts);
  bool ReadOldArithmetic(std::vector<WordPart>& parts);
  bool ReadBackquoted(std::vector<WordPart>& parts, bool is_quoted);
  bool ReadProcess(std::vector<WordPart>& parts);
  bool SkipParens(size_t opened_at);

  // assignments.cc
  Found ReadAssignmentToken(Token& token, TokenMode mode);
  bool FinishWordToken(Token& token, TokenMode mode, size_t begin, size_t first_edit);
  bool ReadElement(Assignment::Element& element);
  bool ReadValue(Word& value);
  bool ReadCompoundText(std::vector<WordPart>& parts);

  // here_documents.cc
  bool ReadPendingBodies();
  bool ReadBody(const PendingHereDocument& pending);
  void ParseBody(Redirect& redirect, std::string_view body, int first_line);

  Source source_;
  ParserOptions options_;
  Budget& budget_;
  SubstitutionParser* substitutions_ = nullptr;
  std::optional<SyntaxError> error_;
  std::vector<ParserWarning> warnings_;
  std::vector<PendingHereDocument> pending_;
  std::vector<StatementListPtr> kept_;   // what pending_ points into, should the tree drop it
  std::vector<Edit> edits_;
  std::unordered_set<size_t> closed_apart_;   // offsets of `((` known to be two subshells
  bool expands_next_word_ = false;
  bool has_read_end_ = false;   // the newline that the text's last line lacks was given
  int depth_ = 0;
  int substitution_depth_ = 0;
};

// The body of an unquoted here-document. What cannot be parsed becomes a substitution that fails when it
// is expanded.
Word ParseHereDocumentBody(std::string_view body, const ParserOptions& options, Budget& budget,
                           int first_line, int depth);
// The program of a text that may as well be parsed when it runs: null unless that would say nothing.
StatementListPtr ParseAhead(std::string_view text, const ParserOptions& options, Budget& budget,
                            int first_line, int depth);
// The text of a word's spelling with its quotes taken away (a here-document's delimiter).
std::string RemoveQuotes(std::string_view source);
// Appends text to the last part if it is of that kind, else as a new part.
void AppendText(std::vector<WordPart>& parts, WordPart::Kind kind, std::string_view text);
// Sets is_plain, plain, has_quotes and has_braces from the parts.
void ClassifyWord(Word& word);

}  // namespace paddock::shell
