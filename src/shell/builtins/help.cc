// help - explains builtins

#include "shell/builtins/builtin.h"
#include "text/pattern.h"

namespace paddock::shell {
namespace {

std::string Usage(const Builtin& builtin) {
  const std::string usage = builtin.usage;
  return builtin.name + (usage.empty() ? usage : " " + usage);
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("help"), "dms");
  bool is_short = false;
  bool is_usage = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    is_short |= letter == 'd';
    is_usage |= letter == 's';
  }
  const auto operands = options.operands();
  Output& out = shell.out();
  if (operands.empty()) {
    out.Write("These shell commands are defined internally.  Type `help name' to find out more.\n\n");
    for (const Builtin* builtin : AllBuiltins()) out.WriteLine(std::string(" ") + builtin->name + " " + builtin->usage);
    return 0;
  }
  int status = 0;
  for (const std::string& operand : operands) {
    const Pattern pattern(operand, {});
    bool any = false;
    for (const Builtin* builtin : AllBuiltins()) {
      const std::string name = builtin->name;
      if (!pattern.Matches(name, shell.budget()) && !name.starts_with(operand)) continue;
      if (name != operand && FindBuiltin(operand) != nullptr) continue;
      any = true;
      if (is_short) out.WriteLine(name + " - " + builtin->help);
      else if (is_usage) out.WriteLine(name + ": " + Usage(*builtin));
      else out.WriteLine(name + ": " + Usage(*builtin) + "\n    " + builtin->help);
    }
    if (!any) {
      shell.Complain("help", "no help topics match `" + operand + "'.  Try `help help' or `man -k " + operand +
                                 "' or `info " + operand + "'.");
      status = 1;
    }
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_help;
const Builtin kBuiltin_help = {
    .name = "help",
    .usage = "[-dms] [pattern ...]",
    .help = "Display information about builtin commands.",
    .run = Run,
};

}  // namespace paddock::shell
