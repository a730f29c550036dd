#include "net/server_core.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>

#include "net/connection.h"

namespace paddock::net {
namespace {

constexpr size_t kLeastThreads = 2;
constexpr size_t kMoreThreads = 8;     // above the number of handlers: for callbacks and refusals
constexpr int kIdleThreadMs = 10'000;

}  // namespace

SslContext ServerCore::tls() const {
  const std::lock_guard lock(tls_mutex_);
  return tls_;
}

void ServerCore::SetTls(SslContext context) {
  const std::lock_guard lock(tls_mutex_);
  tls_ = std::move(context);
}

ServerCore::Admission ServerCore::Admit(const std::shared_ptr<Connection>& connection) {
  const std::lock_guard lock(queue_mutex_);
  if (running_ < limits().handlers) {
    ++running_;
    return Admission::kRun;
  }
  if (queue_.size() >= limits().queued) return Admission::kRefused;
  queue_.push_back({connection, Now()});
  return Admission::kQueued;
}

std::shared_ptr<Connection> ServerCore::Release() {
  const std::lock_guard lock(queue_mutex_);
  if (queue_.empty()) {
    --running_;
    return nullptr;
  }
  std::shared_ptr<Connection> next = std::move(queue_.front().connection);
  queue_.pop_front();
  next->MarkAdmitted();
  return next;
}

std::vector<std::shared_ptr<Connection>> ServerCore::TakeOverdue(Time now, bool all) {
  std::vector<std::shared_ptr<Connection>> overdue;
  const std::lock_guard lock(queue_mutex_);
  while (!queue_.empty() && (all || now - queue_.front().since >= limits().queue_wait)) {
    overdue.push_back(std::move(queue_.front().connection));
    queue_.pop_front();
  }
  return overdue;
}

Status ServerCore::StartThreads() {
  PADDOCK_TRY(poller_.Open());
  const std::lock_guard lock(threads_mutex_);
  for (size_t i = 0; i < kLeastThreads; ++i) {
    PADDOCK_ASSIGN(Thread thread, Thread::Start(limits().thread_stack_bytes, [this] { Work(); }));
    threads_.push_back(std::move(thread));
    thread_count_.fetch_add(1);
  }
  return {};
}

void ServerCore::Cover() {
  if (waiting_.load() == 0) StartThread();
}

void ServerCore::StartThread() {
  const std::lock_guard lock(threads_mutex_);
  if (thread_count_.load() >= limits().handlers + kMoreThreads || poller_.is_woken()) return;
  auto thread = Thread::Start(limits().thread_stack_bytes, [this] { Work(); });
  if (!thread) return;   // those that there are go on
  threads_.push_back(std::move(*thread));
  thread_count_.fetch_add(1);
}

void ServerCore::Work() {
  pthread_setname_np(pthread_self(), "paddock-net");
  while (!poller_.is_woken()) {
    if (poller_.HandleOne(kIdleThreadMs, &waiting_)) continue;
    const std::lock_guard lock(threads_mutex_);
    if (thread_count_.load() <= kLeastThreads || poller_.is_woken()) continue;
    thread_count_.fetch_sub(1);
    for (auto i = threads_.begin(); i != threads_.end(); ++i) {
      if (!i->is_current()) continue;
      ended_.splice(ended_.end(), threads_, i);
      break;
    }
    return;
  }
}

size_t ServerCore::JoinEnded() {
  std::list<Thread> ended;   // joined outside the lock
  {
    const std::lock_guard lock(threads_mutex_);
    ended.swap(ended_);
  }
  return ended.size();
}

void ServerCore::JoinThreads() {
  poller_.WakeAll();
  std::list<Thread> all;
  {
    const std::lock_guard lock(threads_mutex_);
    all.swap(threads_);
    all.splice(all.end(), ended_);
  }
  all.clear();
}

bool ServerCore::Evict() {
  std::shared_ptr<Pollable> oldest;
  for (const auto& candidate : poller_.All()) {
    if (oldest == nullptr || candidate->idle_since() < oldest->idle_since()) oldest = candidate;
  }
  return oldest != nullptr && oldest->TryEvict();
}

Status ServerCore::AddConnection(Descriptor socket, Peer peer, bool is_tls) {
  if (connections_.load() >= limits().connections && !Evict()) {
    refused_.fetch_add(1);
    constexpr std::string_view kBusy =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\nConnection: close\r\n\r\n";
    if (!is_tls) send(socket.get(), kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return Error(Code::kLimit, "more connections than " + std::to_string(limits().connections));
  }
  const int flags = fcntl(socket.get(), F_GETFL);
  if (flags < 0 || fcntl(socket.get(), F_SETFL, flags | O_NONBLOCK) != 0) return SystemError("socket", errno);
  if (!peer.is_unix) {
    const int on = 1, patience_ms = 60'000;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, sizeof patience_ms);
  }
  const int fd = socket.get();
  Channel channel(std::move(socket));
  if (is_tls) {
    PADDOCK_ASSIGN(SslHandle ssl, MakeServerSsl(tls()));
    PADDOCK_TRY(channel.SetTls(std::move(ssl)));
  }
  peer.is_tls = is_tls;
  const uint64_t id = poller_.NextId();
  connections_.fetch_add(1);
  auto connection = std::make_shared<Connection>(*this, std::move(channel), std::move(peer), id);
  if (const Status added = poller_.Add(fd, EPOLLIN, std::move(connection), id); !added) {
    connections_.fetch_sub(1);
    return added;
  }
  return {};
}

ServerStats ServerCore::stats() const {
  ServerStats stats;
  stats.connections = connections_.load();
  stats.streams = streams_.load();
  stats.threads = thread_count_.load();
  stats.requests = requests_.load();
  stats.refused = refused_.load();
  const std::lock_guard lock(queue_mutex_);
  stats.running_handlers = running_;
  stats.queued = queue_.size();
  return stats;
}

}  // namespace paddock::net
