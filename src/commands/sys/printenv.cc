// printenv - print environment variables
//
// usage: printenv [OPTION]... [VARIABLE]...
//
// Exit status: 0 if all variables are set, 1 if one is not, 2 for a usage error.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool null = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::null>('0', "null", "end each output line with NUL, not newline"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const char end = options.null ? '\0' : '\n';
  if (operands.empty()) {
    for (const auto& [name, value] : in.env.variables()) {
      in.out.Write(name + "=" + value);
      in.out.Put(end);
    }
    return 0;
  }
  ExitStatus status = 0;
  for (const std::string& name : operands) {
    const auto value = name.find('=') == std::string::npos ? in.env.Get(name) : std::nullopt;
    if (!value) {
      status = 1;
      continue;
    }
    in.out.Write(*value);
    in.out.Put(end);
  }
  return status;
}

}  // namespace

extern const Command kCommand_printenv;
const Command kCommand_printenv = Define<Options, Run>({
    .name = "printenv",
    .summary = "print the values of the specified environment VARIABLE(s), or all of them",
    .synopsis = "[OPTION]... [VARIABLE]...",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = 2,
});

}  // namespace paddock
