// HttpSession: one client's HTTP/1.1 requests, each judged on its own, over one kept connection or several to the outside.
//
// The head that goes out is written anew from what was read: origin form, the judged name as Host, no hop-by-hop
// fields. After a switch of protocols (WebSocket only) the stream is opaque, but for destinations of secrets (websocket_filter.h).
#pragma once

#include <memory>
#include <optional>

#include "egress/http_body.h"
#include "egress/secrets.h"
#include "egress/tunnel.h"

namespace paddock::egress {

class HttpSession {
 public:
  // As a proxy: absolute targets and CONNECT. `client` reads `stream`.
  HttpSession(const Services& services, Socket& stream, Input& client);
  // With a destination found out before: Host has to be that one.
  HttpSession(const Services& services, Stream& stream, Input& client, Destination to);
  // The same within opened TLS. `server_name`: whom the server's certificate has to be for.
  HttpSession(const Services& services, Stream& stream, Input& client, Destination to, policy::Host server_name);
  ~HttpSession();

  // A connection to the destination that is open already.
  void UseUpstream(std::unique_ptr<Upstream> upstream);
  // Serves until the client or a fault ends it.
  void Run();

 private:
  struct Connection {
    std::unique_ptr<Upstream> upstream;
    std::unique_ptr<Stream> tls;   // over it
    std::unique_ptr<Input> input;
    Destination to;
    bool is_used = false;
    Stream& stream() { return tls != nullptr ? *tls : *upstream->socket; }
  };
  // A request on its way: what was read, and where it goes.
  struct Exchange {
    RequestHead head;
    Destination to;
    std::string path_and_query;
    std::string host_header;
    policy::NetworkVerdict verdict;
    bool is_upgrade = false;
    bool is_searched = false;        // the answer may hold a secret
    bool has_secret = false;         // the request does
    Event draft;
  };

  // What may follow an exchange: nothing, a request over a new connection, or one over the same.
  enum class Next { kEnd, kFresh, kSame };

  std::optional<RequestHead> ReadHead();
  // Each says whether another request may follow.
  bool Serve(RequestHead head);
  bool ServeConnect(const RequestHead& head);
  bool Exchanged(Exchange& exchange);
  static bool IsAllowed(const Exchange& exchange, const policy::NetworkRuleSet& rules);
  Next ReadResponse(Exchange& exchange, Connection& connection, const bool& upload_failed);
  Next PassBody(const Exchange& exchange, const ResponseHead& response, Connection& connection);
  void PassUpgrade(Exchange& exchange, const ResponseHead& response, Connection& connection);
  // Sends the request's body while the answer is being read.
  void Upload(const Exchange& exchange, Connection& connection, bool* failed);

  // Fills in `to`, `path_and_query` and `host_header`; a text when the request is not acceptable.
  std::string FindTarget(Exchange* exchange) const;
  std::string FindProxyTarget(Exchange* exchange) const;
  std::string FindFixedTarget(Exchange* exchange) const;
  // The open connection if it may carry the request, else a new one.
  Opened<std::unique_ptr<Connection>> Connect(const Exchange& exchange, bool fresh);
  // The rules' word on the request, and on what its fields would make of it at servers that let a field override method or path.
  policy::NetworkVerdict Judge(const Exchange& exchange) const;
  void ReportUses(const Exchange& exchange, const std::vector<SecretStore::Use>& uses);
  // Puts secrets in; the refusal when the request must not go out.
  std::optional<Refusal> ApplySecrets(Exchange* exchange);
  std::string OutgoingHead(const Exchange& exchange) const;
  std::string ReturnedHead(const Exchange& exchange, const ResponseHead& response, BodyFraming::Kind framing,
                           bool keep_alive) const;

  bool Refuse(const Exchange& exchange, const Refusal& refusal);
  bool Bad(const std::string& reason);
  Deadline Idle() const;

  const Services& services_;
  Gate& gate_;
  Socket* const socket_;              // null when not a proxy
  Stream& client_stream_;
  Input& client_;
  const std::optional<Destination> fixed_;
  const std::string scheme_;
  const std::optional<policy::Host> server_name_;   // of TLS
  std::unique_ptr<Connection> kept_;
  bool has_unread_body_ = false;   // of the last request
};

}  // namespace paddock::egress
