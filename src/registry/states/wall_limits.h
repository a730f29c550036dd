// A sandbox's limits as a wall takes them.
#pragma once

#include "registry/entry/description.h"

namespace paddock::registry {

// What was not asked for is left to the wall.
inline policy::ResourceLimits WallLimits(const SandboxLimits& asked) {
  policy::ResourceLimits limits{};
  limits.memory_bytes = asked.memory_bytes;
  limits.processes = asked.processes;
  limits.cpus = asked.cpus;
  limits.disk_bytes = asked.disk_bytes;
  limits.is_disk_usual = asked.is_disk_usual;
  limits.files = asked.files;
  return limits;
}

}  // namespace paddock::registry
