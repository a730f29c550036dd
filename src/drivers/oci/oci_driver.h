// The driver of containers without an engine: OCI bundles under crun or runc, or, as a second instance, under gVisor's runsc.
#pragma once

#include <memory>

#include "drivers/oci/oci_settings.h"
#include "sandbox/sandbox.h"

namespace paddock::oci {

// Costs nothing until the first Create(), which finds the runtime, and gVisor's platform by trying. It has the facet sandbox::KeepsRoot.
// Errors of Create(): kUnavailable (not root, no runtime, what runs is not what was asked for), kTimedOut (a runtime that hangs), kInvalid
// (settings, no root file system), kNotSupported naming what this wall cannot keep of the policy. Safe from any thread.
std::unique_ptr<sandbox::Driver> MakeOciDriver(OciSettings settings);

}  // namespace paddock::oci
