// runcon - run a program in another security context
//
// usage: runcon CONTEXT COMMAND [args]
//        runcon [ -c ] [-u USER] [-r ROLE] [-t TYPE] [-l RANGE] COMMAND [args]
//
// Exit status: 1.
// Source: GNU coreutils 9.1, on a kernel without SELinux.
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool compute = false;
  std::vector<std::string> types, users, roles, ranges;
};

constexpr Option kOptions[] = {
    Flag<&Options::compute>('c', "compute", "compute process transition context before modifying"),
    Value<&Options::types>('t', "type", "TYPE", "type (for same role as parent)"),
    Value<&Options::users>('u', "user", "USER", "user identity"),
    Value<&Options::roles>('r', "role", "ROLE", "role"),
    Value<&Options::ranges>('l', "range", "RANGE", "level range"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.types.size() > 1) return in.Fail("multiple types");
  if (options.users.size() > 1) return in.Fail("multiple users");
  if (options.roles.size() > 1) return in.Fail("multiple roles");
  if (options.ranges.size() > 1) return in.Fail("multiple levelranges");
  if (operands.empty()) return in.Fail("failed to get current context: Invalid argument");
  const bool is_partial = options.compute || !options.types.empty() || !options.users.empty() || !options.roles.empty() || !options.ranges.empty();
  if (!is_partial && operands.size() < 2) return in.Usage("no command specified");
  return in.Fail("runcon may be used only on a SELinux kernel");
}

}  // namespace

extern const Command kCommand_runcon;
const Command kCommand_runcon = Define<Options, Run>({
    .name = "runcon",
    .summary = "run a program in a different SELinux security context",
    .synopsis = "CONTEXT COMMAND [args]\n[ -c ] [-u USER] [-r ROLE] [-t TYPE] [-l RANGE] COMMAND [args]",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
});

}  // namespace paddock
