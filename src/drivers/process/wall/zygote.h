// The zygote: one process a driver, from which all its walls are forked. It is paddock-guest, started once; every wall's
// process 1 is a copy of it in namespaces of its own, which costs less than a program to execute. It also guards all walls:
// it ends them when the driver ends, however that happens. The driver's side is drivers/process/wall_launch.h.
//
// It knows no plan: a wall's plan goes to the wall itself. What it has to know, the names of cgroups, is in memory that its
// copies do not get (wiped_pages.h), so nothing of one sandbox but numbers is copied into the next.
#pragma once

namespace paddock::process_wall {

// The socket (zygote_request.h) that paddock-guest is started with; closing its other end ends every wall.
inline constexpr int kZygoteDescriptor = 3;

// Serves until the driver is gone. Returns true in the process 1 of a finished wall, as BuildWall() does; every other end
// is an _exit().
bool RunZygote();

}  // namespace paddock::process_wall
