// Server: HTTP/1.1 over TCP, TLS and unix sockets, with blocking handlers.
//
// One epoll and threads that wait in it. A thread that finds a whole request head (and a body of up to `prefetch_bytes`) runs the
// handler itself, so a short request costs no hand-over; while it does, another thread waits in its place. Handlers that block
// make more threads, up to `handlers`; requests beyond that are queued, and answered 503 when the queue is full or `queue_wait`
// is over. Threads that are no longer needed end. Idle connections, slow senders of heads and small bodies, slow readers of whole
// answers, and push streams hold no thread.
//
// What two servers could read in two ways is refused with 400 and the connection closed (text/http_head.h); so are absolute-form
// targets and hosts that are none.
//
// Threads: every member from any thread. No member throws; an exception derived from std::exception that leaves a handler becomes
// a 500.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "net/address.h"
#include "net/exchange.h"

namespace paddock::net {

struct ServerLimits {
  size_t head_bytes = 32 << 10;
  size_t headers = 100;
  size_t connections = 4096;        // above it an idle one is closed for a new one, or the new one gets a 503
  size_t handlers = 256;            // that run at once
  size_t queued = 1024;             // requests that wait for a handler
  size_t prefetch_bytes = 16 << 10; // bodies up to here are read before the handler runs
  size_t thread_stack_bytes = 512 << 10;   // of a handler's thread, with a guard page; memory that is never touched costs nothing
  std::chrono::milliseconds head_time{10'000};    // for a whole head, TLS handshake included
  std::chrono::milliseconds idle_time{75'000};    // between requests
  std::chrono::milliseconds body_time{30'000};    // for a prefetched body
  std::chrono::milliseconds write_time{30'000};   // without the client taking a byte
  std::chrono::milliseconds queue_wait{5'000};
};

// PEM files: a certificate with its chain, and its key.
struct TlsFiles {
  std::string certificate, key;
};

struct Listener {
  Address address;
  bool is_tls = false;              // needs ServerOptions::tls
  unsigned unix_mode = 0600;        // permissions of a unix socket
};

struct ServerOptions {
  std::vector<Listener> listeners;
  std::optional<TlsFiles> tls;
  ServerLimits limits;
  // False refuses a request with 421: the defence against DNS rebinding. `host` as Request::host. Not asked for unix sockets.
  // Null allows all.
  std::function<bool(const std::string& host)> allows_host;
  // The answer to what is refused before a handler sees it (400, 408, 413, 421, 431, 503 …): a body and its type. Null: the
  // reason as text/plain.
  std::function<std::string(int status, std::string_view reason)> refusal_body;
  std::string refusal_type = "text/plain; charset=utf-8";
};

struct ServerStats {
  size_t connections = 0, streams = 0;   // now; streams are part of the connections
  size_t threads = 0, running_handlers = 0, queued = 0;
  uint64_t requests = 0, refused = 0;    // so far
};

class Server {
 public:
  // Listens and begins to answer. An old unix socket that nobody listens on is replaced.
  // Errors: the system's, with the address in the text; kInvalid for an unusable certificate or key.
  static Result<std::unique_ptr<Server>> Start(ServerOptions options, Handler handler);
  // As Stop() without time.
  virtual ~Server() = default;

  // Where it listens, in the order of the options, with the ports that the system chose.
  virtual std::vector<Address> addresses() const = 0;
  // Reads the certificate and key again, for new connections. The old ones stay in use when that fails.
  virtual Status ReloadTls() = 0;
  // Takes a connected stream socket as if it had been accepted.
  virtual Status Adopt(Descriptor socket, Peer peer) = 0;
  virtual ServerStats stats() const = 0;

  // Takes no new connections, closes idle ones and push streams, lets requests end for up to `grace`, then cuts what is left:
  // their handlers see a client that is gone. Returns when all handlers have returned; true when nothing was cut. A second call
  // does nothing.
  virtual bool Stop(std::chrono::milliseconds grace) = 0;
};

}  // namespace paddock::net
