// The options that describe a sandbox and its first exec, shared by the subcommands that make one.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/options.h"
#include "sandbox/spec.h"

namespace paddock::cli {

struct SandboxOptions {
  std::vector<std::string> mounts;
  std::vector<std::string> environment;
  std::vector<std::string> limits;
  std::string cwd;
};

inline constexpr Option kSandboxOptions[] = {
    Value<&SandboxOptions::mounts>('m', "mount", "HOST:GUEST[:MODE]", "show a host directory inside; MODE is ro (default), rw or overlay"),
    Value<&SandboxOptions::environment>('e', "env", "NAME=VALUE", "set an environment variable inside"),
    Value<&SandboxOptions::cwd>('C', "cwd", "DIR", "start in DIR (default /home/agent)"),
    Value<&SandboxOptions::limits>('l', "limits", "NAME=VALUE,...", "time, steps, memory, output, processes, disk, files; 0 is no limit"),
};

// The table of a subcommand: the options above and its own. Its options struct must begin with a
// SandboxOptions.
template <size_t N>
constexpr std::array<Option, std::size(kSandboxOptions) + N> WithSandboxOptions(const Option (&own)[N]) {
  std::array<Option, std::size(kSandboxOptions) + N> table{};
  for (size_t i = 0; i < std::size(kSandboxOptions); ++i) table[i] = kSandboxOptions[i];
  for (size_t i = 0; i < N; ++i) table[std::size(kSandboxOptions) + i] = own[i];
  return table;
}

// Fills both specs; the environment gets the variables that every sandbox starts with (a TERM that is
// set stays). Errors name the
// option that is wrong.
Status Apply(const SandboxOptions& options, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec);

// Parses the items of --limits ("time=2s,memory=64M") in order.
Status ParseLimits(const std::vector<std::string>& lists, Limits& limits, sandbox::SandboxSpec& spec);

}  // namespace paddock::cli
