// TellsPosture: a facet of a sandbox that says how its code is confined, as it was read when it stood, not as it was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace paddock::sandbox {

// What is not set this wall does not have, or nobody has looked at.
struct Posture {
  std::string runtime;                       // the container runtime that was found; empty: none, or not known
  std::string user_map;                      // first line of the user namespace's map: "0 100000 65536"
  std::optional<bool> is_root_somebody_else; // user 0 inside is another user outside
  std::optional<bool> has_seccomp_filter;
  std::optional<bool> has_no_new_privileges;
  std::optional<uint64_t> capabilities;      // of all sets together, a bit each

  bool operator==(const Posture&) const = default;
};

// "00000000a80425fb", as in /proc/PID/status.
std::string CapabilityText(uint64_t capabilities);

class TellsPosture {
 public:
  virtual ~TellsPosture() = default;
  // Does not change while the sandbox stands. Any thread.
  virtual Posture GetPosture() const = 0;
};

}  // namespace paddock::sandbox
