#include "egress/http_session.h"

#include <algorithm>
#include <span>

#include "egress/denial_text.h"
#include "egress/certificate_authority.h"
#include "egress/relay.h"
#include "egress/secrets.h"
#include "egress/tls_stream.h"
#include "egress/websocket_filter.h"

namespace paddock::egress {
namespace {

using policy::NetworkVerdict;

// Fields that belong to one connection and are not passed on.
constexpr std::string_view kHopByHop[] = {
    "connection",         "proxy-connection",  "keep-alive",     "te",   "trailer",       "upgrade", "proxy-authorization",
    "proxy-authenticate", "transfer-encoding", "content-length", "host", "http2-settings"};

// Fields that some servers let override the request line.
constexpr std::string_view kMethodFields[] = {"x-http-method-override", "x-http-method", "x-method-override"};
constexpr std::string_view kPathFields[] = {"x-original-url", "x-rewrite-url"};

constexpr std::string_view kWebSocketExtensions = "sec-websocket-extensions";

bool IsOneOf(std::span<const std::string_view> names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view one) { return EqualsIgnoringCase(one, name); });
}

bool IsHopByHop(const std::vector<HeaderField>& headers, std::string_view name) {
  return IsOneOf(kHopByHop, name) || HasToken(headers, "connection", name);
}

std::string FramingLine(BodyFraming framing) {
  switch (framing.kind) {
    case BodyFraming::Kind::kChunked: return "Transfer-Encoding: chunked\r\n";
    case BodyFraming::Kind::kLength: return "Content-Length: " + std::to_string(framing.length) + "\r\n";
    case BodyFraming::Kind::kNone:
    case BodyFraming::Kind::kUntilEnd: break;
  }
  return {};
}

}  // namespace

HttpSession::HttpSession(const Services& services, Socket& stream, Input& client)
    : services_(services), gate_(services.gate), socket_(&stream), client_stream_(stream), client_(client), scheme_("http") {}

HttpSession::HttpSession(const Services& services, Stream& stream, Input& client, Destination to)
    : services_(services),
      gate_(services.gate),
      socket_(nullptr),
      client_stream_(stream),
      client_(client),
      fixed_(std::move(to)),
      scheme_("http") {}

HttpSession::HttpSession(const Services& services, Stream& stream, Input& client, Destination to, policy::Host server_name)
    : services_(services), gate_(services.gate), socket_(nullptr), client_stream_(stream), client_(client), fixed_(std::move(to)),
      scheme_("https"), server_name_(std::move(server_name)) {}

HttpSession::~HttpSession() = default;

Deadline HttpSession::Idle() const { return gate_.reactor().In(gate_.limits().idle_timeout); }

void HttpSession::UseUpstream(std::unique_ptr<Upstream> upstream) {
  kept_ = std::make_unique<Connection>();
  kept_->input = std::make_unique<Input>(*upstream->socket);
  kept_->upstream = std::move(upstream);
  kept_->to = *fixed_;
}

void HttpSession::Run() {
  for (;;) {
    auto head = ReadHead();
    if (!head || !Serve(std::move(*head))) break;
  }
  if (has_unread_body_) EndGently(client_stream_, gate_.reactor());
}

bool HttpSession::Bad(const std::string& reason) {
  Event draft = fixed_ ? Gate::Draft(*fixed_) : Event{};
  draft.protocol = scheme_;
  gate_.Denied(draft, reason);
  (void)client_stream_.Write(BadRequestResponse(reason), Idle());
  has_unread_body_ = true;   // whatever it was
  return false;
}

std::optional<RequestHead> HttpSession::ReadHead() {
  Deadline deadline = client_.view().empty() ? Idle() : gate_.reactor().In(gate_.limits().head_timeout);
  for (;;) {
    size_t size = 0;
    auto head = ParseRequestHead(client_.view(), &size);
    if (!head) {
      // Of HTTP/2 only the first line can be read.
      const bool is_two = client_.view().starts_with("PRI * HTTP/2");
      Bad(is_two ? "HTTP/2, which is not spoken here; use HTTP/1.1" : std::string(head.error().Text()));
      return std::nullopt;
    }
    if (*head) {
      client_.Consume(size);
      return std::move(**head);
    }
    const bool was_empty = client_.view().empty();
    const auto count = client_.Fill(kMostHeadBytes + 1, deadline);
    if (!count || *count == 0) return std::nullopt;
    if (was_empty) deadline = gate_.reactor().In(gate_.limits().head_timeout);
  }
}

