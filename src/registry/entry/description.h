// What the registry knows of a sandbox: how it was asked for, and how it is. Values; description_json.h stores them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "registry/entry/exec.h"
#include "registry/entry/lease.h"
#include "sandbox/tells_posture.h"

namespace paddock::registry {

using Labels = std::map<std::string, std::string>;

// Of a sandbox that a session made with an idempotency key: the digest of that. Forks do not inherit it.
inline constexpr const char* kOnceLabel = "idempotency-key";

enum class SandboxState {
  kRunning,   // execs are taken
  kPaused,    // files and shell kept; nothing runs
  kStopped,   // files kept; nothing runs
  kDeleting,  // being taken away; crashes finish it
};
const char* SandboxStateName(SandboxState state);
Result<SandboxState> ParseSandboxState(std::string_view name);

// What a sandbox may use; the driver refuses what its wall cannot bound.
struct SandboxLimits {
  std::optional<uint64_t> memory_bytes;     // virtual: of each exec
  std::optional<uint64_t> processes;
  std::optional<double> cpus;
  std::optional<uint64_t> disk_bytes;
  bool is_disk_usual = false;               // disk_bytes is the deployment's, not the request's
  std::optional<uint64_t> files;
  std::optional<Duration> exec_time;        // of each exec that does not say
  std::optional<Duration> cpu_time;         // of each exec; process: of those that run at the same time together
  std::optional<uint64_t> output_bytes;     // of each exec

  bool operator==(const SandboxLimits&) const = default;
};

// Of the image that a sandbox began from: what holds for execs that do not say otherwise.
struct ImageStart {
  std::vector<std::string> command;         // entrypoint and command of the image; empty: it names none
  // Where the wall runs the image's own programs.
  std::string working_directory;            // empty: the isolation's own
  std::optional<sandbox::WallUser> user;    // none: the isolation's own

  bool operator==(const ImageStart&) const = default;
};

// How a sandbox is asked for.
struct SandboxRequest {
  std::string name;                   // unique with its owner and parent; empty: none
  bool takes_existing = false;        // get-or-create: a sandbox of that name is the answer
  std::string parent;                 // the session that owns it; empty: none
  std::string isolation;              // empty: the daemon's own choice
  // What it begins as; empty: as the isolation's own do. Asked for as "snapshot:ID" or "template:ID" (or its name); then the id, for a fork the original's.
  std::string base;
  Labels labels;
  Variables environment;
  std::string working_directory;      // absolute; empty: the isolation's own
  std::string hostname = "paddock";
  sandbox::ContainerChoice container; // for containers; what is empty is the daemon's own choice
  ImageStart image;                   // of what it begins from; nobody asks for it
  SandboxLimits limits;
  policy::NetworkRules network;
  Lease lease;                        // what is not set is the daemon's own choice
  bool has_on_expiry = false;         // lease.on_expiry was asked for
  bool is_internal = false;           // serves the daemon itself: on no list and in no quota, and without the daemon's own choice of a lease
};

// A sandbox as it is.
struct SandboxInfo {
  std::string id;                     // sbx_…
  std::string owner;
  SandboxRequest request;             // the effective one
  SandboxState state = SandboxState::kRunning;
  bool was_idle = false;              // paused or stopped by its lease: the next use wakes it
  Time created{}, updated{}, extended{}, last_active{};
  std::optional<Expiry> expiry;
  size_t running = 0;                 // execs, queued ones too
  std::vector<std::string> warnings;  // what this host could not give
  // Of what stands in memory:
  std::vector<policy::PublishedPort> ports;    // with the host's numbers
  std::optional<sandbox::Posture> posture;     // where the wall tells it
};

}  // namespace paddock::registry
