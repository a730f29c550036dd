// A compiled awk program: instructions for a stack machine, with names resolved to slots.
//
// The comment behind an operation shows the top of the stack before → after. Operands that are not on
// the stack are in the instruction: `a` small, `b` a slot, an index or a jump target.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/awk/extension.h"
#include "lang/awk/lexer.h"
#include "lang/awk/pattern_cache.h"
#include "lang/awk/source.h"
#include "lang/awk/value.h"

namespace paddock::awk {

enum class Op : uint8_t {
  kPushConstant,    // → v          b: constant
  kPushGlobal,      // → v          b: slot; marks an untyped variable as scalar
  kPushLocal,       // → v
  kPushCounter,     // → v          b: kSlotNf, kSlotNr or kSlotFnr
  kPushGlobalRef,   // → v          as an argument: an array is shared, an untyped variable gets a cell
  kPushLocalRef,    // → v
  kPushElementRef,  // array sub → v
  kPop,             // v →
  kPushField,       // i → v
  kPushFieldAt,     // → v          b: field number
  kPushFieldNumber, // → number     b: field number
  kKeepField,       // i → i v
  kPushArray,       // → array      b: global slot
  kPushLocalArray,  // → array
  kPushSubarray,    // array sub → array
  kPushElement,     // array sub → v
  kKeepElement,     // array sub → array sub v
  kJoin,            // v… → sub     b: how many
  // a == 1: the value is dropped as well (a statement that nobody reads).
  kStoreGlobal,     // v → v
  kStoreLocal,      // v → v
  kStoreHooked,     // v → v        b: special slot
  kStoreField,      // v i → v
  kStoreElement,    // v array sub → v
  // a: the arithmetic operation, an Op from kAdd to kPower
  kUpdateGlobal,    // rhs → v
  kUpdateLocal,
  kUpdateHooked,
  kUpdateField,     // rhs i → v
  kUpdateElement,   // rhs array sub → v
  // a: flags kDecrement, kPostfix, kDrop
  kIncrementGlobal, // → v
  kIncrementLocal,
  kIncrementHooked,
  kIncrementField,  // i → v
  kIncrementElement,  // array sub → v
  kIncrementElementByField,  // array → v   b: field number, a: flags
  // What getline, sub and gsub leave aside, stored if there is something; the status stays on top.
  kStoreAsideGlobal,  // status → status
  kStoreAsideLocal,
  kStoreAsideHooked,
  kStoreAsideField,   // i status → status
  kStoreAsideElement, // array sub status → status
  kDeleteElement,   // array sub →
  kDeleteAll,       // array →
  kIn,              // sub array → v

  kAdd, kSubtract, kMultiply, kDivide, kModulo, kPower,  // x y → v
  kBigArithmetic,   // x y → v      a: one of the above, on numbers of any size (-M)
  kBigNegate, kBigPlus,
  kNegate, kPlus, kNot, kToBool,    // v → v
  kConcat,          // v… → v       b: how many; x = x … appends in place when nobody else holds the text
  kLess, kLessEqual, kEqual, kNotEqual, kGreater, kGreaterEqual,  // x y → v
  kMatch,           // text pattern → v   a: 1 for !~
  kMatchRegex,      // text → v           b: constant
  kMatchRecord,     // → v                b: constant

  kJump,            // b: target
  kJumpIfFalse,     // v →
  kJumpIfTrue,      // v →
  kAndJump,         // v → [0]      jumps with 0 when false
  kOrJump,          // v → [1]      jumps with 1 when true
  kCaseJump,        // v c → v | jump without both
  kForIn,           // array →      starts a walk; b: where it ends
  kForInNext,       // → key        jumps to b at the end of the walk
  kEndForIn,        //              forgets the innermost walk

  kCall,            // v… → v       a: arguments, b: function
  kCallIndirect,    // name v… → v  a: arguments
  kReturn,          // v →
  kBuiltin,         // v… → v       a: arguments, b: Builtin
  kExtension,       // v… → v       a: arguments, b: Extension
  kPrint,           // v… [dest] →  a: arguments, b: Redirect
  kPrintf,
  kPrintRecord,     // →            to standard output
  kEmitField,       // →            b: field number; pieces of a print to standard output
  kEmitConstant,    // →
  kEmitCounter,
  kEmitSeparator,
  kEmitEnd,
  kGetline,         // [source] → status   b: Redirect, a: 1 when a variable takes the line
  kNext, kNextFile,
  kExit,            // [v] →        a: 1 with a status
  kRangeEnter,      // b: target when range a is active
  kRangeSet,        // v →          range a stays active unless v is true; b unused
  kWork,            // charges b steps
  kLint,            // a: LintCheck, b: what it looks at
  kCount,           // counts a turn of node b (profiling)
  kEnd,             // ends a list of rules
};

inline constexpr uint32_t kDecrement = 1, kPostfix = 2, kDrop = 4;
// Beside the operation of an update: the value is dropped.
inline constexpr uint32_t kDropsUpdated = 0x100;
inline constexpr Op UpdateOperation(uint32_t a) { return static_cast<Op>(a & 0xff); }

struct Instruction {
  Op op;
  uint32_t a : 24;
  int32_t b;
};
static_assert(sizeof(Instruction) == 8);

struct Function {
  std::string name;
  std::vector<std::string> parameters;
  int entry = -1;  // -1: called but never defined
};

struct Program {
  std::vector<Source> sources;
  std::vector<Instruction> code;
  std::vector<Place> places;  // one for each instruction
  std::vector<Value> constants;
  std::vector<Function> functions;
  std::vector<std::string> globals;
  Libraries libraries = 0;
  UnknownEscapes escapes;  // of the patterns in the program
  int range_count = 0;

  // Where each list of rules starts; -1 when there is none.
  int begin = -1, record = -1, end = -1, begin_file = -1, end_file = -1;
  int counter_count = 0;  // 0: nothing is counted
  bool uses_rt = false, uses_symtab = false, uses_functab = false, uses_environ = false;
};

}  // namespace paddock::awk
