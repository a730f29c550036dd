// Published ports: ports inside a sandbox that the host reaches on its own loopback, and nobody else. Connections go through the agent, so
// nothing of the sandbox's network touches the host's.
#pragma once

#include <vector>

#include "guest/bridge/stream_bridge.h"
#include "policy/policy.h"

namespace paddock::guest {

// Listens on 127.0.0.1 for each until the bridge ends. Gives them with the numbers that were chosen where the host's was 0.
// Errors: the system's, naming the port.
Result<std::vector<policy::PublishedPort>> PublishPorts(StreamBridge& bridge, std::vector<policy::PublishedPort> ports);

}  // namespace paddock::guest