std::string HttpSession::FindTarget(Exchange* exchange) const {
  return fixed_ ? FindFixedTarget(exchange) : FindProxyTarget(exchange);
}

std::string HttpSession::FindProxyTarget(Exchange* exchange) const {
  std::string_view target = exchange->head.target;
  constexpr std::string_view kScheme = "http://";
  if (target.size() < kScheme.size() || !EqualsIgnoringCase(target.substr(0, kScheme.size()), kScheme)) {
    return "a proxy takes targets of the form http://host/path, and CONNECT for the rest";
  }
  target.remove_prefix(kScheme.size());
  const size_t slash = std::min(target.find_first_of("/?"), target.size());
  auto where = policy::ParseHostPort(target.substr(0, slash), 80);
  if (!where) return where.error().message;
  exchange->to = {where->host, where->port, scheme_};
  exchange->path_and_query = std::string(target.substr(slash));
  if (!exchange->path_and_query.starts_with('/')) exchange->path_and_query.insert(0, "/");
  const std::string* host = FindHeader(exchange->head.headers, "host");
  if (host != nullptr) {
    const auto named = policy::ParseHostPort(*host, 80);
    if (!named) return "Host: " + named.error().message;
    if (named->host != where->host || named->port != where->port) return "Host names another server than the target";
  }
  exchange->host_header = where->port == 80 ? HostPortText(where->host, 80) : HostPortText(where->host, where->port);
  if (where->port == 80) exchange->host_header.resize(exchange->host_header.size() - 3);
  return {};
}

std::string HttpSession::FindFixedTarget(Exchange* exchange) const {
  const uint16_t default_port = scheme_ == "https" ? 443 : 80;
  exchange->to = *fixed_;
  exchange->to.protocol = scheme_;
  std::string_view target = exchange->head.target;
  const std::string* host = FindHeader(exchange->head.headers, "host");
  // Servers have to take the absolute form too; it wins over Host there, so it has to be the same.
  const std::string absolute = scheme_ + "://";
  if (target.size() > absolute.size() && EqualsIgnoringCase(target.substr(0, absolute.size()), absolute)) {
    target.remove_prefix(absolute.size());
    const size_t slash = std::min(target.find_first_of("/?"), target.size());
    if (host == nullptr || !EqualsIgnoringCase(target.substr(0, slash), *host))
      return "Host names another server than the target";
    target.remove_prefix(slash);
    exchange->path_and_query = std::string(target);
    if (!target.starts_with('/')) exchange->path_and_query.insert(0, "/");
  } else if (target.starts_with('/') || (target == "*" && exchange->head.method == "OPTIONS")) {
    exchange->path_and_query = std::string(target);
  } else {
    return "a target that does not begin with '/'";
  }
  exchange->host_header = HostPortText(fixed_->host, fixed_->port);
  if (fixed_->port == default_port) exchange->host_header.resize(exchange->host_header.rfind(':'));
  if (host == nullptr) return {};
  const auto named = policy::ParseHostPort(*host, fixed_->port);
  if (!named) return "Host: " + named.error().message;
  if (named->port != fixed_->port) return "Host names another port than the connection's";
  if (named->host == fixed_->host) return {};
  if (!fixed_->host.address) return "Host names " + named->host.text + ", the connection is for " + fixed_->host.text;
  // An allowed address is allowed whatever it serves, but for names that are denied.
  if (gate_.rules()->DenyingRule(named->host, fixed_->port) != nullptr) return "a rule denies Host " + named->host.text;
  exchange->host_header = *host;
  return {};
}

bool HttpSession::Refuse(const Exchange& exchange, const Refusal& refusal) {
  const bool keep_alive = exchange.head.keep_alive && exchange.head.body.kind == BodyFraming::Kind::kNone;
  has_unread_body_ = exchange.head.body.kind != BodyFraming::Kind::kNone;
  const std::string text = RefusalText(exchange.head.method + " " + scheme_ + "://" + exchange.host_header + exchange.draft.path,
                                       exchange.to, refusal);
  return client_stream_.Write(RefusalResponse(text, refusal, keep_alive, exchange.head.method != "HEAD"), Idle()).has_value() &&
         keep_alive;
}

