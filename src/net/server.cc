#include "net/server.h"

#include <malloc.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "net/channel.h"
#include "net/connection.h"
#include "net/server_core.h"
#include "net/socket.h"

namespace paddock::net {
namespace {

constexpr int kAcceptedAtOnce = 64;
constexpr size_t kManyThreads = 16;
constexpr std::chrono::milliseconds kLongestTick(1000), kShortestTick(10), kPause(100), kStopStep(20);

// A socket that listens. Out of descriptors, or of memory, it rests until a tick.
class Acceptor final : public Pollable, public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(ServerCore& core, Descriptor socket, Listener listener)
      : core_(core), socket_(std::move(socket)), listener_(std::move(listener)) {}
  ~Acceptor() override { Cut(); }

  Status Begin() {
    id_ = core_.poller().NextId();
    return core_.poller().Add(socket_.get(), EPOLLIN, shared_from_this(), id_);
  }
  void OnEvents(uint32_t) override {
    const std::lock_guard lock(mutex_);
    if (!socket_) return;
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
      Peer peer;
      auto socket = Accept(socket_.get(), &peer);
      if (socket) {
        (void)core_.AddConnection(std::move(*socket), std::move(peer), listener_.is_tls);
        continue;
      }
      const int error = static_cast<int>(socket.error().code);
      if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
        resumes_ = Now() + kPause;
        return;
      }
      if (error == EAGAIN) break;   // other errors are those of one connection that is gone
    }
    core_.poller().Rearm(socket_.get(), id_, EPOLLIN);
  }
  void OnTick(Time now) override {
    const std::lock_guard lock(mutex_);
    if (!socket_ || now < resumes_) return;
    resumes_ = Time::max();
    core_.poller().Rearm(socket_.get(), id_, EPOLLIN);
  }
  void OnStopping() override { Cut(); }
  void Cut() final {
    {
      const std::lock_guard lock(mutex_);
      if (!socket_) return;
      socket_.Reset();
      if (listener_.address.is_unix) unlink(listener_.address.host.c_str());
    }
    core_.poller().Remove(id_);
  }
  const Address& address() const { return listener_.address; }

 private:
  ServerCore& core_;
  std::mutex mutex_;
  Descriptor socket_;            // guarded by mutex_
  Time resumes_ = Time::max();   // guarded by mutex_
  const Listener listener_;
  uint64_t id_ = 0;
};

class RunningServer : public Server {
 public:
  RunningServer(ServerOptions options, Handler handler) : core_(std::move(options), std::move(handler)) {}
  ~RunningServer() override { Stop(std::chrono::milliseconds(0)); }

  Status Begin() {
    if (core_.options().tls) {
      PADDOCK_TRY(ReloadTls());
    }
    PADDOCK_TRY(core_.StartThreads());
    for (Listener listener : core_.options().listeners) {
      if (listener.is_tls && !core_.options().tls)
        return Error(Code::kInvalid, "a listener with TLS needs a certificate and its key");
      PADDOCK_ASSIGN(Descriptor socket, Listen(&listener.address, listener.unix_mode));
      acceptors_.push_back(std::make_shared<Acceptor>(core_, std::move(socket), listener));
    }
    PADDOCK_ASSIGN(Thread housekeeper, Thread::Start(core_.limits().thread_stack_bytes, [this] { Housekeep(); }));
    housekeeper_.emplace(std::move(housekeeper));
    for (const auto& acceptor : acceptors_) PADDOCK_TRY(acceptor->Begin());
    return {};
  }

  std::vector<Address> addresses() const override {
    std::vector<Address> all;
    for (const auto& acceptor : acceptors_) all.push_back(acceptor->address());
    return all;
  }
  Status ReloadTls() override {
    const auto& files = core_.options().tls;
    if (!files) return Error(Code::kInvalid, "the server has no TLS");
    PADDOCK_ASSIGN(SslContext context, MakeServerTls(files->certificate, files->key));
    core_.SetTls(std::move(context));
    return {};
  }
  Status Adopt(Descriptor socket, Peer peer) override {
    if (core_.is_stopping()) return Error(Code::kUnavailable, "the server stops");
    return core_.AddConnection(std::move(socket), std::move(peer), false);
  }
  ServerStats stats() const override { return core_.stats(); }
  bool Stop(std::chrono::milliseconds grace) override;

 private:
  void Housekeep();
  std::chrono::milliseconds TickTime() const;
  void RefuseOverdue(bool all) {
    for (const auto& connection : core_.TakeOverdue(Now(), all)) connection->RefuseQueued();
  }

  ServerCore core_;
  std::vector<std::shared_ptr<Acceptor>> acceptors_;
  std::mutex stop_mutex_;
  bool is_stopped_ = false;              // guarded by stop_mutex_
  std::mutex mutex_;
  std::condition_variable wakes_;
  bool is_ended_ = false;                // guarded by mutex_
  std::optional<Thread> housekeeper_;
};

std::chrono::milliseconds RunningServer::TickTime() const {
  const ServerLimits& l = core_.limits();
  const auto shortest = std::min({l.head_time, l.idle_time, l.body_time, l.write_time, l.queue_wait});
  return std::clamp(shortest / 4, kShortestTick, kLongestTick);
}

void RunningServer::Housekeep() {
  pthread_setname_np(pthread_self(), "paddock-net-t");
  const auto tick = TickTime();
  std::unique_lock lock(mutex_);
  while (!wakes_.wait_for(lock, tick, [this] { return is_ended_; })) {
    lock.unlock();
    const Time now = Now();
    for (const auto& one : core_.poller().All()) one->OnTick(now);
    RefuseOverdue(false);
    // After a rush the heap is many free pieces, which would stay.
    if (core_.JoinEnded() >= kManyThreads) malloc_trim(0);
    lock.lock();
  }
}

bool RunningServer::Stop(std::chrono::milliseconds grace) {
  const std::lock_guard stop_lock(stop_mutex_);
  if (std::exchange(is_stopped_, true)) return true;
  core_.SetStopping();
  const Time deadline = Now() + grace;
  bool is_cut = false;
  std::unique_lock lock(mutex_);
  for (;;) {
    lock.unlock();
    for (const auto& one : core_.poller().All()) one->OnStopping();
    if (core_.poller().size() == 0) break;
    if (Now() >= deadline) {
      is_cut = true;
      RefuseOverdue(true);
      for (const auto& one : core_.poller().All()) one->Cut();
    }
    lock.lock();
    wakes_.wait_for(lock, kStopStep);
  }
  core_.JoinThreads();
  lock.lock();
  is_ended_ = true;
  lock.unlock();
  wakes_.notify_all();
  housekeeper_.reset();
  return !is_cut;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::Start(ServerOptions options, Handler handler) {
  auto server = std::make_unique<RunningServer>(std::move(options), std::move(handler));
  PADDOCK_TRY(server->Begin());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace paddock::net
