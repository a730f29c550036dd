// OciSettings: what an operator sets for containers that a runtime binary starts without an engine; sandboxes may only ask for less.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace paddock::oci {

enum class Profile {
  kStrict,   // user 1000, a read-only root, a workspace and /tmp to write to
  kDev,      // the container's root, without capabilities, on a root that can be written to; the changes are in memory
};

struct OciSettings {
  std::string name = "oci";                 // of the driver
  // A path, or a name that is looked for where programs are; empty: crun, then runc. runsc takes gVisor.
  std::string runtime;
  // Where what runs is kept track of: absolute, made if missing; runtimes want it on a disk of the machine's own. Needed.
  std::string state_directory;
  // Which sandboxes are this deployment's: two daemons on one machine leave each other's alone. Letters, digits, "-", "_" and ".".
  std::string deployment = "default";
  std::string agent_program;                // the file of paddock-guest; empty: beside this program
  std::string root;                         // the root of sandboxes that bring none (policy: files.root); a directory; empty: none
  Profile profile = Profile::kStrict;
  uint64_t memory_bytes = 2ull << 30;       // with no swap beside it
  int64_t nano_cpus = 1'000'000'000;
  int64_t pids = 256;
  uint64_t private_bytes = 512ull << 20;    // of /tmp, /run, /dev/shm and a workspace that is the sandbox's own, together; in memory
  uint64_t open_files = 4096;
  std::chrono::milliseconds patience{20'000};   // for each call of the runtime, and for the agent
};

// Errors: kInvalid that names the setting.
Status CheckSettings(const OciSettings& settings);

}  // namespace paddock::oci
