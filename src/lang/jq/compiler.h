// Trees to instructions.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/jq/ast.h"
#include "lang/jq/parser.h"
#include "lang/jq/program.h"

namespace paddock {
class Budget;
}

namespace paddock::jq {

class Host;

// A name that code can see; each points at those seen before it. Kept until all code is compiled, because bodies
// of functions are compiled after what stands around them.
struct FunctionScope;
struct Binding {
  enum Kind { kVariable, kConstant, kFunction, kParameter, kLabel } kind;
  std::string name;
  size_t arity = 0;           // kFunction, kParameter
  uint32_t index = 0;         // slot, constant, function or parameter
  FunctionScope* owner = nullptr;
  const Binding* next = nullptr;
};

// One function (or closure) being compiled.
struct FunctionScope {
  FunctionScope* parent = nullptr;
  uint32_t number = 0;        // in Program::functions
  uint16_t depth = 0;
};

class Compiler {
 public:
  Compiler(Host& host, Budget& budget);
  ~Compiler();

  // A variable for the program: --arg and its like.
  void AddVariable(std::string_view name, Value value);
  // Compiles a program; empty complaints mean success. `file` is for messages.
  struct Report {
    std::string message;      // with place and source line, as jq writes it
  };
  bool Compile(std::string_view source, Program& program, std::vector<Report>& reports);

 private:
  friend class ModuleLoader;
  struct Pending {            // a body still to be compiled
    const Node* body;
    FunctionScope* scope;
    const Binding* names;
    std::vector<std::string> parameters;
  };
  struct Source {
    std::string text;
    std::string name;         // "<top-level>" or a path
  };
  using Names = const Binding*;

  // --- names (compiler_names.cc)
  Names Bind(Binding binding);
  FunctionScope* NewScope(FunctionScope* parent, size_t parameters);
  uint32_t NewSlot(FunctionScope* scope) { return program_->functions[scope->number].locals++; }
  Names BindVariable(std::string_view name, Names names);
  Names BindFunction(const Node* node, Names names);
  const Binding* Find(Binding::Kind kind, std::string_view name, size_t arity, Names names) const;
  const Binding* FindFunction(std::string_view name, size_t arity, Names names) const;
  uint32_t FunctionOfPrelude(std::string_view name, size_t arity);
  uint16_t Hops(const FunctionScope* owner) const;
  void Fail(std::string_view message, Span span);
  bool CompilePending();
  bool LoadImports(const Tree& tree, const std::string& directory, Names& names, size_t depth);
  bool LoadModule(const Import& import, const std::string& directory, Names& names, size_t depth);
  void BindAll(Names definitions, const std::string& prefix, Names& names);   // each with the prefix, in their order

  // --- code
  size_t Emit(Op op, uint32_t a = 0, uint32_t b = 0, uint8_t flag = 0, uint16_t level = 0);
  void PatchHere(size_t at) { program_->code[at].a = static_cast<uint32_t>(program_->code.size()); }
  uint32_t ConstantNumber(Value value);

  void Expression(const Node* node, Names names);
  void SubExpression(const Node* node, Names names);   // its value goes below the input
  void Variable(const Node* node, Names names, bool is_under);
  void String(const Node* node, Names names);
  void Call(const Node* node, Names names);
  bool Inline(const Node* node, Names names);
  void CallFunction(const Binding* function, const std::vector<Node*>& arguments, Names names);
  void CallFunction(uint32_t function, uint16_t level, const std::vector<Node*>& arguments, Names names);
  void BinaryOperation(const Node* node, Names names);
  void Logic(const Node* node, Names names);
  void Alternative(const Node* left, const Node* right, Names names);
  void Update(const Node* node, Names names);
  void Assign(const Node* node, Names names);
  void OperatorUpdate(const Node* node, Names names);
  template <class Put>
  void UpdatePaths(const Node* path, Names names, Put put);
  void Access(const Node* node, Names names);
  void Slice(const Node* node, Names names);
  void Try(const Node* node, Names names);
  void Reduce(const Node* node, Names names);
  void Foreach(const Node* node, Names names);
  void If(const Node* node, Names names);
  void BindPatterns(const Node* node, Names names);
  void Label(const Node* node, Names names);
  void Collect(const Node* node, Names names);
  void Object(const Node* node, Names names);
  // Stores the top by the patterns; then `body` for the names they bring.
  template <class Body>
  void Destructure(const std::vector<Pattern*>& patterns, Names names, Body body);
  Names DeclareVariables(const Pattern* pattern, Names names, std::vector<std::string>& seen);
  void Match(const Pattern* pattern, Names names, Names outside);
  void StoreVariable(std::string_view name, Names names);
  bool IsSingle(const Node* node, Names names);
  void MarkTailCalls();

  Host& host_;
  Budget& budget_;
  Program* program_ = nullptr;
  FunctionScope* scope_ = nullptr;
  std::deque<Binding> bindings_;
  std::deque<FunctionScope> scopes_;
  std::deque<Pending> pending_;
  std::vector<std::unique_ptr<Tree>> trees_;
  std::vector<std::pair<std::string, uint32_t>> prelude_;   // "name/arity" → function
  Names globals_ = nullptr;
  std::vector<Value> global_values_;                        // of AddVariable(), in order
  std::vector<std::pair<std::string, Names>> modules_;      // by path, what they define
  Source source_;
  std::vector<Report> reports_;
};

}  // namespace paddock::jq
