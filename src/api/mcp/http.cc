#include "api/mcp/http.h"

#include <charconv>

#include "api/mcp/http_headers.h"
#include "text/http_head.h"
#include "text/repair_utf8.h"

namespace paddock::mcp {
namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kEvents = "text/event-stream";
constexpr const char* kClientHeader = "Mcp-Session-Id";
constexpr const char* kRevisionHeader = "MCP-Protocol-Version";
constexpr size_t kMostQueued = 16u << 20;   // of one stream: more than an answer can have
constexpr size_t kMostTold = 64u << 10;     // the same, of one that listens

int HttpStatusOf(int code) {
  switch (code) {
    case kParseError:
    case kInvalidRequest:
    case kInvalidParams:
    case kHeaderMismatch:
    case kMissingCapability:
    case kUnsupportedRevision: return 400;
    case kMethodNotFound: return 404;
    case kTooBusy: return 429;
    default: return 200;
  }
}

RpcError Refusal(int code, std::string_view message) { return {.code = code, .message = RepairUtf8(message), .data = nullptr}; }

Status Refuse(net::Exchange& exchange, int status, const json::value& id, RpcError error, net::Headers headers = {}) {
  headers.push_back({"Content-Type", kJson});
  return exchange.Respond(status, headers, json::serialize(ResponseTo(id, std::move(error))));
}

Status RefuseSession(net::Exchange& exchange, const json::value& id, const Error& error) {
  if (error.code == Code::kNoEntry) return Refuse(exchange, 404, id, Refusal(kInvalidRequest, error.Text()));
  if (error.code == Code::kInvalid || error.code == Code::kUnavailable || error.code == Code::kQuota) {
    return Refuse(exchange, 400, id, Refusal(kInvalidRequest, error.Text()));
  }
  return error;
}

RpcError UnsupportedRevision(const std::string& asked) {
  return {.code = kUnsupportedRevision,
          .message = "unsupported protocol version",
          .data = json::object{{"supported", RevisionNames()}, {"requested", RepairUtf8(std::string_view(asked).substr(0, 64))}}};
}

bool WantsProgress(const Message& request) {
  const json::object* const meta = ObjectAt(request.params, "_meta");
  return meta != nullptr && meta->contains("progressToken");
}

}  // namespace

void HttpFace::Handle(net::Exchange& exchange) {
  const Status done = Route(exchange);
  if (done || exchange.has_answered()) return;
  if (settings_.log) settings_.log("mcp: " + std::string(done.error().Text()));
  (void)Refuse(exchange, 500, nullptr, Refusal(kInternalError, "internal error; it has been logged"));
}

void HttpFace::Close() {
  do {
    clients_.CancelAll();
    stateless_->CancelAll();
  } while (!threads_.WaitFor(std::chrono::milliseconds(1000)));
  subscriptions_.End();
  tasks_->End();
}

Status HttpFace::Route(net::Exchange& exchange) {
  const net::Request& request = exchange.request();
  if (!IsOriginGood(request)) {
    return Refuse(exchange, 403, nullptr, Refusal(kInvalidRequest, "requests from pages of other sites are refused"));
  }
  const auto owner = door_.Identify(request);
  if (!owner) {
    if (owner.error().code == Code::kAccess) {
      return Refuse(exchange, 401, nullptr, Refusal(kInvalidRequest, owner.error().Text()), {{"WWW-Authenticate", "Bearer"}});
    }
    if (owner.error().code == Code::kNotPermitted) {
      return Refuse(exchange, 403, nullptr, Refusal(kInvalidRequest, owner.error().Text()));
    }
    return owner.error();
  }
  net::Shares::Place place;   // held until it is answered
  if (settings_.requests != nullptr) {
    auto taken = settings_.requests->Take(*owner);
    if (!taken) return Refuse(exchange, 429, nullptr, Refusal(kTooBusy, taken.error().Text()));
    place = std::move(*taken);
  }
  for (const net::QueryPair& pair : request.query) {
    if (pair.name == "session" && request.CountQuery("session") == 1) continue;
    return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "the query may hold 'session' once, and nothing else"));
  }
  if (request.method == "POST") return Post(exchange, *owner);
  const std::string* const stated = request.Header(kRevisionHeader);
  const std::optional<Revision> revision = stated != nullptr ? FindRevision(*stated) : std::nullopt;
  if (request.method == "GET" && !(revision && IsStateless(*revision))) return Get(exchange, *owner);
  if (request.method == "DELETE") {
    const std::string* const id = request.Header(kClientHeader);
    if (id == nullptr) return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "the header Mcp-Session-Id is missing"));
    if (!clients_.Remove(*owner, *id)) return Refuse(exchange, 404, nullptr, Refusal(kInvalidRequest, "no such Mcp-Session-Id"));
    return exchange.Respond(204, {}, "");
  }
  return Refuse(exchange, 405, nullptr, Refusal(kInvalidRequest, "only POST, and with a handshake GET and DELETE"), {{"Allow", "POST, GET, DELETE"}});
}

