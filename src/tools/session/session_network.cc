#include "tools/session/session_network.h"

#include "policy/host_pattern.h"

namespace paddock::tools {

Result<policy::NetworkRules> NetworkOf(const CreateRequest& request) {
  const NetworkReach reach = request.network.value_or(request.allowed_hosts.empty() ? NetworkReach::kNone : NetworkReach::kEgress);
  // A container has a network of its own, from which nothing is reached, where the operator wants one.
  if (reach == NetworkReach::kNone || (reach == NetworkReach::kIsolated && request.isolation == "container")) return policy::NetworkRules{};
  if (reach != NetworkReach::kEgress) return Error(Code::kUnavailable, "network: sandboxes here have \"none\" or \"egress\"; ask for one of these");
  if (request.allowed_hosts.empty()) return Error(Code::kUnavailable, "network: this session allows no hosts (network_allow); leave it out or ask for \"none\"");
  return policy::AllowHosts(request.allowed_hosts, "network_allow");
}

}  // namespace paddock::tools
