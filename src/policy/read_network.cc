// The section [network] of a document.

#include <algorithm>
#include <charconv>

#include "policy/amount.h"
#include "policy/draft.h"
#include "policy/host_pattern.h"

namespace paddock::policy {
namespace {

Result<uint16_t> PortOf(const Field& field, std::string_view text) {
  auto range = ParsePorts(text);
  if (!range) return field.FailAs(range.error());
  if (range->first != range->last) return field.Fail("must be one port, not a range");
  return range->first;
}

Result<uint16_t> PortOf(const Field& field) {
  if (field.value->kind == Value::Kind::kInteger) return PortOf(field, std::to_string(field.value->integer));
  PADDOCK_ASSIGN(const std::string text, field.Text());
  return PortOf(field, text);
}

Status ReadHost(const Field& field, NetworkRule& rule) {
  PADDOCK_ASSIGN(const std::string text, field.Text());
  auto parsed = ParseHostAndPorts(text);
  if (!parsed) return field.FailAs(parsed.error());
  rule.host = std::move(parsed->host);
  rule.ports = std::move(parsed->ports);
  return {};
}
Status ReadPorts(const Field& field, NetworkRule& rule) {
  if (!rule.ports.empty()) return field.Fail("the host has ports of its own; write them in one place");
  PADDOCK_ASSIGN(rule.ports, PortsOf(field));
  return {};
}
Status ReadMethods(const Field& field, NetworkRule& rule) {
  PADDOCK_ASSIGN(rule.methods, MethodsOf(field));
  return {};
}
Status ReadPaths(const Field& field, NetworkRule& rule) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(std::string path, item.Text());
    if (!path.starts_with('/')) return item.Fail("must begin with '/'");
    if (path.find_first_of("?#\\ ") != std::string::npos || (path + "/").find("/../") != std::string::npos ||
        (path + "/").find("/./") != std::string::npos || path.find("//") != std::string::npos) {
      return item.Fail("must be a plain path without query, '.', '..' or empty parts");
    }
    rule.paths.push_back(std::move(path));
  }
  return {};
}
Status ReadTerminateTls(const Field& field, NetworkRule& rule) {
  PADDOCK_ASSIGN(rule.terminate_tls, field.Flag());
  return {};
}
Status ReadAllowPrivate(const Field& field, NetworkRule& rule) {
  PADDOCK_ASSIGN(rule.allow_private, field.Flag());
  return {};
}
Status ReadReason(const Field& field, NetworkRule& rule) {
  PADDOCK_ASSIGN(rule.reason, field.Text());
  return {};
}

constexpr Key<NetworkRule> kRuleKeys[] = {
    {"host", ReadHost},   {"ports", ReadPorts},
    {"methods", ReadMethods},     {"paths", ReadPaths},
    {"terminate_tls", ReadTerminateTls}, {"allow_private", ReadAllowPrivate}, {"reason", ReadReason},
};

Status ReadRules(const Field& field, Draft& draft, NetworkRule::Verdict verdict) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    NetworkRule rule{.verdict = verdict, .origin = item.Origin()};
    if (item.value->kind == Value::Kind::kTable) {
      PADDOCK_TRY(ReadTable(item, kRuleKeys, rule));
      if (rule.host.empty()) return item.Fail("has no host");
      if (verdict == NetworkRule::Verdict::kDeny && rule.allow_private) return item.Fail("allow_private has no meaning in a denying rule");
    } else {
      PADDOCK_TRY(ReadHost(item, rule));
    }
    draft.policy.network.rules.push_back(std::move(rule));
  }
  return {};
}
Status ReadAllow(const Field& field, Draft& draft) {
  if (draft.names_network_mode && draft.policy.network.mode == NetworkMode::kNone) {
    return field.Fail("has no effect with network.mode = \"none\"; drop one of the two");
  }
  return ReadRules(field, draft, NetworkRule::Verdict::kAllow);
}
Status ReadDeny(const Field& field, Draft& draft) { return ReadRules(field, draft, NetworkRule::Verdict::kDeny); }

Status ReadMode(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::string mode, field.Text());
  if (mode == "none") draft.policy.network.mode = NetworkMode::kNone;
  else if (mode == "rules") draft.policy.network.mode = NetworkMode::kRules;
  else return field.Fail("unknown mode '" + mode + "'; the modes are none, rules");
  draft.names_network_mode = true;
  return {};
}

