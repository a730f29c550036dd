// complete - keeps completion rules

#include "shell/builtins/completion_rules.h"

namespace paddock::shell {
namespace {

int PrintRules(Shell& shell, std::span<const std::string> names) {
  const CompletionTable none;
  const CompletionTable& table = shell.completions ? *shell.completions : none;
  if (names.empty()) {
    for (const auto& [name, rule] : table.rules) shell.out().WriteLine(DescribeRule(name, rule));
    return 0;
  }
  int status = 0;
  for (const std::string& name : names) {
    const auto it = table.rules.find(name);
    if (it == table.rules.end()) {
      shell.Complain("complete", name + ": no completion specification");
      status = 1;
    } else {
      shell.out().WriteLine(DescribeRule(name, it->second));
    }
  }
  return status;
}

int RemoveRules(Shell& shell, std::span<const std::string> names) {
  CompletionTable& table = MutableCompletions(shell);
  if (names.empty()) table.rules.clear();
  int status = 0;
  for (const std::string& name : names) {
    if (table.rules.erase(name) > 0) continue;
    shell.Complain("complete", name + ": no completion specification");
    status = 1;
  }
  return status;
}

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("complete");
  const std::string letters = "prDEI" + std::string(kCompletionLetters);
  BuiltinOptions options(shell, call, self, letters);
  CompletionRule rule;
  bool prints = false;
  bool removes = false;
  bool has_options = false;
  std::string special;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    has_options = true;
    prints |= letter == 'p';
    removes |= letter == 'r';
    if (letter == 'D') special = "-D";
    else if (letter == 'E' && special.empty()) special = "-E";
    else if (letter == 'I' && special.empty()) special = "-I";
    else if (letter != 'p' && letter != 'r' && !ReadCompletionOption(shell, "complete", letter, options.argument(), &rule)) return 2;
  }
  const auto operands = options.operands();
  std::vector<std::string> names(operands.begin(), operands.end());
  if (!special.empty()) names = {special};
  if (removes) return RemoveRules(shell, names);
  if (prints || (names.empty() && !has_options)) return PrintRules(shell, names);
  if (names.empty()) return UsageError(shell, self);
  for (const std::string& name : names) MutableCompletions(shell).rules[name] = rule;
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_complete;
const Builtin kBuiltin_complete = {
    .name = "complete",
    .usage = "[-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] "
             "[-X filterpat] [-P prefix] [-S suffix] [name ...]",
    .help = "Specify how arguments are to be completed. Rules are kept and shown; no line editing uses them.",
    .run = Run,
};

}  // namespace paddock::shell
