// The options of --isolation container, and what oci and gvisor take of them.
#pragma once

#include <string>

#include "base/options.h"
#include "cli/sandbox_options.h"
#include "sandbox/sandbox.h"

namespace paddock::cli {

struct ContainerOptions : SandboxOptions {
  std::string image, runtime, docker_host, profile;

  bool has_container() const { return !image.empty() || !runtime.empty() || !docker_host.empty() || !profile.empty(); }
};

inline constexpr Option kContainerOptions[] = {
    Value<&ContainerOptions::image>('I', "image", "IMAGE", "what the container is made from (default: ubuntu:24.04)"),
    Value<&ContainerOptions::runtime>(0, "runtime", "NAME", "runc, sysbox-runc, kata or gvisor, as the engine has them (default: the engine's)"),
    Value<&ContainerOptions::docker_host>(0, "docker-host", "URL", "the engine: unix:///path or tcp://host:port (default: $CONTAINER_SANDBOX_DOCKER_HOST, $DOCKER_HOST, the usual sockets)"),
    Value<&ContainerOptions::profile>(0, "profile", "PROFILE", "strict (default): user 1000 and a read-only root; dev: the image's root user, all writable (also oci, gvisor)"),
};

// Whether an isolation is made of containers, with an engine or without.
bool IsContainer(const std::string& isolation);

// Tells the driver where and from what, and fills both specs: nothing of the host is inside but, without an engine, the root; no variables
// either. Errors name the option.
Status ApplyContainer(const ContainerOptions& options, sandbox::Driver& driver, sandbox::SandboxSpec& sandbox, sandbox::ExecSpec& exec);

}  // namespace paddock::cli