Status ReadDenyAddresses(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(const std::string text, item.Text());
    auto range = ParseAddressRange(text);
    if (!range) return item.FailAs(range.error());
    draft.policy.network.denied_addresses.push_back(std::move(*range));
  }
  return {};
}

// 3000, "3000": the same port outside; "8080:3000": 8080 outside; ":3000": any free one outside.
Status ReadPublish(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    const bool is_number = item.value->kind == Value::Kind::kInteger;
    const Result<std::string> text = is_number ? Result<std::string>(std::to_string(item.value->integer)) : item.Text();
    if (!text) return text.error();
    const auto port = ParsePublishedPort(*text);
    if (!port) return item.FailAs(port.error());
    draft.policy.network.publish.push_back(*port);
  }
  return {};
}

Status ReadHostPorts(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(const uint16_t port, PortOf(item));
    draft.policy.network.host_ports.push_back(port);
  }
  return {};
}

Status ReadUnixSockets(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(std::string path, PathOf(item, draft));
    if (path.size() > 107) return item.Fail("is longer than the 107 bytes of a socket's path");
    draft.policy.network.unix_sockets.push_back({std::move(path), item.Origin()});
  }
  return {};
}

Status ReadUpstream(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(std::string proxy, field.Text());
  constexpr std::string_view kScheme = "http://";
  const char* form = "must be \"http://[USER:PASSWORD@]HOST:PORT\"";
  if (!proxy.starts_with(kScheme)) return field.Fail(form);
  std::string_view rest = std::string_view(proxy).substr(kScheme.size());
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  const auto target = ParseHostAndPorts(rest);
  if (!target || target->ports.size() != 1 || target->ports[0].first != target->ports[0].last ||
      target->host.find_first_of("*/") != std::string::npos) {
    return field.Fail(form);
  }
  draft.policy.network.upstream_proxy = std::move(proxy);
  return {};
}

Status ReadHostPatterns(const Field& field, std::vector<std::string>& hosts) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(const std::string text, item.Text());
    const auto host = HostPattern::Parse(text);
    if (!host) return item.FailAs(host.error());
    hosts.push_back(host->Text());
  }
  return {};
}
Status ReadNoUpstream(const Field& field, Draft& draft) { return ReadHostPatterns(field, draft.policy.network.no_upstream); }
Status ReadTlsExclude(const Field& field, Draft& draft) {
  return ReadHostPatterns(field, draft.policy.network.mitm_hosts_excluded);
}

Status ReadTlsTrust(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(std::string path, PathOf(item, draft));
    draft.policy.network.tls_trust.push_back(std::move(path));
  }
  return {};
}

constexpr Key<Draft> kKeys[] = {
    {"mode", ReadMode},          {"allow", ReadAllow},
    {"deny", ReadDeny},          {"deny_addresses", ReadDenyAddresses},
    {"publish", ReadPublish},    {"host_ports", ReadHostPorts},
    {"unix_sockets", ReadUnixSockets}, {"upstream", ReadUpstream},
    {"no_upstream", ReadNoUpstream},   {"tls_exclude", ReadTlsExclude},
    {"tls_trust", ReadTlsTrust},
};

}  // namespace

Result<std::vector<PortRange>> PortsOf(const Field& field) {
  std::vector<Field> items = {field};
  if (field.value->kind == Value::Kind::kList) {
    PADDOCK_ASSIGN(items, field.Items());
  }
  std::vector<PortRange> ports;
  for (const Field& item : items) {
    std::string text;
    if (item.value->kind == Value::Kind::kInteger) {
      text = std::to_string(item.value->integer);
    } else {
      PADDOCK_ASSIGN(text, item.Text());
    }
    auto range = ParsePorts(text);
    if (!range) return item.FailAs(range.error());
    ports.push_back(*range);
  }
  if (ports.empty()) return field.Fail("is empty, which would match no port; leave it out for any");
  return ports;
}

Result<std::vector<std::string>> MethodsOf(const Field& field) {
  PADDOCK_ASSIGN(std::vector<std::string> methods, field.Texts());
  if (methods.empty()) return field.Fail("is empty, which would match no method; leave it out for any");
  for (std::string& method : methods) {
    for (char& c : method) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 0x20);
      if (c < 'A' || c > 'Z') return field.Fail("'" + method + "' is not an HTTP method");
    }
  }
  return methods;
}

Status ReadNetwork(const Field& field, Draft& draft) { return ReadTable(field, kKeys, draft); }

}  // namespace paddock::policy
