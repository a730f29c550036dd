// The syntax tree of the shell language.
//
// Plain data made by the parser, read by the expander, the executor and the printer, immutable once
// made. A tree that outlives its statement (a function body) is shared.
//
// Source: POSIX.1-2017 XCU 2.10, Bash 5.2 manual "Shell Commands".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shell/state/name.h"

namespace paddock::shell {

struct Statement;
struct StatementList;
struct Word;
struct Arithmetic;   // a compiled expression, shell/expand/arithmetic.h

using StatementListPtr = std::shared_ptr<const StatementList>;

// --- Words -----------------------------------------------------------------------------------------

// The operator of ${name…}.
enum class ParameterOp : uint8_t {
  kNone,             // ${x}
  kLength,           // ${#x}
  kIndirect,         // ${!x} without a further operator (with one: is_indirect and that operator)
  kPrefixNames,      // ${!x*} and ${!x@} (is_at)
  kKeys,             // ${!x[*]} and ${!x[@]}
  kDefault,          // ${x-w} ${x:-w}
  kAssign,           // ${x=w} ${x:=w}
  kError,            // ${x?w} ${x:?w}
  kAlternate,        // ${x+w} ${x:+w}
  kRemovePrefix,     // ${x#w}
  kRemoveLongPrefix, // ${x##w}
  kRemoveSuffix,     // ${x%w}
  kRemoveLongSuffix, // ${x%%w}
  kReplace,          // ${x/w/w2}
  kReplaceAll,       // ${x//w/w2}
  kReplacePrefix,    // ${x/#w/w2}
  kReplaceSuffix,    // ${x/%w/w2}
  kSubstring,        // ${x:w} ${x:w:w2}
  kUpperFirst,       // ${x^w}
  kUpperAll,         // ${x^^w}
  kLowerFirst,       // ${x,w}
  kLowerAll,         // ${x,,w}
  kToggleFirst,      // ${x~w}
  kToggleAll,        // ${x~~w}
  kTransform,        // ${x@Q}: `transform` is the letter
  kBad,              // a substitution that fails when it is expanded ("bad substitution")
};

struct Parameter {
  Name name;                     // "x", "1", "@", "*", "#", "?", "-", "$", "!", "0", "_"
  std::unique_ptr<Word> subscript;  // of x[…]; null if none. A subscript of plain "@" or "*" sets the flags
  bool is_subscript_at = false;
  bool is_subscript_star = false;
  bool is_indirect = false;      // ${!x…}
  bool is_at = false;            // ${!x@}
  bool has_colon = false;        // ${x:-w} and its family
  char transform = 0;
  ParameterOp op = ParameterOp::kNone;
  // The operand; for kSubstring the offset expression. An operand that is read as double-quoted text
  // (of "${x:-w}", an expression) is one kDoubleQuoted part.
  std::unique_ptr<Word> word;
  std::unique_ptr<Word> word2;   // replacement, or length expression; null if absent
  std::string source;            // "${…}" as written, for messages
};

struct WordPart {
  enum class Kind : uint8_t {
    kLiteral,        // unquoted text: subject to tilde, globbing (not to splitting)
    kQuoted,         // text from '…', $'…', \c, or the literal text inside "…"
    kDoubleQuoted,   // "…" or $"…": `parts`
    kParameter,      // $x or ${…}
    kCommand,        // $(…) or `…`
    kArithmetic,     // $((…)) or $[…]
    kProcess,        // <(…) or >(…)
    kExtglob,        // unquoted ?(…) *(…) +(…) @(…) !(…): text is "?(" … the parts are the inside, with ")" last
  };
  Kind kind;
  bool is_backquoted = false;   // of kCommand: `…`
  bool is_output = false;       // of kProcess: >(…)
  std::string text;             // kLiteral, kQuoted; of kCommand the source between the parentheses
  std::vector<WordPart> parts;  // kDoubleQuoted, kExtglob
  std::unique_ptr<Parameter> parameter;
  // kProcess, and kCommand where it could be parsed ahead: null if the text must be parsed when it is
  // expanded (aliases are on, or it has an error).
  StatementListPtr program;
  std::unique_ptr<Word> expression;            // kArithmetic: its text, one kDoubleQuoted part
  std::shared_ptr<const Arithmetic> compiled;  // kArithmetic: when the text has no expansions and parses
  int line = 0;                 // of kCommand and kProcess: where its first command starts

