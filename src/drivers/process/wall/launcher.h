// The launcher: builds a wall from its plan and becomes its init. This is what paddock-guest does when the process
// driver starts it; the driver's side is drivers/process/wall_launch.h.
//
// Two processes. The first has the rights of the caller on the host: it joins the cgroups, makes the namespaces, writes
// their id maps, and stays as a guard that ends the wall when the driver ends, however that happens, and removes the
// cgroups. The second, process 1 of the new PID namespace and a child of the driver, builds the file tree and the
// network, gives up every right and returns to its caller, which then runs the agent.
#pragma once

#include <string>
#include <vector>

namespace paddock::process_wall {

// The sockets that paddock-guest is started with.
inline constexpr int kLaunchDescriptor = 3;    // seqpacket: the plan in, launch messages out (launch_channel.h)
inline constexpr int kControlDescriptor = 4;   // stream: the guest protocol, once the wall stands

// `cgroups` are directories that exist now or will when the plan comes; they are removed at the end, whatever happens.
// Returns true in the init process of a finished wall, with only the control socket and 0 to 2 open. The other process
// and every failure end in _exit() after a message.
bool BuildWall(std::vector<std::string> cgroups);

}  // namespace paddock::process_wall
