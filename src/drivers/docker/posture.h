// Posture: how a container's processes stand before the kernel, as the agent inside reads it from /proc: engines are known to accept and
// ignore what they are asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "guest/client/files.h"

namespace paddock::docker {

struct Posture {
  uint64_t capabilities = 0;          // permitted, effective, bounding, inheritable and ambient together, a bit each
  bool has_no_new_privileges = false;
  bool has_seccomp_filter = false;
  // Who user 0 inside is on the engine's machine; a shifted map has another than 0. The map's first line, "0 100000 65536".
  uint64_t root_is = 0;
  std::string user_map;

  bool is_user_namespace_shifted() const { return root_is != 0; }
};

// From the texts of /proc/self/status and /proc/self/uid_map. A line that is missing counts as the worst that it could say.
Posture ParsePosture(std::string_view status, std::string_view user_map);
// Of the agent, which all execs descend from.
Result<Posture> ReadPosture(guest::GuestFiles files);

// That nothing of what was asked for was ignored. `has_own_kernel`: the runtime is a kernel of its own (gVisor, Kata), where neither seccomp
// filters nor no_new_privs are the engine's. `needs_user_namespace`: user 0 inside must be another user outside. Errors: kUnavailable naming
// what is missing.
Status CheckPosture(const Posture& posture, bool has_own_kernel, bool needs_user_namespace);

}  // namespace paddock::docker
