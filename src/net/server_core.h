// ServerCore: what the connections of a server share: limits, the poller, the threads and the queue for handlers.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>

#include "net/poller.h"
#include "net/server.h"
#include "net/thread.h"
#include "net/tls.h"

namespace paddock::net {

class Connection;

class ServerCore {
 public:
  ServerCore(ServerOptions options, Handler handler) : options_(std::move(options)), handler_(std::move(handler)) {}

  const ServerOptions& options() const { return options_; }
  const ServerLimits& limits() const { return options_.limits; }
  const Handler& handler() const { return handler_; }
  Poller& poller() { return poller_; }
  bool is_stopping() const { return is_stopping_.load(); }
  void SetStopping() { is_stopping_.store(true); }

  SslContext tls() const;
  void SetTls(SslContext context);

  // --- handlers ---
  enum class Admission { kRun, kQueued, kRefused };
  // A place for a handler. kRun: the caller runs it and calls Release(). kQueued: another thread, or the housekeeper's refusal,
  // owns the connection from now on.
  Admission Admit(const std::shared_ptr<Connection>& connection);
  // Gives the place back, or to the one that is returned, which the caller must run.
  std::shared_ptr<Connection> Release();
  // Those that waited too long (all of them when `all`): the caller owns them and refuses.
  std::vector<std::shared_ptr<Connection>> TakeOverdue(Time now, bool all);

  // --- threads ---
  Status StartThreads();
  // To be called before something that may block: another thread waits for events meanwhile.
  void Cover();
  // Takes back the stacks of threads that were not needed any more; how many.
  size_t JoinEnded();
  // Ends the threads; none may be in a handler.
  void JoinThreads();

  // --- connections ---
  // Takes a connected socket. Above the limit an idle one makes room, or this one gets a 503.
  Status AddConnection(Descriptor socket, Peer peer, bool is_tls);
  std::atomic<size_t>& connections() { return connections_; }
  std::atomic<size_t>& streams() { return streams_; }
  std::atomic<uint64_t>& requests() { return requests_; }
  std::atomic<uint64_t>& refused() { return refused_; }
  ServerStats stats() const;

 private:
  bool Evict();
  void Work();
  void StartThread();

  const ServerOptions options_;
  const Handler handler_;
  Poller poller_;
  std::atomic<bool> is_stopping_{false};
  mutable std::mutex tls_mutex_;
  SslContext tls_;                        // guarded by tls_mutex_

  struct Waiting {
    std::shared_ptr<Connection> connection;
    Time since;
  };
  mutable std::mutex queue_mutex_;
  std::deque<Waiting> queue_;             // guarded by queue_mutex_
  size_t running_ = 0;                    // guarded by queue_mutex_

  mutable std::mutex threads_mutex_;
  std::list<Thread> threads_;             // guarded by threads_mutex_
  std::list<Thread> ended_;               // guarded by threads_mutex_; to be joined
  std::atomic<size_t> thread_count_{0}, waiting_{0};

  std::atomic<size_t> connections_{0}, streams_{0};
  std::atomic<uint64_t> requests_{0}, refused_{0};
};

}  // namespace paddock::net