  WordPart(Kind k) : kind(k) {}  // NOLINT
  WordPart(Kind k, std::string t) : kind(k), text(std::move(t)) {}
};

struct Word {
  std::vector<WordPart> parts;
  std::string source;           // as written, for the printer and messages
  bool is_plain = false;        // one or no literal/quoted part and nothing to expand: `plain` is its value
  bool has_quotes = false;      // any quoting: an empty result is still a field
  bool has_braces = false;      // may brace-expand
  std::string plain;
};

// --- Commands --------------------------------------------------------------------------------------

struct Redirect {
  enum class Kind : uint8_t {
    kInput,          // <
    kOutput,         // >
    kClobber,        // >|
    kAppend,         // >>
    kReadWrite,      // <>
    kDuplicateInput, // <&
    kDuplicateOutput,// >&
    kBoth,           // &> (and >& word)
    kBothAppend,     // &>>
    kHereDocument,   // << and <<-
    kHereString,     // <<<
  };
  Kind kind;
  int descriptor = -1;          // the number written, or -1 for the operator's own; of kBoth, 1 if
                                // it was written >&word
  std::string variable;         // {name}> : the variable; empty if none (may be "name[sub]")
  // File, descriptor word ("3", "-", "3-"), here-string, or the here-document's body: one kDoubleQuoted
  // part, or one kQuoted part if it has nothing to expand. Its source is the text.
  Word target;
  bool is_quoted = false;       // of a here-document: no expansion
  bool strips_tabs = false;     // <<-
  std::string delimiter;        // of a here-document, without its quotes
  int line = 0;
};

// name=value, name+=value, name[sub]=value, name=(…)
struct Assignment {
  Name name;
  std::unique_ptr<Word> subscript;   // null if none
  bool is_append = false;
  bool is_array = false;             // `elements` instead of `value`
  Word value;
  struct Element {
    std::unique_ptr<Word> subscript;   // [sub]=value
    bool is_append = false;            // [sub]+=value
    Word value;
  };
  std::vector<Element> elements;
  std::string source;                  // as written
};

struct SimpleCommand {
  std::vector<Assignment> assignments;   // before the command word
  struct Argument {
    Word word;
    // For arguments of declaration builtins (declare, local, export, readonly, typeset) that have the
    // form of an assignment: the executor treats it as one, and `word` has no parts but its source.
    std::unique_ptr<Assignment> assignment;
  };
  std::vector<Argument> words;
};

// [[ … ]]
struct Condition {
  enum class Kind : uint8_t { kAnd, kOr, kNot, kUnary, kBinary, kWord };
  Kind kind;
  std::string op;                       // "-f", "==", "=~", "<", "-eq" …
  std::unique_ptr<Condition> left, right;
  Word word, word2;                     // operands; for == != =~ word2 is the pattern
  int parentheses = 0;                  // pairs written around it (only the printer asks)
};

struct Statement {
  enum class Kind : uint8_t {
    kSimple, kPipeline, kAnd, kOr, kGroup, kSubshell, kIf, kFor, kArithmeticFor, kSelect, kWhile, kUntil,
    kCase, kCondition, kArithmetic, kFunction, kCoprocess,
  };
  Kind kind;
  // As error messages and $LINENO have it: of a simple command where its second word ends, of (…), ((…))
  // and [[…]] where it ends, of others where it starts.
  int line = 0;
  std::vector<Redirect> redirects;       // of the command itself

  std::unique_ptr<SimpleCommand> simple;

  // kPipeline: the stages. `! cmd` and `time cmd` are pipelines of one stage too.
  // kAnd, kOr: exactly two children.
  std::vector<std::unique_ptr<Statement>> children;
  bool is_negated = false;
  bool is_timed = false;
  bool is_time_posix = false;            // time -p

  StatementListPtr body;                 // group, subshell, loops, select, function*, coprocess*
  StatementListPtr condition;            // while, until
  struct Branch {                        // if, elif; an else has no condition
    StatementListPtr condition;
    StatementListPtr body;
    int line = 0;
  };
  std::vector<Branch> branches;

  Name name;                             // for, select: the variable; function, coproc: the name
  bool has_in = false;                   // for, select: `in` was given
  std::vector<Word> words;               // for, select; case: words[0] is the subject

  // kArithmeticFor: init, condition, step (absent ones empty); kArithmetic: [0].
  std::vector<Word> expressions;
  std::vector<std::shared_ptr<const Arithmetic>> compiled;   // beside them, null where not compiled

  enum class CaseEnd : uint8_t { kBreak, kFallThrough, kContinue };   // ;; ;& ;;&
  struct CaseClause {
    std::vector<Word> patterns;
    StatementListPtr body;               // may be empty
    CaseEnd end = CaseEnd::kBreak;
  };
  std::vector<CaseClause> clauses;

  std::unique_ptr<Condition> test;       // kCondition

  // kFunction: the body command with its own redirects; kCoprocess: the command.
  std::shared_ptr<const Statement> definition;
  bool has_function_keyword = false;

  explicit Statement(Kind k) : kind(k) {}
};

// Statements in order; each ends with ';', newline or '&'. Made with make_shared: a background statement
// keeps its list alive.
struct StatementList : std::enable_shared_from_this<StatementList> {
  struct Item {
    std::unique_ptr<Statement> statement;
    bool is_background = false;
    bool is_line_end = false;   // inside $(…): a newline ends it (only the printer asks)
  };
  std::vector<Item> items;
};

}  // namespace paddock::shell
