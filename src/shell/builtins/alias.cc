// alias - defines or lists aliases

#include "shell/builtins/builtin.h"
#include "shell/expand/expander.h"

namespace paddock::shell {
namespace {

void Print(Shell& shell, const std::string& name, const Alias& alias) {
  shell.budget().Step(1 + static_cast<int64_t>(alias.value.size() / 16));
  shell.out().WriteLine("alias " + name + "=" + QuoteForReuse(alias.value));
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("alias"), "p");
  bool prints = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    prints = true;
  }
  const auto operands = options.operands();
  if (prints || operands.empty()) {
    for (const auto& [name, alias] : *shell.aliases) Print(shell, name, alias);
  }
  int status = 0;
  for (const std::string& operand : operands) {
    const size_t equals = operand.find('=');
    if (equals == std::string::npos || equals == 0) {
      const auto it = shell.aliases->find(operand);
      if (it == shell.aliases->end()) {
        shell.Complain("alias", operand + ": not found");
        status = 1;
      } else {
        Print(shell, operand, it->second);
      }
      continue;
    }
    const std::string name = operand.substr(0, equals);
    if (name.find_first_of("/$`=|&;()<> \t\n\"'\\") != std::string::npos) {
      shell.Complain("alias", "`" + name + "': invalid alias name");
      status = 1;
      continue;
    }
    shell.MutableAliases()[name] = Alias{operand.substr(equals + 1)};
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_alias;
const Builtin kBuiltin_alias = {
    .name = "alias",
    .usage = "[-p] [name[=value] ... ]",
    .help = "Define or display aliases.",
    .run = Run,
};

}  // namespace paddock::shell
