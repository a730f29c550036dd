// set - sets shell options and positional parameters, or lists variables

#include <algorithm>

#include "shell/ast/printer.h"
#include "shell/builtins/declare.h"
#include "shell/builtins/option_list.h"

namespace paddock::shell {
namespace {

// Variables that are made when they are used, and are not listed before.
constexpr std::string_view kUnlisted[] = {"BASHPID", "BASH_ARGV0", "BASH_COMMAND", "BASH_SUBSHELL", "COMP_WORDBREAKS",
                                          "EPOCHREALTIME", "EPOCHSECONDS", "HISTCMD", "LINENO", "RANDOM", "SECONDS", "SRANDOM"};

void ListEverything(Shell& shell) {
  for (const std::string& name : shell.variables.Names()) {
    if (std::find(std::begin(kUnlisted), std::end(kUnlisted), name) != std::end(kUnlisted)) continue;
    const Variable* variable = shell.variables.Find(Name(name));
    if (variable != nullptr && variable->is_set) shell.out().WriteLine(AssignmentText(shell, name, *variable));
  }
  if (shell.options.Get(SetOption::kPosix)) return;
  for (const std::string& name : shell.FunctionNames()) {
    shell.out().WriteLine(PrintFunction(name, *shell.FindFunction(name)->definition));
  }
}

int Run(Shell& shell, const BuiltinCall& call) {
  if (call.args.size() == 1) {
    ListEverything(shell);
    return 0;
  }
  size_t i = 1;
  bool has_operands = false;
  for (; i < call.args.size(); ++i) {
    const std::string& arg = call.args[i];
    if (arg == "--") {
      has_operands = true;
      ++i;
      break;
    }
    if (arg == "-") {
      PutSetOption(shell, SetOption::kXtrace, false);
      PutSetOption(shell, SetOption::kVerbose, false);
      ++i;
      has_operands = i < call.args.size();
      break;
    }
    if (arg.size() < 2 || (arg[0] != '-' && arg[0] != '+')) break;
    const bool on = arg[0] == '-';
    for (const char letter : arg.substr(1)) {
      if (letter == 'o') {
        if (i + 1 >= call.args.size()) {
          ListSetOptions(shell, /*as_commands=*/!on);
          continue;
        }
        const auto option = FindSetOption(call.args[++i]);
        if (!option) {
          shell.Complain("set", call.args[i] + ": invalid option name");
          shell.was_misused = true;
          return 2;
        }
        PutSetOption(shell, *option, on);
        continue;
      }
      const auto option = FindSetOption(letter);
      if (!option) {
        shell.Complain("set", arg.substr(0, 1) + letter + ": invalid option");
        return UsageError(shell, *FindBuiltin("set"));
      }
      PutSetOption(shell, *option, on);
    }
  }
  if (i < call.args.size() || has_operands) {
    shell.SetPositionals({call.args.begin() + static_cast<std::ptrdiff_t>(i), call.args.end()});
  }
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_set;
const Builtin kBuiltin_set = {
    .name = "set",
    .usage = "[-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
    .help = "Set or unset values of shell options and positional parameters.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
