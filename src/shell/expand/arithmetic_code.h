// The compiled form of an arithmetic expression: instructions of a small stack machine.
//
// The parser writes it, the evaluator runs it. A text that does not parse compiles too: its code ends in
// the error, so that what stands before it has its effects first, as in Bash, which evaluates while it
// parses.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/state/name.h"

namespace paddock::shell {

enum class ArithmeticOp : uint8_t {
  kPush,           // value
  kLoad,           // the variable `argument`
  kLoadElement,    // the element `argument`
  kResolve,        // evaluates the subscript of element `argument`, keeps the place
  kLoadPlace,      // the element of the top place
  kStore,          // the variable `argument` = top (stays)
  kStoreElement,   // evaluates the subscript, then stores top (stays)
  kStorePlace,     // the top place = top (stays); drops the place
  kPreAdd,         // the variable `argument` += value, pushes the new value
  kPostAdd,        // the same, pushes the old one
  kPlacePreAdd,    // of the top place, dropping it
  kPlacePostAdd,
  kNegate,
  kNot,
  kComplement,
  kToBool,
  kPower,
  kMultiply,
  kDivide,
  kRemainder,
  kAdd,
  kSubtract,
  kShiftLeft,
  kShiftRight,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kBitAnd,
  kBitXor,
  kBitOr,
  kDrop,
  kJump,           // to `argument`
  kJumpIfZero,     // pops
  kAndElse,        // pops; if zero pushes 0 and jumps
  kOrElse,         // pops; if not zero pushes 1 and jumps
  kEnd,
  kError,          // the error of the code
};

struct ArithmeticInstruction {
  ArithmeticOp op;
  uint32_t argument = 0;
  uint32_t token = 0;   // offset of the token that a runtime error names
  int64_t value = 0;
};

struct Arithmetic {
  struct Element {
    Name name;
    std::string subscript;                       // as written
    std::string source;                          // "name[subscript]"
    std::shared_ptr<const Arithmetic> compiled;  // the subscript; null if it needs expansion
  };
  std::string text;
  std::vector<ArithmeticInstruction> code;
  std::vector<Name> names;
  std::vector<Element> elements;
  size_t stack_size = 1;   // values that the evaluation needs room for

  // The syntax error, if `error` is not null: message, offset of its token, and where the text shown ends.
  const char* error = nullptr;
  size_t error_token = 0;
  size_t error_end = 0;
  bool is_too_deep = false;   // nested beyond what is compiled; evaluating it stops the exec
};

// Compiles any text, right or wrong.
std::shared_ptr<const Arithmetic> CompileAny(std::string_view text);

// The value of a plain decimal number ("-12", "0"), as most variables hold; false for anything else.
bool ParsePlainInteger(std::string_view text, int64_t* value);

// Keeps compiled forms of texts that are evaluated again and again (`let`, subscripts, `[[ a -lt b ]]`).
// Direct-mapped, so it never grows.
class ArithmeticCache {
 public:
  std::shared_ptr<const Arithmetic> Get(std::string_view text);

 private:
  static constexpr size_t kSlots = 64;
  static constexpr size_t kMaxText = 256;
  std::vector<std::shared_ptr<const Arithmetic>> slots_;
};

}  // namespace paddock::shell
