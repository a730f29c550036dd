// break - leaves enclosing loops

#include <algorithm>

#include "shell/builtins/builtin.h"
#include "shell/builtins/arguments.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  size_t index = 1;
  if (index < call.args.size() && call.args[index] == "--") ++index;
  int64_t count = 1;
  if (shell.loop_depth == 0) {
    shell.Complain("break", "only meaningful in a `for', `while', or `until' loop");
    return 0;
  }
  if (index < call.args.size()) {
    const auto value = ParseInteger(call.args[index]);
    if (!value) {
      shell.Complain("break", call.args[index] + ": numeric argument required");
      shell.last_status = 128;
      shell.flow = Flow::kExit;
      return 128;
    }
    if (HasExcess(shell, call, index + 1)) return 1;
    count = *value;
  }
  if (count <= 0) {
    shell.Complain("break", call.args[index] + ": loop count out of range");
    shell.flow = Flow::kBreak;
    shell.flow_count = shell.loop_depth;
    return 1;
  }
  shell.flow = Flow::kBreak;
  shell.flow_count = static_cast<int>(std::min<int64_t>(count, shell.loop_depth));
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_break_;
const Builtin kBuiltin_break_ = {
    .name = "break",
    .usage = "[n]",
    .help = "Exit for, while, or until loops.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
