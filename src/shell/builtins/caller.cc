// caller - tells where the current function was called

#include "shell/builtins/arguments.h"
#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  const std::vector<Frame>& frames = shell.frames;
  size_t level = 0;
  if (frames.size() < 2) return 1;
  if (call.args.size() > 1) {
    const auto value = ParseInteger(call.args[1]);
    if (!value || *value < 0) {
      shell.Complain("caller", call.args[1] + ": invalid number");
      return UsageError(shell, *FindBuiltin("caller"));
    }
    level = static_cast<size_t>(*value);
  }
  if (level + 2 > frames.size()) return 1;
  const Frame& called = frames[frames.size() - 1 - level];
  const Frame& caller = frames[frames.size() - 2 - level];
  const bool is_bottom = frames.size() - 2 - level == 0;
  const std::string source = caller.source.empty() ? (is_bottom ? "NULL" : "environment") : caller.source;
  std::string line = std::to_string(called.call_line);
  if (call.args.size() > 1) {
    if (is_bottom && frames[0].source.empty()) return 1;
    line += " " + caller.function;
  }
  shell.out().WriteLine(line + " " + source);
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_caller;
const Builtin kBuiltin_caller = {
    .name = "caller",
    .usage = "[expr]",
    .help = "Return the context of the current subroutine call.",
    .run = Run,
};

}  // namespace paddock::shell
