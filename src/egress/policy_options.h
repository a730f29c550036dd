// What a policy asks of the engine, whatever wall it serves: rules, the values of secrets, trust; and what programs inside must know.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "egress/egress.h"
#include "policy/policy.h"

namespace paddock::egress {

// Rules, secrets and trust. Errors: kInvalid and kNoEntry for a secret's source or a file of network.tls_trust, by name.
Result<EgressOptions> OptionsOf(const policy::Policy& policy);

// Programs inside have to trust the engine's authority, or the operator's.
bool ShowsCertificates(const policy::Policy& policy);

// Where things are inside.
struct Places {
  uint16_t proxy_port = 3128;   // of 127.0.0.1; ListenerKind::kProxy
  std::string ca_path;          // CaCertificatePem(), and
  std::string ca_bundle_path;   // CaBundlePem(); empty: neither is shown
};

// NAME, value: proxies, certificates, placeholders of secrets.
std::vector<std::pair<std::string, std::string>> ProgramVariables(const Egress& engine, const Places& places);

}  // namespace paddock::egress
