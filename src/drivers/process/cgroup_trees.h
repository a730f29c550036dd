// The hierarchies of cgroups on this host, and where in each of them groups for sandboxes can be made.
#pragma once

#include <string>
#include <vector>

namespace paddock::process_wall {

struct CgroupTree {
  std::string controllers;   // "memory", "cpu,cpuacct"; empty for v2
  std::string directory;     // groups are made below it: of v1 the caller's own group, of v2 what SettleInTree() found
};

// From /proc/self/cgroup and /proc/self/mountinfo, which wait for locks of the whole machine. May enable controllers of v2 below
// the directory that it gives, and move the processes of a delegated group into a group below it (SettleInTree()).
std::vector<CgroupTree> FindCgroups();

// Where in the v2 hierarchy that is mounted at `mount_point` groups with limits can be made by a process of the group `own`, a directory
// below it. A group that has processes cannot give controllers to groups below it, so it is the first of:
//  * `own`, if systemd has delegated it, or nothing is above it: its processes move to `own`/paddock-members,
//  * the nearest group above that may be written to and has no processes of its own (a slice),
//  * `own`, where its user may write to it.
// It has memory and pids among its controllers if any place has. `own` when there is none: what is made there has no limits.
std::string SettleInTree(const std::string& mount_point, const std::string& own);

}  // namespace paddock::process_wall
