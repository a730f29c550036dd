#include "drivers/process/network_access.h"

#include <algorithm>

#include "egress/policy_options.h"

namespace paddock::process_wall {
namespace {

constexpr uint16_t kProxyPort = 3128;
// Ports that programs expect to reach directly. Others work through the proxy's port, and directly when a rule names them.
constexpr uint16_t kUsualPorts[] = {80, 443, 22};
constexpr size_t kMostCapturedPorts = 64;

std::vector<uint16_t> CapturedPorts(const policy::NetworkRules& rules) {
  std::vector<uint16_t> ports(std::begin(kUsualPorts), std::end(kUsualPorts));
  for (const policy::NetworkRule& rule : rules.rules) {
    for (const policy::PortRange& range : rule.ports) {
      for (unsigned port = range.first; port <= range.last && ports.size() < kMostCapturedPorts; ++port) {
        const auto number = static_cast<uint16_t>(port);
        if (number != 0 && number != kProxyPort && number != 53 && std::find(ports.begin(), ports.end(), number) == ports.end()) {
          ports.push_back(number);
        }
      }
    }
  }
  return ports;
}

}  // namespace

Result<std::unique_ptr<NetworkAccess>> NetworkAccess::Start(const policy::Policy& policy, std::shared_ptr<sandbox::DenialLog> denials) {
  std::unique_ptr<NetworkAccess> access(new NetworkAccess);   // allow(raw-new): private constructor
  PADDOCK_ASSIGN(egress::EgressOptions options, egress::OptionsOf(policy));
  options.on_event = [denials = std::move(denials)](const egress::Event& event) {
    if (event.kind == egress::Event::Kind::kDenied) denials->Add(event.Text());
  };
  access->shows_certificates_ = egress::ShowsCertificates(policy);
  access->captured_ports_ = CapturedPorts(policy.network);
  access->host_ports_ = policy.network.host_ports;
  PADDOCK_ASSIGN(access->engine_, egress::Egress::Start(std::move(options)));
  return access;
}

void NetworkAccess::AddListener(WallPlan& plan, ListenerSpec spec, egress::ListenerKind kind) {
  plan.listeners.push_back(spec);
  kinds_.push_back({.fd = -1, .kind = kind, .host_port = kind == egress::ListenerKind::kHostPort ? spec.port : uint16_t{0}});
}

Status NetworkAccess::AddCertificates(PlanContext& context) {
  if (!shows_certificates_) return {};
  PADDOCK_ASSIGN(context.ca_certificate, engine_->CaCertificatePem());
  PADDOCK_ASSIGN(context.ca_bundle, engine_->CaBundlePem());
  return {};
}

void NetworkAccess::AddListeners(WallPlan& plan) {
  using Spec = ListenerSpec;
  plan.captures_network = true;
  AddListener(plan, {Spec::Kind::kTcp4, false, kProxyPort}, egress::ListenerKind::kProxy);
  AddListener(plan, {Spec::Kind::kUdp4, false, 53}, egress::ListenerKind::kDnsUdp);
  AddListener(plan, {Spec::Kind::kTcp4, false, 53}, egress::ListenerKind::kDnsTcp);
  for (const uint16_t port : host_ports_) AddListener(plan, {Spec::Kind::kTcp4, false, port}, egress::ListenerKind::kHostPort);
  for (const uint16_t port : captured_ports_) {
    if (std::find(host_ports_.begin(), host_ports_.end(), port) != host_ports_.end()) continue;
    AddListener(plan, {Spec::Kind::kTcp4, true, port}, egress::ListenerKind::kTransparent);
    AddListener(plan, {Spec::Kind::kTcp6, true, port}, egress::ListenerKind::kTransparent);
  }
}

Status NetworkAccess::Connect(Wall& wall) {
  for (size_t i = 0; i < kinds_.size(); ++i) {
    Descriptor socket = wall.TakeListener(i);
    if (!socket.is_open()) continue;   // no IPv6 on this host
    egress::Listener listener = kinds_[i];
    listener.fd = socket.Release();
    PADDOCK_TRY(engine_->AddListener(listener));
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> NetworkAccess::Variables() const {
  egress::Places places{.proxy_port = kProxyPort, .ca_path = "", .ca_bundle_path = ""};
  if (shows_certificates_) {
    places.ca_path = kCaPath;
    places.ca_bundle_path = kCaBundlePath;
  }
  return egress::ProgramVariables(*engine_, places);
}

}  // namespace paddock::process_wall
