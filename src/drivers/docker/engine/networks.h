// Networks of an engine: one for each sandbox, from which neither the host nor the world nor other sandboxes are reached.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

struct NetworkInfo {
  std::string id, name;
  std::map<std::string, std::string> labels;
};

// Internal, and without an address of the host's on it: an engine's internal networks leave the host's services reachable otherwise.
// `subnet`: "10.66.0.0/29"; empty: from the engine's own pool, of which Docker has about 31. Errors: kNoSpace when no subnet is left.
Result<std::string> CreateNetwork(const Engine& engine, const std::string& name, const std::string& subnet, const std::map<std::string, std::string>& labels);
// Those that have all the labels.
Result<std::vector<NetworkInfo>> ListNetworks(const Engine& engine, const std::vector<std::string>& labels);
// Success when it is gone. Errors: kBusy while a container is on it: Podman would take it away under the container.
Status RemoveNetwork(const Engine& engine, const std::string& id);

}  // namespace paddock::docker
