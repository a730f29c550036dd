// bind - key bindings, which a shell without line editing has not

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  shell.Complain("bind", "warning: line editing not enabled");
  BuiltinOptions options(shell, call, *FindBuiltin("bind"), "lvpVPsSXf:q:u:m:r:x:");
  bool failed = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    // There are no bindings: every look-up of one fails, and listings are empty.
    failed |= letter == 'q' || letter == 'u';
  }
  return failed ? 1 : 0;
}

}  // namespace

extern const Builtin kBuiltin_bind;
const Builtin kBuiltin_bind = {
    .name = "bind",
    .usage = "[-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] "
             "[keyseq:readline-function or readline-command]",
    .help = "Set Readline key bindings and variables. This shell has no line editing: nothing is bound.",
    .run = Run,
};

}  // namespace paddock::shell
