// What a parameter refers to and holds, before its operator: variables, elements, positional and special
// parameters, with namerefs and indirection followed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/ast/ast.h"

namespace paddock::shell {

class Shell;
struct Variable;

// A parameter with its subscript expanded.
struct Reference {
  Name name;
  bool has_subscript = false;   // an element; `subscript` is its text, quotes removed
  bool is_at = false;           // [@], or the parameter @
  bool is_star = false;         // [*], or the parameter *
  bool is_void = false;         // a nameref that leads nowhere: never set
  bool is_braced = false;       // written ${1}, not $1
  bool is_indirect = false;     // reached through ${!x}
  bool is_global = false;       // the global variable, whatever hides it
  std::string subscript;
  std::string display;          // for messages: "x", "a[i]", "1"

  bool is_list() const { return is_at || is_star; }
  bool is_variable() const;     // false for positional and special parameters
};

// The variable, or null.
const Variable* FindVariable(Shell& shell, const Reference& reference);

struct ParameterValue {
  bool is_set = false;          // a list: has elements
  bool is_list = false;
  bool is_star = false;
  bool is_bad_subscript = false;   // a subscript that no element of a set variable can have
  std::string text;
  std::vector<std::string> list;
};

// Each returns false when the expansion failed (the complaint is printed, shell.flow is set).

// The reference of `parameter` itself (not of what ${!x} leads to).
bool MakeReference(Shell& shell, const Parameter& parameter, Reference* reference);
// Replaces `reference` by what its value names. `name_only` is set instead when the parameter is a nameref
// and the answer is the name it stands for.
bool FollowIndirect(Shell& shell, Reference* reference);
bool LoadValue(Shell& shell, const Reference& reference, ParameterValue* value);

// $? $# $$ $! $- $0 $1 …; nothing if unset.
std::optional<std::string> LoadSpecial(Shell& shell, std::string_view name);
// Complains about an unset parameter and ends the shell (set -u).
void FailUnset(Shell& shell, const Reference& reference);

}  // namespace paddock::shell
