// Egress::Start and what it returns: the threads, the listeners, and the order of ends.
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "egress/certificate_authority.h"
#include "egress/dns_server.h"
#include "egress/egress.h"
#include "egress/proxy_connection.h"
#include "egress/secrets.h"
#include "egress/upstream_proxy.h"

namespace paddock::egress {
namespace {

constexpr Nanoseconds kAcceptPause = std::chrono::milliseconds(100);   // when the system is out of descriptors

Result<std::shared_ptr<const policy::NetworkRuleSet>> CompileRules(policy::NetworkRules rules) {
  if (!rules.upstream_proxy.empty()) {
    if (const auto proxy = ParseUpstreamProxy(rules.upstream_proxy); !proxy) {
      return Error(Code::kInvalid, "upstream_proxy: " + proxy.error().message);
    }
  }
  return policy::NetworkRuleSet::Compile(std::move(rules));
}

class Engine : public Egress {
 public:
  Engine(std::unique_ptr<Reactor> reactor, EgressOptions&& options, std::shared_ptr<const policy::NetworkRuleSet> rules,
         std::unique_ptr<SecretStore> secrets)
      : limits_(options.limits),
        reactor_(std::move(reactor)),
        secrets_(std::move(secrets)),
        trust_(std::move(options.extra_trust_pem)),
        events_(std::move(options.on_event), options.limits.events),
        gate_(*reactor_, events_, std::move(options.resolve), options.limits, std::move(rules)) {}
  ~Engine() override { Stop(); }

