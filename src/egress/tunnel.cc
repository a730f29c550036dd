#include "egress/tunnel.h"

#include <algorithm>

#include "egress/certificate_authority.h"
#include "egress/client_hello.h"
#include "egress/denial_text.h"
#include "egress/first_bytes.h"
#include "egress/http_session.h"
#include "egress/relay.h"
#include "egress/secrets.h"
#include "egress/tls_stream.h"

namespace paddock::egress {
namespace {

using policy::NetworkVerdict;

constexpr uint16_t kHttpPort = 80;

// One client's tunnel; the steps share what they learn.
class TunnelServer {
 public:
  TunnelServer(const Services& services, Socket& socket, Input& client, Destination to)
      : services_(services), gate_(services.gate), socket_(socket), client_(client), to_(std::move(to)) {}

  void Run(const TunnelReply& reply) {
    verdict_ = gate_.rules()->Connection(to_.host, to_.port);
    if (verdict_.kind == NetworkVerdict::Kind::kDeny) return reply.refuse(gate_.Denied(Gate::Draft(to_), verdict_));
    opens_tls_ = verdict_.terminate_tls || (services_.secrets.IsBound(to_.host, to_.port) && !verdict_.is_never_opened);
    // Where the server may have to speak first, and where a failure to connect is to be told in the asking protocol.
    if (verdict_.kind == NetworkVerdict::Kind::kAllow && to_.port != kHttpPort && !opens_tls_) {
      if (const auto refusal = Dial()) return reply.refuse(*refusal);
    }
    if (!reply.grant()) return;
    switch (AwaitFirstBytes()) {
      case FirstBytes::kNeedMore: return;   // the client left, or the server spoke and all is over
      case FirstBytes::kTls: return ServeTls();
      case FirstBytes::kHttp: return ServeHttp();
      case FirstBytes::kOther: return ServeOther();
    }
  }

 private:
  std::optional<Refusal> Dial() {
    if (upstream_ != nullptr) return std::nullopt;
    auto opened = gate_.Open(to_, verdict_, Gate::Draft(to_));
    if (!opened.value) return opened.refusal;
    upstream_ = std::move(opened.value);
    return std::nullopt;
  }

  FirstBytes AwaitFirstBytes() {
    const Deadline idle = gate_.reactor().In(gate_.limits().idle_timeout);
    while (client_.view().empty() && !socket_.IsReadable()) {
      if (upstream_ == nullptr) break;
      if (upstream_->socket->IsReadable()) {
        ServeServerFirst();
        return FirstBytes::kNeedMore;
      }
      if (!gate_.reactor().WaitEither(socket_.readers(), upstream_->socket->readers(), idle)) return FirstBytes::kNeedMore;
    }
    return Inspect(gate_.limits().head_timeout);
  }

  // Reads until it is clear what the client speaks, or `patience` after its first byte.
  FirstBytes Inspect(std::chrono::seconds patience) {
    Deadline deadline = gate_.reactor().In(client_.view().empty() ? gate_.limits().idle_timeout : patience);
    for (;;) {
      const bool was_empty = client_.view().empty();
      const FirstBytes kind = Classify(client_.view());
      if (kind != FirstBytes::kNeedMore) return kind;
      const auto count = client_.Fill(kMostHelloBytes, deadline);
      if (!count || *count == 0) return FirstBytes::kNeedMore;
      if (was_empty) deadline = gate_.reactor().In(patience);
    }
  }

  // Neither TLS nor HTTP begins with the server: neither may follow.
  void ServeServerFirst() {
    gate_.Allowed(Gate::Draft(to_), verdict_.origin, upstream_->address);
    Input upstream(*upstream_->socket);
    const Gate::Tunnel tunnel(gate_, Gate::WholeStream(to_), socket_, *upstream_->socket);
    Relay(gate_.reactor(), client_, upstream, gate_.limits().idle_timeout, [this] {
      // A short word without a line's end may be all that such a protocol has to say.
      constexpr std::chrono::seconds kPatience{1};
      const FirstBytes kind = Inspect(std::min(gate_.limits().head_timeout, kPatience));
      if (kind == FirstBytes::kTls || kind == FirstBytes::kHttp) {
        gate_.Denied(Gate::Draft(to_), "TLS or HTTP behind a server that spoke first");
        return false;
      }
      return true;
    });
  }

  void ServeTls() {
    const Deadline deadline = gate_.reactor().In(gate_.limits().head_timeout);
    for (;;) {
      const auto hello = ParseClientHello(client_.view());
      if (!hello) return DenyTls(hello.error().message);
      if (*hello) return ServeHello(**hello);
      const auto count = client_.Fill(2 * kMostHelloBytes, deadline);
      if (!count || *count == 0) return;
    }
  }

