#include "cli/sandbox_options.h"

#include <unistd.h>

#include "cli/cli.h"
#include "cli/host_context.h"

namespace paddock::cli {

Status ParseLimits(const std::vector<std::string>& lists, Limits& limits, sandbox::SandboxSpec& spec) {
  for (std::string_view list : lists) {
    while (true) {
      const size_t comma = list.find(',');
      PADDOCK_TRY(ParseLimit(list.substr(0, comma), limits, spec));
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
  }
  return {};
}

Status SetVariables(const std::vector<std::string>& items, Environment& environment) {
  for (const std::string& item : items) {
    const size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error(Code::kInvalid, "bad --env '" + item + "'; write NAME=VALUE");
    }
    environment.Set(item.substr(0, equals), item.substr(equals + 1));
  }
  return {};
}

namespace {

// What of the policy options has a meaning in a virtual sandbox: the network's.
Status ApplyNetwork(const SandboxOptions& options, sandbox::SandboxSpec& sandbox) {
  if (options.is_empty()) return {};
  PolicyOptions rest = options;
  rest.hosts.clear();
  rest.secrets.clear();
  rest.tls_trust.clear();
  if (!rest.is_empty()) {
    return Error(Code::kInvalid, "of the policy options the virtual sandbox takes --allow-host, --secret and --tls-trust; it shows only what --mount names, and the "
                                 "others need --isolation process");
  }
  PADDOCK_ASSIGN(const policy::HostContext context, MakeHostContext(""));
  PADDOCK_ASSIGN(policy::Policy made, MakePolicy(options, context));
  sandbox.policy.emplace();
  sandbox.policy->network = std::move(made.network);
  sandbox.policy->secrets = std::move(made.secrets);
  return {};
}

}  // namespace

Status Apply(const SandboxOptions& options, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec) {
  for (const std::string& text : options.mounts) {
    PADDOCK_ASSIGN(auto mount, ParseMount(text));
    sandbox.mounts.push_back(std::move(mount));
  }
  PADDOCK_TRY(ApplyNetwork(options, sandbox));
  PADDOCK_TRY(ParseLimits(options.limits, exec.limits, sandbox));
  const Environment usual = sandbox::UserEnvironment(sandbox.user);
  for (const Environment::Variable& variable : usual.variables()) {
    if (!exec.environment.Get(variable.name)) exec.environment.Set(variable.name, variable.value);
  }
  PADDOCK_TRY(SetVariables(options.environment, exec.environment));
  exec.cwd = options.cwd;
  return {};
}

Status ApplyWalled(const SandboxOptions& options, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec) {
  for (const std::string& text : options.mounts) {
    PADDOCK_ASSIGN(auto mount, ParseMount(text));
    sandbox.mounts.push_back(std::move(mount));
  }
  PADDOCK_ASSIGN(const policy::HostContext context, MakeHostContext(options.workspace));
  PADDOCK_ASSIGN(sandbox.policy, MakePolicy(options, context));
  PADDOCK_TRY(AddLimits(options.limits, *sandbox.policy, exec.limits));
  sandbox.state_directory = StateDirectory();
  if (!options.overlay_name.empty()) sandbox.overlay_name = options.overlay_name;
  exec.environment = MakeEnvironment(sandbox.policy->environment, environ);
  PADDOCK_TRY(SetVariables(options.environment, exec.environment));
  exec.cwd = options.cwd;
  return {};
}

}  // namespace paddock::cli
