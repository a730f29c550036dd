// What can be measured of the sandbox from within.
#pragma once

#include <vector>

#include "guest/protocol/port_messages.h"

namespace paddock::guest {

// children.user_us, children.system_us, children.max_resident_bytes (of what has been reaped); memory.total_bytes,
// memory.available_bytes (of the machine); cgroup.memory_bytes, cgroup.memory_peak_bytes, cgroup.oom_kills, cgroup.cpu_ns,
// cgroup.disk_read_bytes, cgroup.disk_written_bytes,
// cgroup.processes, cgroup.forks_refused (of the group that /sys/fs/cgroup shows, where it shows one); uptime_ms of the agent's clock.
std::vector<UsageValue> MeasureUsage();

}  // namespace paddock::guest
