// NetworkAccess: what a sandbox's network policy needs besides the engine: its sockets inside the wall, the secrets'
// values, the variables that point programs at the engine.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "drivers/process/wall/plan.h"
#include "drivers/process/wall_launch.h"
#include "drivers/process/wall_plan.h"
#include "egress/egress.h"
#include "policy/policy.h"
#include "sandbox/denial_log.h"

namespace paddock::process_wall {

class NetworkAccess {
 public:
  // Starts the engine, before the wall. Errors: kInvalid and kNoEntry for a rule or a secret's source, the engine's.
  static Result<std::unique_ptr<NetworkAccess>> Start(const policy::Policy& policy, std::shared_ptr<sandbox::DenialLog> denials);

  // Adds what the wall must have: certificates before the plan is made, listeners and captured routes to the plan.
  Status AddCertificates(PlanContext& context);
  void AddListeners(WallPlan& plan);
  // Takes the listeners of the wall that was built by that plan.
  Status Connect(Wall& wall);

  // NAME, value: proxies, certificates, placeholders of secrets.
  std::vector<std::pair<std::string, std::string>> Variables() const;
  egress::Egress& engine() { return *engine_; }

 private:
  NetworkAccess() = default;
  void AddListener(WallPlan& plan, ListenerSpec spec, egress::ListenerKind kind);

  std::unique_ptr<egress::Egress> engine_;
  std::vector<egress::Listener> kinds_;   // of the plan's listeners, without descriptors
  std::vector<uint16_t> captured_ports_;
  std::vector<uint16_t> host_ports_;
  bool shows_certificates_ = false;
};

}  // namespace paddock::process_wall
