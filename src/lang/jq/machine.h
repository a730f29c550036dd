// Runs a compiled program: a stack machine that can go back.
//
// Three stacks grow upwards: values (chained, because going back uncovers what was popped), frames of functions with
// their variables, and forks, the places to go back to. What lies below the last fork's marks is kept as it is.
// Nothing here recurses, so programs may; memory and steps are what bounds them.
#pragma once

#include <string>
#include <vector>

#include "lang/jq/native.h"
#include "lang/jq/program.h"
#include "lang/jq/value.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

class Machine {
 public:
  Machine(const Program& program, NativeContext& context);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Begins with a new input.
  void Start(Value input);
  enum class Got { kOutput, kEnd, kError, kHalt };
  // The next output. kError: `output` is the error's value, and there are no more outputs; kHalt: the context tells.
  Got Next(Value& output);

 private:
  struct Cell {
    Value value;
    uint32_t below;
  };
  struct Closure {
    uint32_t function;
    uint32_t frame;
  };
  struct Frame {
    uint32_t surroundings;   // frame of the function around it
    uint32_t caller;
    uint32_t return_to;      // instruction
    uint32_t locals;         // first of its variables
    uint32_t closures;       // first of its parameters
  };
  enum class ForkKind : uint8_t { kJump, kAlternative, kTry, kTryDone, kEach, kRange };
  struct Fork {
    ForkKind kind;
    uint32_t target;         // instruction; kTryDone: the number of its kTry
    uint32_t top;
    uint32_t cells;
    uint32_t frame;
    uint32_t frames;
    int32_t nesting;
    Value path;
    Value path_value;
    Value container;         // kEach
    double at;               // kEach: the cursor; kRange: the next number
    double end;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void Push(Value value);
  Value Pop();
  Value& Top() { return cells_[top_].value; }
  // Replaces the top by what `change` makes of it, in place where nothing keeps the old value.
  void Replace(Value value);
  Fork& PushFork(ForkKind kind, uint32_t target);
  void PopFork();
  void CutForks(size_t count);
  void UpdateMarks();
  void RestoreStacks(const Fork& fork);
  void DropFrames(uint32_t from);
  // Go on at the last fork; false when there is none left.
  bool Backtrack();
  bool Raise();
  bool NextOfEach();
  bool NextOfRange();

  uint32_t FrameAt(uint16_t level) const;
  Value& Variable(uint16_t level, uint32_t slot) { return locals_[frames_[FrameAt(level)].locals + slot]; }
  Value& Local(uint32_t slot) { return locals_[frames_[frame_].locals + slot]; }

  bool IsTracking() const { return path_.is_valid() && nesting_ == 0; }
  bool CheckPath(const Value& target, std::string_view access, const Value* key);
  void Step(const Value& key, const Value& result);

  // Instructions; false after an error.
  bool Run(const Instruction& instruction);
  bool RunCall(const Instruction& instruction);
  bool RunRare(const Instruction& instruction);
  bool DoIndex(const Value& key, bool& is_none, bool is_optional);
  bool DoSlice(bool is_optional, bool& is_none);
  bool DoEach(bool is_optional, bool& is_none);
  bool DoRange(bool& is_none);
  bool DoInsert();
  bool DoNative(const Instruction& instruction);
  bool DoGetPath();
  bool DoPathEnd();
  bool DoInput();
  void DoPathBegin();
  void DoConcat(uint32_t count);
  void DoCall(const Instruction& instruction, bool is_tail);
  void DoCallClosure(const Instruction& instruction, bool is_tail);
  void Enter(uint32_t function, uint32_t surroundings, uint32_t return_to, uint32_t caller);
  void DoReturn();

  const Program& program_;
  NativeContext& context_;
  Budget& budget_;
  std::vector<Cell> cells_;
  std::vector<Frame> frames_;
  std::vector<Value> locals_;
  std::vector<Closure> closures_;
  std::vector<Fork> forks_;
  uint32_t top_ = kNone;
  uint32_t frame_ = 0;
  uint32_t kept_cells_ = 0;    // below this, cells are kept for forks
  uint32_t kept_frames_ = 0;
  uint32_t pc_ = 0;
  int32_t nesting_ = 0;        // inside what is no path
  Value path_;                 // invalid when no path is followed
  Value path_value_;           // what is at the path
  bool is_running_ = false;    // has given an output, so goes back first
};

}  // namespace paddock::jq