  void ServeHello(const ClientHello& hello) {
    if (const std::string why = NameProblem(hello); !why.empty()) return DenyTls(why);
    if (opens_tls_) {
      const auto& offered = hello.protocols;
      if (offered.empty() || std::find(offered.begin(), offered.end(), "http/1.1") != offered.end()) return ServeOpened(hello);
      return DenyTls("the client speaks " + offered.front() + " only, and TLS to this host is opened, where HTTP/1.1 is spoken; HTTP/2 (gRPC) passes where a rule needs "
                     "no terminate_tls, methods, paths or secrets", TlsNoProtocol());
    }
    if (hello.has_encrypted_hello && !verdict_.is_any_name && !to_.host.address) {
      return DenyTls("an encrypted ClientHello hides the server's name; switch ECH off in the client");
    }
    if (verdict_.kind == NetworkVerdict::Kind::kAskRequest) {
      return DenyTls("the rules for this host speak of methods or paths, which TLS hides; the rule needs terminate_tls");
    }
    if (const auto refusal = Dial()) {
      (void)socket_.Write(TlsAccessDenied(), gate_.reactor().In(gate_.limits().head_timeout));
      return;
    }
    RelayAll();
  }

  // The engine is the server towards the client, and a client of the true server for each request that it lets through.
  // An encrypted ClientHello is of no use to the client here: only the outer one is answered.
  void ServeOpened(const ClientHello& hello) {
    const auto named = hello.server_name ? policy::ParseHost(*hello.server_name) : Result<policy::Host>(to_.host);
    auto context = services_.authority.ContextFor(*named);
    if (!context) return DenyTls(context.error().message);
    std::string prefix(client_.view());
    client_.Consume(prefix.size());
    auto tls = TlsStream::Accept(socket_, std::move(prefix), context->get(), gate_.reactor().In(gate_.limits().head_timeout));
    if (!tls) {
      gate_.Failed(Gate::Draft(to_), "the client does not take the engine's certificate: " + FailureText(tls.error()));
      return;
    }
    Input plain(**tls);
    HttpSession session(services_, **tls, plain, to_, *named);
    session.Run();
    (void)(*tls)->FinishWriting(gate_.reactor().In(std::chrono::seconds(1)));
  }

  // Why the name in the hello does not belong to the destination; empty when it does.
  std::string NameProblem(const ClientHello& hello) const {
    if (!hello.server_name) {
      return to_.host.address ? "" : "the ClientHello names no server; it has to name " + to_.host.text;
    }
    const auto named = policy::ParseHost(*hello.server_name);
    if (!named) return "server name: " + named.error().message;
    if (*named == to_.host) return {};
    if (!to_.host.address) return "the ClientHello names server " + named->text + ", the connection was for " + to_.host.text;
    // An allowed address is allowed whatever it serves, but for names that are denied.
    if (gate_.rules()->DenyingRule(*named, to_.port) != nullptr) return "a rule denies server name " + named->text;
    return {};
  }

  void DenyTls(const std::string& reason, std::string_view alert = TlsAccessDenied()) {
    gate_.Denied(Gate::Draft(to_), reason, verdict_.origin);
    (void)socket_.Write(alert, gate_.reactor().In(gate_.limits().head_timeout));
  }

  void ServeHttp() {
    HttpSession session(services_, socket_, client_, to_);
    if (upstream_ != nullptr) session.UseUpstream(std::move(upstream_));
    session.Run();
  }

  void ServeOther() {
    std::string why;
    if (verdict_.kind == NetworkVerdict::Kind::kAskRequest)
      why = "the rules for this host speak of methods or paths, and this is not HTTP";
    if (to_.port == kHttpPort) why = "not HTTP, on port 80";
    if (!why.empty()) {
      gate_.Denied(Gate::Draft(to_), why, verdict_.origin);
      return socket_.ResetOnClose();
    }
    if (Dial()) return socket_.ResetOnClose();
    RelayAll();
  }

  void RelayAll() {
    gate_.Allowed(Gate::Draft(to_), verdict_.origin, upstream_->address);
    Input upstream(*upstream_->socket);
    const Gate::Tunnel tunnel(gate_, Gate::WholeStream(to_), socket_, *upstream_->socket);
    Relay(gate_.reactor(), client_, upstream, gate_.limits().idle_timeout);
  }

  const Services& services_;
  Gate& gate_;
  Socket& socket_;
  Input& client_;
  const Destination to_;
  NetworkVerdict verdict_;
  bool opens_tls_ = false;
  std::unique_ptr<Upstream> upstream_;
};

}  // namespace

void ServeTunnel(const Services& services, Socket& socket, Input& client, Destination to, const TunnelReply& reply) {
  // A mapped address is a name in disguise.
  if (to.host.address) {
    if (const auto name = services.gate.names().NameOf(*to.host.address)) to.host = policy::Host{*name, std::nullopt};
  }
  TunnelServer(services, socket, client, std::move(to)).Run(reply);
}

}  // namespace paddock::egress
