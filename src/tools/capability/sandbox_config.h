// The configuration of the capabilities that make sandboxes: what an operator says about them.
#pragma once

#include "tools/tool.h"

namespace paddock::tools {

// Of `sandbox`: any isolation. A member without a value is left to the wall.
struct SandboxConfig {
  std::string isolation = "virtual";
  std::optional<std::string> image, runtime, from_template;
  std::optional<ByteAmount> memory_limit;
  std::optional<CoreAmount> cpu_limit;
  std::optional<int64_t> pids_limit;
  std::optional<ByteAmount> disk_limit;
  std::optional<std::string> working_dir;
  std::optional<NetworkReach> network_mode;
  std::vector<std::string> network_allow;
  std::vector<int64_t> allowed_ports;
  std::optional<int64_t> auto_stop_minutes;
  std::vector<std::string> image_allowlist;
  std::map<std::string, std::string> env;
  int64_t exec_timeout_ms = 600'000;
};
std::span<const Field> FieldsOf(const SandboxConfig*);
// What no field alone says. Errors: kInvalid with the key.
Status CheckConfig(const SandboxConfig& config);
void Apply(const SandboxConfig& config, SandboxDefaults& defaults, EffectiveRules& rules);

// Of `container_sandbox`. What has no value is as the daemon has it for containers: by default image ubuntu:24.04, runtime runc, 2 GiB, one
// core, 256 processes, stopped after 10 minutes.
struct ContainerConfig {
  std::optional<std::string> docker_host;
  std::optional<std::string> runtime, image, from_template;
  std::optional<ByteAmount> memory_limit;
  std::optional<CoreAmount> cpu_limit;
  std::optional<int64_t> pids_limit;
  std::optional<ByteAmount> disk_limit;
  std::string working_dir = "/workspace";
  NetworkReach network_mode = NetworkReach::kIsolated;
  std::optional<int64_t> auto_stop_minutes;
  std::vector<int64_t> allowed_ports;
  std::vector<std::string> image_allowlist;
  std::map<std::string, std::string> env;
  int64_t exec_timeout_ms = 600'000;
};
std::span<const Field> FieldsOf(const ContainerConfig*);
Status CheckConfig(const ContainerConfig& config);
void Apply(const ContainerConfig& config, SandboxDefaults& defaults, EffectiveRules& rules);

}  // namespace paddock::tools
