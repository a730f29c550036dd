// A compiled program: instructions for the machine.
//
// Expressions work on a stack: the input is on top before, one output after. To give another output the machine
// goes back to the last fork. Functions and closures are pieces of code with frames of their own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lang/jq/value.h"

namespace paddock::jq {

enum class Op : uint8_t {
  kConst,         // replace the top by constant a
  kDup,
  kPop,
  kBegin,         // push the top again; what follows is no path
  kEnd,           // what is on top goes below the input
  kNest,          // what follows is no path …
  kUnnest,        // … until here
  kUnderConst,    // constant a goes below the input
  kUnderVariable, // variable (level, a) goes below the input
  kIndex,         // key, target: target[key]; flag: errors are no output
  kIndexConst,    // target[constant a]
  kSlice,         // to, from, target
  kEach,
  kJump,
  kJumpFalse,     // condition, input: away with the condition
  kJumpFalsy,     // the top stays
  kJumpVariable,  // when variable a is true
  kFork,          // a: where to go on after all outputs from here
  kForkAlternative,  // the same after an error
  kTry,           // a: the handler; slot b
  kTryEnd,        // slot b
  kBacktrack,
  kMark,          // slot a keeps how many forks there are
  kCut,           // no further outputs since the mark (level, a)
  kBreak,         // kCut, kBacktrack
  kFound,         // variable a becomes true; the fork of mark b goes if it is the last
  kLoad,          // replace the top by variable (level, a)
  kPush,          // push variable a
  kTake,          // push variable a, which becomes null
  kStore,         // pop into variable a
  kStoreUnder,    // value, input: the value into variable a; ends kBegin
  kSetConst,      // variable a becomes constant b
  kAppend,        // pop, append to the array in variable a
  kObject,        // {} goes below the input
  kInsert,        // object, key, value, input: object, input
  kCall,          // function a, flag closures follow, level hops to its surroundings
  kTailCall,
  kCallClosure,   // parameter a, level
  kTailCallClosure,
  kClosure,       // of a call: function a in this frame
  kClosureOf,     // of a call: parameter a, level
  kReturn,
  kNative,        // native a with flag arguments below the input
  kBinary,        // right, left, input: flag is the Operator
  kBinaryUnder,   // right, left: the left is on top
  kBinaryConst,   // left on top, constant a on the right; ends kNest
  kNegate,
  kNot,
  kError,
  kPathBegin,
  kPathEnd,
  kGetPath,       // path, input
  kTakePath,      // update: push what is at the path in variable b of the value in variable a, and take it out there
  kPutPath,       // update: pop, put it at the path in variable b of variable a
  kDeletePaths,   // the top without the paths in variable a
  kRange,         // from, to, input
  kFormat,        // the top as @constant a
  kConcat,        // a strings below the input
  kInput,         // the next input
  kDone,          // the top is an output of the program
};

struct Instruction {
  Op op;
  uint8_t flag = 0;
  uint16_t level = 0;
  uint32_t a = 0;
  uint32_t b = 0;
};

struct Function {
  uint32_t entry = 0;       // in Program::code
  uint32_t locals = 0;
  uint32_t parameters = 0;  // closures
};

struct Program {
  std::vector<Instruction> code;
  std::vector<Function> functions;   // the first is the main program
  std::vector<Value> constants;
};

}  // namespace paddock::jq
