// Control structures, bindings and updates.
#include <algorithm>

#include "base/budget.h"
#include "lang/jq/compiler.h"
#include "lang/jq/native.h"

namespace paddock::jq {

void Compiler::Try(const Node* node, Names names) {
  const uint32_t slot = NewSlot(scope_);
  const size_t attempt = Emit(Op::kTry, 0, slot);
  Expression(node->children[0], names);
  Emit(Op::kTryEnd, 0, slot);
  const size_t done = Emit(Op::kJump);
  PatchHere(attempt);
  if (node->children[1] == nullptr) {
    Emit(Op::kBacktrack);
  } else {
    Expression(node->children[1], names);
  }
  PatchHere(done);
}

void Compiler::If(const Node* node, Names names) {
  SubExpression(node->children[0], names);
  const size_t otherwise = Emit(Op::kJumpFalse);
  Expression(node->children[1], names);
  const size_t done = Emit(Op::kJump);
  PatchHere(otherwise);
  if (node->children[2] != nullptr) Expression(node->children[2], names);
  PatchHere(done);
}

void Compiler::Reduce(const Node* node, Names names) {
  const uint32_t state = NewSlot(scope_);
  Emit(Op::kDup);
  Expression(node->children[1], names);
  Emit(Op::kStore, state);
  const size_t fork = Emit(Op::kFork);
  Expression(node->children[0], names);
  Destructure(node->patterns, names, [&](Names inner) {
    Emit(Op::kTake, state);
    Expression(node->children[2], inner);
    Emit(Op::kStore, state);
    Emit(Op::kBacktrack);
  });
  PatchHere(fork);
  Emit(Op::kPop);
  Emit(Op::kTake, state);
}

void Compiler::Foreach(const Node* node, Names names) {
  const uint32_t state = NewSlot(scope_);
  Emit(Op::kDup);
  Expression(node->children[1], names);
  Emit(Op::kStore, state);
  Expression(node->children[0], names);
  Destructure(node->patterns, names, [&](Names inner) {
    Emit(Op::kTake, state);
    Expression(node->children[2], inner);
    Emit(Op::kDup);
    Emit(Op::kStore, state);
    if (node->children[3] != nullptr) Expression(node->children[3], inner);
  });
}

void Compiler::BindPatterns(const Node* node, Names names) {
  if (node->patterns.size() == 1 && node->patterns[0]->kind == Pattern::kVariable) {
    SubExpression(node->children[0], names);
    Names const inner = BindVariable(node->patterns[0]->name, names);
    Emit(Op::kStoreUnder, inner->index);
    return Expression(node->children[1], inner);
  }
  Emit(Op::kDup);
  Emit(Op::kNest);
  Expression(node->children[0], names);
  Emit(Op::kUnnest);
  Destructure(node->patterns, names, [&](Names inner) { Expression(node->children[1], inner); });
}

Compiler::Names Compiler::DeclareVariables(const Pattern* pattern, Names names, std::vector<std::string>& seen) {
  budget_.CheckStack();
  const auto declare = [&](const std::string& name) {
    if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) return;
    seen.push_back(name);
    names = BindVariable(name, names);
  };
  declare(pattern->name);
  for (const Pattern::Member& member : pattern->members) {
    declare(member.variable);
    if (member.pattern != nullptr) names = DeclareVariables(member.pattern, names, seen);
  }
  return names;
}

void Compiler::StoreVariable(std::string_view name, Names names) {
  Emit(Op::kStore, Find(Binding::kVariable, name, 0, names)->index);
}

// Takes the top apart and away.
void Compiler::Match(const Pattern* pattern, Names names, Names outside) {
  budget_.CheckStack();
  if (pattern->kind == Pattern::kVariable) return StoreVariable(pattern->name, names);
  for (size_t i = 0; i < pattern->members.size(); ++i) {
    const Pattern::Member& member = pattern->members[i];
    Emit(Op::kDup);
    if (pattern->kind == Pattern::kArray) {
      Emit(Op::kIndexConst, ConstantNumber(Value::Number(static_cast<double>(i))));
    } else if (member.key == nullptr) {
      Emit(Op::kIndexConst, ConstantNumber(Value::String(member.variable)));
    } else {
      SubExpression(member.key, outside);
      Emit(Op::kIndex);
    }
    if (!member.variable.empty()) {
      if (member.pattern != nullptr) Emit(Op::kDup);
      StoreVariable(member.variable, names);
    }
    if (member.pattern != nullptr) Match(member.pattern, names, outside);
  }
  Emit(Op::kPop);
}

