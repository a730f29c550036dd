#include "egress/resolver.h"

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "egress/socket.h"

namespace paddock::egress {
namespace {

constexpr size_t kThreads = 8;
constexpr size_t kQueue = 512;
constexpr size_t kAddresses = 32;

Result<std::vector<std::string>> SystemLookup(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const int status = getaddrinfo(name.c_str(), nullptr, &hints, &list);
  if (status != 0) return Error(Code::kNoEntry, gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, &freeaddrinfo);
  std::vector<std::string> found;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    sockaddr_storage storage{};
    std::memcpy(&storage, at->ai_addr, std::min<size_t>(at->ai_addrlen, sizeof storage));
    // Kept as it is: an IPv4 address in IPv6 form is for the guard to refuse.
    if (storage.ss_family == AF_INET6) {
      char text[64] = {};
      if (getnameinfo(at->ai_addr, at->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0) found.emplace_back(text);
    } else {
      found.push_back(EndpointOf(storage).address.Text());
    }
  }
  return found;
}

}  // namespace

Resolver::Resolver(Reactor& reactor, Lookup lookup) : reactor_(reactor), shared_(std::make_shared<Shared>()) {
  shared_->reactor = &reactor;
  shared_->lookup = lookup ? std::move(lookup) : Lookup(SystemLookup);
}

Resolver::~Resolver() {
  const std::lock_guard lock(shared_->mutex);
  shared_->reactor = nullptr;
  shared_->queue.clear();
  shared_->changed.notify_all();
}

void Resolver::Work(const std::shared_ptr<Shared>& shared) {
  std::unique_lock lock(shared->mutex);
  for (;;) {
    ++shared->idle;
    shared->changed.wait(lock, [&] { return shared->reactor == nullptr || !shared->queue.empty(); });
    --shared->idle;
    if (shared->reactor == nullptr) return;
    const std::shared_ptr<Query> query = std::move(shared->queue.front());
    shared->queue.pop_front();
    lock.unlock();
    auto answer = shared->lookup(query->name);
    lock.lock();
    if (shared->reactor == nullptr) return;
    shared->reactor->Post([reactor = shared->reactor, query, answer = std::move(answer)]() mutable {
      query->answer = std::move(answer);
      query->is_done = true;
      reactor->Wake(query->waiters);
    });
  }
}

Result<std::vector<policy::IpAddress>> Resolver::Resolve(const std::string& name, Deadline deadline) {
  const auto query = std::make_shared<Query>();
  query->name = name;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->queue.size() >= kQueue) return Error(Code::kLimit, "too many names are being resolved");
    shared_->queue.push_back(query);
    if (shared_->idle < shared_->queue.size() && shared_->threads < kThreads) {
      ++shared_->threads;
      // Signals are for the program's own threads.
      sigset_t all, before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      // Detached because getaddrinfo cannot be interrupted: a dead name server must not hold up Stop().
      std::thread(Work, shared_).detach();
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    shared_->changed.notify_one();
  }
  while (!query->is_done) PADDOCK_TRY(reactor_.Wait(query->waiters, deadline));
  if (!query->answer) return query->answer.error();
  std::vector<policy::IpAddress> addresses;
  for (const std::string& text : *query->answer) {
    // A zone index belongs to a link-local address, which no public name has.
    const auto address = policy::IpAddress::Parse(text);
    if (!address || addresses.size() >= kAddresses) continue;
    if (std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) addresses.push_back(*address);
  }
  if (addresses.empty()) return Error(Code::kNoEntry, "the name has no address");
  return addresses;
}

}  // namespace paddock::egress
