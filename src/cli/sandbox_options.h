// The options that describe a sandbox and its first exec, shared by the subcommands that make one.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/policy_options.h"
#include "sandbox/spec.h"

namespace paddock::cli {

// The policy's part comes first, so that its table (cli/policy_options.h) works on the whole.
struct SandboxOptions : PolicyOptions {
  std::vector<std::string> mounts;
  std::vector<std::string> environment;
  std::vector<std::string> limits;
  std::string cwd;
};

inline constexpr Option kSandboxOptions[] = {
    Value<&SandboxOptions::mounts>('m', "mount", "HOST:GUEST[:MODE]", "show a host directory inside; MODE is ro (default), and in the virtual sandbox rw or overlay"),
    Value<&SandboxOptions::environment>('e', "env", "NAME=VALUE", "set an environment variable inside"),
    Value<&SandboxOptions::cwd>('C', "cwd", "DIR", "start in DIR (default: the workspace; without one /home/agent)"),
    Value<&SandboxOptions::limits>('l', "limits", "NAME=VALUE,...", "time, steps, memory, output, processes, disk, files; 0 is no limit"),
};

// One table of several. The options struct of each later one begins with that of the earlier.
template <size_t... N>
constexpr auto JoinOptions(const Option (&... tables)[N]) {
  std::array<Option, (N + ...)> joined{};
  size_t at = 0;
  const auto add = [&](const auto& table) {
    for (const Option& option : table) joined[at++] = option;
  };
  (add(tables), ...);
  return joined;
}

// Fills both specs; the environment gets the variables that every sandbox starts with (a TERM that is
// set stays). Errors name the
// option that is wrong.
Status Apply(const SandboxOptions& options, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec);

// The same for a wall with a policy: builds the policy, and the environment that it lets pass.
Status ApplyWalled(const SandboxOptions& options, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec);

// Sets the items of --env.
Status SetVariables(const std::vector<std::string>& items, Environment& environment);

// Parses the items of --limits ("time=2s,memory=64M") in order.
Status ParseLimits(const std::vector<std::string>& lists, Limits& limits, sandbox::SandboxSpec& spec);

}  // namespace paddock::cli
