// pwd - prints the working directory

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("pwd"), "LPW");
  bool is_physical = shell.options.Get(SetOption::kPhysical);
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    is_physical = letter == 'P';
  }
  if (!is_physical && shell.options.Get(SetOption::kPosix)) {
    // In posix mode the logical name holds only while it still names the working directory.
    auto named = shell.files().Stat(shell.files().cwd());
    auto here = shell.files().Stat(".");
    is_physical = !named || !here || named->inode != here->inode || named->device != here->device;
  }
  if (!is_physical) {
    shell.out().WriteLine(shell.files().cwd());
    return 0;
  }
  auto path = shell.files().PhysicalCwd();
  if (!path) {
    shell.Complain("pwd", "error retrieving current directory: getcwd: cannot access parent directories: " +
                              std::string(path.error().Text()));
    return 1;
  }
  shell.out().WriteLine(*path);
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_pwd;
const Builtin kBuiltin_pwd = {
    .name = "pwd",
    .usage = "[-LP]",
    .help = "Print the name of the current working directory.",
    .run = Run,
};

}  // namespace paddock::shell
