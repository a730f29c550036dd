// compgen - prints possible completions

#include "shell/builtins/completion_generator.h"
#include "shell/builtins/completion_rules.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  if (call.args.size() == 1) return 0;
  BuiltinOptions options(shell, call, *FindBuiltin("compgen"), kCompletionLetters);
  CompletionRule rule;
  while (const char letter = options.Next()) {
    if (letter == '?' || !ReadCompletionOption(shell, "compgen", letter, options.argument(), &rule)) return 2;
  }
  const auto operands = options.operands();
  const std::string word = operands.empty() ? "" : operands[0];
  const std::vector<std::string> found = GenerateCompletions(shell, rule, word);
  for (const std::string& line : found) shell.out().WriteLine(line);
  return found.empty() ? 1 : 0;
}

}  // namespace

extern const Builtin kBuiltin_compgen;
const Builtin kBuiltin_compgen = {
    .name = "compgen",
    .usage = "[-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] "
             "[-P prefix] [-S suffix] [word]",
    .help = "Display possible completions depending on the options. There are no key bindings: -A binding is empty.",
    .run = Run,
};

}  // namespace paddock::shell
