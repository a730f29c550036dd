// The harnesses and agents of paddock.toml as documents.
#pragma once

#include <vector>

#include "api/config/config.h"
#include "tools/capability/harness.h"

namespace paddock::api {

struct Configured {
  tools::HarnessSet harnesses;   // with the built-in ones, which they may replace
  std::vector<tools::AgentDocument> agents;
};
// Errors: kInvalid with the place, the name and the key.
Result<Configured> ReadConfigured(const std::vector<Definition>& harnesses, const std::vector<Definition>& agents);

}  // namespace paddock::api
