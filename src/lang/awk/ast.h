// The tree that the parser makes of a program. It lives until the program is compiled.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lang/awk/extension.h"
#include "lang/awk/lexer.h"
#include "lang/awk/pattern_cache.h"
#include "lang/awk/source.h"

namespace paddock::awk {

enum class NodeKind : uint8_t {
  // Expressions. a, b, c and list are the operands.
  kNumber, kString,
  kRegex,        // text; matches $0 unless an operator or function takes it as a pattern
  kTypedRegex,   // @/text/
  kVariable,     // slot, is_local
  kField,        // $a
  kElement,      // a[list…]
  kAssign,       // a = b, or a op= b when op is not kAssign
  kIncrement,    // is_prefix, is_negative: ++ or -- on a
  kConditional,  // a ? b : c
  kAnd, kOr, kNot, kNegate, kPlus,
  kArithmetic,   // a op b
  kCompare,      // a op b
  kConcat,       // list
  kMatch,        // a ~ b, is_negative: !~
  kIn,           // (list…) in a
  kGroup,        // (list…), only in front of `in` or as the arguments of print
  kCall,         // text(list…)
  kIndirectCall, // @variable(list…): a is the variable
  kBuiltin,      // builtin(list…)
  kGetline,      // redirect, a: where to (or null), b: file or command
  // Statements.
  kBlock,        // list
  kExpression,   // a
  kPrint, kPrintf,  // list, redirect, b: destination
  kIf, kWhile, kDo,   // a condition, b, c
  kFor,          // list[0], a, list[1], b: init, condition, step, body; any of them null
  kForIn,        // a variable, b array, c body
  kBreak, kContinue, kNext, kNextFile,
  kExit, kReturn,   // a or null
  kDelete,       // a: an element or a whole array
  kSwitch,       // a, list of kCase
  kCase,         // a: the constant (null for default), list: statements
};

enum class Redirect : uint8_t { kNone, kFile, kAppend, kPipe, kCoprocess };

struct Node {
  NodeKind kind;
  Tok op = Tok::kEnd;
  bool in_parens = false;
  uint8_t paren_count = 0;  // pairs around it, as far as they can be counted
  bool is_local = false;
  bool is_negative = false;
  bool is_prefix = false;
  bool is_bare = false;          // `length` without parentheses
  bool is_translatable = false;  // a string: _"text"
  Redirect redirect = Redirect::kNone;
  Builtin builtin = Builtin::kLength;
  Place place;
  int slot = 0;
  int id = 0;            // its index in the tree's nodes
  double number = 0;
  Node* a = nullptr;
  Node* b = nullptr;
  Node* c = nullptr;
  std::vector<Node*> list;
  std::string text;
  // Only with ParseInput::keeps_form.
  std::string literal;      // a number or regular expression as it was written
  uint32_t end_line = 0;    // of a simple statement, and of a block's closing brace
};

// A pattern and what it does. begin and end patterns are null where they are missing.
struct Rule {
  enum class When : uint8_t { kBegin, kEnd, kBeginFile, kEndFile, kRecord };
  When when = When::kRecord;
  Node* pattern = nullptr;
  Node* range_end = nullptr;
  Node* action = nullptr;  // null: print the record
  Place place;
  uint32_t end_line = 0;
  std::string space;       // the namespace that it is in, "" for awk's own
};

struct FunctionDefinition {
  std::string name;
  std::vector<std::string> parameters;
  Node* body = nullptr;
  Place place;
  uint32_t start_line = 0, end_line = 0;
  std::string space;  // the namespace that it stands in
  bool is_defined = false;
};

// An @include or @load of the program.
struct Inclusion {
  std::string path;
  uint32_t source = 0;  // 0 for what had been included before
  bool is_library = false;
};

// An @namespace of the program.
struct SpaceChange {
  Place place;
  std::string space;   // "" for awk's own
};

struct SyntaxTree {
  UnknownEscapes escapes;
  std::vector<Comment> comments;      // with ParseInput::keeps_form
  std::vector<Inclusion> inclusions;
  std::vector<SpaceChange> space_changes;
  Libraries libraries = 0;            // of @load and -l
  std::deque<Node> nodes;
  std::vector<Rule> rules;
  std::vector<FunctionDefinition> functions;
  std::map<std::string, int, std::less<>> function_index;
  std::vector<std::string> globals;  // by slot; the special variables come first
  std::map<std::string, int, std::less<>> global_index;
};

// Variables that mean something to the interpreter, in the order of their slots. Reading the first three
// and writing any up to kLastHooked has effects.
enum SpecialSlot : int {
  kSlotNf, kSlotNr, kSlotFnr,
  kSlotFs, kSlotOfs, kSlotOrs, kSlotRs, kSlotSubsep, kSlotConvfmt, kSlotOfmt,
  kSlotIgnorecase, kSlotFieldwidths, kSlotFpat, kSlotLint, kSlotPrec, kSlotRoundmode,
  kLastHooked = kSlotRoundmode,
  kSlotRt, kSlotRstart, kSlotRlength, kSlotFilename, kSlotArgc, kSlotArgv, kSlotArgind, kSlotErrno,
  kSlotEnviron, kSlotProcinfo, kSlotBinmode, kSlotTextdomain,
  kSlotSymtab, kSlotFunctab,
  kSpecialCount,
};

inline constexpr std::string_view kSpecialNames[kSpecialCount] = {
    "NF", "NR", "FNR", "FS", "OFS", "ORS", "RS", "SUBSEP", "CONVFMT", "OFMT", "IGNORECASE",
    "FIELDWIDTHS", "FPAT", "LINT", "PREC", "ROUNDMODE", "RT", "RSTART", "RLENGTH", "FILENAME", "ARGC", "ARGV", "ARGIND", "ERRNO",
    "ENVIRON", "PROCINFO", "BINMODE", "TEXTDOMAIN", "SYMTAB",
    "FUNCTAB"};

}  // namespace paddock::awk
