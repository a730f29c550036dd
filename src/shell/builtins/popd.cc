// popd - takes a directory off the stack

#include "shell/builtins/directory_stack.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("popd");
  bool stays = false;
  size_t place = 0;
  for (size_t i = 1; i < call.args.size(); ++i) {
    const std::string& word = call.args[i];
    if (word == "-n") {
      stays = true;
    } else if (word == "--") {
      break;
    } else if (IsStackPlace(word)) {
      int status = 0;
      const auto found = FindStackPlace(shell, self, word, &status);
      if (!found) return status;
      place = *found;
    } else {
      shell.Complain("popd", word + ": invalid argument");
      UsageError(shell, self);
      return 1;
    }
  }
  auto& stack = shell.directory_stack;
  if (stack.empty()) {
    shell.Complain("popd", "directory stack empty");
    return 1;
  }
  if (place == 0) {
    if (!stays && !GoTo(shell, self, stack.front())) return 1;
    stack.erase(stack.begin());
  } else {
    stack.erase(stack.begin() + static_cast<std::ptrdiff_t>(place) - 1);
  }
  PrintStack(shell, {});
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_popd;
const Builtin kBuiltin_popd = {
    .name = "popd",
    .usage = "[-n] [+N | -N]",
    .help = "Remove directories from stack.",
    .run = Run,
};

}  // namespace paddock::shell
