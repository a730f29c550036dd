// times - shows the time used

#include <cstdio>

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall&) {
  const auto passed = shell.kernel().clock().MonotonicNow() - shell.started;
  const double seconds = std::chrono::duration<double>(passed).count();
  char line[80];
  std::snprintf(line, sizeof line, "%dm%.3fs 0m0.000s\n0m0.000s 0m0.000s\n", static_cast<int>(seconds / 60),
                seconds - 60 * static_cast<int>(seconds / 60));
  shell.out().Write(line);
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_times;
const Builtin kBuiltin_times = {
    .name = "times",
    .usage = "",
    .help = "Display process times.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
