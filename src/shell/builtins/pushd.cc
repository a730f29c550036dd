// pushd - puts a directory on the stack and goes there

#include <algorithm>

#include "shell/builtins/directory_stack.h"

namespace paddock::shell {
namespace {

int Rotate(Shell& shell, const Builtin& self, size_t place, bool stays) {
  std::vector<std::string> all = {shell.files().cwd()};
  all.insert(all.end(), shell.directory_stack.begin(), shell.directory_stack.end());
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place), all.end());
  if (!stays && !GoTo(shell, self, all[0])) return 1;
  shell.directory_stack.assign(all.begin() + 1, all.end());
  PrintStack(shell, {});
  return 0;
}

// Without operands the two directories on top change places.
int Exchange(Shell& shell, const Builtin& self) {
  const std::string before = shell.files().cwd();
  if (!GoTo(shell, self, shell.directory_stack[0])) return 1;
  shell.directory_stack[0] = before;
  PrintStack(shell, {});
  return 0;
}

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("pushd");
  bool stays = false;
  size_t i = 1;
  for (; i < call.args.size(); ++i) {
    const std::string& word = call.args[i];
    if (word == "-n") {
      stays = true;
    } else if (word == "--") {
      ++i;
      break;
    } else if (word == "-" || !IsStackPlace(word)) {
      break;
    } else {
      int status = 0;
      const auto place = FindStackPlace(shell, self, word, &status);
      if (!place) return status;
      return Rotate(shell, self, *place, stays);
    }
  }
  if (i >= call.args.size()) {
    if (shell.directory_stack.empty() && !stays) {
      shell.Complain("pushd", "no other directory");
      return 1;
    }
    return stays ? 0 : Exchange(shell, self);
  }
  if (i + 1 < call.args.size()) {
    shell.Complain("pushd", "too many arguments");
    return 1;
  }
  std::string target = call.args[i];
  if (stays) {
    shell.directory_stack.insert(shell.directory_stack.begin(), target);
  } else {
    if (target == "-") target = shell.GetOr("OLDPWD", "-");
    const std::string before = shell.files().cwd();
    if (!GoTo(shell, self, target)) return 1;
    shell.directory_stack.insert(shell.directory_stack.begin(), before);
  }
  PrintStack(shell, {});
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_pushd;
const Builtin kBuiltin_pushd = {
    .name = "pushd",
    .usage = "[-n] [+N | -N | dir]",
    .help = "Add directories to stack.",
    .run = Run,
};

}  // namespace paddock::shell
