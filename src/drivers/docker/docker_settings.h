// What of an operator's settings for containers a sandbox gets.
#pragma once

#include <string>
#include <vector>

#include "sandbox/container_settings.h"
#include "sandbox/spec.h"

namespace paddock::docker {

using DockerSettings = sandbox::ContainerSettings;
using Profile = sandbox::ContainerProfile;

// The runtime that a sandbox gets: the operator's, unless it asks for another one that is allowed. Errors: kAccess.
Result<std::string> CheckRuntime(const std::string& asked, const DockerSettings& settings);
// The engine's name for a runtime: "gvisor" is registered as runsc, "kata" as kata-runtime or io.containerd.kata.v2; for "runc" crun does. Of
// several that the engine has, its default one. Errors: kUnavailable naming those that are registered.
Result<std::string> RegisteredRuntime(const std::string& runtime, const std::vector<std::string>& registered, const std::string& usual = "");
// Errors: kInvalid for what is no reference, kAccess for an image that is not allowed. Gives the full reference.
Result<std::string> CheckImage(const std::string& image, const std::vector<std::string>& allowed);
// The image that a sandbox gets, likewise.
Result<std::string> ImageOf(const sandbox::ContainerChoice& choice, const DockerSettings& settings);

}  // namespace paddock::docker
