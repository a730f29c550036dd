#include "policy/network_verdict.h"

#include <algorithm>

namespace paddock::policy {
namespace {

bool IsToken(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

bool SeesRequests(const NetworkRule& rule) { return !rule.methods.empty() || !rule.paths.empty(); }

bool HasMethod(const std::vector<std::string>& methods, std::string_view method) {
  return methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

Error BadRule(const NetworkRule& rule, const std::string& what) {
  return Error(Code::kInvalid, "network rule" + (rule.origin.empty() ? "" : " (" + rule.origin + ")") + ": " + what);
}

Status CheckRule(const NetworkRule& rule) {
  for (const PortRange& range : rule.ports) {
    if (range.first == 0 || range.last < range.first) return BadRule(rule, "ports are 1 to 65535, the smaller first");
  }
  for (const std::string& method : rule.methods) {
    if (!IsToken(method)) return BadRule(rule, "method '" + method + "' is not in upper case letters");
  }
  for (const std::string& path : rule.paths) {
    if (!path.starts_with('/') || path.find_first_of("?#") != std::string::npos || RequestPath::Parse(path).is_ambiguous) {
      return BadRule(rule, "path '" + path + "' is not a plain path that begins with '/'");
    }
  }
  return {};
}

}  // namespace

bool MatchesPort(const std::vector<PortRange>& ports, uint16_t port) {
  return ports.empty() ||
         std::any_of(ports.begin(), ports.end(), [port](PortRange r) { return port >= r.first && port <= r.last; });
}

bool HasPathPrefix(std::string_view path, std::string_view prefix) {
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (!path.starts_with(prefix)) return false;
  return prefix.empty() ? path.starts_with('/') : path.size() == prefix.size() || path[prefix.size()] == '/';
}

Result<std::shared_ptr<const NetworkRuleSet>> NetworkRuleSet::Compile(NetworkRules rules) {
  auto set = std::make_shared<NetworkRuleSet>();
  set->rules_ = std::move(rules);
  for (size_t i = 0; i < set->rules_.rules.size(); ++i) {
    const NetworkRule& rule = set->rules_.rules[i];
    auto pattern = HostPattern::Parse(rule.host);
    if (!pattern) return BadRule(rule, pattern.error().message);
    PADDOCK_TRY(CheckRule(rule));
    (rule.verdict == NetworkRule::Verdict::kDeny ? set->denying_ : set->allowing_).push_back({*pattern, i});
  }
  for (const std::string& text : set->rules_.denied_addresses) {
    const auto block = Cidr::Parse(text);
    if (!block) return Error(Code::kInvalid, "denied address '" + text + "': not an address or a block like 10.0.0.0/8");
    set->denied_addresses_.push_back(*block);
  }
  for (const std::string& text : set->rules_.no_upstream) {
    PADDOCK_ASSIGN(HostPattern pattern, HostPattern::Parse(text));
    set->no_upstream_.push_back(std::move(pattern));
  }
  for (const std::string& text : set->rules_.mitm_hosts_excluded) {
    PADDOCK_ASSIGN(HostPattern pattern, HostPattern::Parse(text));
    set->never_opened_.push_back(std::move(pattern));
  }
  return std::shared_ptr<const NetworkRuleSet>(std::move(set));
}

NetworkVerdict NetworkRuleSet::Denied(const Compiled* by, std::string reason) const {
  NetworkVerdict verdict;
  if (by != nullptr) {
    verdict.origin = rule(*by).origin;
    if (!rule(*by).reason.empty()) reason += ": " + rule(*by).reason;
  }
  verdict.reason = std::move(reason);
  return verdict;
}

NetworkVerdict NetworkRuleSet::Allowed(const Compiled& by) const {
  NetworkVerdict verdict;
  verdict.kind = NetworkVerdict::Kind::kAllow;
  verdict.allow_private = rule(by).allow_private;
  verdict.is_named_address = by.host.IsSingleAddress();
  verdict.is_any_name = by.host.IsAnyName() && denying_.empty();
  verdict.origin = rule(by).origin;
  return verdict;
}

bool NetworkRuleSet::IsNeverOpened(const Host& host) const {
  return std::any_of(never_opened_.begin(), never_opened_.end(), [&](const HostPattern& p) { return p.Matches(host); });
}

NetworkVerdict NetworkRuleSet::Connection(const Host& host, uint16_t port) const {
  if (rules_.mode == NetworkMode::kNone) return Denied(nullptr, "the policy allows no network");
  const bool is_never_opened = IsNeverOpened(host);
  bool needs_requests = false;   // a denying rule has to see them
  bool terminate = false;
  for (const Compiled& compiled : denying_) {
    if (!compiled.host.Matches(host) || !MatchesPort(rule(compiled).ports, port)) continue;
    if (!SeesRequests(rule(compiled))) return Denied(&compiled, "a rule denies it");
    needs_requests = true;
    terminate |= rule(compiled).terminate_tls;
  }
  const Compiled* whole = nullptr;   // allows the stream whatever it carries
  const Compiled* partly = nullptr;
  bool other_port = false;
  for (const Compiled& compiled : allowing_) {
    if (!compiled.host.Matches(host)) continue;
    if (!MatchesPort(rule(compiled).ports, port)) {
      other_port = true;
      continue;
    }
    terminate |= rule(compiled).terminate_tls;
    if (SeesRequests(rule(compiled))) {
      if (partly == nullptr) partly = &compiled;
      continue;
    }
    // Of several the one that permits most decides, as the order of rules means nothing.
    if (whole == nullptr || (rule(compiled).allow_private && !rule(*whole).allow_private) ||
        (compiled.host.IsSingleAddress() && !whole->host.IsSingleAddress() &&
         rule(compiled).allow_private == rule(*whole).allow_private)) {
      whole = &compiled;
    }
  }
  const Compiled* by = whole != nullptr ? whole : partly;
  if (by == nullptr) {
    return Denied(nullptr, other_port ? "the rules for this host do not allow port " + std::to_string(port)
                           : host.address ? "no rule names this address" : "no rule allows it");
  }
  NetworkVerdict verdict = Allowed(*by);
  verdict.terminate_tls = terminate && !is_never_opened;
  verdict.is_never_opened = is_never_opened;
  if (whole == nullptr || needs_requests) verdict.kind = NetworkVerdict::Kind::kAskRequest;
  return verdict;
}

NetworkVerdict NetworkRuleSet::Request(const Host& host, uint16_t port, std::string_view method, const RequestPath& path) const {
  if (rules_.mode == NetworkMode::kNone) return Denied(nullptr, "the policy allows no network");
  for (const Compiled& compiled : denying_) {
    const NetworkRule& it = rule(compiled);
    if (!compiled.host.Matches(host) || !MatchesPort(it.ports, port) || !HasMethod(it.methods, method)) continue;
    const bool has_path = it.paths.empty() || path.is_ambiguous ||
                          std::any_of(it.paths.begin(), it.paths.end(), [&](const std::string& prefix) {
                            return HasPathPrefix(path.collapsed, LowerCase(RequestPath::Parse(prefix).collapsed));
                          });
    if (has_path) return Denied(&compiled, "a rule denies it");
  }
  const Compiled* allowed = nullptr;
  bool has_host = false, has_port = false, has_method = false;
  for (const Compiled& compiled : allowing_) {
    const NetworkRule& it = rule(compiled);
    if (!compiled.host.Matches(host)) continue;
    has_host = true;
    if (!MatchesPort(it.ports, port)) continue;
    has_port = true;
    if (!HasMethod(it.methods, method)) continue;
    has_method = true;
    const bool has_path =
        it.paths.empty() || (!path.is_ambiguous && std::any_of(it.paths.begin(), it.paths.end(), [&](const std::string& prefix) {
          return HasPathPrefix(path.plain, RequestPath::Parse(prefix).plain);
        }));
    if (!has_path) continue;
    if (allowed == nullptr || (it.allow_private && !rule(*allowed).allow_private)) allowed = &compiled;
  }
  if (allowed != nullptr) return Allowed(*allowed);
  if (!has_host) return Denied(nullptr, host.address ? "no rule names this address" : "no rule allows it");
  if (!has_port) return Denied(nullptr, "the rules for this host do not allow port " + std::to_string(port));
  if (!has_method) return Denied(nullptr, "the rules for this host do not allow method " + std::string(method));
  return Denied(nullptr, path.is_ambiguous ? "the path can be read in more than one way"
                                           : "the rules for this host do not allow this path");
}

NetworkVerdict NetworkRuleSet::Name(const Host& host) const {
  if (rules_.mode == NetworkMode::kNone) return Denied(nullptr, "the policy allows no network");
  for (const Compiled& compiled : denying_) {
    if (compiled.host.Matches(host) && !SeesRequests(rule(compiled)) && rule(compiled).ports.empty()) {
      return Denied(&compiled, "a rule denies it");
    }
  }
  for (const Compiled& compiled : allowing_) {
    if (compiled.host.Matches(host)) return Allowed(compiled);
  }
  return Denied(nullptr, "no rule allows it");
}

const NetworkRule* NetworkRuleSet::DenyingRule(const Host& host, uint16_t port) const {
  for (const Compiled& compiled : denying_) {
    if (compiled.host.Matches(host) && MatchesPort(rule(compiled).ports, port) && !SeesRequests(rule(compiled)))
      return &rule(compiled);
  }
  return nullptr;
}

bool NetworkRuleSet::HasHostPort(uint16_t port) const {
  return rules_.mode == NetworkMode::kRules &&
         std::find(rules_.host_ports.begin(), rules_.host_ports.end(), port) != rules_.host_ports.end();
}

bool NetworkRuleSet::UsesUpstream(const Host& host) const {
  return !rules_.upstream_proxy.empty() &&
         std::none_of(no_upstream_.begin(), no_upstream_.end(), [&](const HostPattern& p) { return p.Matches(host); });
}

}  // namespace paddock::policy
