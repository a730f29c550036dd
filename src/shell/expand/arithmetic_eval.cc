// Runs compiled arithmetic over the variables of a shell.

#include <charconv>
#include <vector>

#include "shell/expand/arithmetic.h"
#include "shell/expand/arithmetic_code.h"
#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "shell/state/index.h"

namespace paddock::shell {
namespace {

using Op = ArithmeticOp;

constexpr int kMaxDepth = 1024;

// Names whose assignment does more than store: those take the long way.
bool IsWatched(const std::string& name) {
  return name == "PATH" || name == "POSIXLY_CORRECT" || name == "GLOBIGNORE";
}

class DepthGuard {
 public:
  explicit DepthGuard(Shell& shell) : depth_(shell.arithmetic_depth) { ++depth_; }
  ~DepthGuard() { --depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  int& depth_;
};

int64_t Wrap(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }

int64_t Power(int64_t base, int64_t exponent) {
  uint64_t result = 1;
  uint64_t factor = Bits(base);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= factor;
    factor *= factor;
  }
  return Wrap(result);
}

// As the shift instructions of x86-64: only the low six bits of the count matter.
int64_t ShiftLeft(int64_t value, int64_t count) { return Wrap(Bits(value) << (Bits(count) & 63)); }
int64_t ShiftRight(int64_t value, int64_t count) { return value >> (Bits(count) & 63); }

// A subscripted variable whose subscript has been evaluated.
struct Place {
  Name name;
  bool is_associative = false;
  bool is_valid = true;     // false: the subscript is out of range; reads give 0
  int64_t index = 0;
  std::string key;
};

class Evaluation {
 public:
  Evaluation(Shell& shell, const Arithmetic& code, std::string_view context)
      : shell_(shell), code_(code), context_(context) {}

  std::optional<int64_t> Run();

 private:
  bool Fail(std::string_view message, size_t token) {
    return FailShown(message, token, code_.text.size());
  }
  bool FailShown(std::string_view message, size_t token, size_t shown_end);
  bool FailUnset(const Name& name);
  bool Step(const ArithmeticInstruction& instruction);
  bool Binary(const ArithmeticInstruction& instruction);
  bool Load(const Name& name, uint32_t token, int64_t* value);
  bool ValueOf(const std::string& text, uint32_t token, int64_t* value);
  bool Store(const Name& name, int64_t value);
  bool Resolve(const Arithmetic::Element& element, uint32_t token, Place* place);
  bool ResolveIndex(const Arithmetic::Element& element, const Variable* variable, uint32_t token,
                    Place* place);
  bool LoadPlace(const Place& place, const Arithmetic::Element& element, uint32_t token, int64_t* value);
  bool StorePlace(const Place& place, const Arithmetic::Element& element, int64_t value);
  bool AddToVariable(const ArithmeticInstruction& instruction);
  bool AddToPlace(const ArithmeticInstruction& instruction);
  void Push(int64_t value) { stack_[top_++] = value; }
  int64_t Pop() { return stack_[--top_]; }
  int64_t& Top() { return stack_[top_ - 1]; }

