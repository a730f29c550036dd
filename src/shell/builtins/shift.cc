// shift - drops positional parameters

#include "shell/builtins/builtin.h"
#include "shell/builtins/arguments.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  size_t index = 1;
  if (index < call.args.size() && call.args[index] == "--") ++index;
  int64_t count = 1;
  if (index < call.args.size()) {
    const auto value = ParseInteger(call.args[index]);
    if (!value) {
      shell.Complain("shift", call.args[index] + ": numeric argument required");
      return 1;
    }
    if (HasExcess(shell, call, index + 1)) return 1;
    count = *value;
  }
  if (count < 0) {
    shell.Complain("shift", std::to_string(count) + ": shift count out of range");
    return 1;
  }
  std::vector<std::string>& values = shell.MutablePositionals();
  if (static_cast<uint64_t>(count) > values.size()) {
    if (shell.options.Get(ShoptOption::kShiftVerbose)) {
      shell.Complain("shift", std::to_string(count) + ": shift count out of range");
    }
    return 1;
  }
  values.erase(values.begin(), values.begin() + count);
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_shift;
const Builtin kBuiltin_shift = {
    .name = "shift",
    .usage = "[n]",
    .help = "Rename the positional parameters $N+1,$N+2 ... to $1,$2 ...",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
