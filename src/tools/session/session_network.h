// What a sandbox of a session may reach: of what is configured, what was asked for.
#pragma once

#include "policy/policy.h"
#include "tools/session/session_access.h"

namespace paddock::tools {

// The rules of a new sandbox: what is configured may be reached, unless less was asked for. Errors: kUnavailable for a reach that sandboxes of
// sessions do not have, kInvalid for a host.
Result<policy::NetworkRules> NetworkOf(const CreateRequest& request);

}  // namespace paddock::tools