Result<std::shared_ptr<void>> HttpFace::TakeListener(const std::string& owner) {
  PADDOCK_ASSIGN(net::Shares::Place share, listener_shares_.Take(owner));
  if (listeners_->fetch_add(1) >= kMostListening) {
    --*listeners_;
    return Error(Code::kLimit, std::to_string(kMostListening) + " streams of notifications are open, the most this daemon serves; try again later");
  }
  return std::shared_ptr<void>(nullptr, [share = std::move(share), count = listeners_](void*) { --*count; });
}

Status HttpFace::Get(net::Exchange& exchange, const std::string& owner) {
  const net::Request& request = exchange.request();
  if (!HasToken(request.headers, "Accept", kEvents)) {
    return Refuse(exchange, 406, nullptr, Refusal(kInvalidRequest, "Accept must list text/event-stream"));
  }
  const std::string* const named = request.Header(kClientHeader);
  if (named == nullptr) {
    return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "the header Mcp-Session-Id is missing; begin with initialize"));
  }
  const auto client = clients_.Find(owner, *named);
  if (!client) return Refuse(exchange, 404, nullptr, Refusal(kInvalidRequest, "no such Mcp-Session-Id; begin anew with initialize"));
  if (const std::string* const stated = request.Header(kRevisionHeader);
      stated != nullptr && *stated != NameOf(client->revision)) {
    return Refuse(exchange, 400, nullptr,
                  Refusal(kInvalidRequest, std::string("the header MCP-Protocol-Version must be ") + NameOf(client->revision) +
                                               ", what was agreed on"));
  }
  std::optional<uint64_t> after;
  if (const std::string* const last = request.Header("Last-Event-ID")) {
    uint64_t number = 0;
    const auto [end, failure] = std::from_chars(last->data(), last->data() + last->size(), number);
    if (failure != std::errc() || end != last->data() + last->size()) {
      return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "Last-Event-ID: is none of this session's"));
    }
    after = number;
  }
  auto place = TakeListener(owner);
  if (!place) return Refuse(exchange, 429, nullptr, Refusal(kTooBusy, place.error().Text()));

  // What the callbacks find when the stream is there. The feed holds the stream, and the stream's end lets go of it.
  struct Listener {
    std::mutex mutex;
    std::weak_ptr<net::EventStream> stream;
    uint64_t outlet = 0;
    bool is_over = false;
  };
  const auto listener = std::make_shared<Listener>();
  const std::shared_ptr<Subscriber> subscriber = client->subscriber;
  const auto send = [listener](uint64_t number, const json::object& notification) {
    std::shared_ptr<net::EventStream> stream;
    {
      const std::lock_guard lock(listener->mutex);
      stream = listener->stream.lock();
    }
    return stream && stream->Send({.id = std::to_string(number), .name = "message", .data = json::serialize(notification)});
  };
  const auto close = [listener] {
    const std::lock_guard lock(listener->mutex);
    if (const auto stream = listener->stream.lock()) stream->Close();
  };
  auto attached = subscriber->feed().Attach({.send = send, .close = close}, after);
  if (!attached) return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, attached.error().Text()));
  const auto leave = [subscriber, listener, outlet = attached->outlet] {
    if (subscriber->feed().Detach(outlet)) subscriber->Left();
  };
  struct Held {
    std::shared_ptr<net::EventStream> stream;   // until it is closed
    std::shared_ptr<void> place;
  };
  const auto held = std::make_shared<Held>();
  held->place = std::move(*place);
  net::EventStreamOptions options{.queue_bytes = kMostTold};
  options.on_drained = [subscriber] { subscriber->feed().Pump(); };
  options.on_closed = [leave, held] {
    leave();
    *held = {};
  };
  auto stream = exchange.StartEventStream(std::move(options));
  if (!stream) {
    leave();
    return stream.error();
  }
  {
    const std::lock_guard lock(listener->mutex);
    listener->stream = *stream;
  }
  held->stream = *stream;
  // A client that loses the connection before anything was told knows from where to go on. Older ones take every event for a message.
  if (client->revision >= Revision::k2025_11_25) {
    (void)(*stream)->Send({.id = std::to_string(attached->number), .name = {}, .data = {}});
  }
  subscriptions_.Mind(subscriber);
  subscriber->Came(attached->has_missed);
  subscriber->feed().Pump();
  return {};
}

