// The tree of a jq program. Nodes live in the arena of their Tree and point at each other plainly.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jq/value.h"

namespace paddock::jq {

// Bytes [begin, end) of the source, for messages.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

enum class NodeKind : uint8_t {
  kIdentity,      // .
  kRecurse,       // ..
  kConstant,      // value
  kString,        // parts: constants and expressions, `name` the format of the latter
  kFormat,        // @name
  kVariable,      // $name
  kCall,          // name(children)
  kPipe,          // children[0] | children[1]
  kComma,
  kBinary,        // op on children
  kAnd,
  kOr,
  kAlternative,   // //
  kUpdate,        // |=
  kAssign,        // =
  kOpUpdate,      // += and friends: op on children; // for //=
  kNegate,
  kIndex,         // children[0][children[1]]
  kSlice,         // children[0][children[1]:children[2]], null where left out
  kIterate,       // children[0][]
  kTry,           // children[0], handler children[1] or null
  kReduce,        // children: source, init, update; patterns
  kForeach,       // children: source, init, update, extract or null; patterns
  kIf,            // children: condition, then, else or null
  kFunction,      // def name(parameters): children[0]; children[1]
  kBind,          // children[0] as patterns | children[1]
  kLabel,         // label $name | children[0]
  kBreak,         // break $name
  kArray,         // [children[0]] or [] with none
  kObject,        // children: key, value, key, value …
};

enum class Operator : uint8_t { kAdd, kSubtract, kMultiply, kDivide, kModulo, kEqual, kNotEqual, kLess, kLessEqual,
                                kGreater, kGreaterEqual, kAlternative };

struct Node;

// Where a value goes in `as`: a variable, or the places of an array or object.
struct Pattern {
  enum Kind { kVariable, kArray, kObject } kind = kVariable;
  std::string name;                    // kVariable
  struct Member {
    Node* key = nullptr;               // kObject: an expression; null when `variable` is the key
    std::string variable;              // of {$name} and {$name: pattern}
    Pattern* pattern = nullptr;        // null for {$name}
  };
  std::vector<Member> members;
};

struct Node {
  NodeKind kind = NodeKind::kIdentity;
  Operator op = Operator::kAdd;
  bool is_optional = false;            // kIndex, kSlice, kIterate with ?
  Span span;
  std::string name;
  Value value;
  std::vector<Node*> children;
  std::vector<Pattern*> patterns;      // several with ?//
  std::vector<std::string> parameters; // kFunction; "$name" for one by value
};

// import "path" as name [metadata]; include "path" [metadata];
struct Import {
  std::string path;
  std::string name;        // empty for include
  bool is_data = false;    // as $name
  Value metadata;          // an object
  Span span;
};

// What one source text says: a program, or the definitions of a module.
struct Tree {
  std::deque<Node> nodes;
  std::deque<Pattern> patterns;
  bool has_module = false;
  Value metadata;                  // of the module directive
  std::vector<Import> imports;
  std::vector<Node*> functions;    // at the top of a module
  Node* body = nullptr;            // null for a module
};

}  // namespace paddock::jq
