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

// What no virtual sandbox can keep or give is refused, not left out.
Status CheckVirtual(const policy::Policy& policy) {
  const auto refuse = [](const char* key, const char* why) -> Status {
    return Error(Code::kInvalid, std::string(key) + ": the virtual sandbox " + why + "; leave it out, or choose --isolation process");
  };
  if (!policy.network.publish.empty()) return refuse("network.publish", "has no ports");
  if (!policy.network.host_ports.empty()) return refuse("network.host_ports", "has no sockets");
  if (!policy.network.unix_sockets.empty()) return refuse("network.unix_sockets", "has no sockets");
  if (!policy.files.root.empty()) return refuse("files.root", "has a root of its own");
  if (policy.kernel.ptrace || policy.kernel.nested) return refuse("kernel", "runs no programs of the host");
  if (policy.limits.cpus && *policy.limits.cpus < 1) return refuse("limits.cpus", "cannot be held to less than one core");
  return {};
}

// The limits of a document or preset, before those of --limits.
void SetLimits(const policy::ResourceLimits& from, sandbox::SandboxSpec& sandbox, Limits& limits) {
  if (from.time) limits.time = *from.time;
  if (from.cpu_time) limits.cpu_time = *from.cpu_time;
  if (from.memory_bytes) limits.memory_bytes = *from.memory_bytes;
  if (from.output_bytes) limits.output_bytes = *from.output_bytes;
  if (from.processes) limits.processes = *from.processes;
  if (from.disk_bytes) sandbox.disk_bytes = *from.disk_bytes;
  if (from.files) sandbox.disk_inodes = *from.files;
}

// What of the policy has a meaning in a virtual sandbox: the network, secrets, limits and variables. It sees no file of the host but what
// --mount names, whatever the policy would show.
Status ApplyPolicy(const SandboxOptions& options, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec) {
  if (options.is_empty()) return {};
  PolicyOptions rest = options;
  for (std::string* const taken : {&rest.document, &rest.preset}) taken->clear();
  for (std::vector<std::string>* const taken : {&rest.hosts, &rest.secrets, &rest.tls_trust}) taken->clear();
  if (!rest.is_empty()) {
    return Error(Code::kInvalid, "of the policy options the virtual sandbox takes --policy, --preset, --allow-host, --secret and --tls-trust; it shows only what --mount "
                                 "names, and the others need --isolation process");
  }
  PADDOCK_ASSIGN(const policy::HostContext context, MakeHostContext(""));
  PADDOCK_ASSIGN(policy::Policy made, MakePolicy(options, context));
  PADDOCK_TRY(CheckVirtual(made));
  if (!options.document.empty() || !options.preset.empty()) {
    SetLimits(made.limits, sandbox, exec.limits);
    for (const auto& [name, value] : made.environment.set) exec.environment.Set(name, value);
  }
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
  PADDOCK_TRY(ApplyPolicy(options, sandbox, exec));
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
