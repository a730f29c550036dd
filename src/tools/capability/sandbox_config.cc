#include "tools/capability/sandbox_config.h"

#include "policy/host_pattern.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

constexpr const char* kImageWords = "Image of sandboxes for which no other is asked.";
constexpr const char* kMemoryWords = "Memory of a sandbox: bytes, or text such as \"2g\". A sandbox may be given less, never more.";
constexpr const char* kCpuWords = "Processor cores of a sandbox, such as 0.5; whole numbers from 1000000 on are billionths of a core.";
constexpr const char* kPidsWords = "Processes of a sandbox at once.";
constexpr const char* kDiskWords = "A sandbox's own files: bytes, or text such as \"10g\".";
constexpr const char* kDirectoryWords = "Where commands start; left out: /workspace, behind isolation process the workspace of the sandbox.";
constexpr const char* kNetworkWords = "What sandboxes reach at most: none; isolated: their own network; egress: what the policy allows; bridge: everything.";
constexpr const char* kStopWords = "Stop a sandbox after so many minutes without use.";
constexpr const char* kAllowWords = "Images that may be used: exact, or with * as in \"ubuntu:*\". Empty: any.";
constexpr const char* kEnvWords = "Variables of every sandbox.";
constexpr const char* kTimeoutWords = "The most that one command may take.";
constexpr const char* kPortWords = "Ports inside that the daemon's machine reaches on its loopback, each by a free one there; a sandbox tells which.";
constexpr Rules kPortRules{.min = 1, .max = 65535, .max_items = 64};
constexpr Rules kMemoryRules{.min = 6 << 20};
constexpr Rules kImageRules{.min_length = 1, .max_length = 512};
constexpr const char* kTemplateWords = "Template that sandboxes begin from, by name, \"NAME@VERSION\" or id; takes the place of an image.";
constexpr Rules kTemplateRules{.min_length = 1, .max_length = 100};
constexpr Rules kTimeoutRules{.min = 1, .max = 86'400'000};
constexpr Rules kRuntimeRules{.min_length = 1, .max_length = 64};

constexpr Field kSandbox[] = {
    Optional<&SandboxConfig::isolation>("isolation", "The kind of wall: virtual, process, container …, as this deployment has them.",
                                        {.pattern = {"^[a-z][a-z0-9_-]{0,31}$", "must be the name of an isolation, such as virtual"}}),
    Optional<&SandboxConfig::image>("image", kImageWords, kImageRules),
    Optional<&SandboxConfig::runtime>("runtime", "Container runtime.", kRuntimeRules),
    Optional<&SandboxConfig::from_template>("template", kTemplateWords, kTemplateRules),
    Optional<&SandboxConfig::memory_limit>("memory_limit", kMemoryWords, kMemoryRules),
    Optional<&SandboxConfig::cpu_limit>("cpu_limit", kCpuWords),
    Optional<&SandboxConfig::pids_limit>("pids_limit", kPidsWords, {.min = 1, .max = 1 << 20}),
    Optional<&SandboxConfig::disk_limit>("disk_limit", kDiskWords, {.min = 1 << 20}),
    Optional<&SandboxConfig::working_dir>("working_dir", kDirectoryWords, kPathRules),
    Optional<&SandboxConfig::network_mode>("network_mode", kNetworkWords),
    Optional<&SandboxConfig::network_allow>("network_allow", "Hosts that sandboxes may reach, with ports where given: \"pypi.org:443\", \"*.example.org\". Empty: none.",
                                            {.min_length = 1, .max_length = 300, .max_items = 256}),
    Optional<&SandboxConfig::allowed_ports>("allowed_ports", kPortWords, kPortRules),
    Optional<&SandboxConfig::auto_stop_minutes>("auto_stop_minutes", kStopWords, {.min = 1, .max = 60}),
    Optional<&SandboxConfig::image_allowlist>("image_allowlist", kAllowWords, {.min_length = 1, .max_length = 512, .max_items = 256}),
    Optional<&SandboxConfig::env>("env", kEnvWords, kEnvironmentRules),
    Optional<&SandboxConfig::exec_timeout_ms>("exec_timeout_ms", kTimeoutWords, kTimeoutRules),
};

