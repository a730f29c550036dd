// Assignment: what `name=value` does to a variable, with attributes, namerefs, arrays and special names.
//
// Every function prints bash's complaint and returns false when the assignment is refused (readonly
// variable, bad subscript, not a valid identifier); the caller decides what that ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shell/ast/ast.h"
#include "shell/state/variables.h"

namespace paddock::shell {

class Shell;

// Where an assignment goes when the name is a nameref: the target and perhaps its subscript.
struct Target {
  Name name;
  std::optional<std::string> subscript;   // from a nameref to "a[1]"
  bool is_global = false;                 // a local nameref to its own name means the global variable
  const Variable* Find(const Variables& variables) const {
    return is_global ? variables.FindGlobal(name) : variables.Find(name);
  }
};
// Follows namerefs from `name`. False (with a warning printed) for a circular reference.
bool ResolveName(Shell& shell, const Name& name, Target* target);

struct AssignMode {
  bool append = false;
  bool local = false;        // into the innermost function scope (declare in a function, local)
  bool global = false;       // declare -g
  bool ignore_readonly = false;  // for the shell's own updates (PWD, OLDPWD, _ …)
  const char* builtin = nullptr; // named in messages: "declare: x: readonly variable"
  std::string_view written_subscript = {};   // before expansion, for messages
};

// name=value. `value` is expanded already.
bool AssignScalar(Shell& shell, const Name& name, std::string_view value, const AssignMode& mode = {});
// name[subscript]=value. The subscript text is evaluated here (arithmetic for indexed arrays; for
// associative ones it is the key as it is).
bool AssignElement(Shell& shell, const Name& name, std::string_view subscript, std::string_view value,
                   const AssignMode& mode = {});
// name[key]=value with the key known (no evaluation).
bool AssignIndex(Shell& shell, const Name& name, int64_t index, std::string_view value,
                 const AssignMode& mode = {});
// True for "name" and "name[…]" with something in the brackets: what read, printf -v and wait -p take.
bool IsReference(std::string_view text);
// Assigns to such a reference, given as a word of its own. The subscript of an associative array is
// expanded first (unless assoc_expand_once).
bool AssignReference(Shell& shell, std::string_view reference, std::string_view value, const AssignMode& mode = {});
// A whole Assignment of the syntax tree: expands and assigns (scalar, element or (…)).
bool PerformAssignment(Shell& shell, const Assignment& assignment, const AssignMode& mode = {});
// name=( … ) into `variable` that has its array attribute already.
bool AssignElements(Shell& shell, const Name& name, const Assignment& assignment, const AssignMode& mode);

// Evaluates the subscript of an indexed array; negative ones count from the end. Prints "bad array
// subscript" and returns nothing when it is out of range.
std::optional<int64_t> EvaluateIndex(Shell& shell, const Name& name, const Variable* variable,
                                     std::string_view subscript, std::string_view written = {});

// Applies integer, upper and lower case attributes to a value about to be stored. False on an arithmetic
// error.
bool ApplyAttributes(Shell& shell, const Variable& variable, std::string_view value, std::string* out);

// unset name / unset name[subscript] / unset -n. False (with the complaint printed) if readonly.
bool UnsetVariable(Shell& shell, std::string_view reference, bool nameref_itself,
                   const char* builtin = "unset");

// `declare -p` text of a variable: `declare -ai x=([0]="1")`, without newline.
std::string DescribeVariable(const std::string& name, const Variable& variable);

}  // namespace paddock::shell
