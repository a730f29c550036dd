// The tree that the parser of lang/perl makes and its interpreter walks. For lang/perl only.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::perl {

enum class Kind {
  kConstant,     // text, is_number
  kScalar,       // slot: $x
  kTopic,        // $_
  kGroup,        // number: $1 …; 0 is $&
  kBefore,       // $`
  kAfter,        // $'
  kArray,        // slot: @x
  kElement,      // slot, kids[0]: $x[…]
  kLastIndex,    // slot: $#x
  kConcat,       // of all kids: an interpolated string
  kJoin,         // an array in a string
  kCase,         // text[0] of L U Q u l, kids[0]
  kList,         // ( … , … )
  kIndex,        // kids[0] list, kids[1]: (…)[…]
  kAssign,       // kids[0] = kids[1]; text: the operator in front of =, or empty
  kBinary,       // text
  kUnary,        // text: ! - +
  kStep,         // text: ++ or --, is_prefix
  kTernary,
  kMatch,        // kids[0] target, kids[1] pattern
  kSubstitute,   // kids[0] target, kids[1] pattern, kids[2] replacement
  kTranslate,    // kids[0] target
  kCall,         // text: the function; kids: arguments
  kBlock,        // statements
  kIf,           // condition, block, condition, block, …, [block]
  kReturn,
};

struct Translation {
  std::array<int, 256> map;   // the byte that it becomes, -1: stays, -2: is deleted
};

struct Node {
  Kind kind;
  std::string text;
  bool is_number = false;
  bool is_prefix = false;
  bool is_negated = false;   // !~
  double number = 0;
  size_t slot = 0;
  std::string flags;         // of m//, s///, tr///
  std::unique_ptr<Translation> translation;
  std::vector<std::unique_ptr<Node>> kids;
  int line = 1;
};
using NodePtr = std::unique_ptr<Node>;

struct Variable {
  std::string name;   // with its $ or @
  bool is_ours = false;
  bool is_visible = true;
};

struct Tree {
  NodePtr root;
  std::vector<Variable> variables;
};

// The functions that there are: name, least and most arguments (-1: any), whether $_ stands in for none.
struct Function {
  std::string_view name;
  int least, most;
  bool takes_topic;
  bool is_unary;   // binds tighter than a comparison
};
const Function* FindFunction(std::string_view name);

Result<Tree> Parse(std::string_view code, Budget& budget);

}  // namespace paddock::perl
