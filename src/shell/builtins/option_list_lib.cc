#include "shell/builtins/option_list.h"

#include "shell/state/history.h"

namespace paddock::shell {

void PutSetOption(Shell& shell, SetOption option, bool on) {
  shell.options.Put(option, on);
  if (on && option == SetOption::kHistory) {
    if (!shell.Get("HISTSIZE")) shell.SetShellVariable("HISTSIZE", "500");
    if (!shell.Get("HISTFILESIZE")) shell.SetShellVariable("HISTFILESIZE", shell.GetOr("HISTSIZE", "500"));
    // The first lines are those of the history file.
    const std::string path = shell.GetOr("HISTFILE", "");
    if (!path.empty() && shell.history->lines.empty() && ReadHistoryFile(shell, path)) shell.has_recorded_line = false;
  }
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

void PutShoptOption(Shell& shell, ShoptOption option, bool on) {
  shell.options.Put(option, on);
  if (option == ShoptOption::kExtdebug) {
    if (on && !shell.frames[0].arguments) shell.frames[0].arguments = shell.positionals();
    shell.options.Put(SetOption::kFunctrace, on);
    shell.options.Put(SetOption::kErrtrace, on);
  } else if (const std::string_view level = CompatibilityLevel(option); !level.empty()) {
    shell.SetShellVariable("BASH_COMPAT", on ? level : "52");
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
