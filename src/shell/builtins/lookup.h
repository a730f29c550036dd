// What a command word would run, for type, command -v and hash.
#pragma once

#include <string>

#include "shell/builtins/builtin.h"

namespace paddock::shell {

bool IsReservedWord(std::string_view word);

struct DescribeMode {
  bool all = false;          // -a
  bool skip_functions = false;  // -f
  bool kind_only = false;    // -t
  bool path_only = false;    // -p
  bool force_path = false;   // -P
  bool reusable = false;     // command -v
  bool use_default_path = false;
};
// Prints what `name` is; false if nothing.
bool DescribeCommand(Shell& shell, const std::string& name, const DescribeMode& mode);

}  // namespace paddock::shell
