#include "drivers/process/network_access.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "policy/load.h"
#include "policy/verdict.h"

namespace paddock::process_wall {
namespace {

constexpr uint16_t kProxyPort = 3128;
// Ports that programs expect to reach directly. Others work through the proxy's port, and directly when a rule names them.
constexpr uint16_t kUsualPorts[] = {80, 443, 22};
constexpr size_t kMostCapturedPorts = 64;

Result<std::string> ReadCertificates(const policy::FileRules& files, const std::string& named) {
  constexpr size_t kMostBytes = 4 << 20;
  PADDOCK_ASSIGN(const std::string path, policy::ResolvePath(named));
  const policy::FileVerdict inside = policy::AccessOf(files, path);
  if (inside.access == policy::Access::kWrite && !inside.is_private) {
    return Error(Code::kInvalid, "network.tls_trust: " + path + " lies where the code inside may write (" + inside.rule + "); keep it outside");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const std::string of = "network.tls_trust: " + path;
  if (text.empty()) return Error(Code::kNoEntry, of + " cannot be read, or is empty");
  if (text.size() > kMostBytes) return Error(Code::kFileTooBig, of + " has more than 4 MiB");
  if (text.find("-----BEGIN CERTIFICATE-----") == std::string::npos) return Error(Code::kInvalid, of + " holds no certificate in PEM form");
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

Result<std::string> ReadSecret(const policy::SecretBinding& binding) {
  using Source = policy::SecretBinding::Source;
  const std::string of = "secret " + binding.name + " (" + binding.origin + ")";
  if (binding.source == Source::kValue) return binding.from;
  if (binding.source == Source::kEnvironment) {
    const char* value = std::getenv(binding.from.c_str());   // allow(getenv): the policy names the variable as the source
    if (value == nullptr || *value == '\0') return Error(Code::kNoEntry, of + ": the variable " + binding.from + " is not set here");
    return std::string(value);
  }
  std::ifstream file(binding.from, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return Error(Code::kNoEntry, of + ": cannot read " + binding.from);
  std::string value = std::move(text).str();
  while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
  return value;
}

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

Result<std::unique_ptr<NetworkAccess>> NetworkAccess::Start(const policy::Policy& policy, std::shared_ptr<DenialLog> denials) {
  std::unique_ptr<NetworkAccess> access(new NetworkAccess);   // allow(raw-new): private constructor
  egress::EgressOptions options;
  options.rules = policy.network;
  for (const policy::SecretBinding& binding : policy.secrets) {
    PADDOCK_ASSIGN(std::string value, ReadSecret(binding));
    options.secrets.push_back({binding, std::move(value)});
  }
  options.on_event = [denials = std::move(denials)](const egress::Event& event) {
    if (event.kind == egress::Event::Kind::kDenied) denials->Add(event.Text());
  };
  const auto& rules = policy.network.rules;
  for (const std::string& file : policy.network.tls_trust) {
    PADDOCK_ASSIGN(const std::string pem, ReadCertificates(policy.files, file));
    options.extra_trust_pem += pem;
  }
  access->shows_certificates_ = !policy.secrets.empty() || !policy.network.tls_trust.empty() ||
                       std::any_of(rules.begin(), rules.end(), [](const policy::NetworkRule& rule) { return rule.terminate_tls; });
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
  std::vector<std::pair<std::string, std::string>> variables;
  const std::string http = "http://127.0.0.1:" + std::to_string(kProxyPort);
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}) variables.emplace_back(name, http);
  const std::string socks = "socks5h://127.0.0.1:" + std::to_string(kProxyPort);
  for (const char* name : {"ALL_PROXY", "all_proxy"}) variables.emplace_back(name, socks);
  for (const char* name : {"NO_PROXY", "no_proxy"}) variables.emplace_back(name, "localhost,127.0.0.1,::1");
  if (shows_certificates_) {
    for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
                             "npm_config_cafile", "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE"}) {
      variables.emplace_back(name, kCaBundlePath);
    }
    variables.emplace_back("NODE_EXTRA_CA_CERTS", kCaPath);
    variables.emplace_back("DENO_CERT", kCaPath);
  }
  for (auto& [name, placeholder] : engine_->Placeholders()) variables.emplace_back(name, placeholder);
  return variables;
}

}  // namespace paddock::process_wall
