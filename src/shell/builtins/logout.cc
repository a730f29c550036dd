// logout - ends a login shell

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall&) {
  shell.Complain("logout", "not login shell: use `exit'");
  return 1;
}

}  // namespace

extern const Builtin kBuiltin_logout;
const Builtin kBuiltin_logout = {
    .name = "logout",
    .usage = "[n]",
    .help = "Exit a login shell.",
    .run = Run,
};

}  // namespace paddock::shell
