#include "egress/proxy_connection.h"

#include "egress/denial_text.h"
#include "egress/first_bytes.h"
#include "egress/http_session.h"
#include "egress/relay.h"
#include "egress/socks.h"

namespace paddock::egress {
namespace {

constexpr size_t kMostSocksBytes = 1024;
constexpr Nanoseconds kFirstWord = std::chrono::seconds(2);
constexpr char kSocks4 = 4;
constexpr char kSocks5 = 5;

// One SOCKS client, from its first byte to its tunnel.
class SocksServer {
 public:
  SocksServer(const Services& services, Socket& socket, Input& client, AddressFamily family)
      : services_(services), gate_(services.gate), socket_(socket), client_(client), family_(family) {}

  void Run() {
    version_ = client_.view()[0];
    if (version_ == kSocks5 && !Greet()) return;
    for (;;) {
      size_t size = 0;
      SocksProblem problem;
      auto request = ParseSocksRequest(client_.view(), &size, &problem);
      if (!request) {
        const std::string reason = problem.reason.empty() ? std::string(request.error().Text()) : problem.reason;
        return Refuse(Event{}, problem.reply, reason);
      }
      if (*request) {
        client_.Consume(size);
        return Serve(**request);
      }
      if (!More()) return;
    }
  }

 private:
  bool More() {
    const auto count = client_.Fill(kMostSocksBytes, deadline_);
    return count && *count > 0;
  }

  bool Greet() {
    for (;;) {
      size_t size = 0;
      const auto is_open = ParseSocks5Greeting(client_.view(), &size);
      if (!is_open) {
        Refuse(Event{}, SocksReply::kFailure, is_open.error().message);
        return false;
      }
      if (size > 0) {
        client_.Consume(size);
        return socket_.Write(*is_open ? std::string_view("\x05\x00", 2) : std::string_view("\x05\xff", 2), deadline_)
                   .has_value() &&
               *is_open;
      }
      if (!More()) return false;
    }
  }

  void Serve(const SocksRequest& request) {
    const TunnelReply reply{
        [this] { return socket_.Write(SocksAnswer(version_, SocksReply::kGranted), deadline_); },
        [this](const Refusal& refusal) {
          Answer(refusal.kind == Event::Kind::kDenied ? SocksReply::kNotAllowed : SocksReply::kUnreachable);
        }};
    ServeTunnel(services_, socket_, client_, {request.host, request.port, Protocol(), family_}, reply);
  }

  void Refuse(Event draft, SocksReply reply, const std::string& reason) {
    draft.protocol = Protocol();
    gate_.Denied(std::move(draft), reason);
    Answer(reply);
  }

  void Answer(SocksReply reply) {
    (void)socket_.Write(SocksAnswer(version_, reply), gate_.reactor().In(gate_.limits().head_timeout));
  }
  std::string Protocol() const { return version_ == kSocks5 ? "socks5" : "socks4"; }

  const Services& services_;
  Gate& gate_;
  Socket& socket_;
  Input& client_;
  const AddressFamily family_;
  int version_ = kSocks5;
  const Deadline deadline_ = gate_.reactor().In(gate_.limits().head_timeout);
};

// Tells a client that knows of no proxy in its own protocol, if it says soon which that is.
void RefuseCaptured(Gate& gate, Socket& socket, Input& client, const Endpoint& to, const Refusal& refusal) {
  const Deadline deadline = gate.reactor().In(kFirstWord);
  FirstBytes kind = Classify(client.view());
  while (kind == FirstBytes::kNeedMore) {
    const auto count = client.Fill(kMostHeadBytes, deadline);
    if (!count || *count == 0) break;
    kind = Classify(client.view());
  }
  if (kind == FirstBytes::kHttp) {
    Destination asked{policy::Host{to.address.Text(), to.address}, to.port, "transparent"};
    if (const auto name = gate.names().NameOf(to.address)) asked.host = policy::Host{*name, std::nullopt};
    const std::string text = RefusalText("the connection to " + policy::HostPortText(asked.host, asked.port), asked, refusal);
    (void)socket.Write(RefusalResponse(text, refusal, false, true), deadline);
  } else if (kind == FirstBytes::kTls && refusal.kind == Event::Kind::kDenied) {
    (void)socket.Write(TlsAccessDenied(), deadline);
  } else {
    return socket.ResetOnClose();
  }
  EndGently(socket, gate.reactor());
}

}  // namespace

void ServeProxyClient(const Services& services, Socket& socket, AddressFamily family) {
  Input client(socket);
  if (!client.Need(1, services.gate.reactor().In(services.gate.limits().idle_timeout))) return;
  if (client.view()[0] == kSocks4 || client.view()[0] == kSocks5) return SocksServer(services, socket, client, family).Run();
  HttpSession(services, socket, client).Run();
}

void ServeTransparentClient(const Services& services, Socket& socket, const Endpoint& to) {
  // Its own loopback is no way out: nothing listens there, and the client is told just that.
  const bool is_loopback = to.address.is_v6 ? to.address.Text() == "::1" : to.address.bytes[0] == 127;
  if (to.port == 0 || is_loopback) return socket.ResetOnClose();
  Input client(socket);
  const TunnelReply reply{[] { return Status(); }, [&](const Refusal& refusal) { RefuseCaptured(services.gate, socket, client, to, refusal); }};
  ServeTunnel(services, socket, client, {policy::Host{to.address.Text(), to.address}, to.port, "transparent"}, reply);
}

void ServeHostPortClient(const Services& services, Socket& socket, uint16_t port) {
  Gate& gate = services.gate;
  const Destination to{policy::Host{"127.0.0.1", policy::IpAddress::V4(127, 0, 0, 1)}, port, "host-port"};
  auto opened = gate.OpenHostPort(port, Gate::Draft(to));
  if (!opened.value) return socket.ResetOnClose();
  gate.Allowed(Gate::Draft(to), "host_ports", opened.value->address);
  Input client(socket), upstream(*opened.value->socket);
  const auto judge = [port](const policy::NetworkRuleSet& rules) { return rules.HasHostPort(port); };
  const Gate::Tunnel tunnel(gate, judge, socket, *opened.value->socket);
  Relay(gate.reactor(), client, upstream, gate.limits().idle_timeout);
}

}  // namespace paddock::egress
