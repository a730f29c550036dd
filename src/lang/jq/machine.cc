#include "lang/jq/machine.h"

#include "base/budget.h"
#include "lang/jq/json_writer.h"

namespace paddock::jq {

Machine::Machine(const Program& program, NativeContext& context)
    : program_(program), context_(context), budget_(context.budget) {}

Machine::~Machine() = default;

void Machine::Start(Value input) {
  forks_.clear();
  cells_.clear();
  frames_.clear();
  locals_.clear();
  closures_.clear();
  top_ = kNone;
  kept_cells_ = kept_frames_ = 0;
  nesting_ = 0;
  path_ = path_value_ = Value();
  is_running_ = false;
  Enter(0, 0, 0, kNone);
  Push(std::move(input));
}

Machine::Got Machine::Next(Value& output) {
  if (is_running_ && !Backtrack()) return Got::kEnd;
  is_running_ = true;
  for (;;) {
    budget_.Step();
    const Instruction& instruction = program_.code[pc_++];
    if (instruction.op == Op::kDone) {
      output = Pop();
      return Got::kOutput;
    }
    if (instruction.op == Op::kBacktrack) {
      if (!Backtrack()) return Got::kEnd;
      continue;
    }
    if (Run(instruction)) [[likely]] continue;
    if (context_.halts) return Got::kHalt;
    // kInvalid as an error stands for "no output".
    if (!context_.error.is_valid() ? !Backtrack() : !Raise()) {
      if (!context_.error.is_valid()) return Got::kEnd;
      output = std::move(context_.error);
      context_.error = Value();
      return Got::kError;
    }
  }
}

// --- the stacks

void Machine::Push(Value value) {
  cells_.push_back({std::move(value), top_});
  top_ = static_cast<uint32_t>(cells_.size() - 1);
}

Value Machine::Pop() {
  Cell& cell = cells_[top_];
  const uint32_t below = cell.below;
  if (top_ < kept_cells_) {
    Value value = cell.value;
    top_ = below;
    return value;
  }
  Value value = std::move(cell.value);
  cells_.resize(top_, Cell{});
  top_ = below;
  return value;
}

void Machine::Replace(Value value) {
  if (top_ >= kept_cells_) {
    cells_[top_].value = std::move(value);
    return;
  }
  const uint32_t below = cells_[top_].below;
  cells_.push_back({std::move(value), below});
  top_ = static_cast<uint32_t>(cells_.size() - 1);
}

Machine::Fork& Machine::PushFork(ForkKind kind, uint32_t target) {
  kept_cells_ = static_cast<uint32_t>(cells_.size());
  kept_frames_ = static_cast<uint32_t>(frames_.size());
  forks_.push_back({kind, target, top_, kept_cells_, frame_, kept_frames_, nesting_, path_, path_value_, Value(), 0, 0});
  return forks_.back();
}

void Machine::UpdateMarks() {
  kept_cells_ = forks_.empty() ? 0 : forks_.back().cells;
  kept_frames_ = forks_.empty() ? 0 : forks_.back().frames;
}

void Machine::PopFork() {
  forks_.pop_back();
  UpdateMarks();
}

void Machine::CutForks(size_t count) {
  while (forks_.size() > count) forks_.pop_back();
  UpdateMarks();
}

void Machine::DropFrames(uint32_t from) {
  if (from >= frames_.size()) return;
  const Frame& first = frames_[from];
  locals_.resize(first.locals);
  closures_.resize(first.closures, Closure{});
  frames_.resize(from, Frame{});
}

void Machine::RestoreStacks(const Fork& fork) {
  if (cells_.size() > fork.cells) cells_.resize(fork.cells, Cell{});
  DropFrames(fork.frames);
  top_ = fork.top;
  frame_ = fork.frame;
  nesting_ = fork.nesting;
  path_ = fork.path;
  path_value_ = fork.path_value;
}

bool Machine::Backtrack() {
  while (!forks_.empty()) {
    Fork& fork = forks_.back();
    switch (fork.kind) {
      case ForkKind::kJump:
        RestoreStacks(fork);
        pc_ = fork.target;
        PopFork();
        return true;
      case ForkKind::kEach:
        RestoreStacks(fork);
        pc_ = fork.target;
        if (NextOfEach()) return true;
        continue;
      case ForkKind::kRange:
        RestoreStacks(fork);
        pc_ = fork.target;
        if (NextOfRange()) return true;
        continue;
      default: PopFork();
    }
  }
  return false;
}

// Goes to the handler of context_.error.
bool Machine::Raise() {
  while (!forks_.empty()) {
    Fork& fork = forks_.back();
    switch (fork.kind) {
      case ForkKind::kTryDone:  // the error comes from behind this try, which so does not catch it
        CutForks(fork.target);
        break;
      case ForkKind::kTry:
        RestoreStacks(fork);
        pc_ = fork.target;
        PopFork();
        Replace(std::move(context_.error));
        context_.error = Value();
        return true;
      case ForkKind::kAlternative:
        RestoreStacks(fork);
        pc_ = fork.target;
        PopFork();
        context_.error = Value();
        return true;
      default: PopFork();
    }
  }
  return false;
}

// --- iteration

bool Machine::NextOfEach() {
  Fork& fork = forks_.back();
  const Value container = fork.container;
  auto cursor = static_cast<size_t>(fork.at);
  Value key, element;
  bool is_last = false;
  if (container.is_array()) {
    if (cursor >= container.array_size()) return PopFork(), false;
    element = container.At(cursor);
    if (IsTracking()) key = Value::Number(static_cast<double>(cursor));
    is_last = ++cursor == container.array_size();
  } else {
    Text* name = nullptr;
    const Value* member = nullptr;
    if (!container.Next(cursor, name, member)) return PopFork(), false;
    element = *member;
    if (IsTracking()) {
      ++name->refs;
      key = Value::FromText(name);
    }
  }
  fork.at = static_cast<double>(cursor);
  if (is_last) PopFork();
  if (key.is_valid()) Step(key, element);
  Push(std::move(element));
  return true;
}

bool Machine::NextOfRange() {
  Fork& fork = forks_.back();
  const double at = fork.at;
  if (!(at < fork.end)) return PopFork(), false;
  fork.at = at + 1;
  if (!(fork.at < fork.end)) PopFork();
  Push(Value::Number(at));
  return true;
}

bool Machine::DoEach(bool is_optional, bool& is_none) {
  Value container = Pop();
  if (!CheckPath(container, "iterate through", nullptr)) return false;
  if (!container.is_array() && !container.is_object()) {
    is_none = is_optional;
    if (is_optional) return true;
    context_.Fail("Cannot iterate over " + Describe(container, budget_));
    return false;
  }
  Fork& fork = PushFork(ForkKind::kEach, pc_);
  fork.container = std::move(container);
  is_none = !NextOfEach();
  return true;
}

bool Machine::DoRange(bool& is_none) {
  Pop();
  const Value to = Pop(), from = Pop();
  if (!to.is_number() || !from.is_number()) {
    context_.Fail("Range bounds must be numeric");
    return false;
  }
  Fork& fork = PushFork(ForkKind::kRange, pc_);
  fork.at = from.number();
  fork.end = to.number();
  is_none = !NextOfRange();
  return true;
}

// --- paths

bool Machine::CheckPath(const Value& target, std::string_view access, const Value* key) {
  if (!IsTracking() || target.IsIdenticalTo(path_value_)) return true;
  std::string message = "Invalid path expression near attempt to ";
  message += access;
  if (key != nullptr) message += " " + Shorten(*key, 30, budget_) + " of";
  message += " " + Shorten(target, 30, budget_);
  context_.Fail(message);
  return false;
}

void Machine::Step(const Value& key, const Value& result) {
  path_.Append(key);
  path_value_ = result;
}

bool Machine::DoIndex(const Value& key, bool& is_none, bool is_optional) {
  if (!CheckPath(Top(), "access element", &key)) return false;
  Value result = Index(Top(), key, context_);
  if (!result.is_valid()) {
    if (!is_optional) return false;
    context_.error = Value();
    is_none = true;
    return true;
  }
  if (IsTracking()) Step(key, result);
  Replace(std::move(result));
  return true;
}

bool Machine::DoSlice(bool is_optional, bool& is_none) {
  Value target = Pop();
  const Value to = Pop(), from = Pop();
  Value key = Value::Object(2);
  key.Set("start", from);
  key.Set("end", to);
  if (!CheckPath(target, "access element", &key)) return false;
  Value result = SliceOf(target, from, to, context_);
  if (!result.is_valid()) {
    if (!is_optional) return false;
    context_.error = Value();
    is_none = true;
    return true;
  }
  if (IsTracking()) Step(key, result);
  Push(std::move(result));
  return true;
}

bool Machine::DoGetPath() {
  const Value target = Pop();
  const Value path = Pop();
  if (!CheckPath(target, "access element", &path)) return false;
  Value result = GetPath(target, path, context_);
  if (!result.is_valid()) return false;
  if (IsTracking()) {
    for (const Value& key : path) path_.Append(key);
    path_value_ = result;
  }
  Push(std::move(result));
  return true;
}

void Machine::DoPathBegin() {
  Value input = Pop();
  // Where no path was followed, null stands for it; a path is an array.
  Push(path_.is_valid() ? std::move(path_) : Value::Null());
  Push(Value::Number(nesting_));
  Push(path_value_.is_valid() ? std::move(path_value_) : Value::Null());
  path_ = Value::Array();
  path_value_ = input;
  nesting_ = 0;
  Push(std::move(input));
}

bool Machine::DoPathEnd() {
  const Value result = Pop();
  if (!result.IsIdenticalTo(path_value_)) {
    context_.Fail("Invalid path expression with result " + Shorten(result, 30, budget_));
    return false;
  }
  Value path = std::move(path_);
  path_value_ = Pop();
  nesting_ = static_cast<int32_t>(Pop().number());
  path_ = Pop();
  if (path_.is_null()) path_ = path_value_ = Value();
  Push(std::move(path));
  return true;
}

// --- functions

uint32_t Machine::FrameAt(uint16_t level) const {
  uint32_t frame = frame_;
  for (; level > 0; --level) frame = frames_[frame].surroundings;
  return frame;
}

void Machine::Enter(uint32_t function, uint32_t surroundings, uint32_t return_to, uint32_t caller) {
  const Function& callee = program_.functions[function];
  frames_.push_back({surroundings, caller, return_to, static_cast<uint32_t>(locals_.size()),
                     static_cast<uint32_t>(closures_.size())});
  locals_.resize(locals_.size() + callee.locals);
  frame_ = static_cast<uint32_t>(frames_.size() - 1);
  pc_ = callee.entry;
}

void Machine::DoCall(const Instruction& instruction, bool is_tail) {
  const uint32_t surroundings = FrameAt(instruction.level);
  Closure passed[256];
  for (size_t i = 0; i < instruction.flag; ++i) {
    const Instruction& argument = program_.code[pc_++];
    if (argument.op == Op::kClosure) {
      passed[i] = {argument.a, frame_};
    } else {
      passed[i] = closures_[frames_[FrameAt(argument.level)].closures + argument.a];
    }
  }
  uint32_t return_to = pc_, caller = frame_;
  if (is_tail) {
    return_to = frames_[frame_].return_to;
    caller = frames_[frame_].caller;
    if (frame_ >= kept_frames_) DropFrames(frame_);
  }
  Enter(instruction.a, surroundings, return_to, caller);
  closures_.insert(closures_.end(), passed, passed + instruction.flag);
}

void Machine::DoCallClosure(const Instruction& instruction, bool is_tail) {
  const Closure closure = closures_[frames_[FrameAt(instruction.level)].closures + instruction.a];
  uint32_t return_to = pc_, caller = frame_;
  if (is_tail) {
    return_to = frames_[frame_].return_to;
    caller = frames_[frame_].caller;
    if (frame_ >= kept_frames_) DropFrames(frame_);
  }
  Enter(closure.function, closure.frame, return_to, caller);
}

void Machine::DoReturn() {
  const Frame frame = frames_[frame_];
  if (frame_ >= kept_frames_) DropFrames(frame_);
  frame_ = frame.caller;
  pc_ = frame.return_to;
}

}  // namespace paddock::jq
