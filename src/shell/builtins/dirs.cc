// dirs - shows the directory stack

#include "shell/builtins/directory_stack.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("dirs");
  StackStyle style;
  bool clears = false;
  std::optional<size_t> only;
  bool options_end = false;
  for (size_t i = 1; i < call.args.size(); ++i) {
    const std::string& word = call.args[i];
    if (!options_end && word == "--") {
      options_end = true;
    } else if (word == "-c" || word == "-l" || word == "-p" || word == "-v" ||
               (word.size() > 1 && word[0] == '-' && word.find_first_not_of("clpv", 1) == std::string::npos)) {
      for (const char letter : word.substr(1)) {
        clears |= letter == 'c';
        style.is_long |= letter == 'l';
        style.one_a_line |= letter == 'p';
        style.has_numbers |= letter == 'v';
      }
    } else if (IsStackPlace(word)) {
      int status = 0;
      only = FindStackPlace(shell, self, word, &status);
      if (!only) return status;
    } else {
      shell.Complain("dirs", word + ": invalid option");
      return UsageError(shell, self);
    }
  }
  if (clears) {
    shell.directory_stack.clear();
    return 0;
  }
  PrintStack(shell, style, only);
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_dirs;
const Builtin kBuiltin_dirs = {
    .name = "dirs",
    .usage = "[-clpv] [+N] [-N]",
    .help = "Display directory stack.",
    .run = Run,
};

}  // namespace paddock::shell