template <class Body>
void Compiler::Destructure(const std::vector<Pattern*>& patterns, Names names, Body body) {
  if (patterns.size() == 1) {
    std::vector<std::string> seen;
    Names const inner = DeclareVariables(patterns[0], names, seen);
    const bool is_plain = patterns[0]->kind == Pattern::kVariable;
    if (!is_plain) Emit(Op::kNest);
    // Keys inside a pattern see the variables from outside.
    Match(patterns[0], inner, names);
    if (!is_plain) Emit(Op::kUnnest);
    return body(inner);
  }
  std::vector<std::string> seen;
  Names inner = names;
  for (const Pattern* const pattern : patterns) inner = DeclareVariables(pattern, inner, seen);
  const uint32_t null = ConstantNumber(Value::Null());
  std::vector<size_t> jumps;
  for (size_t i = 0; i < patterns.size(); ++i) {
    for (Names name = inner; name != names; name = name->next) Emit(Op::kSetConst, name->index, null);
    const bool is_last = i + 1 == patterns.size();
    const size_t fork = is_last ? 0 : Emit(Op::kForkAlternative);
    Emit(Op::kNest);
    Match(patterns[i], inner, names);
    Emit(Op::kUnnest);
    if (is_last) break;
    jumps.push_back(Emit(Op::kJump));
    PatchHere(fork);
  }
  for (const size_t jump : jumps) PatchHere(jump);
  body(inner);
}

void Compiler::Label(const Node* node, Names names) {
  Names const label = Bind({Binding::kLabel, node->name, 0, NewSlot(scope_), scope_, names});
  Emit(Op::kMark, label->index);
  Expression(node->children[0], label);
}

// Whether an expression has exactly one output, or an error, whatever its input.
bool Compiler::IsSingle(const Node* node, Names names) {
  budget_.CheckStack();
  switch (node->kind) {
    case NodeKind::kIdentity:
    case NodeKind::kConstant:
    case NodeKind::kVariable: return true;
    case NodeKind::kIndex:
      if (node->is_optional) return false;
      break;
    case NodeKind::kCall:
      if (FindFunction(node->name, node->children.size(), names) != nullptr) return false;
      if (FindNative(node->name, node->children.size()) < 0) return false;
      break;
    case NodeKind::kFormat:
    case NodeKind::kString:
    case NodeKind::kPipe:
    case NodeKind::kBinary:
    case NodeKind::kNegate: break;
    default: return false;
  }
  for (const Node* const child : node->children) {
    if (!IsSingle(child, names)) return false;
  }
  return true;
}

// Goes over all paths: for each, `put` gets the slots of the value that is built and of the path. The value is
// on top at the end.
template <class Put>
void Compiler::UpdatePaths(const Node* path, Names names, Put put) {
  const uint32_t root = NewSlot(scope_), at = NewSlot(scope_);
  Emit(Op::kDup);
  Emit(Op::kStore, root);
  if (IsSingle(path, names)) {
    // Nothing to go back to, so nothing that keeps the input from being changed in place.
    Emit(Op::kPathBegin);
    Expression(path, names);
    Emit(Op::kPathEnd);
    Emit(Op::kStore, at);
    put(root, at);
    Emit(Op::kTake, root);
    return;
  }
  const size_t fork = Emit(Op::kFork);
  Emit(Op::kPathBegin);
  Expression(path, names);
  Emit(Op::kPathEnd);
  Emit(Op::kStore, at);
  put(root, at);
  Emit(Op::kBacktrack);
  PatchHere(fork);
  Emit(Op::kPop);
  Emit(Op::kTake, root);
}

// path |= f: the first output of f, or away with what gives none.
void Compiler::Update(const Node* node, Names names) {
  const uint32_t gone = NewSlot(scope_), mark = NewSlot(scope_);
  Emit(Op::kSetConst, gone, ConstantNumber(Value::Array()));
  UpdatePaths(node->children[0], names, [&](uint32_t root, uint32_t at) {
    Emit(Op::kMark, mark);
    const size_t none = Emit(Op::kFork);
    Emit(Op::kTakePath, root, at);
    Emit(Op::kNest);
    Expression(node->children[1], names);
    Emit(Op::kUnnest);
    Emit(Op::kPutPath, root, at);
    Emit(Op::kCut, mark);
    const size_t done = Emit(Op::kJump);
    PatchHere(none);
    Emit(Op::kPush, at);
    Emit(Op::kAppend, gone);
    PatchHere(done);
  });
  Emit(Op::kDeletePaths, gone);
}

// path = f: for each output of f, on the original input.
void Compiler::Assign(const Node* node, Names names) {
  const uint32_t value = NewSlot(scope_);
  SubExpression(node->children[1], names);
  Emit(Op::kStoreUnder, value);
  UpdatePaths(node->children[0], names, [&](uint32_t root, uint32_t at) {
    Emit(Op::kPush, value);
    Emit(Op::kPutPath, root, at);
  });
}

void Compiler::OperatorUpdate(const Node* node, Names names) {
  const uint32_t value = NewSlot(scope_);
  SubExpression(node->children[1], names);
  Emit(Op::kStoreUnder, value);
  UpdatePaths(node->children[0], names, [&](uint32_t root, uint32_t at) {
    Emit(Op::kTakePath, root, at);
    if (node->op == Operator::kAlternative) {
      const size_t falsy = Emit(Op::kJumpFalsy);
      const size_t done = Emit(Op::kJump);
      PatchHere(falsy);
      Emit(Op::kLoad, value);
      PatchHere(done);
    } else {
      Emit(Op::kUnderVariable, value);
      Emit(Op::kBinaryUnder, 0, 0, static_cast<uint8_t>(node->op));
    }
    Emit(Op::kPutPath, root, at);
  });
}

}  // namespace paddock::jq
