// The options that choose and widen a policy, shared by the subcommands that make a walled sandbox.
#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "base/options.h"
#include "policy/context.h"
#include "policy/policy.h"
#include "sandbox/spec.h"

namespace paddock::cli {

struct PolicyOptions {
  std::string document;
  std::string preset;
  std::string workspace;
  std::string root;
  bool is_overlay = false;
  std::string overlay_name;
  std::vector<std::string> hosts;
  std::vector<std::string> reads;
  std::vector<std::string> writes;
  std::vector<std::string> secrets;
  std::vector<std::string> tls_trust;
  std::vector<std::string> publish;

  // True when none was given.
  bool is_empty() const {
    return document.empty() && preset.empty() && workspace.empty() && root.empty() && !is_overlay && overlay_name.empty() && hosts.empty() && reads.empty() &&
           writes.empty() && secrets.empty() && tls_trust.empty() && publish.empty();
  }
};

inline constexpr Option kPolicyOptions[] = {
    Value<&PolicyOptions::preset>('P', "preset", "NAME", "rules that come with Paddock: workspace (default), read-only, agent, trusted"),
    Value<&PolicyOptions::document>('p', "policy", "FILE", "rules from a JSON or TOML document (docs/policy.md)"),
    Value<&PolicyOptions::workspace>('w', "workspace", "DIR", "the directory to work in (default: the current one)"),
    Value<&PolicyOptions::root>(0, "root", "DIR", "a directory that stands as / inside, say of debootstrap; changes are gone with the run"),
    Flag<&PolicyOptions::is_overlay>(0, "overlay", "keep changes to the workspace apart, for 'paddock diff' and 'paddock apply'"),
    Value<&PolicyOptions::overlay_name>(0, "overlay-name", "NAME", "like --overlay, apart from the workspace's other overlays"),
    Value<&PolicyOptions::reads>(0, "allow-read", "PATH", "show a path of the host, read-only"),
    Value<&PolicyOptions::writes>(0, "allow-write", "PATH", "let a path of the host be changed"),
    Value<&PolicyOptions::hosts>(0, "allow-host", "HOST[:PORTS]", "let connections to a host through (name, *.name, address, CIDR)"),
    Value<&PolicyOptions::secrets>(0, "secret", "NAME=env:VAR@HOST", "put a credential in at the edge, for one host; inside, NAME holds a placeholder"),
    Value<&PolicyOptions::tls_trust>(0, "tls-trust", "FILE", "certificates (PEM) that servers may chain to besides the system's"),
    Value<&PolicyOptions::publish>(0, "publish", "[PORT:]PORT", "reach a port inside from the host's loopback; :PORT takes any free one there"),
};

// Builds the policy: the document or the preset (default: workspace), then what the options add. Errors name the option.
Result<policy::Policy> MakePolicy(const PolicyOptions& options, const policy::HostContext& context);

// Applies --limits: what bounds the wall goes to the policy, time and output to the exec.
Status AddLimits(const std::vector<std::string>& lists, policy::Policy& policy, Limits& exec);

// The variables that a program starts with under a policy: those of the host that it passes on, and those that it sets.
Environment MakeEnvironment(const policy::EnvironmentRules& rules, char** host_environment);

}  // namespace paddock::cli