Status HttpFace::Listen(net::Exchange& exchange, const std::string& owner, const Message& request, const std::shared_ptr<Server>& server,
                        std::shared_ptr<CallTable::Place> place) {
  if (!HasToken(exchange.request().headers, "Accept", kEvents)) {
    return Refuse(exchange, 406, request.id, Refusal(kInvalidRequest, "Accept must list text/event-stream"));
  }
  auto share = TakeListener(owner);
  if (!share) return Refuse(exchange, 429, request.id, Refusal(kTooBusy, share.error().Text()));
  struct Held {
    std::shared_ptr<Subscriber> subscriber;
    std::shared_ptr<void> share;
    std::shared_ptr<net::EventStream> stream;
  };
  const auto held = std::make_shared<Held>();
  held->subscriber = std::make_shared<Subscriber>(request.id);
  held->share = std::move(*share);
  const std::shared_ptr<Subscriber> subscriber = held->subscriber;
  exchange.OnClientGone([weak = std::weak_ptr(place)] {
    if (const auto waiting = weak.lock()) waiting->Cancel();
  });
  Outcome outcome = server->Listen(
      request, {.revision = Revision::k2026_07_28, .stop = place->stop(), .notify = nullptr, .subscriber = subscriber});
  place.reset();   // it is a stream from here on, and counts as one
  const auto* const acknowledged = std::get_if<json::object>(&outcome);
  if (acknowledged == nullptr) {
    const auto& error = std::get<RpcError>(outcome);
    return Refuse(exchange, HttpStatusOf(error.code), request.id, error);
  }
  net::EventStreamOptions options{.queue_bytes = kMostTold};
  options.on_drained = [weak = std::weak_ptr(subscriber)] {
    if (const auto self = weak.lock()) self->feed().Pump();
  };
  options.on_closed = [held] {
    held->subscriber->Close();
    *held = {};
  };
  PADDOCK_ASSIGN(const std::shared_ptr<net::EventStream> stream, exchange.StartEventStream(std::move(options)));
  held->stream = stream;
  (void)stream->Send({.id = {}, .name = "message", .data = json::serialize(*acknowledged)});
  const auto send = [weak = std::weak_ptr(stream)](uint64_t, const json::object& notification) {
    const auto to = weak.lock();
    return to && to->Send({.id = {}, .name = "message", .data = json::serialize(notification)});
  };
  (void)subscriber->feed().Attach({.send = send, .close = {}}, std::nullopt);
  subscriptions_.Mind(subscriber);
  subscriber->feed().Pump();
  return {};
}

Status HttpFace::Post(net::Exchange& exchange, const std::string& owner) {
  const net::Request& request = exchange.request();
  const std::string* const type = request.Header("Content-Type");
  if (type == nullptr || !type->starts_with(kJson)) {
    return Refuse(exchange, 415, nullptr, Refusal(kInvalidRequest, "Content-Type must be application/json"));
  }
  if (!Accepts(request, kJson)) {
    return Refuse(exchange, 406, nullptr, Refusal(kInvalidRequest, "Accept must list application/json and text/event-stream"));
  }
  const auto body = exchange.ReadWholeBody(kMostFrameBytes);
  if (!body) return Refuse(exchange, net::StatusOf(body.error()), nullptr, Refusal(kInvalidRequest, body.error().Text()));
  Frame frame = ParseFrame(*body);
  if (const auto* const unreadable = std::get_if<Unreadable>(&frame.items.front()); unreadable != nullptr && !frame.is_batch) {
    return Refuse(exchange, HttpStatusOf(unreadable->error.code), unreadable->id, unreadable->error);
  }
  const std::string* const stated = request.Header(kRevisionHeader);
  const std::optional<Revision> revision = stated != nullptr ? FindRevision(*stated) : std::nullopt;
  const auto* const message = frame.is_batch ? nullptr : std::get_if<Message>(&frame.items.front());
  if ((revision && IsStateless(*revision)) || (message != nullptr && IsMeantStateless(*message))) {
    if (message == nullptr) {
      return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "a body must be one request or notification"));
    }
    return PostStateless(exchange, owner, std::move(frame.items.front()));
  }
  if (stated != nullptr && !revision) {
    return Refuse(exchange, 400, message != nullptr ? message->id : nullptr, UnsupportedRevision(*stated));
  }
  return PostWithHandshake(exchange, owner, std::move(frame));
}

