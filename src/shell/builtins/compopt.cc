// compopt - changes the options of completion rules

#include "shell/builtins/completion_rules.h"

namespace paddock::shell {
namespace {

void PrintOptions(Shell& shell, const std::string& name, const CompletionRule& rule) {
  std::string line = "compopt";
  const auto names = CompletionOptionNames();
  for (size_t i = 0; i < names.size(); ++i) line += std::string((rule.options >> i & 1) != 0 ? " -o " : " +o ") + names[i];
  shell.out().WriteLine(line + " " + name);
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("compopt"), "o:DEI", true);
  uint32_t on = 0;
  uint32_t off = 0;
  std::vector<std::string> names;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    if (letter != 'o') {
      names.push_back(std::string("-") + letter);
      continue;
    }
    const auto bit = FindCompletionOption(options.argument());
    if (!bit) {
      shell.Complain("compopt", std::string(options.argument()) + ": invalid option name");
      return 2;
    }
    (options.is_plus() ? off : on) |= *bit;
  }
  const auto operands = options.operands();
  names.insert(names.end(), operands.begin(), operands.end());
  if (names.empty()) {
    shell.Complain("compopt", "not currently executing completion function");
    return 1;
  }
  int status = 0;
  for (const std::string& name : names) {
    auto& rules = MutableCompletions(shell).rules;
    const auto it = rules.find(name);
    if (it == rules.end()) {
      shell.Complain("compopt", name + ": no completion specification");
      status = 1;
    } else if (on == 0 && off == 0) {
      PrintOptions(shell, name, it->second);
    } else {
      it->second.options = (it->second.options | on) & ~off;
    }
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_compopt;
const Builtin kBuiltin_compopt = {
    .name = "compopt",
    .usage = "[-o|+o option] [-DEI] [name ...]",
    .help = "Modify or display completion options.",
    .run = Run,
};

}  // namespace paddock::shell