constexpr Field kContainer[] = {
    Optional<&ContainerConfig::docker_host>("docker_host", "The engine: unix:///path, tcp://host:2375, http(s)://host:port. Left out: CONTAINER_SANDBOX_DOCKER_HOST, DOCKER_HOST, the usual sockets.",
                                            {.max_length = 512, .pattern = {"^(unix:///|tcp://|https?://)", "must begin with unix:///, tcp://, http:// or https://"}}),
    Optional<&ContainerConfig::runtime>("runtime", "Container runtime: runc, sysbox-runc, kata or gvisor.", kRuntimeRules),
    Optional<&ContainerConfig::image>("image", kImageWords, kImageRules),
    Optional<&ContainerConfig::from_template>("template", kTemplateWords, kTemplateRules),
    Optional<&ContainerConfig::memory_limit>("memory_limit", kMemoryWords, kMemoryRules),
    Optional<&ContainerConfig::cpu_limit>("cpu_limit", kCpuWords),
    Optional<&ContainerConfig::pids_limit>("pids_limit", kPidsWords, {.min = 1, .max = 1 << 20}),
    Optional<&ContainerConfig::disk_limit>("disk_limit", kDiskWords, {.min = 1 << 20}),
    Optional<&ContainerConfig::working_dir>("working_dir", kDirectoryWords, kPathRules),
    Optional<&ContainerConfig::network_mode>("network_mode", kNetworkWords),
    Optional<&ContainerConfig::auto_stop_minutes>("auto_stop_minutes", kStopWords, {.min = 1, .max = 60}),
    Optional<&ContainerConfig::allowed_ports>("allowed_ports", kPortWords, kPortRules),
    Optional<&ContainerConfig::image_allowlist>("image_allowlist", kAllowWords, {.min_length = 1, .max_length = 512, .max_items = 256}),
    Optional<&ContainerConfig::env>("env", kEnvWords, kEnvironmentRules),
    Optional<&ContainerConfig::exec_timeout_ms>("exec_timeout_ms", kTimeoutWords, kTimeoutRules),
};

template <class Config>
void SetLimits(const Config& config, CreateRequest& create) {
  if (config.memory_limit) create.limits.memory_bytes = config.memory_limit->bytes;
  if (config.cpu_limit) create.limits.cpus = config.cpu_limit->cores;
  if (config.pids_limit) create.limits.processes = static_cast<uint64_t>(*config.pids_limit);
  if (config.disk_limit) create.limits.disk_bytes = config.disk_limit->bytes;
  if (config.auto_stop_minutes) create.auto_stop = std::chrono::minutes(*config.auto_stop_minutes);
}

void SetReach(NetworkReach reach, EffectiveRules& rules) { rules.is_network_open = reach == NetworkReach::kEgress || reach == NetworkReach::kBridge; }

}  // namespace

std::span<const Field> FieldsOf(const SandboxConfig*) { return kSandbox; }
std::span<const Field> FieldsOf(const ContainerConfig*) { return kContainer; }

Status CheckConfig(const SandboxConfig& config) {
  PADDOCK_TRY(policy::AllowHosts(config.network_allow, "config.network_allow"));
  return {};
}
Status CheckConfig(const ContainerConfig&) { return {}; }

void Apply(const SandboxConfig& config, SandboxDefaults& defaults, EffectiveRules& rules) {
  CreateRequest& create = defaults.create;
  create.isolation = config.isolation;
  create.image = config.image;
  create.runtime = config.runtime;
  create.from_template = config.from_template.value_or("");
  create.environment = config.env;
  SetLimits(config, create);
  // Behind the process wall the workspace is a directory of the host with a path of its own.
  create.working_directory = config.working_dir.value_or(config.isolation == "process" ? "" : "/workspace");
  create.network = config.network_mode;
  defaults.image_allowlist = config.image_allowlist;
  defaults.max_exec_timeout = std::chrono::milliseconds(config.exec_timeout_ms);
  create.allowed_hosts = config.network_allow;
  for (const int64_t port : config.allowed_ports) create.ports.push_back(static_cast<uint16_t>(port));
  SetReach(config.network_mode.value_or(config.network_allow.empty() ? NetworkReach::kNone : NetworkReach::kEgress), rules);
}

void Apply(const ContainerConfig& config, SandboxDefaults& defaults, EffectiveRules& rules) {
  CreateRequest& create = defaults.create;
  create.isolation = "container";
  create.engine = config.docker_host.value_or("");
  create.image = config.image;
  create.runtime = config.runtime;
  create.from_template = config.from_template.value_or("");
  create.environment = config.env;
  SetLimits(config, create);
  create.working_directory = config.working_dir;
  create.network = config.network_mode;
  for (const int64_t port : config.allowed_ports) create.ports.push_back(static_cast<uint16_t>(port));
  defaults.image_allowlist = config.image_allowlist;
  defaults.max_exec_timeout = std::chrono::milliseconds(config.exec_timeout_ms);
  SetReach(config.network_mode, rules);
}

}  // namespace paddock::tools