Result<std::shared_ptr<Server>> HttpFace::ServerFor(const net::Request& request) {
  const std::string* const session = request.Query("session");
  PADDOCK_ASSIGN(Door::Opened opened, door_.Open(request, session != nullptr ? *session : ""));
  return std::make_shared<Server>(ServerSettings{.version = settings_.version,
                                                 .session = std::move(opened.session),
                                                 .equipment = std::move(opened.equipment),
                                                 .log = settings_.log,
                                                 .progress = progress_,
                                                 .tasks = tasks_});
}

Status HttpFace::PostStateless(net::Exchange& exchange, const std::string& owner, Item item) {
  const Message& message = std::get<Message>(item);
  if (message.kind == Message::Kind::kResponse) {
    return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "a body must be one request or notification"));
  }
  // Of notifications none means anything here: a client cancels by going away.
  if (message.kind == Message::Kind::kNotification) return exchange.Respond(202, {}, "");
  if (auto mismatch = CheckHeaders(exchange.request(), message)) return Refuse(exchange, 400, message.id, std::move(*mismatch));
  const auto revision = ReadStateless(message);
  if (const auto* const error = std::get_if<RpcError>(&revision)) {
    return Refuse(exchange, HttpStatusOf(error->code), message.id, *error);
  }
  // Clients choose ids without knowing of each other.
  auto place = CallTable::Begin(stateless_, json::value(++stateless_calls_));
  if (const auto* const error = std::get_if<RpcError>(&place)) {
    return Refuse(exchange, HttpStatusOf(error->code), message.id, *error);
  }
  return Run(exchange, owner, message, std::get<Revision>(revision), std::get<0>(std::move(place)), nullptr, {});
}

Status HttpFace::PostWithHandshake(net::Exchange& exchange, const std::string& owner, Frame frame) {
  const net::Request& request = exchange.request();
  auto* const message = frame.is_batch ? nullptr : &std::get<Message>(frame.items.front());
  if (message != nullptr && message->kind == Message::Kind::kRequest && message->method == "initialize") {
    const auto revision = ReadHandshake(*message);
    if (const auto* const error = std::get_if<RpcError>(&revision)) return Refuse(exchange, 400, message->id, *error);
    const auto client = clients_.Add(owner, std::get<Revision>(revision));
    auto place = CallTable::Begin(client->calls, message->id);
    return Run(exchange, owner, *message, client->revision, std::get<0>(std::move(place)), client->subscriber,
               {{kClientHeader, client->id}});
  }
  const json::value id = message != nullptr ? message->id : json::value(nullptr);
  const std::string* const named = request.Header(kClientHeader);
  if (named == nullptr) {
    return Refuse(exchange, 400, id, Refusal(kInvalidRequest, "the header Mcp-Session-Id is missing; begin with initialize"));
  }
  const auto client = clients_.Find(owner, *named);
  if (!client) return Refuse(exchange, 404, id, Refusal(kInvalidRequest, "no such Mcp-Session-Id; begin anew with initialize"));
  if (const std::string* const stated = request.Header(kRevisionHeader);
      stated != nullptr && *stated != NameOf(client->revision)) {
    return Refuse(exchange, 400, id,
                  Refusal(kInvalidRequest, std::string("the header MCP-Protocol-Version must be ") + NameOf(client->revision) +
                                               ", what was agreed on"));
  }
  if (frame.is_batch) return Batch(exchange, client, std::move(frame));
  if (message->kind != Message::Kind::kRequest) {
    if (message->method == "notifications/cancelled") client->calls->Cancel(message->params);
    return exchange.Respond(202, {}, "");
  }
  auto place = CallTable::Begin(client->calls, message->id);
  if (const auto* const error = std::get_if<RpcError>(&place)) {
    return Refuse(exchange, HttpStatusOf(error->code), message->id, *error);
  }
  return Run(exchange, owner, *message, client->revision, std::get<0>(std::move(place)), client->subscriber, {});
}