  static constexpr size_t kSmallStack = 16;
  Shell& shell_;
  const Arithmetic& code_;
  std::string_view context_;
  int64_t small_stack_[kSmallStack];
  std::vector<int64_t> large_stack_;
  int64_t* stack_ = small_stack_;
  size_t top_ = 0;
  size_t at_ = 0;
  std::vector<Place> places_;
};

bool Evaluation::FailShown(std::string_view message, size_t token, size_t shown_end) {
  const std::string_view text = std::string_view(code_.text).substr(0, shown_end);
  const size_t start = std::min(text.find_first_not_of(" \t"), text.size());
  std::string complaint(text.substr(start));
  complaint += ": ";
  complaint += message;
  complaint += " (error token is \"";
  complaint += text.substr(std::min(token, text.size()));
  complaint += "\")";
  if (context_.empty()) {
    shell_.Complain(complaint);
  } else {
    shell_.Complain(context_, complaint);
  }
  return false;
}

bool Evaluation::FailUnset(const Name& name) {
  shell_.FailFatal(name.text + ": unbound variable");
  return false;
}

std::optional<int64_t> Evaluation::Run() {
  if (code_.is_too_deep) shell_.budget().Stop(LimitKind::kDepth);
  shell_.budget().Step(1 + static_cast<int64_t>(code_.code.size() / 8));
  shell_.budget().CheckStack();
  if (code_.stack_size > kSmallStack) {
    large_stack_.resize(code_.stack_size);
    stack_ = large_stack_.data();
  }
  while (true) {
    const ArithmeticInstruction& instruction = code_.code[at_];
    if (instruction.op == Op::kEnd) return Top();
    ++at_;
    if (!Step(instruction)) return std::nullopt;
  }
}

bool Evaluation::Step(const ArithmeticInstruction& instruction) {
  switch (instruction.op) {
    case Op::kPush: Push(instruction.value); return true;
    case Op::kLoad: {
      int64_t value = 0;
      if (!Load(code_.names[instruction.argument], instruction.token, &value)) return false;
      Push(value);
      return true;
    }
    case Op::kStore: return Store(code_.names[instruction.argument], Top());
    case Op::kPreAdd:
    case Op::kPostAdd: return AddToVariable(instruction);
    case Op::kPlacePreAdd:
    case Op::kPlacePostAdd: return AddToPlace(instruction);
    case Op::kLoadElement: {
      const Arithmetic::Element& element = code_.elements[instruction.argument];
      Place place;
      int64_t value = 0;
      if (!Resolve(element, instruction.token, &place) ||
          !LoadPlace(place, element, instruction.token, &value)) {
        return false;
      }
      Push(value);
      return true;
    }
    case Op::kResolve: {
      Place place;
      if (!Resolve(code_.elements[instruction.argument], instruction.token, &place)) return false;
      places_.push_back(std::move(place));
      return true;
    }
    case Op::kLoadPlace: {
      int64_t value = 0;
      if (!LoadPlace(places_.back(), code_.elements[instruction.argument], instruction.token, &value)) {
        return false;
      }
      Push(value);
      return true;
    }
    case Op::kStoreElement: {
      const Arithmetic::Element& element = code_.elements[instruction.argument];
      Place place;
      return Resolve(element, instruction.token, &place) && StorePlace(place, element, Top());
    }
    case Op::kStorePlace: {
      const Place place = std::move(places_.back());
      places_.pop_back();
      return StorePlace(place, code_.elements[instruction.argument], Top());
    }
    case Op::kNegate: Top() = Wrap(-Bits(Top())); return true;
    case Op::kNot: Top() = Top() == 0; return true;
    case Op::kComplement: Top() = ~Top(); return true;
    case Op::kToBool: Top() = Top() != 0; return true;
    case Op::kDrop: --top_; return true;
    case Op::kJump: at_ = instruction.argument; return true;
    case Op::kJumpIfZero:
      if (Pop() == 0) at_ = instruction.argument;
      return true;
    case Op::kAndElse:
      if (Top() == 0) {
        at_ = instruction.argument;
      } else {
        --top_;
      }
      return true;
    case Op::kOrElse:
      if (Top() != 0) {
        Top() = 1;
        at_ = instruction.argument;
      } else {
        --top_;
      }
      return true;
    case Op::kEnd: return true;
    case Op::kError: return FailShown(code_.error, code_.error_token, code_.error_end);
    default: return Binary(instruction);
  }
}

bool Evaluation::Binary(const ArithmeticInstruction& instruction) {
  const int64_t right = Pop();
  const int64_t left = Top();
  switch (instruction.op) {
    case Op::kAdd: Top() = Wrap(Bits(left) + Bits(right)); return true;
    case Op::kSubtract: Top() = Wrap(Bits(left) - Bits(right)); return true;
    case Op::kMultiply: Top() = Wrap(Bits(left) * Bits(right)); return true;
    case Op::kDivide:
    case Op::kRemainder:
      if (right == 0) return Fail("division by 0", instruction.token);
      if (right == -1) {
        Top() = instruction.op == Op::kDivide ? Wrap(-Bits(left)) : 0;
      } else {
        Top() = instruction.op == Op::kDivide ? left / right : left % right;
      }
      return true;
    case Op::kPower:
      if (right < 0) return Fail("exponent less than 0", instruction.token);
      Top() = Power(left, right);
      return true;
    case Op::kShiftLeft: Top() = ShiftLeft(left, right); return true;
    case Op::kShiftRight: Top() = ShiftRight(left, right); return true;
    case Op::kLess: Top() = left < right; return true;
    case Op::kLessEqual: Top() = left <= right; return true;
    case Op::kGreater: Top() = left > right; return true;
    case Op::kGreaterEqual: Top() = left >= right; return true;
    case Op::kEqual: Top() = left == right; return true;
    case Op::kNotEqual: Top() = left != right; return true;
    case Op::kBitAnd: Top() = left & right; return true;
    case Op::kBitXor: Top() = left ^ right; return true;
    case Op::kBitOr: Top() = left | right; return true;
    default: return true;
  }
}

// The value of a variable's text, which may be an expression itself.
bool Evaluation::ValueOf(const std::string& text, uint32_t token, int64_t* value) {
  if (ParsePlainInteger(text, value)) return true;
  if (shell_.arithmetic_depth >= kMaxDepth) return Fail("expression recursion level exceeded", token);
  const std::string copy = text;   // the evaluation may change the variable
  const auto result = EvaluateText(shell_, copy, context_);
  if (!result) return false;
  *value = *result;
  return true;
}

bool Evaluation::Load(const Name& name, uint32_t token, int64_t* value) {
  const Variable* variable = shell_.variables.Find(name);
  if (variable != nullptr && variable->has(kNameref)) {
    Target target;
    if (!ResolveName(shell_, name, &target)) return true;
    if (target.subscript) {
      const Arithmetic::Element element{target.name, *target.subscript, {}, CompileAny(*target.subscript)};
      Place place;
      return Resolve(element, token, &place) && LoadPlace(place, element, token, value);
    }
    variable = target.Find(shell_.variables);
  }
  const std::string* text = variable == nullptr ? nullptr : variable->Scalar();
  if (text == nullptr) {
    if (shell_.options.Get(SetOption::kNounset)) return FailUnset(name);
    return true;
  }
  return ValueOf(*text, token, value);
}

bool Evaluation::Store(const Name& name, int64_t value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  constexpr uint32_t kSimple = kExported | kInteger | kTraced;
  Variable* variable = shell_.variables.FindMutable(name);
  if (variable != nullptr && variable->is_set && (variable->attributes & ~kSimple) == 0 &&
      variable->dynamic == nullptr && !shell_.options.Get(SetOption::kAllexport) &&
      !IsWatched(name.text)) {
    variable->text.assign(text);
    return true;
  }
  if (AssignScalar(shell_, name, text)) return true;
  variable = shell_.variables.FindMutable(name);
  return variable == nullptr || !variable->has(kReadonly | kNoAssign);
}

bool Evaluation::Resolve(const Arithmetic::Element& element, uint32_t token, Place* place) {
  place->name = element.name;
  const Variable* variable = shell_.variables.Find(element.name);
  if (variable != nullptr && variable->has(kNameref)) {
    Target target;
    if (!ResolveName(shell_, element.name, &target)) return false;
    place->name = target.name;
    variable = target.Find(shell_.variables);
  }
  if (variable == nullptr || !variable->has(kAssociative)) {
    return ResolveIndex(element, variable, token, place);
  }
  place->is_associative = true;
  if (!ExpandSubscriptText(shell_, element.subscript, &place->key)) return false;
  if (place->key.empty()) {
    shell_.Complain(element.source + ": bad array subscript");
    place->is_valid = false;
  }
  return true;
}

bool Evaluation::ResolveIndex(const Arithmetic::Element& element, const Variable* variable, uint32_t token,
                              Place* place) {
  if (element.subscript.empty()) {
    shell_.Complain(element.source + ": bad array subscript");
    place->is_valid = false;
    return true;
  }
  if (shell_.arithmetic_depth >= kMaxDepth) return Fail("expression recursion level exceeded", token);
  std::optional<int64_t> index;
  if (element.compiled) {
    index = Evaluate(shell_, *element.compiled);
  } else {
    std::string text;
    if (!ExpandSubscriptText(shell_, element.subscript, &text)) return false;
    index = EvaluateText(shell_, text);
  }
  if (!index) {
    // Unlike other errors, one in a subscript abandons the whole command.
    if (shell_.flow == Flow::kNone) shell_.DiscardAll();
    return false;
  }
  if (*index < 0 && variable != nullptr) {
    if (!variable->has(kIndexed)) {
      ++*index;
    } else if (variable->indexed) {
      *index = IndexFromEnd(*variable->indexed, *index);
    }
  }
  place->index = *index;
  place->is_valid = *index >= 0;
  return true;
}

bool Evaluation::LoadPlace(const Place& place, const Arithmetic::Element& element, uint32_t token,
                           int64_t* value) {
  const Variable* variable = shell_.variables.Find(place.name);
  const bool is_set = variable != nullptr && variable->is_set;
  if (!is_set && shell_.options.Get(SetOption::kNounset)) return FailUnset(element.name);
  if (!place.is_valid) {
    // Bash looks twice, and complains twice, when there is no subscript at all.
    const std::string& shown = element.subscript.empty() ? element.source : element.name.text;
    shell_.Complain(shown + ": bad array subscript");
    return true;
  }
  if (variable == nullptr) return true;
  const std::string* text = nullptr;
  if (place.is_associative) {
    text = variable->associative ? variable->associative->Get(place.key) : nullptr;
  } else if (variable->has(kIndexed)) {
    text = variable->indexed ? variable->indexed->Get(place.index) : nullptr;
  } else if (place.index == 0) {
    text = variable->Scalar();
  }
  return text == nullptr || ValueOf(*text, token, value);
}

bool Evaluation::StorePlace(const Place& place, const Arithmetic::Element& element, int64_t value) {
  if (!place.is_valid) {
    shell_.Complain(element.source + ": bad array subscript");
    return true;
  }
  const std::string text = std::to_string(value);
  const bool is_stored = place.is_associative
                             ? AssignElement(shell_, place.name, place.key, text)
                             : AssignIndex(shell_, place.name, place.index, text);
  if (is_stored) return true;
  const Variable* variable = shell_.variables.Find(place.name);
  return variable == nullptr || !variable->has(kReadonly | kNoAssign);
}

bool Evaluation::AddToVariable(const ArithmeticInstruction& instruction) {
  const Name& name = code_.names[instruction.argument];
  int64_t value = 0;
  if (!Load(name, instruction.token, &value)) return false;
  const int64_t sum = Wrap(Bits(value) + Bits(instruction.value));
  if (!Store(name, sum)) return false;
  Push(instruction.op == Op::kPreAdd ? sum : value);
  return true;
}

bool Evaluation::AddToPlace(const ArithmeticInstruction& instruction) {
  const Place place = std::move(places_.back());
  places_.pop_back();
  const Arithmetic::Element& element = code_.elements[instruction.argument];
  int64_t value = 0;
  if (!LoadPlace(place, element, instruction.token, &value)) return false;
  const int64_t sum = Wrap(Bits(value) + Bits(instruction.value));
  if (!StorePlace(place, element, sum)) return false;
  Push(instruction.op == Op::kPlacePreAdd ? sum : value);
  return true;
}

}  // namespace

bool ParsePlainInteger(std::string_view text, int64_t* value) {
  if (text.empty() || text.size() > 18) return false;
  const bool is_negative = text[0] == '-';
  size_t i = is_negative ? 1 : 0;
  if (i == text.size() || (text[i] == '0' && text.size() > i + 1)) return false;
  int64_t number = 0;
  for (; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    number = number * 10 + (text[i] - '0');
  }
  *value = is_negative ? -number : number;
  return true;
}

std::optional<int64_t> Evaluate(Shell& shell, const Arithmetic& expression, std::string_view context) {
  const DepthGuard depth(shell);
  return Evaluation(shell, expression, context).Run();
}

std::optional<int64_t> EvaluateText(Shell& shell, std::string_view text, std::string_view context) {
  int64_t value = 0;
  if (ParsePlainInteger(text, &value)) return value;
  shell.budget().Step(1 + static_cast<int64_t>(text.size() / 32));
  if (!shell.arithmetic_cache) shell.arithmetic_cache = std::make_shared<ArithmeticCache>();
  const std::shared_ptr<const Arithmetic> compiled = shell.arithmetic_cache->Get(text);
  return Evaluate(shell, *compiled, context);
}

}  // namespace paddock::shell