bool HttpSession::ServeConnect(const RequestHead& head) {
  auto where = policy::ParseHostPort(head.target, 0);
  if (!where) return Bad("CONNECT: " + where.error().message);
  const std::string* host = FindHeader(head.headers, "host");
  const auto named = host != nullptr ? policy::ParseHostPort(*host, where->port) : where;
  if (!named || named->host != where->host || named->port != where->port)
    return Bad("CONNECT: Host names another server than the target");
  if (head.body.kind != BodyFraming::Kind::kNone) return Bad("CONNECT with a body");
  const Destination to{where->host, where->port, "connect"};
  const TunnelReply reply{
      [this] { return client_stream_.Write("HTTP/1.1 200 Connection established\r\n\r\n", Idle()); },
      [&](const Refusal& refusal) {
        has_unread_body_ = true;   // clients may send their hello without waiting
        (void)client_stream_.Write(RefusalResponse(RefusalText("CONNECT " + head.target, to, refusal), refusal, false, true),
                                   Idle());
      }};
  ServeTunnel(services_, *socket_, client_, to, reply);
  return false;
}

bool HttpSession::Serve(RequestHead head) {
  if (head.method == "CONNECT") return socket_ != nullptr ? ServeConnect(head) : Bad("CONNECT to what is no proxy");
  Exchange exchange;
  exchange.head = std::move(head);
  const std::string problem = FindTarget(&exchange);
  if (!problem.empty()) return Bad(problem);
  exchange.draft = Gate::Draft(exchange.to);
  exchange.draft.method = exchange.head.method;
  exchange.draft.path = exchange.path_and_query.substr(0, exchange.path_and_query.find('?'));
  exchange.verdict = Judge(exchange);
  if (exchange.verdict.kind != NetworkVerdict::Kind::kAllow) {
    return Refuse(exchange, gate_.Denied(exchange.draft, exchange.verdict));
  }
  exchange.is_upgrade = HasToken(exchange.head.headers, "connection", "upgrade") &&
                        exchange.head.body.kind == BodyFraming::Kind::kNone &&
                        FindHeader(exchange.head.headers, "upgrade") != nullptr &&
                        EqualsIgnoringCase(*FindHeader(exchange.head.headers, "upgrade"), "websocket");
  if (const auto refusal = ApplySecrets(&exchange)) return Refuse(exchange, *refusal);
  return Exchanged(exchange);
}

NetworkVerdict HttpSession::Judge(const Exchange& exchange) const {
  const auto rules = gate_.rules();
  const Destination& to = exchange.to;
  const auto path = policy::RequestPath::Parse(exchange.path_and_query);
  const NetworkVerdict verdict = rules->Request(to.host, to.port, exchange.head.method, path);
  if (verdict.kind != NetworkVerdict::Kind::kAllow) return verdict;
  for (const HeaderField& field : exchange.head.headers) {
    NetworkVerdict other;
    if (IsOneOf(kMethodFields, field.name)) {
      std::string method = field.value;
      for (char& c : method) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
      }
      other = rules->Request(to.host, to.port, method, path);
    } else if (IsOneOf(kPathFields, field.name)) {
      other = rules->Request(to.host, to.port, exchange.head.method, policy::RequestPath::Parse(field.value));
    } else {
      continue;
    }
    if (other.kind == NetworkVerdict::Kind::kAllow) continue;
    other.reason = field.name + ": " + other.reason;
    return other;
  }
  return verdict;
}

std::optional<Refusal> HttpSession::ApplySecrets(Exchange* exchange) {
  const SecretStore& secrets = services_.secrets;
  exchange->is_searched = secrets.IsBound(exchange->to.host, exchange->to.port);
  const auto outcome = secrets.Apply(
      {exchange->to.host, exchange->to.port, exchange->head.method, exchange->head.target, server_name_.has_value()},
      &exchange->head.headers);
  if (!outcome.denial.empty()) return gate_.Denied(exchange->draft, outcome.denial, outcome.origin);
  ReportUses(*exchange, outcome.used);
  exchange->has_secret = !outcome.used.empty();
  return std::nullopt;
}

void HttpSession::ReportUses(const Exchange& exchange, const std::vector<SecretStore::Use>& uses) {
  for (const SecretStore::Use& use : uses) {
    Event event = exchange.draft;
    event.kind = Event::Kind::kSecretUsed;
    event.secret = use.name;
    event.rule = use.origin;
    gate_.Report(std::move(event));
  }
}

