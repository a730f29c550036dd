#include "guest/bridge/network_bridge.h"

#include <sys/socket.h>

#include "egress/policy_options.h"
#include "guest/bridge/published_ports.h"

namespace paddock::guest {
namespace {

constexpr std::chrono::seconds kPatience{10};

// The same for everybody inside: root writes it, others read it.
Result<std::string> PutFile(GuestFiles files, const std::string& path, const std::string& text) {
  PADDOCK_TRY(files.WriteAll({.path = path, .permissions = 0644}, text, In(kPatience)));
  return path;
}

}  // namespace

Result<std::unique_ptr<NetworkBridge>> NetworkBridge::Open(std::shared_ptr<Client> client, const policy::Policy& policy, uint16_t proxy_port) {
  if (!policy.network.unix_sockets.empty()) return Error(Code::kNotSupported, "network.unix_sockets: no socket of the host can be shown behind this wall; use host_ports");
  std::unique_ptr<NetworkBridge> network(new NetworkBridge);   // allow(raw-new): private constructor
  const bool has_way_out = policy.network.mode != policy::NetworkMode::kNone;
  if (!has_way_out && policy.network.publish.empty()) return network;
  PADDOCK_ASSIGN(network->bridge_, StreamBridge::Start(client));
  if (has_way_out) PADDOCK_TRY(network->OpenWayOut(*client, policy, proxy_port));
  PADDOCK_ASSIGN(network->published_, PublishPorts(*network->bridge_, policy.network.publish));
  return network;
}

NetworkBridge::~NetworkBridge() { Stop(); }

Status NetworkBridge::OpenWayOut(Client& client, const policy::Policy& policy, uint16_t proxy_port) {
  PADDOCK_ASSIGN(egress::EgressOptions options, egress::OptionsOf(policy));
  options.on_event = [denials = denials_](const egress::Event& event) {
    if (event.kind == egress::Event::Kind::kDenied) denials->Add(event.Text());
  };
  PADDOCK_ASSIGN(engine_, egress::Egress::Start(std::move(options)));
  egress::Places places;
  PADDOCK_ASSIGN(places.proxy_port, ListenFor(egress::ListenerKind::kProxy, proxy_port));
  for (const uint16_t port : policy.network.host_ports) PADDOCK_TRY(ListenFor(egress::ListenerKind::kHostPort, port));
  if (egress::ShowsCertificates(policy)) {
    const std::string directory = kCertificateDirectory;
    // What code inside may have left there in a sandbox that begins again.
    if (const Status removed = client.files().Remove(directory, true, In(kPatience)); !removed && removed.error().code != Code::kNoEntry) return removed;
    PADDOCK_TRY(client.files().MakeDirectory(directory, 0755, true, In(kPatience)));
    PADDOCK_ASSIGN(const std::string own, engine_->CaCertificatePem());
    PADDOCK_ASSIGN(const std::string bundle, engine_->CaBundlePem());
    PADDOCK_ASSIGN(places.ca_path, PutFile(client.files(), directory + "/ca.pem", own));
    PADDOCK_ASSIGN(places.ca_bundle_path, PutFile(client.files(), directory + "/ca-bundle.pem", bundle));
  }
  variables_ = egress::ProgramVariables(*engine_, places);
  warnings_.push_back("network: behind this wall only programs that honour HTTP_PROXY, HTTPS_PROXY or ALL_PROXY reach it; set the proxy of others to 127.0.0.1:" +
                      std::to_string(places.proxy_port));
  return {};
}

Result<uint16_t> NetworkBridge::ListenFor(egress::ListenerKind kind, uint16_t port) {
  auto listens = bridge_->ListenInside(port, [this, kind, port]() -> Descriptor {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
    Descriptor ours(ends[1]);
    if (!engine_->AcceptConnected(ends[0], kind, {}, port)) return {};
    return ours;
  });
  if (!listens) return Error(listens.error().code, "network: cannot listen inside on 127.0.0.1:" + std::to_string(port) + ": " + std::string(listens.error().Text()));
  return listens;
}

Status NetworkBridge::UpdateRules(policy::NetworkRules rules) {
  if (!engine_) return Error(Code::kInvalid, "the sandbox was made without a network; give it rules from the start");
  return engine_->UpdateRules(std::move(rules));
}

std::optional<egress::Traffic> NetworkBridge::traffic() const { return engine_ ? std::optional(engine_->traffic()) : std::nullopt; }

std::vector<std::string> NetworkBridge::TakeDenials() {
  if (engine_) engine_->FlushEvents();
  return denials_->Take();
}

void NetworkBridge::Stop() {
  if (bridge_) bridge_->Stop();
  if (engine_) engine_->Stop();
}

}  // namespace paddock::guest
