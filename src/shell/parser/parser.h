// Parser: Bash text to syntax trees, one complete command at a time.
//
// A script runs as it is read: the caller takes one complete command (a list up to a newline), executes
// it, and asks for the next, so that line 1 has run before the syntax error on line 9 and an alias or
// option set on one line holds on the next. Recursive descent; depth is bounded by the budget.
//
// Source: POSIX.1-2017 XCU 2.3 and 2.10, Bash 5.2 manual; the machine's bash is the oracle.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"
#include "shell/ast/ast.h"

namespace paddock::shell {

struct ParserOptions {
  bool extglob = false;             // shopt extglob: +(…) in words (always on inside [[ ]] patterns)
  bool expand_aliases = false;
  bool posix = false;
  bool is_interactive = false;      // comments obey interactive_comments elsewhere
  // The replacement of an alias, or null. Called for command words while parsing.
  std::function<const std::string*(std::string_view name)> find_alias;
};

// A complaint of the parser. `message` is bash's text after "bash: line N: ": "syntax error near
// unexpected token `)'", "unexpected EOF while looking for matching `\"'", "syntax error: unexpected end of
// file". `source_line` is what bash shows in a second line, mostly the source ("`echo )'"), empty if it
// shows none.
struct SyntaxError {
  std::string message;
  int line = 0;
  std::string source_line;
  bool discards_line = false;       // inside name=(…): bash drops the line, sets $? to 1 and goes on reading
  bool is_conditional = false;      // inside [[ ]]: ends the shell as others do, but leaves $? alone
  bool is_cut_off = false;          // of those, one that stands at the end of the text that there is so far
  bool is_in_substitution = false;  // inside $(…) and the like: ends the shell, from an eval too
  bool is_incomplete = false;       // more input could complete it (a prompt asks for it)
};

// A here-document that the end of input cut off: bash warns and goes on.
struct ParserWarning {
  int line = 0;
  std::string message;   // "here-document at line 3 delimited by end-of-file (wanted `EOF')"
  bool is_incomplete = false;   // it is the end of the text that cut it off
};

class Parser {
 public:
  // `text` and `budget` outlive the parser. Lines count from `first_line`.
  Parser(std::string_view text, const ParserOptions& options, Budget& budget, int first_line = 1);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // What Next() gives: a list (perhaps empty for blank lines), the end, or an error. After an error
  // the rest of the line is skipped, so an interactive caller can go on.
  struct Outcome {
    StatementListPtr list;                // null at the end and on error
    std::optional<SyntaxError> error;
    std::vector<ParserWarning> warnings;
  };
  Outcome Next();

  // Options as they are now: `shopt -s extglob` on one line changes how the next is read.
  void set_options(const ParserOptions& options);
  // Offset of what was not read yet (for `set -v`, history, interactive input).
  size_t offset() const;
  int line() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Parses all of `text` as one list (command substitution, eval's check, function import).
struct ParsedProgram {
  StatementListPtr list;
  std::optional<SyntaxError> error;
  bool is_incomplete = false;   // more input could complete it: the error says so, or a here-document is cut off
};
ParsedProgram ParseProgram(std::string_view text, const ParserOptions& options, Budget& budget,
                           int first_line = 1);

// Parses `text` as the inside of double quotes (here-document bodies, PS1, ${x@P}, subscripts).
Result<Word> ParseDoubleQuoted(std::string_view text, const ParserOptions& options, Budget& budget);
// Parses one word made at run time: unquoted text with expansions.
Result<Word> ParseWord(std::string_view text, const ParserOptions& options, Budget& budget);
// Parses "name[sub]=(…)" or "(…)" and the like for declare at run time.
Result<Assignment> ParseAssignment(std::string_view text, const ParserOptions& options, Budget& budget);
// Decodes the inside of $'…'.
std::string DecodeAnsiC(std::string_view text);

}  // namespace paddock::shell