Opened<std::unique_ptr<HttpSession::Connection>> HttpSession::Connect(const Exchange& exchange, bool fresh) {
  if (kept_ != nullptr) {
    auto connection = std::move(kept_);
    const bool is_same = connection->to.host == exchange.to.host && connection->to.port == exchange.to.port;
    // Readable while nothing was asked: it has ended, or says what nobody wants to hear.
    const bool is_usable =
        !fresh && is_same && !connection->upstream->socket->IsReadable() && connection->input->view().empty() &&
        (connection->upstream->is_through_proxy || gate_.AddressRefusal(connection->upstream->checked, exchange.verdict).empty());
    if (is_usable) return {std::move(connection), {}};
  }
  auto opened = gate_.Open(exchange.to, exchange.verdict, exchange.draft);
  if (!opened.value) return {nullptr, opened.refusal};
  auto connection = std::make_unique<Connection>();
  connection->upstream = std::move(opened.value);
  connection->to = exchange.to;
  if (server_name_) {
    const auto context = services_.trust.Context();
    if (!context) return {nullptr, gate_.Failed(exchange.draft, FailureText(context.error()))};
    auto tls = TlsStream::Connect(*connection->upstream->socket, context->get(), *server_name_,
                                  gate_.reactor().In(gate_.limits().head_timeout));
    if (!tls) return {nullptr, gate_.Failed(exchange.draft, FailureText(tls.error()))};
    connection->tls = std::move(*tls);
  }
  connection->input = std::make_unique<Input>(connection->stream());
  return {std::move(connection), {}};
}

std::string HttpSession::OutgoingHead(const Exchange& exchange) const {
  const RequestHead& head = exchange.head;
  std::string out = head.method + " " + exchange.path_and_query + " HTTP/1.1\r\nHost: " + exchange.host_header + "\r\n";
  for (const HeaderField& field : head.headers) {
    if (IsHopByHop(head.headers, field.name)) continue;
    // What is to be searched has to come plain, and a value not in slices of the client's choice.
    if (exchange.is_searched && EqualsIgnoringCase(field.name, "accept-encoding")) continue;
    if (exchange.is_searched && exchange.is_upgrade && EqualsIgnoringCase(field.name, kWebSocketExtensions)) continue;
    if (exchange.has_secret && (EqualsIgnoringCase(field.name, "range") || EqualsIgnoringCase(field.name, "if-range"))) continue;
    out += field.name + ": " + field.value + "\r\n";
  }
  if (exchange.is_searched) out += "Accept-Encoding: identity\r\n";
  if (exchange.is_upgrade) out += "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  // A length of 0 is said where the client said it: some servers insist on it for POST.
  if (head.body.kind == BodyFraming::Kind::kNone && FindHeader(head.headers, "content-length") != nullptr)
    out += "Content-Length: 0\r\n";
  return out + FramingLine(head.body) + "\r\n";
}

std::string HttpSession::ReturnedHead(const Exchange& exchange, const ResponseHead& response, BodyFraming::Kind framing,
                                      bool keep_alive) const {
  const auto shown = [&](const std::string& text) { return exchange.is_searched ? services_.secrets.Redact(text) : text; };
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " " + shown(response.reason) + "\r\n";
  for (const HeaderField& field : response.headers) {
    // Of an answer without a body the length is information (HEAD, 304).
    const bool is_length = EqualsIgnoringCase(field.name, "content-length");
    if (is_length ? framing != BodyFraming::Kind::kNone : IsHopByHop(response.headers, field.name)) continue;
    out += shown(field.name) + ": " + shown(field.value) + "\r\n";
  }
  out += FramingLine({framing, response.body.length});
  return out + (keep_alive ? "\r\n" : "Connection: close\r\n\r\n");
}

bool HttpSession::IsAllowed(const Exchange& exchange, const policy::NetworkRuleSet& rules) {
  const auto path = policy::RequestPath::Parse(exchange.path_and_query);
  return rules.Request(exchange.to.host, exchange.to.port, exchange.head.method, path).kind == NetworkVerdict::Kind::kAllow;
}

