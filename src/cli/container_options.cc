#include "cli/container_options.h"

#include <unistd.h>

#include "cli/foreground.h"
#include "cli/host_context.h"
#include "sandbox/container_settings.h"

namespace paddock::cli {
namespace {

// What names files of the host has no meaning there.
Status CheckFiles(const ContainerOptions& options, bool has_engine) {
  const auto refuse = [](const char* option) { return Error(Code::kInvalid, std::string(option) + ": a container shows nothing of the host; pipe files in, or use --isolation process"); };
  if (!options.mounts.empty()) return refuse("--mount");
  if (!options.document.empty()) return refuse("--policy");
  if (!options.workspace.empty()) return refuse("--workspace");
  if (has_engine && !options.root.empty()) return refuse("--root");
  if (!has_engine && options.root.empty()) return Error(Code::kInvalid, "--root: this isolation needs a directory that stands as / inside, say of debootstrap; images are for --isolation container");
  if (!has_engine && !(options.image + options.runtime + options.docker_host).empty()) return Error(Code::kInvalid, "--image, --runtime and --docker-host need --isolation container");
  if (options.is_overlay) return refuse("--overlay");
  if (!options.overlay_name.empty()) return refuse("--overlay-name");
  if (!options.reads.empty()) return refuse("--allow-read");
  if (!options.writes.empty()) return refuse("--allow-write");
  return {};
}

}  // namespace

bool IsContainer(const std::string& isolation) { return isolation == "container" || isolation == "oci" || isolation == "gvisor"; }

Status ApplyContainer(const ContainerOptions& options, sandbox::Driver& driver, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec) {
  const bool has_engine = std::string_view(driver.name()) == "container";
  PADDOCK_TRY(CheckFiles(options, has_engine));
  auto* const takes = dynamic_cast<sandbox::TakesContainerSettings*>(&driver);
  if (takes == nullptr) return Error(Code::kInvalid, "--image, --runtime, --docker-host and --profile need --isolation container");
  sandbox::ContainerSettings settings;
  settings.engine.host = options.docker_host;
  settings.runtime = options.runtime;
  if (!options.image.empty()) settings.image = options.image;
  if (!options.profile.empty() && options.profile != "strict" && options.profile != "dev") return Error(Code::kInvalid, "--profile: '" + options.profile + "' is neither strict nor dev");
  if (options.profile == "dev") settings.profile = sandbox::ContainerProfile::kDev;
  settings.has_network = false;   // what may be reached is reached through the agent
  settings.deployment = "cli";
  settings.state_directory = StateDirectory() + "/paddock/containers";
  PADDOCK_ASSIGN(const policy::HostContext context, MakeHostContext(""));
  PADDOCK_ASSIGN(policy::Policy policy, MakePolicy(options, context));
  const std::string root = policy.files.root;
  policy.files = {};
  policy.files.root = root;
  policy.files.host_view = root.empty();
  policy.environment = {};
  policy.limits = {};
  PADDOCK_TRY(AddLimits(options.limits, policy, exec.limits));
  // Whoever runs it here is the operator, and may give it more than the usual.
  if (policy.limits.memory_bytes) settings.memory_bytes = *policy.limits.memory_bytes;
  if (policy.limits.processes) settings.pids = static_cast<int64_t>(*policy.limits.processes);
  if (policy.limits.cpus) settings.nano_cpus = static_cast<int64_t>(*policy.limits.cpus * 1e9);
  PADDOCK_TRY(takes->Configure(std::move(settings), [is_terminal = isatty(2) == 1](const std::string& line, bool is_last) {
    if (is_terminal) WriteAll(2, "\r\x1b[K" + line + (is_last ? "\n" : ""));
    else if (is_last) WriteAll(2, line + "\n");
  }));

  sandbox.policy = std::move(policy);
  PADDOCK_TRY(SetVariables(options.environment, exec.environment));
  exec.cwd = options.cwd;
  return {};
}

}  // namespace paddock::cli
