// What a sandbox has used.
#pragma once

#include "sandbox/sandbox.h"

namespace paddock::registry {

// Zeros where its wall does not measure.
inline sandbox::Measured Measure(const sandbox::Sandbox& live) {
  const auto* metered = dynamic_cast<const sandbox::Metered*>(&live);
  return metered != nullptr ? metered->Measure() : sandbox::Measured{};
}

}  // namespace paddock::registry
