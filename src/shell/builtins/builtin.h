// Builtin: a word that changes or shows shell state. One file each under builtins/, in the shape of a
// command, but with the Shell in its hands.
//
// CMake makes the table from the files: builtins/NAME.cc defines kBuiltin_NAME (special names: colon_ for
// ":", dot_ for ".", bracket_ for "[", names that are C++ words take a trailing '_': break_, continue_ …).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/ast/ast.h"
#include "shell/shell.h"

namespace paddock::shell {

struct BuiltinCall {
  std::span<const std::string> args;   // args[0] is the name
  // For declaration builtins: beside args, the assignment with a compound value "(…)" that the argument
  // is, or null. (Plain name=value arguments are in args, expanded.)
  std::span<const Assignment* const> assignments;
};

struct Builtin {
  const char* name;
  const char* usage;            // after the name: "[-L|[-P [-e]] [-@]] [dir]"
  const char* help;             // paragraphs of `help NAME`
  bool is_special = false;      // POSIX special builtin
  bool is_declaration = false;  // arguments may be assignments
  int (*run)(Shell& shell, const BuiltinCall& call) = nullptr;
};

const Builtin* FindBuiltin(std::string_view name);   // null if none
std::span<const Builtin* const> AllBuiltins();       // sorted by name
// The generated table, in the order of the files; for the two above.
std::span<const Builtin* const> BuiltinTable();
// True when `enable -n` turned it off in this shell.
bool IsDisabled(const Shell& shell, std::string_view name);

// Option letters of a builtin, getopt style: `spec` as "ab:c". Answers the letters in order.
class BuiltinOptions {
 public:
  BuiltinOptions(Shell& shell, const BuiltinCall& call, const Builtin& builtin, std::string_view spec,
                 bool plus_too = false);
  // The next letter, 0 at the end, '?' after a complaint ("bash: line 1: cd: -z: invalid option" and the
  // usage line) or after --help: then return 2.
  char Next();
  std::string_view argument() const { return argument_; }
  bool is_plus() const { return is_plus_; }
  std::span<const std::string> operands() const;   // once Next() answered 0
  size_t operand_index() const { return index_; }

 private:
  Shell& shell_;
  const BuiltinCall& call_;
  const Builtin& builtin_;
  std::string_view spec_;
  size_t index_ = 1;
  size_t offset_ = 0;
  std::string_view argument_;
  bool plus_too_;
  bool is_plus_ = false;
};

// "NAME: usage: NAME USAGE" on stderr; returns 2.
int UsageError(Shell& shell, const Builtin& builtin);

}  // namespace paddock::shell
