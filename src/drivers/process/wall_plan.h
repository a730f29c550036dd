// From a policy to the plan of a wall: which files are shown how, who the code is, what bounds it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/process/host_facts.h"
#include "drivers/process/host_traces.h"
#include "drivers/process/wall/launcher.h"
#include "drivers/process/wall/plan.h"
#include "policy/policy.h"
#include "sandbox/spec.h"

namespace paddock::process_wall {

// Who the code is, inside and on the host. Root's sandboxes have host ids of their own, drawn by lot, so that two that run
// at once have different ones. A wall maps one user and one group; `user` says which they are inside.
WallOrder MakeWallOrder(const policy::Policy& policy, const HostFacts& facts, const std::optional<sandbox::WallUser>& user = {});

// The same, with other host ids for one of root's sandboxes.
WallOrder WithNewHostIds(WallOrder order);

// Places that a plan depends on besides the policy.
struct PlanContext {
  WallOrder order;
  std::string root_store;          // of sandbox::KeepsRoot; empty: what is changed in the root is gone with the sandbox
  std::string overlay_directory;   // of the host, with upper/ and work/; for WorkspaceMode::kOverlay
  std::string private_directory;   // of the host, real path: hidden wherever a rule would show it. Empty: none
  std::string ca_certificate;      // PEM put at kCaPath inside, or empty
  std::string ca_bundle;           // PEM put at kCaBundlePath inside, or empty
  std::vector<sandbox::MountSpec> mounts;   // host directories shown elsewhere, read-only
  std::vector<std::string> pinned;      // existing paths that must keep their names (ancestors of protected ones)
  std::vector<std::string> protected_paths;   // existing paths that become read-only
  std::optional<std::vector<HostMount>> host_mounts;   // HostMounts(), when they are known already
  std::vector<MountStep> base;          // of MakeBaseSteps(), which the wall has already
  std::vector<std::string> extra_reads, extra_writes;   // of the host, besides the policy's: a worktree's repository
};

inline constexpr const char* kCaPath = "/run/paddock/ca.pem";
inline constexpr const char* kCaBundlePath = "/run/paddock/ca-bundle.pem";

// The workspace inside; the policy's, or the private one.
std::string WorkspacePath(const policy::FileRules& rules);
// The home inside: the policy's, or the private /tmp.
std::string HomePath(const policy::FileRules& rules);

// With what every plan of a host begins that shows the host, whatever the policy's paths: its system directories, /proc, /dev and the private
// places. Depends on the policy by the size of these alone, and not on chance. Nothing where the policy brings a root of its own.
std::vector<MountStep> MakeBaseSteps(const policy::Policy& policy, const HostFacts& facts);

// The plan without the steps of `context.base`. Errors: kInvalid and kNoEntry name the path and the rule.
Result<WallPlan> MakeWallPlan(const policy::Policy& policy, const HostFacts& facts, const PlanContext& context);

}  // namespace paddock::process_wall
