// HttpFace: the Model Context Protocol over HTTP ("streamable HTTP"): one path that takes POST, and of clients that began with a handshake
// GET, a stream of what they have subscribed to, and DELETE.
//
// A request is answered with JSON, or, where it may take long and the client takes them, with server-sent events: notifications
// of progress, then the answer. In 2026-07-28 a client cancels by going away; before, by notifications/cancelled.
#pragma once

#include <atomic>

#include "api/mcp/call_threads.h"
#include "api/mcp/http_clients.h"
#include "api/mcp/server.h"
#include "net/exchange.h"
#include "net/shares.h"

namespace paddock::mcp {

// What is behind the endpoint. Any thread.
class Door {
 public:
  virtual ~Door() = default;

  // Who asks. Errors: kAccess without a key that holds (401); kNotPermitted for one that may not use sandboxes (403).
  virtual Result<std::string> Identify(const net::Request& request) = 0;

  struct Opened {
    std::shared_ptr<tools::SessionAccess> session;
    std::shared_ptr<const tools::Equipment> equipment;
  };
  // The session that a request of this owner works in: by id or name; empty: the one that the owner has for this, made if there
  // is none. Errors: kNoEntry for an absent one and somebody else's; any other is the daemon's.
  virtual Result<Opened> Open(const net::Request& request, const std::string& session) = 0;
};

// Any thread.
class HttpFace {
 public:
  struct Settings {
    std::string version;                                // of the program
    std::function<void(const std::string& line)> log;   // may be null
    std::shared_ptr<net::Shares> requests;              // that are answered at a time, by owner; null: not bounded here
  };
  // `door` outlives it.
  HttpFace(Door& door, Settings settings) : door_(door), settings_(std::move(settings)) {}
  ~HttpFace() { Close(); }

  // A net::Handler. Answers always.
  void Handle(net::Exchange& exchange);
  // Cancels what runs and waits for it. To be called when no handler runs any more, or will.
  void Close();

 private:
  struct Call;
  Status Route(net::Exchange& exchange);
  Status Post(net::Exchange& exchange, const std::string& owner);
  Status Get(net::Exchange& exchange, const std::string& owner);
  Status Listen(net::Exchange& exchange, const std::string& owner, const Message& request, const std::shared_ptr<Server>& server,
                std::shared_ptr<CallTable::Place> place);
  // A place among the streams that listen.
  Result<std::shared_ptr<void>> TakeListener(const std::string& owner);
  Status PostStateless(net::Exchange& exchange, const std::string& owner, Item item);
  Status PostWithHandshake(net::Exchange& exchange, const std::string& owner, Frame frame);
  Status Batch(net::Exchange& exchange, const std::shared_ptr<HttpClient>& client, Frame frame);
  Result<std::shared_ptr<Server>> ServerFor(const net::Request& request);
  // Answers one request on this exchange, as JSON or as events.
  Status Run(net::Exchange& exchange, const std::string& owner, const Message& request, Revision revision,
             std::shared_ptr<CallTable::Place> place, std::shared_ptr<Subscriber> subscriber, net::Headers headers);

  static constexpr size_t kMostStreams = 256;      // calls that are answered with events, at a time
  static constexpr size_t kMostListening = 1024;   // streams to who listens, at a time

  Door& door_;
  const Settings settings_;
  const std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  const std::shared_ptr<Tasks> tasks_ = std::make_shared<Tasks>();
  const std::shared_ptr<CallTable> stateless_ = std::make_shared<CallTable>(4 * kMostStreams);
  std::atomic<uint64_t> stateless_calls_{0};
  HttpClients clients_;
  Subscriptions subscriptions_;
  CallThreads threads_{kMostStreams};
  net::Shares stream_shares_{kMostStreams / 4 * 3, "calls"};
  net::Shares listener_shares_{kMostListening / 4, "streams of notifications"};
  std::shared_ptr<std::atomic<size_t>> listeners_ = std::make_shared<std::atomic<size_t>>(0);
};

}  // namespace paddock::mcp
