#include "drivers/docker/engine/endpoint.h"

#include <sys/stat.h>

#include <charconv>

namespace paddock::docker {
namespace {

constexpr const char* kForms = "unix:///path, tcp://host:port, http://host:port and https://host:port can be used";
constexpr uint16_t kPlainPort = 2375, kTlsPort = 2376;

Error Invalid(const EndpointSettings& settings, const std::string& what) {
  return Error(Code::kInvalid, "docker_host '" + settings.host.substr(0, 200) + "': " + what);
}

bool IsSocket(const std::string& path) {
  struct stat seen{};
  return stat(path.c_str(), &seen) == 0 && S_ISSOCK(seen.st_mode);
}

Result<net::Address> ParseAuthority(const EndpointSettings& settings, std::string_view text, bool is_tls) {
  while (!text.empty() && text.back() == '/') text.remove_suffix(1);
  if (text.find('/') != text.npos) return Invalid(settings, "a path after the port cannot be used");
  if (text.find('@') != text.npos) return Invalid(settings, "a user name cannot be used");
  if (text.empty()) return Invalid(settings, "the host's name is missing");
  const bool has_port = text.back() != ']' && text.rfind(':') != text.npos && (text.front() != '[' || text.rfind(':') > text.rfind(']'));
  std::string whole(text);
  if (!has_port) whole += ":" + std::to_string(is_tls ? kTlsPort : kPlainPort);
  auto address = net::ParseAddress(whole);
  if (!address || address->is_unix || address->port == 0 || address->host.empty()) return Invalid(settings, "no host and port");
  return std::move(*address);
}

}  // namespace

Result<Endpoint> ParseEndpoint(const EndpointSettings& settings) {
  const std::string_view host = settings.host;
  const size_t split = host.find("://");
  const std::string_view scheme = split == host.npos ? (host.starts_with('/') ? "unix" : "tcp") : host.substr(0, split);
  const std::string_view rest = split == host.npos ? host : host.substr(split + 3);
  const bool has_files = !settings.ca_file.empty() || !settings.certificate_file.empty() || !settings.key_file.empty();
  if (settings.certificate_file.empty() != settings.key_file.empty()) {
    return Invalid(settings, "a client certificate needs its key, and a key its certificate");
  }
  Endpoint endpoint;
  if (scheme == "unix") {
    if (!rest.starts_with('/')) return Invalid(settings, "the socket's path must be absolute");
    if (rest.size() > 107) return Invalid(settings, "a socket's path has at most 107 bytes");
    if (rest.find('\0') != rest.npos) return Invalid(settings, "a path holds no NUL");
    if (has_files) return Invalid(settings, "a unix socket takes no TLS files");
    endpoint.address = {.is_unix = true, .host = std::string(rest)};
    endpoint.text = "unix://" + std::string(rest);
    return endpoint;
  }
  if (scheme == "ssh" || scheme == "npipe" || scheme == "fd") {
    return Invalid(settings, std::string(scheme) + ":// cannot be used; " + kForms + (scheme == "ssh" ? ", a tunnel (ssh -L) gives a socket" : ""));
  }
  if (scheme != "tcp" && scheme != "http" && scheme != "https") return Invalid(settings, std::string("an unknown form; ") + kForms);
  if (scheme == "http" && has_files) return Invalid(settings, "http:// takes no TLS files; use https://");
  const bool is_tls = scheme == "https" || has_files;
  PADDOCK_ASSIGN(endpoint.address, ParseAuthority(settings, rest, is_tls));
  if (is_tls) {
    endpoint.tls = net::ClientTls{.ca_file = settings.ca_file, .certificate_file = settings.certificate_file, .key_file = settings.key_file};
  } else if (!net::IsLoopbackHost(endpoint.address.host.find(':') == std::string::npos ? endpoint.address.host : "[" + endpoint.address.host + "]") &&
             !settings.allows_insecure) {
    return Invalid(settings, "plain TCP beyond this machine gives it to everybody on the way; use https:// with certificates, or set containers.allow_insecure = \"yes\" in the daemon");
  }
  endpoint.text = (is_tls ? "https://" : "tcp://") + net::FormatAddress(endpoint.address);
  return endpoint;
}

Result<std::vector<Endpoint>> FindEndpoints(const EndpointSettings& settings, const GetVariable& variable, uint32_t user) {
  const auto value = [&](const char* name) {
    const char* text = variable(name);
    return std::string(text == nullptr ? "" : text);
  };
  const auto only = [](const EndpointSettings& one, const std::string& origin) -> Result<std::vector<Endpoint>> {
    auto endpoint = ParseEndpoint(one);
    if (!endpoint) return Error(endpoint.error().code, origin + endpoint.error().message);
    return std::vector<Endpoint>{std::move(*endpoint)};
  };
  if (!settings.host.empty()) return only(settings, "");
  EndpointSettings named = settings;
  named.host = value("CONTAINER_SANDBOX_DOCKER_HOST");
  if (!named.host.empty()) return only(named, "CONTAINER_SANDBOX_DOCKER_HOST: ");
  named.host = value("DOCKER_HOST");
  if (!named.host.empty()) {
    const std::string directory = value("DOCKER_CERT_PATH");
    if (!value("DOCKER_TLS_VERIFY").empty() && !named.host.starts_with("unix:")) {
      if (directory.empty() && named.ca_file.empty()) {
        return Error(Code::kInvalid, "DOCKER_TLS_VERIFY is set; DOCKER_CERT_PATH must name the directory of ca.pem, cert.pem and key.pem");
      }
      if (!directory.empty()) {
        named.ca_file = directory + "/ca.pem";
        named.certificate_file = directory + "/cert.pem";
        named.key_file = directory + "/key.pem";
      }
    }
    return only(named, "DOCKER_HOST: ");
  }
  std::string runtime = value("XDG_RUNTIME_DIR");
  if (runtime.empty()) runtime = "/run/user/" + std::to_string(user);
  std::vector<Endpoint> found;
  std::string looked;
  for (const std::string& path : {std::string("/var/run/docker.sock"), runtime + "/docker.sock", std::string("/run/podman/podman.sock"),
                                  runtime + "/podman/podman.sock"}) {
    looked += (looked.empty() ? "" : ", ") + path;
    if (!IsSocket(path)) continue;
    PADDOCK_ASSIGN(Endpoint endpoint, ParseEndpoint({.host = path}));
    found.push_back(std::move(endpoint));
  }
  if (found.empty()) {
    return Error(Code::kUnavailable, "no container engine was found (looked for " + looked +
                                         "); start Docker or `podman system service`, or name one with docker_host");
  }
  return found;
}

}  // namespace paddock::docker