  void Run() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);   // signals are for the program's own threads
    thread_ = std::thread([this] { reactor_->Run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  Status AddListener(Listener listener) override {
    auto fd = std::make_shared<Descriptor>(listener.fd);
    if (!*fd) return Error(Code::kBadDescriptor, "egress: a listener without a descriptor");
    return Have([this, fd, listener] {
      auto socket = Socket::Make(*reactor_, std::move(*fd));
      if (!socket) return;   // only for want of kernel memory
      reactor_->Spawn(
          [this, listener, owned = std::make_shared<std::unique_ptr<Socket>>(std::move(*socket))] { Listen(**owned, listener); });
    });
  }

  Status AcceptConnected(int number, ListenerKind kind, const std::string& destination, uint16_t port, AddressFamily family) override {
    auto fd = std::make_shared<Descriptor>(number);
    if (!*fd) return Error(Code::kBadDescriptor, "egress: a stream without a descriptor");
    if (kind == ListenerKind::kDnsUdp) return Error(Code::kInvalid, "egress: datagrams are no stream");
    std::optional<Endpoint> to;
    if (kind == ListenerKind::kTransparent) {
      const auto address = policy::IpAddress::Parse(destination);
      if (!address) return Error(Code::kInvalid, "egress: destination '" + destination + "' is no address");
      to = Endpoint{*address, port};
    }
    return Have([this, fd, kind, to, port, family] { Begin(std::move(*fd), {-1, kind, port, family}, to); });
  }

  Status UpdateRules(policy::NetworkRules rules) override {
    PADDOCK_ASSIGN(auto compiled, CompileRules(std::move(rules)));
    gate_.SetRules(std::move(compiled));
    return {};
  }

  Traffic traffic() const override { return {.in_bytes = gate_.traffic().in, .out_bytes = gate_.traffic().out}; }
  Status Revoke(const std::string& name) override { return secrets_->Revoke(name); }
  std::vector<std::pair<std::string, std::string>> Placeholders() const override { return secrets_->Placeholders(); }
  std::string Redact(const std::string& text) const override { return secrets_->Redact(text); }
  Result<std::string> CaCertificatePem() override { return authority_.Pem(); }
  Result<std::string> CaBundlePem() override {
    PADDOCK_ASSIGN(std::string roots, trust_.Pem());
    PADDOCK_ASSIGN(const std::string own, authority_.Pem());
    return roots + own;
  }
  void FlushEvents() override { events_.Flush(); }

  void Stop() override {
    const std::lock_guard lock(stop_mutex_);
    if (thread_.joinable()) {
      reactor_->RequestStop();
      thread_.join();
    }
    events_.Stop();
  }

 private:
  // Has `work` done on the reactor's thread.
  Status Have(std::function<void()> work) {
    const bool is_taken = reactor_->Post([this, work = std::move(work)] {
      if (!reactor_->is_stopping()) work();
    });
    if (!is_taken) return Error(Code::kCancelled, "egress: the engine has stopped");
    return {};
  }

  void Listen(Socket& socket, const Listener& listener) {
    if (listener.kind == ListenerKind::kDnsUdp) return ServeDnsDatagrams(gate_, socket);
    while (!reactor_->is_stopping()) {
      if (connections_ >= limits_.connections) {
        (void)reactor_->Wait(connection_ended_, kNever);
        continue;
      }
      auto accepted = socket.Accept(kNever);
      if (accepted) {
        Begin(std::move(*accepted), listener, std::nullopt);
        reactor_->Breathe();
      } else if (accepted.error().code == Code::kCancelled || accepted.error().code == Code::kInvalid ||
                 !reactor_->Sleep(kAcceptPause)) {
        return;
      }
    }
  }

  void Begin(Descriptor fd, const Listener& listener, const std::optional<Endpoint>& to) {
    auto socket = Socket::Make(*reactor_, std::move(fd));
    if (!socket) return;
    ++connections_;
    reactor_->Spawn([this, kind = listener.kind, port = listener.host_port, family = listener.family, to,
                     owned = std::make_shared<std::unique_ptr<Socket>>(std::move(*socket))] {
      Serve(**owned, kind, port, family, to);
      owned->reset();
      --connections_;
      reactor_->Wake(connection_ended_);
    });
  }

  void Serve(Socket& socket, ListenerKind kind, uint16_t port, AddressFamily family, const std::optional<Endpoint>& to) {
    const Services services{gate_, *secrets_, authority_, trust_};
    switch (kind) {
      case ListenerKind::kProxy: return ServeProxyClient(services, socket, family);
      case ListenerKind::kTransparent: return ServeTransparentClient(services, socket, to ? *to : socket.LocalEndpoint());
      case ListenerKind::kHostPort: return ServeHostPortClient(services, socket, port);
      case ListenerKind::kDnsTcp: return ServeDnsClient(gate_, socket);
      case ListenerKind::kDnsUdp: return;
    }
  }

  const Limits limits_;
  const std::unique_ptr<Reactor> reactor_;
  const std::unique_ptr<SecretStore> secrets_;
  CertificateAuthority authority_;
  UpstreamTrust trust_;
  EventQueue events_;
  Gate gate_;
  size_t connections_ = 0;     // reactor's thread
  Waiters connection_ended_;   // reactor's thread
  std::mutex stop_mutex_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Egress>> Egress::Start(EgressOptions options) {
  std::vector<Descriptor> owned;   // closes what no engine has taken on
  for (const Listener& listener : options.listeners) owned.emplace_back(listener.fd);
  PADDOCK_ASSIGN(auto secrets, SecretStore::Make(std::move(options.secrets)));
  PADDOCK_TRY(UpstreamTrust::Check(options.extra_trust_pem));
  PADDOCK_ASSIGN(auto rules, CompileRules(std::move(options.rules)));
  PADDOCK_ASSIGN(auto reactor, Reactor::Make());
  const std::vector<Listener> listeners = std::move(options.listeners);
  auto engine = std::make_unique<Engine>(std::move(reactor), std::move(options), std::move(rules), std::move(secrets));
  engine->Run();
  for (size_t i = 0; i < listeners.size(); ++i) {
    (void)owned[i].Release();
    PADDOCK_TRY(engine->AddListener(listeners[i]));
  }
  return std::unique_ptr<Egress>(std::move(engine));
}

}  // namespace paddock::egress
