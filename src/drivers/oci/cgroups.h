// The cgroups of containers, v1 or v2, as the host sees them: their limits and counts, and their end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::oci {

// "/paddock-oci-DEPLOYMENT/ID", as runtimes take it.
std::string CgroupPath(const std::string& deployment, const std::string& id);

// Whether the kernel counts swap together with memory; where it does not, runtimes refuse a limit on it.
bool CountsSwap();

// Where v2 is mounted on a machine whose memory, processes and processor are v1's; empty: it is not so.
std::string UnifiedBesideV1();

struct GroupUsage {
  std::optional<uint64_t> cpu_nanoseconds, memory_bytes, disk_read_bytes, disk_written_bytes;
};

class ContainerGroup {
 public:
  // Of a process. Errors: kUnavailable when it is in another group than `path` in one of the hierarchies of memory, processes and processor.
  static Result<ContainerGroup> Of(pid_t process, const std::string& path);
  ContainerGroup() = default;

  // kUnavailable where a limit is not set as it was asked for.
  Status CheckLimits(uint64_t memory_bytes, int64_t pids, int64_t nano_cpus) const;
  GroupUsage Measure() const;

 private:
  std::string Read(const char* controller, const char* v2, const char* v1) const;   // the first line; empty if there is none

  std::map<std::string, std::string> directories_;   // by controller; "" is v2
};

// Lets what is frozen in the group go on.
void ThawGroup(const std::string& path);
// Kills what runs in the group and removes it, in every hierarchy; gives what was there.
Result<std::vector<std::string>> RemoveGroup(const std::string& path);
// The names of the deployment's groups, in any hierarchy.
std::set<std::string> GroupsOf(const std::string& deployment);
// The deployment's own group, if it is empty.
void RemoveDeploymentGroup(const std::string& deployment);

}  // namespace paddock::oci
