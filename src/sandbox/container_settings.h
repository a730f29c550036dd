// ContainerSettings: what an operator sets for containers; sandboxes may only ask for less.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::sandbox {

enum class ContainerProfile {
  kStrict,   // user 1000, a read-only root, a workspace and /tmp to write to
  kDev,      // the image's root, writable; still without capabilities
};

struct EngineSettings {
  std::string host;   // "unix:///run/docker.sock", "/run/docker.sock", "tcp://h:2376", "http://h:2375", "https://h:2376"; empty: found
  // PEM files; any of them, or https, means TLS.
  std::string ca_file, certificate_file, key_file;
  // Lets an engine beyond loopback be used without TLS: whoever can reach it, or sits between, owns its machine.
  bool allows_insecure = false;
  bool operator==(const EngineSettings&) const = default;
};

struct ContainerSettings {
  EngineSettings engine;
  std::vector<std::string> other_engines;     // hosts that a sandbox may name instead; certificates are the same
  std::string runtime;                        // runc, sysbox-runc, kata, gvisor, or a registered name; empty: the engine's default
  std::vector<std::string> other_runtimes;    // that a sandbox may ask for instead
  std::string image = "ubuntu:24.04";
  std::vector<std::string> allowed_images;    // full references, or repositories without a tag; empty: any
  uint64_t memory_bytes = 2ull << 30;
  int64_t nano_cpus = 1'000'000'000;
  int64_t pids = 256;
  uint64_t tmpfs_bytes = 512ull << 20;        // of /tmp
  std::optional<uint64_t> disk_bytes;         // that a sandbox may have on the engine's disk
  size_t warm = 0;                            // containers that stand ready before they are asked for
  bool needs_user_namespace = false;          // refused unless user 0 inside is another user outside
  ContainerProfile profile = ContainerProfile::kStrict;
  // An interface on a network of its own, for programs that want one. Nothing needs it, as what may be reached is reached through the agent;
  // and it is no tight wall: Docker hands broadcasts and multicasts of code inside to UDP servers of the host.
  // One of its own, from which neither the host's TCP nor the world is reached, but UDP broadcasts reach the host; false: only loopback.
  bool has_network = false;
  // Which sandboxes on an engine are this deployment's: two daemons on one engine leave each other's alone.
  std::string deployment = "default";
  std::string profile_directory;              // where a Podman on this machine can read files of ours; empty: that for temporary files
  std::string state_directory;                // where containers without an engine are kept track of; absolute
  std::string agent_program;                  // the file of paddock-guest; empty: beside this program
};

// Facet of a Driver whose sandboxes are containers.
class TakesContainerSettings {
 public:
  virtual ~TakesContainerSettings() = default;
  // Gets what there is to tell while an image is fetched, a line at a time; the last one says how it ended. Also what is done without, alone and last.
  using Progress = std::function<void(const std::string& line, bool is_last)>;
  // Before the first sandbox; `progress` may be null, and is called on any thread. Errors: kInvalid that names the setting.
  virtual Status Configure(ContainerSettings settings, Progress progress) = 0;
};

}  // namespace paddock::sandbox
