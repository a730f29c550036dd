// Where a Docker Engine (or Podman's service in its place) is reached, and how it is found.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "net/tls.h"
#include "sandbox/container_settings.h"

namespace paddock::docker {

using EndpointSettings = sandbox::EngineSettings;

struct Endpoint {
  net::Address address;
  std::optional<net::ClientTls> tls;
  std::string text;   // for people: "unix:///run/docker.sock"
  std::optional<std::chrono::milliseconds> longest_call;   // waits no longer for any answer than this, where that is less
  bool operator==(const Endpoint& other) const { return text == other.text; }
};

// Errors: kInvalid that names the setting and the remedy: unknown schemes (ssh and npipe are refused by name), plain TCP beyond loopback, a
// certificate without its key, TLS for a unix socket.
Result<Endpoint> ParseEndpoint(const EndpointSettings& settings);

// Gives an environment variable's value; null if there is none.
using GetVariable = std::function<const char*(const char* name)>;

// The endpoints to try, in order. A host in the settings, or else in CONTAINER_SANDBOX_DOCKER_HOST or DOCKER_HOST (with DOCKER_TLS_VERIFY
// and DOCKER_CERT_PATH), is the only one; without any: the default socket, rootless Docker's, Podman's and rootless Podman's, where a
// socket lies there. Errors: those of ParseEndpoint(), with the name of the variable; kUnavailable naming what was looked for.
Result<std::vector<Endpoint>> FindEndpoints(const EndpointSettings& settings, const GetVariable& variable, uint32_t user);

}  // namespace paddock::docker