bool HttpSession::Exchanged(Exchange& exchange) {
  const std::string& method = exchange.head.method;
  const bool may_repeat =
      exchange.head.body.kind == BodyFraming::Kind::kNone && (method == "GET" || method == "HEAD" || method == "OPTIONS");
  bool is_reported = false;
  for (bool fresh = false;; fresh = true) {
    auto opened = Connect(exchange, fresh);
    if (!opened.value) return Refuse(exchange, opened.refusal);
    Connection& connection = *opened.value;
    if (!is_reported) gate_.Allowed(exchange.draft, exchange.verdict.origin, connection.upstream->address);
    is_reported = true;
    const Gate::Tunnel under_way(
        gate_, [&exchange](const policy::NetworkRuleSet& rules) { return IsAllowed(exchange, rules); }, client_stream_,
        connection.stream());
    Status sent = connection.stream().Write(OutgoingHead(exchange), Idle());
    // A kept connection may have ended while the request was on its way.
    if (sent && connection.is_used && may_repeat) {
      const auto first = connection.input->Fill(kMostHeadBytes, Idle());
      if (!first) sent = first.error();
      else if (*first == 0) sent = Code::kBrokenPipe;
    }
    if (!sent && connection.is_used && may_repeat) continue;
    if (!sent)
      return Refuse(exchange, gate_.Failed(exchange.draft, "the server ended the connection: " + FailureText(sent.error())));
    bool upload_failed = false;
    Next next = Next::kEnd;
    if (exchange.head.body.kind == BodyFraming::Kind::kNone) {
      next = ReadResponse(exchange, connection, upload_failed);
    } else {
      ChildFiber upload(gate_.reactor(), [&] { Upload(exchange, connection, &upload_failed); });
      next = ReadResponse(exchange, connection, upload_failed);
      if (!upload.is_done()) {
        // Answered before the body was whole. What is still sent goes nowhere.
        has_unread_body_ = true;
        connection.upstream->socket->Abort();
        (void)client_stream_.FinishWriting(Idle());
        next = Next::kEnd;
      }
    }
    if (next == Next::kSame) {
      connection.is_used = true;
      kept_ = std::move(opened.value);
    }
    return next != Next::kEnd;
  }
}

void HttpSession::Upload(const Exchange& exchange, Connection& connection, bool* failed) {
  BodyReader reader(client_, exchange.head.body);
  BodyWriter writer(connection.stream(), exchange.head.body.kind, "");
  for (;;) {
    const auto piece = reader.Next(Idle());
    if (!piece) {
      *failed = true;   // what was sent so far must not become a whole request
      connection.upstream->socket->Abort();
      return;
    }
    if (reader.is_at_end()) {
      (void)writer.Finish(*piece, Idle());
      return;
    }
    // A server may answer without listening to the end; its answer is being read.
    if (!writer.Write(*piece, Idle())) return;
  }
}

HttpSession::Next HttpSession::ReadResponse(Exchange& exchange, Connection& connection, const bool& upload_failed) {
  const auto failed = [&](const std::string& why) {
    return Refuse(exchange, gate_.Failed(exchange.draft, why)) ? Next::kFresh : Next::kEnd;
  };
  for (;;) {
    size_t size = 0;
    auto response = ParseResponseHead(connection.input->view(), &size);
    if (!response) return failed("the server's answer: " + FailureText(response.error()));
    if (!*response) {
      const auto count = connection.input->Fill(kMostHeadBytes + 1, Idle());
      if (count && *count > 0) continue;
      if (upload_failed) {
        Bad("the request's body broke off or is not well formed");
        return Next::kEnd;
      }
      return failed(count ? "the server ended the connection without an answer" : "no answer: " + FailureText(count.error()));
    }
    connection.input->Consume(size);
    const ResponseHead& head = **response;
    if (head.status == 101) {
      PassUpgrade(exchange, head, connection);
      return Next::kEnd;
    }
    if (head.status >= 200) return PassBody(exchange, head, connection);
    if (exchange.head.minor_version == 1 &&
        !client_stream_.Write(ReturnedHead(exchange, head, BodyFraming::Kind::kNone, true), Idle()))
      return Next::kEnd;
  }
}

