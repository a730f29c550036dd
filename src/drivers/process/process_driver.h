// The process driver: sandboxes that are real programs on this host's kernel behind namespaces, mounts, Landlock, seccomp
// and cgroups.
#pragma once

#include <memory>

#include "sandbox/sandbox.h"

namespace paddock::sandbox {

// Costs nothing until Create(), which needs a policy in the spec. Errors of Create(): kInvalid for a spec that this wall
// cannot express, kUnavailable with the part of the host that is missing and its remedy. Safe from any thread.
std::unique_ptr<Driver> MakeProcessDriver();

}  // namespace paddock::sandbox
