// NetworkBridge: the whole network of a sandbox whose only way in and out is its agent: the policy's way out by way of an egress engine
// (docs/egress.md), and published ports. No interface of the sandbox's is used but its loopback, and no address of the host's is
// reachable from inside: the sandbox may have no network at all.
//
//   PADDOCK_ASSIGN(network, NetworkBridge::Open(client, policy));
//   GuestAccess::Options{…, .variables = network->variables(), .take_denials = [network] { return network->TakeDenials(); }}
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "egress/egress.h"
#include "guest/bridge/stream_bridge.h"
#include "policy/policy.h"
#include "sandbox/denial_log.h"

namespace paddock::guest {

class NetworkBridge {
 public:
  // Inside: the port of its loopback (0: any free one), and where certificates are put when the policy needs some, which the agent must be able
  // to make and write.
  static constexpr uint16_t kProxyPort = 3128;
  static constexpr const char* kCertificateDirectory = "/tmp/.paddock";

  // With a policy that asks for nothing it does nothing. The client must have greeted the agent. Errors: kInvalid and kNoEntry for a rule or a
  // secret's source, kNotSupported for what only a wall of the host's own can give (unix_sockets), the agent's, the engine's.
  static Result<std::unique_ptr<NetworkBridge>> Open(std::shared_ptr<Client> client, const policy::Policy& policy, uint16_t proxy_port = kProxyPort);
  ~NetworkBridge();
  NetworkBridge(const NetworkBridge&) = delete;
  NetworkBridge& operator=(const NetworkBridge&) = delete;

  // NAME, value, for every program inside: proxies, certificates, placeholders of secrets.
  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }
  // For Sandbox::Warnings().
  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<policy::PublishedPort>& published() const { return published_; }

  // Any thread. Errors: kInvalid for rules, and when the sandbox was made without a network.
  Status UpdateRules(policy::NetworkRules rules);
  // Nothing without a way out.
  std::optional<egress::Traffic> traffic() const;
  // What was refused since the last call, up to now.
  std::vector<std::string> TakeDenials();
  void TellDenials(std::function<void(const std::string&)> listener) { denials_->Tell(std::move(listener)); }

  // Closes every way. Idempotent; before the client ends.
  void Stop();

 private:
  NetworkBridge() = default;
  Status OpenWayOut(Client& client, const policy::Policy& policy, uint16_t proxy_port);
  Result<uint16_t> ListenFor(egress::ListenerKind kind, uint16_t port);

  const std::shared_ptr<sandbox::DenialLog> denials_ = std::make_shared<sandbox::DenialLog>();
  std::unique_ptr<egress::Egress> engine_;   // null without a way out
  std::unique_ptr<StreamBridge> bridge_;     // null when nothing is carried; ends before the engine
  std::vector<std::pair<std::string, std::string>> variables_;
  std::vector<std::string> warnings_;
  std::vector<policy::PublishedPort> published_;
};

}  // namespace paddock::guest