Status HttpFace::Batch(net::Exchange& exchange, const std::shared_ptr<HttpClient>& client, Frame frame) {
  if (client->revision != Revision::k2025_03_26) {
    return Refuse(exchange, 400, nullptr, Refusal(kInvalidRequest, "batches are no part of this revision"));
  }
  auto opened = ServerFor(exchange.request());
  if (!opened) return RefuseSession(exchange, nullptr, opened.error());
  const std::shared_ptr<Server> server = std::move(*opened);
  json::array responses;
  for (const Item& item : frame.items) {
    if (const auto* const unreadable = std::get_if<Unreadable>(&item)) {
      responses.push_back(ResponseTo(unreadable->id, unreadable->error));
      continue;
    }
    const Message& message = std::get<Message>(item);
    if (message.method == "notifications/cancelled") client->calls->Cancel(message.params);
    if (message.kind != Message::Kind::kRequest) continue;
    auto place = CallTable::Begin(client->calls, message.id);
    if (const auto* const error = std::get_if<RpcError>(&place)) {
      responses.push_back(ResponseTo(message.id, *error));
    } else if (message.method == "initialize") {
      responses.push_back(ResponseTo(message.id, Refusal(kInvalidRequest, "initialize: this client has been initialized")));
    } else {
      responses.push_back(ResponseTo(
          message.id,
          server->Answer(message, {.revision = client->revision, .stop = std::get<0>(place)->stop(), .notify = nullptr, .subscriber = client->subscriber})));
    }
  }
  if (responses.empty()) return exchange.Respond(202, {}, "");
  return exchange.Respond(200, {{"Content-Type", kJson}}, json::serialize(responses));
}

Status HttpFace::Run(net::Exchange& exchange, const std::string& owner, const Message& request, Revision revision,
                     std::shared_ptr<CallTable::Place> place, std::shared_ptr<Subscriber> subscriber, net::Headers headers) {
  auto opened = ServerFor(exchange.request());
  if (!opened) return RefuseSession(exchange, request.id, opened.error());
  const std::shared_ptr<Server> server = std::move(*opened);
  if (request.method == "subscriptions/listen" && IsStateless(revision)) return Listen(exchange, owner, request, server, std::move(place));
  const bool ends_with_client = IsStateless(revision);
  const bool is_slow = server->MayTakeLong(request) || (request.method == "tools/call" && WantsProgress(request));
  if (!is_slow || !HasToken(exchange.request().headers, "Accept", kEvents)) {
    if (ends_with_client) {
      exchange.OnClientGone([weak = std::weak_ptr(place)] {
        if (const auto held = weak.lock()) held->Cancel();
      });
    }
    Outcome outcome = server->Answer(request, {.revision = revision, .stop = place->stop(), .notify = nullptr, .subscriber = subscriber});
    const auto* const error = std::get_if<RpcError>(&outcome);
    const int status = error != nullptr && ends_with_client ? HttpStatusOf(error->code) : 200;
    headers.push_back({"Content-Type", kJson});
    place.reset();   // its id is free before the client has the answer
    return exchange.Respond(status, headers, json::serialize(ResponseTo(request.id, std::move(outcome))));
  }
  auto share = stream_shares_.Take(owner);
  if (!share) return Refuse(exchange, 429, request.id, Refusal(kTooBusy, share.error().Text()));
  net::EventStreamOptions options{.queue_bytes = kMostQueued};
  if (ends_with_client) {
    options.on_closed = [weak = std::weak_ptr(place)] {
      if (const auto held = weak.lock()) held->Cancel();
    };
  }
  PADDOCK_ASSIGN(const std::shared_ptr<net::EventStream> stream, exchange.StartEventStream(std::move(options), headers));
  const auto send = [stream](const json::object& object) {
    return stream->Send({.id = {}, .name = "message", .data = json::serialize(object)});
  };
  auto run = [server, request, revision, subscriber, place = std::move(place), share = std::move(*share), stream, send, log = settings_.log]() mutable {
    // One that the client is too slow to take is left out: the next one says more.
    const Context context{
        .revision = revision, .stop = place->stop(), .notify = [send](json::object notification) { (void)send(notification); }, .subscriber = subscriber};
    Outcome outcome = server->Answer(request, context);
    const bool is_wanted = !place->is_cancelled();
    place.reset();
    share.reset();
    if (const Status sent = is_wanted ? send(ResponseTo(request.id, std::move(outcome))) : Status();
        !sent && sent.error().code != Code::kBrokenPipe && log) {
      log("mcp: an answer was not sent: " + std::string(sent.error().Text()));
    }
    stream->Close();
  };
  if (threads_.Start(std::move(run))) return {};
  (void)send(ResponseTo(request.id, Refusal(kTooBusy, "no thread is free for this request; try again")));
  stream->Close();
  return {};
}

}  // namespace paddock::mcp
