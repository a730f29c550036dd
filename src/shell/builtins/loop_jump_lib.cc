#include <algorithm>

#include "shell/builtins/arguments.h"
#include "shell/builtins/loop_jump.h"

namespace paddock::shell {

int JumpFromLoops(Shell& shell, const BuiltinCall& call, const char* name, Flow flow) {
  size_t index = 1;
  if (index < call.args.size() && call.args[index] == "--") ++index;
  int64_t count = 1;
  if (shell.loop_depth == 0) {
    shell.Complain(name, "only meaningful in a `for', `while', or `until' loop");
    return 0;
  }
  if (index < call.args.size()) {
    const auto value = ParseInteger(call.args[index]);
    if (!value) {
      shell.Complain(name, call.args[index] + ": numeric argument required");
      shell.last_status = 128;
      shell.flow = Flow::kExit;
      return 128;
    }
    if (HasExcess(shell, call, index + 1)) return 1;
    count = *value;
  }
  if (count <= 0) {
    shell.Complain(name, call.args[index] + ": loop count out of range");
    shell.flow = Flow::kBreak;
    shell.flow_count = shell.loop_depth;
    return 1;
  }
  shell.flow = flow;
  shell.flow_count = static_cast<int>(std::min<int64_t>(count, shell.loop_depth));
  return 0;
}

}  // namespace paddock::shell
