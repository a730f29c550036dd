// BundleSpec: all that a container of this driver can be, and nothing else. What would open one is not a field that is checked but a field
// that is not there: capabilities, devices, namespaces of the host, its paths, sysctls, hooks. The sources of all mounts are places in the
// stage (stage.h), which only exist in the mount namespace that the runtime is started in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "seccomp/runtime_profile.h"

namespace paddock::oci {

inline constexpr const char* kAgentDirectory = "/.paddock";
inline constexpr const char* kAgentProgram = "/.paddock/paddock-guest";
inline constexpr const char* kWorkspace = "/workspace";

// A place of the stage that is shown inside.
struct StagedMount {
  std::string place;    // below the stage's directory: "private/tmp"
  std::string target;   // absolute
  bool is_writable = false;
};

struct BundleSpec {
  std::string stage;                    // where the stage is mounted, absolute; its "root" is the container's
  bool has_writable_root = false;
  std::vector<StagedMount> mounts;
  std::string hostname = "paddock";
  uint32_t user = 1000;                 // uid and gid inside
  uint32_t first_host_id = 0;           // what uid 0 inside is outside; that of the user is the next one. Nobody's, never 0
  std::string cgroup;                   // "/paddock-oci-default/oci-…"
  uint64_t memory_bytes = 2ull << 30;
  bool limits_swap = true;              // the kernel counts it
  int64_t nano_cpus = 1'000'000'000;
  int64_t pids = 256;
  uint64_t open_files = 4096;
  seccomp::RuntimeProfile seccomp;
  uint64_t file_bytes = 0;              // the most that one file can have; 0: any
  std::vector<std::pair<std::string, std::string>> annotations;
};

// config.json. Source: opencontainers/runtime-spec 1.0.2, config.md and config-linux.md.
std::string BundleConfig(const BundleSpec& spec);

}  // namespace paddock::oci
