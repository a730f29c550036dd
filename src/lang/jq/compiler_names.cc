// Names, functions and where code for them is.
#include <algorithm>

#include "base/budget.h"
#include "base/check.h"
#include "lang/jq/compiler.h"
#include "lang/jq/host.h"
#include "lang/jq/prelude.h"

namespace paddock::jq {

Compiler::Compiler(Host& host, Budget& budget) : host_(host), budget_(budget) {}
Compiler::~Compiler() = default;

void Compiler::AddVariable(std::string_view name, Value value) {
  Binding binding{Binding::kConstant, std::string(name)};
  // The number of the constant is known when the program is: see Compile().
  binding.next = globals_;
  bindings_.push_back(std::move(binding));
  globals_ = &bindings_.back();
  global_values_.push_back(std::move(value));
}

Compiler::Names Compiler::Bind(Binding binding) {
  budget_.Step();
  bindings_.push_back(std::move(binding));
  return &bindings_.back();
}

FunctionScope* Compiler::NewScope(FunctionScope* parent, size_t parameters) {
  FunctionScope& scope = scopes_.emplace_back();
  scope.parent = parent;
  scope.depth = parent == nullptr ? uint16_t{0} : static_cast<uint16_t>(parent->depth + 1);
  if (scope.depth == UINT16_MAX) budget_.Stop(LimitKind::kDepth);
  scope.number = static_cast<uint32_t>(program_->functions.size());
  program_->functions.push_back({0, 0, static_cast<uint32_t>(parameters)});
  return &scope;
}

Compiler::Names Compiler::BindVariable(std::string_view name, Names names) {
  return Bind({Binding::kVariable, std::string(name), 0, NewSlot(scope_), scope_, names});
}

Compiler::Names Compiler::BindFunction(const Node* node, Names names) {
  FunctionScope* const scope = NewScope(scope_, node->parameters.size());
  Names const function = Bind({Binding::kFunction, node->name, node->parameters.size(), scope->number, scope_, names});
  pending_.push_back({node->children[0], scope, function, node->parameters});
  return function;
}

const Binding* Compiler::Find(Binding::Kind kind, std::string_view name, size_t arity, Names names) const {
  for (Names at = names; at != nullptr; at = at->next) {
    if (at->arity != arity || at->name != name) continue;
    if (at->kind == kind) return at;
    if (kind == Binding::kVariable && at->kind == Binding::kConstant) return at;
    if (kind == Binding::kFunction && at->kind == Binding::kParameter) return at;
  }
  return nullptr;
}

const Binding* Compiler::FindFunction(std::string_view name, size_t arity, Names names) const {
  return Find(Binding::kFunction, name, arity, names);
}

uint16_t Compiler::Hops(const FunctionScope* owner) const {
  return static_cast<uint16_t>(scope_->depth - owner->depth);
}

uint32_t Compiler::FunctionOfPrelude(std::string_view name, size_t arity) {
  const std::string key = std::string(name) + "/" + std::to_string(arity);
  for (const auto& [known, number] : prelude_) {
    if (known == key) return number;
  }
  const PreludeFunction* const found = FindPrelude(name, arity);
  if (found == nullptr) return 0;
  std::vector<Complaint> complaints;
  std::unique_ptr<Tree> tree = Parse(found->definition, true, budget_, complaints);
  PADDOCK_CHECK(tree != nullptr && tree->functions.size() == 1);
  const Node* const node = tree->functions[0];
  trees_.push_back(std::move(tree));
  FunctionScope* const scope = NewScope(&scopes_.front(), node->parameters.size());
  // It sees itself and the rest of the prelude, nothing of the program.
  Names const self = Bind({Binding::kFunction, node->name, arity, scope->number, &scopes_.front(), nullptr});
  pending_.push_back({node->children[0], scope, self, node->parameters});
  prelude_.emplace_back(key, scope->number);
  return scope->number;
}

void Compiler::Fail(std::string_view message, Span span) {
  size_t line = 1, start = 0;
  const size_t at = std::min(span.begin, source_.text.size());
  for (size_t i = 0; i < at; ++i) {
    if (source_.text[i] != '\n') continue;
    ++line;
    start = i + 1;
  }
  const size_t end = std::min(source_.text.find('\n', start), source_.text.size());
  const size_t column = at - start;
  reports_.push_back({"jq: error: " + std::string(message) + " at " + source_.name + ", line " + std::to_string(line) +
                      ":\n" + source_.text.substr(start, end - start) + std::string(std::min<size_t>(column, 4096), ' ')});
}

bool Compiler::CompilePending() {
  while (!pending_.empty()) {
    const Pending pending = std::move(pending_.front());
    pending_.pop_front();
    scope_ = pending.scope;
    const auto entry = static_cast<uint32_t>(program_->code.size());
    program_->functions[scope_->number].entry = entry;
    Names names = pending.names;
    for (uint32_t i = 0; i < pending.parameters.size(); ++i) {
      const std::string& name = pending.parameters[i];
      const bool is_value = name[0] == '$';
      names = Bind({Binding::kParameter, is_value ? name.substr(1) : name, 0, i, scope_, names});
    }
    // Parameters by value: the closure is called once for each of its outputs, first parameter outermost.
    for (uint32_t i = 0; i < pending.parameters.size(); ++i) {
      if (pending.parameters[i][0] != '$') continue;
      Emit(Op::kBegin);
      Emit(Op::kCallClosure, i);
      names = BindVariable(std::string_view(pending.parameters[i]).substr(1), names);
      Emit(Op::kEnd);
      Emit(Op::kStoreUnder, names->index);
    }
    Expression(pending.body, names);
    Emit(Op::kReturn);
    if (!reports_.empty()) continue;   // the rest is looked at for further complaints
  }
  return reports_.empty();
}

bool Compiler::Compile(std::string_view source, Program& program, std::vector<Report>& reports) {
  program_ = &program;
  source_ = {std::string(source), "<top-level>"};
  program.code.clear();
  program.functions.clear();
  program.constants.clear();
  size_t number = 0;
  for (Binding& binding : bindings_) binding.index = ConstantNumber(global_values_[number++]);
  std::vector<Complaint> complaints;
  std::unique_ptr<Tree> tree = Parse(source, false, budget_, complaints);
  if (tree == nullptr) {
    for (const Complaint& complaint : complaints) Fail(complaint.message, complaint.span);
    reports = std::move(reports_);
    return false;
  }
  scope_ = NewScope(nullptr, 0);
  Names names = globals_;
  const Node* const body = tree->body;
  if (!LoadImports(*tree, host_.program_origin(), names, 0)) {
    reports = std::move(reports_);
    return false;
  }
  trees_.push_back(std::move(tree));
  scope_ = &scopes_.front();
  program.functions[0].entry = static_cast<uint32_t>(program.code.size());
  Expression(body, names);
  Emit(Op::kDone);
  const bool is_ok = CompilePending();
  MarkTailCalls();
  reports = std::move(reports_);
  return is_ok;
}

// A call that only returns after it needs no frame of its own, unless a closure that it passes on lives there.
void Compiler::MarkTailCalls() {
  std::vector<Instruction>& code = program_->code;
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].op != Op::kCall && code[i].op != Op::kCallClosure) continue;
    const size_t closures = code[i].op == Op::kCall ? code[i].flag : 0;
    size_t next = i + 1 + closures;
    while (code[next].op == Op::kJump) next = code[next].a;
    // A function defined in this frame needs the frame.
    bool is_tail = code[next].op == Op::kReturn && (code[i].op != Op::kCall || code[i].level > 0);
    for (size_t j = i + 1; j <= i + closures; ++j) is_tail = is_tail && code[j].op == Op::kClosureOf;
    if (is_tail) code[i].op = code[i].op == Op::kCall ? Op::kTailCall : Op::kTailCallClosure;
  }
}

}  // namespace paddock::jq
