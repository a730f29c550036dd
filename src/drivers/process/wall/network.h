// The network of a wall, seen from inside its namespace: loopback, and the sockets on which the egress engine outside
// waits.
#pragma once

#include "base/result.h"
#include "base/descriptor.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

// Brings loopback up; with `captures_all`, connections to any address arrive there, too.
Status SetUpNetwork(bool captures_all);
Result<Descriptor> MakeListener(const ListenerSpec& spec);

}  // namespace paddock::process_wall
