// The network rules of srt's settings: names that are allowed, names that are denied, and where connections go.

#include <algorithm>

#include "policy/host_pattern.h"
#include "policy/ip_address.h"
#include "policy/load.h"
#include "policy/srt_paths.h"
#include "policy/srt_policy.h"

namespace paddock::policy {
namespace {

using Verdict = NetworkRule::Verdict;

Result<NetworkRule> RuleOf(const std::string& entry, const std::string& list) {
  PADDOCK_ASSIGN(HostAndPorts read, ParseHostAndPorts(entry));
  NetworkRule rule;
  rule.host = std::move(read.host);
  rule.ports = std::move(read.ports);
  rule.origin = "network." + list + " (" + entry + ")";
  return rule;
}

// A literal address or a name of the loopback that somebody writes down is meant.
bool IsMeantPrivate(const std::string& host) { return IpAddress::Parse(host) || host == "localhost" || host.ends_with(".localhost"); }

Status AddAllowed(const SrtSettings& settings, NetworkRules& network) {
  for (const std::string& entry : settings.allowed_domains) {
    PADDOCK_ASSIGN(NetworkRule rule, RuleOf(entry, "allowedDomains"));
    rule.allow_private = IsMeantPrivate(rule.host);
    rule.terminate_tls = settings.terminates_tls;
    network.rules.push_back(std::move(rule));
  }
  return {};
}

Status AddDenied(const SrtSettings& settings, NetworkRules& network) {
  for (const std::string& entry : settings.denied_domains) {
    PADDOCK_ASSIGN(NetworkRule rule, RuleOf(entry, "deniedDomains"));
    rule.verdict = Verdict::kDeny;
    for (const auto& [denied, reason] : settings.denied_reasons) {
      if (denied == entry) rule.reason = reason;
    }
    if (rule.host == "*") {
      // "*" alone means names; here it means every destination.
      for (const char* every : {"0.0.0.0/0", "::/0"}) {
        NetworkRule addresses = rule;
        addresses.host = every;
        network.rules.push_back(std::move(addresses));
      }
    } else if (IpAddress::Parse(rule.host) && rule.ports.empty()) {
      network.denied_addresses.push_back(rule.host);
    }
    network.rules.push_back(std::move(rule));
  }
  network.denied_addresses.insert(network.denied_addresses.end(), settings.denied_addresses.begin(), settings.denied_addresses.end());
  return {};
}

// "http://[user:password@]host:port" as it is wanted; srt also takes it without the scheme's port or with a path "/".
Result<std::string> ProxyUrl(const std::string& field, std::string text) {
  if (text.ends_with('/')) text.pop_back();
  if (text.find("://") == std::string::npos) text = "http://" + text;
  if (!text.starts_with("http://")) return Error(Code::kNotSupported, field + ": only http:// proxies can be chained to");
  const size_t at = text.rfind('@');
  const std::string host = text.substr(at == std::string::npos ? 7 : at + 1);
  auto read = ParseHostAndPorts(host);
  if (!read || read->host.find_first_of("*/") != std::string::npos) return Error(Code::kInvalid, field + ": is no proxy; write http://HOST:PORT");
  if (read->ports.empty()) text += ":80";
  return text;
}

Status AddNoProxy(std::string_view list, NetworkRules& network) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    std::string entry(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    std::erase(entry, ' ');
    if (entry.empty()) continue;
    // ".example.org" and "example.org" both mean the name and all below it.
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (entry.starts_with("*.")) entry.erase(0, 2);
    const auto read = ParseHostAndPorts(entry);
    if (!read || !read->ports.empty()) return Error(Code::kNotSupported, "noProxy: '" + entry.substr(0, 100) + "' is neither a host nor an address range");
    network.no_upstream.push_back(read->host);
    const bool is_name = read->host != "*" && read->host.find('/') == std::string::npos && !IpAddress::Parse(read->host);
    if (is_name) network.no_upstream.push_back("*." + read->host);
  }
  return {};
}

Status AddParent(const SrtSettings& settings, const SrtHost& host, NetworkRules& network) {
  const bool is_set = settings.parent_proxy.has_value();
  const SrtParentProxy parent = is_set ? *settings.parent_proxy : SrtParentProxy{host.http_proxy, host.https_proxy, host.no_proxy};
  if (parent.http.empty() && parent.https.empty()) return {};
  const std::string field = is_set ? "network.parentProxy" : "the environment's proxy";
  if (is_set && parent.http != parent.https) {
    return Error(Code::kNotSupported, field + ": one proxy serves all connections; give http and https the same value");
  }
  PADDOCK_ASSIGN(network.upstream_proxy, ProxyUrl(field, parent.https.empty() ? parent.http : parent.https));
  if (Status added = AddNoProxy(parent.no_proxy, network); !added) return Error(added.error().code, field + "." + std::string(added.error().Text()));
  return {};
}

}  // namespace

Result<NetworkRules> MakeSrtNetwork(const SrtSettings& settings, const SrtHost& host) {
  NetworkRules network;
  network.mode = NetworkMode::kRules;   // also without a rule, so that a denial is told and a later line can allow
  PADDOCK_TRY(AddAllowed(settings, network));
  PADDOCK_TRY(AddDenied(settings, network));
  for (size_t i = 0; i < settings.unix_sockets.size(); ++i) {
    const std::string field = "network.allowUnixSockets." + std::to_string(i);
    const std::string& text = settings.unix_sockets[i];
    if (IsSrtPattern(text)) return Error(Code::kNotSupported, field + ": a pattern names no socket; write its path");
    auto path = SrtPath(text, {host.context.workspace, host.context.home});
    if (!path) return Error(path.error().code, field + ": " + std::string(path.error().Text()));
    network.unix_sockets.push_back({.path = std::move(*path), .origin = field});
  }
  for (const std::string& entry : settings.tls_excluded) {
    PADDOCK_ASSIGN(const HostAndPorts read, ParseHostAndPorts(entry));
    network.mitm_hosts_excluded.push_back(read.host);   // on every port: what is not opened is only relayed
  }
  PADDOCK_TRY(AddParent(settings, host, network));
  return network;
}

}  // namespace paddock::policy
