#include "egress/gate.h"

#include <algorithm>
#include <functional>

#include "egress/upstream_proxy.h"

namespace paddock::egress {
using policy::IpAddress;
using policy::NetworkVerdict;

namespace {

// Leaves the addresses that a client asked for, in the order it asked for.
void Arrange(std::vector<IpAddress>& addresses, AddressFamily family) {
  const auto is_other = [family](const IpAddress& address) { return address.is_v6 != (family == AddressFamily::kV6 || family == AddressFamily::kV6First); };
  if (family == AddressFamily::kV4 || family == AddressFamily::kV6) std::erase_if(addresses, is_other);
  if (family == AddressFamily::kV4First || family == AddressFamily::kV6First) std::stable_partition(addresses.begin(), addresses.end(), std::not_fn(is_other));
}

}  // namespace

std::string FailureText(const Error& error) { return std::string(error.Text()); }

Gate::Gate(Reactor& reactor, EventQueue& events, Resolver::Lookup lookup, Limits limits,
           std::shared_ptr<const policy::NetworkRuleSet> rules)
    : reactor_(reactor), events_(events), resolver_(reactor, std::move(lookup)), limits_(limits), rules_(std::move(rules)) {}

std::shared_ptr<const policy::NetworkRuleSet> Gate::rules() const {
  const std::lock_guard lock(mutex_);
  return rules_;
}

void Gate::SetRules(std::shared_ptr<const policy::NetworkRuleSet> rules) {
  {
    const std::lock_guard lock(mutex_);
    rules_ = std::move(rules);
  }
  reactor_.Post([this] {
    for (Tunnel* tunnel : tunnels_) tunnel->CutIfDenied();
  });
}

Event Gate::Draft(const Destination& to) {
  Event event;
  event.protocol = to.protocol;
  event.host = to.host.text;
  event.port = to.port;
  return event;
}

void Gate::Allowed(Event draft, const std::string& rule, const std::string& address) {
  draft.kind = Event::Kind::kAllowed;
  draft.rule = rule;
  draft.address = address;
  events_.Push(std::move(draft));
}

Refusal Gate::Denied(Event draft, const NetworkVerdict& verdict) {
  return Denied(std::move(draft), verdict.reason, verdict.origin);
}

Refusal Gate::Denied(Event draft, std::string reason, std::string rule) {
  draft.kind = Event::Kind::kDenied;
  draft.reason = reason;
  draft.rule = rule;
  events_.Push(std::move(draft));
  return {Event::Kind::kDenied, std::move(reason), std::move(rule)};
}

Refusal Gate::Failed(Event draft, std::string reason) {
  draft.kind = Event::Kind::kFailed;
  draft.reason = reason;
  events_.Push(std::move(draft));
  return {Event::Kind::kFailed, std::move(reason), {}};
}

std::string Gate::AddressRefusal(const IpAddress& address, const NetworkVerdict& verdict) {
  return guard_.Refusal(address, rules()->denied_addresses(), {verdict.allow_private, verdict.is_named_address});
}

Opened<std::unique_ptr<Upstream>> Gate::Open(const Destination& to, const NetworkVerdict& verdict, Event draft) {
  const auto rules = this->rules();
  draft.rule = verdict.origin;
  if (rules->UsesUpstream(to.host) && !to.host.address) return OpenThroughProxy(to, *rules, std::move(draft));
  std::vector<IpAddress> addresses;
  if (to.host.address) {
    addresses.push_back(*to.host.address);
  } else {
    auto resolved = resolver_.Resolve(to.host.text, reactor_.In(limits_.resolve_timeout));
    if (!resolved)
      return {nullptr, Failed(std::move(draft), "could not resolve " + to.host.text + ": " + FailureText(resolved.error()))};
    addresses = std::move(*resolved);
    Arrange(addresses, to.family);
    if (addresses.empty()) return {nullptr, Failed(std::move(draft), "could not resolve " + to.host.text + ": no address of that family")};
  }
  std::string refusal;
  std::string refused;
  std::vector<IpAddress> checked;
  for (const IpAddress& address : addresses) {
    std::string why = AddressRefusal(address, verdict);
    if (why.empty()) {
      checked.push_back(address);
    } else if (refusal.empty()) {
      refusal = std::move(why);
      refused = address.Text();
    }
  }
  if (checked.empty()) {
    draft.address = refused;
    return {nullptr, Denied(std::move(draft), std::move(refusal), verdict.origin)};
  }
  if (rules->UsesUpstream(to.host)) return OpenThroughProxy(to, *rules, std::move(draft));   // a literal address, checked
  return DialFirst(checked, to.port, std::move(draft));
}

Opened<std::unique_ptr<Upstream>> Gate::DialFirst(const std::vector<IpAddress>& addresses, uint16_t port, Event draft) {
  std::string reason;
  const Deadline end = reactor_.In(2 * limits_.connect_timeout);   // for all attempts
  for (const IpAddress& address : addresses) {
    auto socket = Socket::Dial(reactor_, {address, port}, std::min(end, reactor_.In(limits_.connect_timeout)));
    if (socket) {
      (*socket)->CountInto(&traffic_);
      auto upstream = std::make_unique<Upstream>();
      upstream->socket = std::move(*socket);
      upstream->address = address.Text();
      upstream->checked = address;
      return {std::move(upstream), {}};
    }
    if (reason.empty()) {
      draft.address = address.Text();
      reason = "could not connect to " + address.Text() + ": " + FailureText(socket.error());
    }
    if (reactor_.Now() >= end || reactor_.is_stopping()) break;
  }
  return {nullptr, Failed(std::move(draft), std::move(reason))};
}

Opened<std::unique_ptr<Upstream>> Gate::OpenThroughProxy(const Destination& to, const policy::NetworkRuleSet& rules,
                                                         Event draft) {
  const auto proxy = ParseUpstreamProxy(rules.rules().upstream_proxy);
  if (!proxy) return {nullptr, Failed(std::move(draft), "upstream proxy: " + FailureText(proxy.error()))};
  std::vector<IpAddress> addresses;
  if (proxy->host.address) {
    addresses.push_back(*proxy->host.address);
  } else {
    auto resolved = resolver_.Resolve(proxy->host.text, reactor_.In(limits_.resolve_timeout));
    if (!resolved)
      return {nullptr, Failed(std::move(draft), "could not resolve the upstream proxy: " + FailureText(resolved.error()))};
    addresses = std::move(*resolved);
  }
  auto opened = DialFirst(addresses, proxy->port, draft);
  if (!opened.value) return opened;
  opened.value->is_through_proxy = true;
  const Status status =
      AskUpstreamProxy(*opened.value->socket, *proxy, HostPortText(to.host, to.port), reactor_.In(limits_.connect_timeout));
  if (!status) return {nullptr, Failed(std::move(draft), "upstream proxy: " + FailureText(status.error()))};
  return opened;
}

Opened<std::unique_ptr<Upstream>> Gate::OpenHostPort(uint16_t port, Event draft) {
  if (!rules()->HasHostPort(port)) {
    return {nullptr, Denied(std::move(draft), "host port " + std::to_string(port) + " is not one of the policy's host_ports")};
  }
  return DialFirst({IpAddress::V4(127, 0, 0, 1)}, port, std::move(draft));
}

Gate::Tunnel::Tunnel(Gate& gate, Judge is_allowed, Stream& client, Stream& upstream)
    : gate_(gate), is_allowed_(std::move(is_allowed)), client_(client), upstream_(upstream) {
  place_ = gate_.tunnels_.insert(gate_.tunnels_.end(), this);
  CutIfDenied();   // the rules may have changed while it was dialled
}

Gate::Tunnel::~Tunnel() { gate_.tunnels_.erase(place_); }

void Gate::Tunnel::CutIfDenied() {
  if (is_allowed_(*gate_.rules())) return;
  client_.Abort();
  upstream_.Abort();
}

Gate::Tunnel::Judge Gate::WholeStream(const Destination& to) {
  return [to](const policy::NetworkRuleSet& rules) {
    return rules.Connection(to.host, to.port).kind == NetworkVerdict::Kind::kAllow;
  };
}

}  // namespace paddock::egress
