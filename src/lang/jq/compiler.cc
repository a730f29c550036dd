#include "lang/jq/compiler.h"

#include "base/budget.h"
#include "lang/jq/host.h"
#include "lang/jq/native.h"
#include "lang/jq/prelude.h"

namespace paddock::jq {

size_t Compiler::Emit(Op op, uint32_t a, uint32_t b, uint8_t flag, uint16_t level) {
  budget_.Step();
  program_->code.push_back({op, flag, level, a, b});
  return program_->code.size() - 1;
}

uint32_t Compiler::ConstantNumber(Value value) {
  program_->constants.push_back(std::move(value));
  return static_cast<uint32_t>(program_->constants.size() - 1);
}

void Compiler::Expression(const Node* node, Names names) {
  budget_.CheckStack();
  switch (node->kind) {
    case NodeKind::kIdentity: break;
    case NodeKind::kRecurse: CallFunction(FunctionOfPrelude("recurse", 0), scope_->depth, {}, names); break;
    case NodeKind::kConstant: Emit(Op::kConst, ConstantNumber(node->value)); break;
    case NodeKind::kString: String(node, names); break;
    case NodeKind::kFormat:
      if (!node->children.empty()) Expression(node->children[0], names);
      Emit(Op::kFormat, ConstantNumber(Value::String(node->name)));
      break;
    case NodeKind::kVariable: Variable(node, names, false); break;
    case NodeKind::kCall: Call(node, names); break;
    case NodeKind::kPipe:
      Expression(node->children[0], names);
      Expression(node->children[1], names);
      break;
    case NodeKind::kComma: {
      const size_t fork = Emit(Op::kFork);
      Expression(node->children[0], names);
      const size_t jump = Emit(Op::kJump);
      PatchHere(fork);
      Expression(node->children[1], names);
      PatchHere(jump);
      break;
    }
    case NodeKind::kBinary: BinaryOperation(node, names); break;
    case NodeKind::kAnd:
    case NodeKind::kOr: Logic(node, names); break;
    case NodeKind::kAlternative: Alternative(node->children[0], node->children[1], names); break;
    case NodeKind::kUpdate: Update(node, names); break;
    case NodeKind::kAssign: Assign(node, names); break;
    case NodeKind::kOpUpdate: OperatorUpdate(node, names); break;
    case NodeKind::kNegate:
      Emit(Op::kNest);
      Expression(node->children[0], names);
      Emit(Op::kUnnest);
      Emit(Op::kNegate);
      break;
    case NodeKind::kIndex: Access(node, names); break;
    case NodeKind::kSlice: Slice(node, names); break;
    case NodeKind::kIterate:
      Expression(node->children[0], names);
      Emit(Op::kEach, 0, 0, node->is_optional);
      break;
    case NodeKind::kTry: Try(node, names); break;
    case NodeKind::kReduce: Reduce(node, names); break;
    case NodeKind::kForeach: Foreach(node, names); break;
    case NodeKind::kIf: If(node, names); break;
    case NodeKind::kFunction: Expression(node->children[1], BindFunction(node, names)); break;
    case NodeKind::kBind: BindPatterns(node, names); break;
    case NodeKind::kLabel: Label(node, names); break;
    case NodeKind::kBreak:
      if (const Binding* const label = Find(Binding::kLabel, node->name, 0, names); label != nullptr) {
        Emit(Op::kBreak, label->index, 0, 0, Hops(label->owner));
      } else {
        Fail("$*label-" + node->name + " is not defined", node->span);
      }
      break;
    case NodeKind::kArray: Collect(node, names); break;
    case NodeKind::kObject: Object(node, names); break;
  }
}

void Compiler::SubExpression(const Node* node, Names names) {
  if (node->kind == NodeKind::kConstant) {
    Emit(Op::kUnderConst, ConstantNumber(node->value));
  } else if (node->kind == NodeKind::kVariable) {
    Variable(node, names, true);
  } else {
    Emit(Op::kBegin);
    Expression(node, names);
    Emit(Op::kEnd);
  }
}

void Compiler::Variable(const Node* node, Names names, bool is_under) {
  const Binding* const binding = Find(Binding::kVariable, node->name, 0, names);
  if (binding != nullptr && binding->kind == Binding::kVariable) {
    Emit(is_under ? Op::kUnderVariable : Op::kLoad, binding->index, 0, 0, Hops(binding->owner));
    return;
  }
  const Op op = is_under ? Op::kUnderConst : Op::kConst;
  if (binding != nullptr) {
    Emit(op, binding->index);
  } else if (node->name == "ENV") {
    Emit(op, ConstantNumber(host_.Environment()));
  } else {
    Fail("$" + node->name + " is not defined", node->span);
  }
}

// The last part is evaluated first: it is the slowest to change when parts have several outputs.
void Compiler::String(const Node* node, Names names) {
  for (size_t i = node->children.size(); i-- > 0;) SubExpression(node->children[i], names);
  Emit(Op::kConcat, static_cast<uint32_t>(node->children.size()));
}

void Compiler::Call(const Node* node, Names names) {
  const size_t arity = node->children.size();
  if (const Binding* const function = FindFunction(node->name, arity, names); function != nullptr) {
    return CallFunction(function, node->children, names);
  }
  if (Inline(node, names)) return;
  if (const int native = FindNative(node->name, arity); native >= 0) {
    for (size_t i = arity; i-- > 0;) SubExpression(node->children[i], names);
    Emit(Op::kNative, static_cast<uint32_t>(native), 0, static_cast<uint8_t>(arity));
    return;
  }
  if (const uint32_t function = FunctionOfPrelude(node->name, arity); function != 0) {
    return CallFunction(function, scope_->depth, node->children, names);
  }
  Fail(node->name + "/" + std::to_string(arity) + " is not defined", node->span);
}

void Compiler::CallFunction(const Binding* function, const std::vector<Node*>& arguments, Names names) {
  if (function->kind == Binding::kParameter) {
    Emit(Op::kCallClosure, function->index, 0, 0, Hops(function->owner));
  } else {
    CallFunction(function->index, Hops(function->owner), arguments, names);
  }
}

void Compiler::CallFunction(uint32_t function, uint16_t level, const std::vector<Node*>& arguments, Names names) {
  constexpr size_t kMostArguments = 255;
  if (arguments.size() > kMostArguments) {
    return Fail("too many function parameters or local function definitions (max 4095)", {});
  }
  Emit(Op::kCall, function, 0, static_cast<uint8_t>(arguments.size()), level);
  for (const Node* const argument : arguments) {
    const Binding* const passed = argument->kind == NodeKind::kCall && argument->children.empty()
                                      ? FindFunction(argument->name, 0, names)
                                      : nullptr;
    if (passed != nullptr && passed->kind == Binding::kParameter) {
      Emit(Op::kClosureOf, passed->index, 0, 0, Hops(passed->owner));
      continue;
    }
    FunctionScope* const scope = NewScope(scope_, 0);
    pending_.push_back({argument, scope, names, {}});
    Emit(Op::kClosure, scope->number);
  }
}

// What is not worth, or cannot be, a call. A program's own definition of the name goes first.
bool Compiler::Inline(const Node* node, Names names) {
  const auto& arguments = node->children;
  const std::string& name = node->name;
  if (arguments.empty()) {
    if (name == "empty") {
      Emit(Op::kBacktrack);
    } else if (name == "not") {
      Emit(Op::kNot);
    } else if (name == "error") {
      Emit(Op::kError);
    } else if (name == "input") {
      Emit(Op::kInput);
    } else if (name == "null" || name == "true" || name == "false") {
      Emit(Op::kConst, ConstantNumber(name == "null" ? Value::Null() : Value::Bool(name == "true")));
    } else {
      return false;
    }
    return true;
  }
  if (arguments.size() == 1) {
    if (name == "select") {
      Emit(Op::kBegin);
      Expression(arguments[0], names);
      Emit(Op::kEnd);
      const size_t skip = Emit(Op::kJumpFalse);
      const size_t done = Emit(Op::kJump);
      PatchHere(skip);
      Emit(Op::kBacktrack);
      PatchHere(done);
    } else if (name == "map") {
      Node each;
      each.kind = NodeKind::kIterate;
      Node identity;
      each.children = {&identity};
      Node pipe;
      pipe.kind = NodeKind::kPipe;
      pipe.children = {&each, arguments[0]};
      Node collect;
      collect.kind = NodeKind::kArray;
      collect.children = {&pipe};
      Collect(&collect, names);
    } else if (name == "first") {
      const uint32_t mark = NewSlot(scope_);
      Emit(Op::kMark, mark);
      Expression(arguments[0], names);
      Emit(Op::kCut, mark);
    } else if (name == "path") {
      Emit(Op::kPathBegin);
      Expression(arguments[0], names);
      Emit(Op::kPathEnd);
    } else if (name == "getpath") {
      SubExpression(arguments[0], names);
      Emit(Op::kGetPath);
    } else if (name == "error") {
      Emit(Op::kNest);
      Expression(arguments[0], names);
      Emit(Op::kUnnest);
      Emit(Op::kError);
    } else if (name == "range") {
      Emit(Op::kUnderConst, ConstantNumber(Value::Number(0)));
      SubExpression(arguments[0], names);
      Emit(Op::kRange);
    } else {
      return false;
    }
    return true;
  }
  if (arguments.size() == 2 && name == "range") {
    SubExpression(arguments[0], names);
    SubExpression(arguments[1], names);
    Emit(Op::kRange);
    return true;
  }
  return false;
}

void Compiler::BinaryOperation(const Node* node, Names names) {
  const Node* const left = node->children[0];
  const Node* const right = node->children[1];
  const auto flag = static_cast<uint8_t>(node->op);
  if (right->kind == NodeKind::kConstant) {
    Emit(Op::kNest);
    Expression(left, names);
    Emit(Op::kBinaryConst, ConstantNumber(right->value), 0, flag);
    return;
  }
  SubExpression(right, names);
  SubExpression(left, names);
  Emit(Op::kBinary, 0, 0, flag);
}

void Compiler::Logic(const Node* node, Names names) {
  const bool is_and = node->kind == NodeKind::kAnd;
  SubExpression(node->children[0], names);
  const size_t first = Emit(Op::kJumpFalse);
  size_t short_cut = 0, second = 0;
  if (is_and) {
    SubExpression(node->children[1], names);
    second = Emit(Op::kJumpFalse);
    Emit(Op::kConst, ConstantNumber(Value::Bool(true)));
    short_cut = Emit(Op::kJump);
    PatchHere(first);
    PatchHere(second);
    Emit(Op::kConst, ConstantNumber(Value::Bool(false)));
    PatchHere(short_cut);
    return;
  }
  Emit(Op::kConst, ConstantNumber(Value::Bool(true)));
  short_cut = Emit(Op::kJump);
  PatchHere(first);
  SubExpression(node->children[1], names);
  second = Emit(Op::kJumpFalse);
  Emit(Op::kConst, ConstantNumber(Value::Bool(true)));
  const size_t done = Emit(Op::kJump);
  PatchHere(second);
  Emit(Op::kConst, ConstantNumber(Value::Bool(false)));
  PatchHere(short_cut);
  PatchHere(done);
}

void Compiler::Alternative(const Node* left, const Node* right, Names names) {
  const uint32_t found = NewSlot(scope_), mark = NewSlot(scope_);
  Emit(Op::kSetConst, found, ConstantNumber(Value::Bool(false)));
  Emit(Op::kMark, mark);
  const size_t fork = Emit(Op::kFork);
  Expression(left, names);
  const size_t falsy = Emit(Op::kJumpFalsy);
  Emit(Op::kFound, found, mark);
  const size_t done = Emit(Op::kJump);
  PatchHere(falsy);
  Emit(Op::kBacktrack);
  PatchHere(fork);
  const size_t was_found = Emit(Op::kJumpVariable, 0, found);
  Expression(right, names);
  const size_t done_too = Emit(Op::kJump);
  PatchHere(was_found);
  Emit(Op::kBacktrack);
  PatchHere(done);
  PatchHere(done_too);
}

void Compiler::Access(const Node* node, Names names) {
  const Node* const key = node->children[1];
  if (key->kind == NodeKind::kConstant) {
    Expression(node->children[0], names);
    Emit(Op::kIndexConst, ConstantNumber(key->value), 0, node->is_optional);
    return;
  }
  SubExpression(key, names);
  Expression(node->children[0], names);
  Emit(Op::kIndex, 0, 0, node->is_optional);
}

void Compiler::Slice(const Node* node, Names names) {
  for (size_t i = 1; i <= 2; ++i) {
    if (node->children[i] == nullptr) {
      Emit(Op::kUnderConst, ConstantNumber(Value::Null()));
    } else {
      SubExpression(node->children[i], names);
    }
  }
  Expression(node->children[0], names);
  Emit(Op::kSlice, 0, 0, node->is_optional);
}

void Compiler::Collect(const Node* node, Names names) {
  const uint32_t empty = ConstantNumber(Value::Array());
  if (node->children.empty()) {
    Emit(Op::kConst, empty);
    return;
  }
  const uint32_t slot = NewSlot(scope_);
  Emit(Op::kSetConst, slot, empty);
  const size_t fork = Emit(Op::kFork);
  Emit(Op::kNest);
  Expression(node->children[0], names);
  Emit(Op::kAppend, slot);
  Emit(Op::kBacktrack);
  PatchHere(fork);
  Emit(Op::kPop);
  Emit(Op::kTake, slot);
}

void Compiler::Object(const Node* node, Names names) {
  Emit(Op::kObject);
  for (size_t i = 0; i < node->children.size(); i += 2) {
    SubExpression(node->children[i], names);
    SubExpression(node->children[i + 1], names);
    Emit(Op::kInsert);
  }
  Emit(Op::kPop);
}

}  // namespace paddock::jq
