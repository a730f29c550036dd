// The container driver: sandboxes that are containers of a Docker Engine or of Podman.
#pragma once

#include <memory>

#include "drivers/docker/docker_settings.h"
#include "drivers/docker/engine/endpoint.h"
#include "sandbox/sandbox.h"

namespace paddock::docker {

// Costs nothing until the first Create(), which finds the engine. Errors of Create(): kUnavailable (no engine, runtime or agent), kNoEntry and
// kAccess (the image), kNotSupported naming what a container cannot keep of the policy. Safe from any thread. `variable` gives the
// environment's values, for the endpoint.
std::unique_ptr<sandbox::Driver> MakeDockerDriver(DockerSettings settings, GetVariable variable);

}  // namespace paddock::docker
