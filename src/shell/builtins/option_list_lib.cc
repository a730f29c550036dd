#include "shell/builtins/option_list.h"

namespace paddock::shell {

void PutSetOption(Shell& shell, SetOption option, bool on) {
  shell.options.Put(option, on);
  if (on && option == SetOption::kVi) shell.options.Put(SetOption::kEmacs, false);
  if (on && option == SetOption::kEmacs) shell.options.Put(SetOption::kVi, false);
  if (option == SetOption::kPosix) {
    if (on) {
      shell.options.Put(ShoptOption::kInheritErrexit, true);
      shell.options.Put(ShoptOption::kExpandAliases, true);
      shell.options.Put(ShoptOption::kShiftVerbose, true);
      shell.SetShellVariable("POSIXLY_CORRECT", "y");
    } else {
      shell.variables.Unset(Name("POSIXLY_CORRECT"));
    }
  }
}

void ListSetOptions(Shell& shell, bool as_commands) {
  for (const SetOptionInfo& info : SetOptions()) {
    const bool on = shell.options.Get(info.option);
    if (as_commands) {
      shell.out().WriteLine(std::string("set ") + (on ? "-o " : "+o ") + info.name);
      continue;
    }
    std::string line = info.name;
    if (line.size() < 15) line.resize(15, ' ');
    shell.out().WriteLine(line + "\t" + (on ? "on" : "off"));
  }
}

}  // namespace paddock::shell
