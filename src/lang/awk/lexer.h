// Splits awk source text into tokens.
//
// A slash is read as division; the parser, which alone knows where an operand may stand, asks for the
// regular expression with ReadRegex(). Newlines are tokens except after those that need a continuation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/awk/source.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

enum class Tok : uint8_t {
  kEnd, kNewline, kError,
  kLeftBrace, kRightBrace, kLeftParen, kRightParen, kLeftBracket, kRightBracket,
  kSemicolon, kComma, kPlus, kMinus, kStar, kSlash, kPercent, kCaret, kNot, kGreater, kLess, kPipe,
  kPipeBoth, kQuestion, kColon, kMatch, kNoMatch, kDollar, kAt,
  kAssign, kAddAssign, kSubtractAssign, kMultiplyAssign, kDivideAssign, kModuloAssign, kPowerAssign,
  kEqual, kNotEqual, kLessEqual, kGreaterEqual, kAnd, kOr, kIncrement, kDecrement, kAppend,
  kNumber, kString, kRegex, kName, kCallName, kBuiltin,
  kBegin, kEndRule, kBeginFile, kEndFile, kFunction, kIf, kElse, kWhile, kFor, kDo, kBreak, kContinue,
  kNext, kNextFile, kExit, kReturn, kDelete, kIn, kGetline, kPrint, kPrintf, kSwitch, kCase, kDefault,
};

enum class Builtin : uint8_t {
  kAtan2, kCos, kSin, kExp, kLog, kSqrt, kInt, kRand, kSrand,
  kAnd, kOr, kXor, kCompl, kLshift, kRshift, kStrtonum,
  kLength, kSubstr, kIndex, kToupper, kTolower, kSprintf,
  kMatch, kSplit, kPatsplit, kSub, kGsub, kGensub,
  kAsort, kAsorti, kIsarray, kTypeof, kMkbool,
  kSystem, kClose, kFflush,
  kSystime, kStrftime, kMktime,
  kBindtextdomain, kDcgettext, kDcngettext,
};

struct BuiltinInfo {
  std::string_view name;
  Builtin id;
  int min_arguments;
  int max_arguments;  // -1: any number
  bool is_posix;      // false: a gawk extension, a plain name in traditional mode
};

const BuiltinInfo& InfoOf(Builtin id);

struct Token {
  Tok kind = Tok::kEnd;
  std::string text;     // name, string after escapes, regular expression
  std::string literal;  // a number or regular expression as it is written
  double number = 0;
  Builtin builtin = Builtin::kLength;
  Place place;
  size_t offset = 0;    // in the source text
  bool after_blank = false;
  bool is_translatable = false;  // _"text"
  bool is_call = false;       // a name with a parenthesis right behind it
  bool is_qualified = false;  // written as space::name (in text: without "awk::")
};

enum class Strictness : uint8_t { kGnu, kTraditional, kPosix };

struct Comment {
  Place place;
  std::string text;      // from its # to the end of the line
  bool is_alone = false;  // nothing is in front of it on its line
};

class Lexer {
 public:
  // All outlive the lexer. Warnings are appended as lines that start with `name`.
  Lexer(std::string name, const std::vector<Source>& sources, Strictness strictness,
        std::vector<std::string>& warnings, Budget& budget);

  // The next token. After kError, error() says why.
  Token Next();
  // The rest of a regular expression whose slash (or "/=") was the token `slash`.
  Token ReadRegex(const Token& slash);
  const std::string& error() const { return error_; }
  // From now on comments are appended to `comments`.
  void KeepComments(std::vector<Comment>* comments) { comments_ = comments; }

  // Goes on with another source, then returns to this place (@include).
  void Include(uint32_t source);

 private:
  Token Lex();
  void SkipBlanks();
  void KeepComment(size_t end);
  Token LexNumber(Token token);
  Token LexString(Token token);
  Token LexWord(Token token);
  Token LexQualified(Token token);
  Token LexOperator(Token token);
  Token Fail(Token token, std::string message);
  void AppendEscape(std::string& out);
  void Warn(std::string text);
  bool Accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void Open(uint32_t source, size_t at, uint32_t line);

  std::string name_;
  const std::vector<Source>& sources_;
  Strictness strictness_;
  std::vector<std::string>& warnings_;
  Budget& budget_;
  std::vector<Comment>* comments_ = nullptr;
  Tok last_ = Tok::kNewline;   // the kind of the token before

  struct Position {
    uint32_t source;
    size_t at;
    uint32_t line;
  };
  std::vector<Position> included_from_;
  uint32_t top_source_ = 0;  // the given source in progress
  uint32_t top_count_;       // sources that were given, not included
  uint32_t source_ = 0;
  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool is_after_blank_ = false;
  std::string error_;
};

// True for a variable's name, which may have a namespace: "name" or "space::name".
bool IsVariableName(std::string_view text);

// The lexer's error about a NUL byte, which ends the program as a fatal one.
inline constexpr std::string_view kInvalidNul = "error: invalid character '\\000' in source code";
inline constexpr std::string_view kReservedIdentifier = "using reserved identifier `";
// True for keywords and built-in functions.
bool IsReserved(std::string_view text);

// Interprets the escapes of `text` as in a string of the source; for -v and operands like var=text.
std::string ProcessEscapes(std::string_view text, std::vector<std::string>& warnings);

}  // namespace paddock::awk
