// The launcher: what a new wall does to itself. It starts as a copy of the zygote (zygote.h), process 1 of a new PID
// namespace, and a child of the driver's process; it makes its network, gets its plan in two parts, builds its file tree, gives up every
// right and returns to its caller, which then runs the agent.
#pragma once

#include "base/result.h"
#include "drivers/process/wall/id_map.h"

namespace paddock::process_wall {

// The descriptors that it begins with.
inline constexpr int kLaunchDescriptor = 3;    // seqpacket: the plan and its sources in, launch messages out (launch_channel.h)
inline constexpr int kControlDescriptor = 4;   // stream: the guest protocol, once the wall stands
inline constexpr int kGateDescriptor = 5;      // a byte when the id maps are written; the end when nothing comes of it

// What has to be known before the plan.
struct WallOrder {
  IdPair uid, gid;
  bool is_root = false;             // the caller is root: ids are mapped to others
  bool allows_namespaces = false;   // code inside may make user namespaces
};

// The first part of a plan says who the code is, its cgroups, and how the file tree begins; the second all the rest. Each comes as bytes,
// and for root with the sources of its steps.
// Returns true in a finished wall, with only the control socket and 0 to 2 open. Every failure ends in _exit() after a
// message.
bool BuildWall(const WallOrder& order);

}  // namespace paddock::process_wall
