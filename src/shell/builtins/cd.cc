// cd - changes the working directory

#include "shell/builtins/builtin.h"
#include "shell/builtins/directory.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("cd"), "LPe@");
  bool is_physical = shell.options.Get(SetOption::kPhysical);
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    if (letter == '@') {
      shell.Complain("cd", "-@: not supported: the file system has no extended attributes");
      return 1;
    }
    if (letter == 'L' || letter == 'P') is_physical = letter == 'P';
  }
  const auto operands = options.operands();
  if (operands.size() > 1) {
    shell.Complain("cd", "too many arguments");
    return 1;
  }
  std::string target;
  bool prints = false;
  if (operands.empty()) {
    const auto home = shell.Get("HOME");
    if (!home) {
      shell.Complain("cd", "HOME not set");
      return 1;
    }
    target = *home;
    if (target.empty()) return 0;
  } else if (operands[0] == "-") {
    const auto old = shell.Get("OLDPWD");
    if (!old) {
      shell.Complain("cd", "OLDPWD not set");
      return 1;
    }
    target = *old;
    prints = true;
  } else {
    target = operands[0];
    if (target.empty()) return 0;
  }
  const bool searches = !operands.empty() && target[0] != '/' && target != "." && target != ".." &&
                        !target.starts_with("./") && !target.starts_with("../");
  if (const auto path = shell.Get("CDPATH"); searches && path && !path->empty()) {
    std::string_view rest = *path;
    while (true) {
      const size_t colon = rest.find(':');
      const std::string directory(rest.substr(0, colon));
      const std::string candidate = vfs::JoinPath(directory.empty() ? "." : directory, target);
      if (auto stat = shell.files().Stat(candidate); stat && stat->is_directory()) {
        const Status changed = ChangeDirectory(shell, candidate, is_physical);
        if (changed) {
          if (!directory.empty()) shell.out().WriteLine(shell.files().cwd());
          return 0;
        }
      }
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
  }
  if (const Status changed = ChangeDirectory(shell, target, is_physical); !changed) {
    if (shell.options.Get(SetOption::kPosix) == false && shell.options.Get(ShoptOption::kCdableVars) && !operands.empty()) {
      if (const auto value = shell.Get(Name(operands[0])); value && ChangeDirectory(shell, std::string(*value), is_physical)) {
        shell.out().WriteLine(shell.files().cwd());
        return 0;
      }
    }
    shell.Complain("cd", target + ": " + std::string(changed.error().Text()));
    return 1;
  }
  if (prints) shell.out().WriteLine(shell.files().cwd());
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_cd;
const Builtin kBuiltin_cd = {
    .name = "cd",
    .usage = "[-L|[-P [-e]] [-@]] [dir]",
    .help = "Change the shell working directory.",
    .run = Run,
};

}  // namespace paddock::shell