HttpSession::Next HttpSession::PassBody(const Exchange& exchange, const ResponseHead& response, Connection& connection) {
  const BodyFraming from = FramingOf(response, exchange.head.method);
  // HTTP/1.0 clients know no chunks: there the end of the connection ends the body.
  BodyFraming::Kind to = from.kind;
  const bool is_searched = exchange.is_searched && from.kind != BodyFraming::Kind::kNone;
  if (is_searched) {
    const std::string* coding = FindHeader(response.headers, "content-encoding");
    if (coding != nullptr && !EqualsIgnoringCase(*coding, "identity")) {
      Refuse(exchange,
             gate_.Failed(exchange.draft, "the answer is encoded (" + *coding + ") and cannot be searched for secrets"));
      return Next::kEnd;
    }
  }
  // A replaced value changes the length.
  if (to == BodyFraming::Kind::kUntilEnd || (is_searched && to == BodyFraming::Kind::kLength)) to = BodyFraming::Kind::kChunked;
  if (to == BodyFraming::Kind::kChunked && exchange.head.minor_version == 0) to = BodyFraming::Kind::kUntilEnd;
  const bool keep_client = exchange.head.keep_alive && to != BodyFraming::Kind::kUntilEnd && exchange.head.minor_version == 1;
  BodyReader reader(*connection.input, from);
  BodyWriter writer(client_stream_, to, ReturnedHead(exchange, response, to, keep_client));
  Scrubber scrubber(services_.secrets.replacements());
  for (;;) {
    if (reader.WouldWait() && !writer.Flush(Idle())) return Next::kEnd;
    const auto piece = reader.Next(Idle());
    if (!piece) {
      // A body that ends with the connection would look whole.
      if (auto* const socket = dynamic_cast<Socket*>(&client_stream_)) socket->ResetOnClose();
      client_stream_.Abort();
      return Next::kEnd;
    }
    const bool is_last = piece->empty() || reader.is_at_end();
    std::string searched;
    if (is_searched) searched = scrubber.Feed(*piece) + (is_last ? scrubber.Finish() : "");
    const std::string_view shown = is_searched ? std::string_view(searched) : *piece;
    if (is_last) {
      if (!writer.Finish(shown, Idle()) || !keep_client) return Next::kEnd;
      break;
    }
    if (!writer.Write(shown, Idle())) return Next::kEnd;
  }
  return response.keep_alive && from.kind != BodyFraming::Kind::kUntilEnd ? Next::kSame : Next::kFresh;
}

void HttpSession::PassUpgrade(Exchange& exchange, const ResponseHead& response, Connection& connection) {
  const std::string* upgrade = FindHeader(response.headers, "upgrade");
  if (!exchange.is_upgrade || upgrade == nullptr || !EqualsIgnoringCase(*upgrade, "websocket")) {
    Refuse(exchange, gate_.Failed(exchange.draft, "the server switches to a protocol that nobody asked for"));
    return;
  }
  if (exchange.is_searched && FindHeader(response.headers, kWebSocketExtensions) != nullptr) {
    Refuse(exchange, gate_.Failed(exchange.draft, "the server's WebSocket has an extension that nobody asked for and cannot be searched for secrets"));
    return;
  }
  std::string head = ReturnedHead(exchange, response, BodyFraming::Kind::kNone, true);
  head.insert(head.size() - 2, "Connection: Upgrade\r\nUpgrade: websocket\r\n");
  if (!client_stream_.Write(head, Idle())) return;
  if (!exchange.is_searched) return Relay(gate_.reactor(), client_, *connection.input, gate_.limits().idle_timeout);
  const auto placeholders = services_.secrets.Placeholders();
  std::string denying;   // the binding
  MessageEditor edit;
  if (services_.secrets.AllowsMessages(exchange.to.host, exchange.to.port)) {
    edit = [&](std::string& message) -> Status {
      const auto outcome = services_.secrets.ApplyToMessage(
          {exchange.to.host, exchange.to.port, exchange.head.method, exchange.head.target, server_name_.has_value()}, PlaceholderFilter::kMostMessage, &message);
      denying = outcome.origin;
      if (!outcome.denial.empty()) return Error(Code::kAccess, outcome.denial);
      ReportUses(exchange, outcome.used);
      return {};
    };
  }
  PlaceholderFilter finder(placeholders, std::move(edit));
  MessageScrubber scrubber(services_.secrets.replacements());
  const auto told = [&](Result<std::string> passed) {
    if (!passed && passed.error().code == Code::kAccess) gate_.Denied(exchange.draft, passed.error().message, denying);
    else if (!passed) gate_.Failed(exchange.draft, passed.error().message);
    return passed;
  };
  RelayFiltered(
      gate_.reactor(), client_, *connection.input, gate_.limits().idle_timeout, [&](std::string_view piece) { return told(finder.Feed(piece)); },
      [&](std::string_view piece) { return told(scrubber.Feed(piece)); });
}

}  // namespace paddock::egress
