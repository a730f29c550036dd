#include "guest/bridge/stream_bridge.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace paddock::guest {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{10};    // of the agent's answers
constexpr int kMostPieces = 8;                   // of one joint before the others have their turn
constexpr size_t kMostDiscarded = 1 << 20;
constexpr uint64_t kWakerNumber = 0;

Error SystemError(const char* what) { return Error(static_cast<Code>(errno), std::string(what) + ": " + std::strerror(errno)); }

bool IsScarcity(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

// Numbers of what has changed, noted from any thread.
struct StreamBridge::Waker {
  void Note(uint64_t number) {
    const std::lock_guard lock(mutex);
    if (!noted.insert(number).second) return;
    const uint64_t one = 1;
    (void)!write(event.get(), &one, sizeof one);   // full: it is awake already
  }
  void Stop() {
    {
      const std::lock_guard lock(mutex);
      is_stopping = true;
    }
    Note(kWakerNumber);
  }
  // False: the end.
  bool Take(std::set<uint64_t>& numbers) {
    const std::lock_guard lock(mutex);
    numbers = std::exchange(noted, {});
    return !is_stopping;
  }

  std::mutex mutex;
  std::set<uint64_t> noted;    // guarded by mutex
  bool is_stopping = false;    // likewise
  Descriptor event{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

// One stream and its socket.
class StreamBridge::Joint {
 public:
  enum class Outcome { kWaits, kGoesOn, kOver };

  Joint(std::unique_ptr<GuestConnection> stream, Descriptor socket) : stream_(std::move(stream)), socket_(std::move(socket)) {}

  GuestConnection& stream() { return *stream_; }
  bool is_late() const { return !is_open_ && steady_clock::now() >= deadline_; }
  bool is_open() const { return is_open_; }

  Outcome Step(uint32_t events) {
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) may_read_ = true;
    if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) may_write_ = true;
    const GuestConnection::Now now = stream_->Look();
    if (now.is_broken) return Break();
    is_open_ = now.is_open;
    if (!is_open_) return Outcome::kWaits;
    const Carried out = CarryOut(), in = CarryIn();
    if (out == Carried::kBroken || in == Carried::kBroken) return Break();
    if (out == Carried::kAll && now.has_ended && !is_out_over_) {
      is_out_over_ = true;
      shutdown(socket_.get(), SHUT_WR);
    }
    if (is_out_over_ && is_in_over_) {
      stream_->Leave();
      return Outcome::kOver;
    }
    return out == Carried::kSome || in == Carried::kSome ? Outcome::kGoesOn : Outcome::kWaits;
  }

 private:
  enum class Carried { kAll, kSome, kWaits, kBroken };   // kAll: there is no more now; kSome: there may be

  // A peer on the network sees that this was no end.
  Outcome Break() {
    constexpr linger kReset{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &kReset, sizeof kReset);
    return Outcome::kOver;
  }

  Carried CarryOut() {
    for (int pieces = 0; pieces < kMostPieces; ++pieces) {
      if (done_ == arrived_.size()) {
        arrived_ = stream_->TakeArrived();
        done_ = 0;
        if (arrived_.empty()) return Carried::kAll;
      }
      if (is_deaf_) {
        discarded_ += arrived_.size();
        if (discarded_ > kMostDiscarded) return Carried::kBroken;
        stream_->Grant(arrived_.size() - done_);
        done_ = arrived_.size();
        continue;
      }
      if (!may_write_) return Carried::kWaits;
      const ssize_t sent = send(socket_.get(), arrived_.data() + done_, arrived_.size() - done_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) {
        may_write_ = false;
        return Carried::kWaits;
      }
      if (sent < 0 && errno == EPIPE) {
        is_deaf_ = true;   // its last words may be on their way to the inside: a reset would overtake them
        continue;
      }
      if (sent < 0) return Carried::kBroken;
      done_ += static_cast<size_t>(sent);
      stream_->Grant(static_cast<size_t>(sent));
    }
    return Carried::kSome;
  }

  Carried CarryIn() {
    static thread_local std::array<char, 64 << 10> block;
    for (int pieces = 0; pieces < kMostPieces; ++pieces) {
      if (is_in_over_) return Carried::kAll;
      const size_t room = stream_->Look().room;
      if (room == 0 || !may_read_) return Carried::kWaits;
      const ssize_t got = recv(socket_.get(), block.data(), std::min(block.size(), room), MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) {
        may_read_ = false;
        return Carried::kWaits;
      }
      if (got < 0) return Carried::kBroken;
      if (got > 0) {
        stream_->SendNow({block.data(), static_cast<size_t>(got)});
        continue;
      }
      is_in_over_ = true;
      stream_->CloseWrite();
    }
    return Carried::kSome;
  }

  const std::unique_ptr<GuestConnection> stream_;
  const Descriptor socket_;
  const steady_clock::time_point deadline_ = steady_clock::now() + kPatience;   // to be open
  std::string arrived_;       // from inside
  size_t done_ = 0;           // of it
  size_t discarded_ = 0;
  bool may_read_ = true, may_write_ = true;   // until the socket says otherwise
  bool is_open_ = false;
  bool is_deaf_ = false;      // the socket's other end takes nothing any more
  bool is_out_over_ = false, is_in_over_ = false;
};

Result<std::unique_ptr<StreamBridge>> StreamBridge::Start(std::shared_ptr<Client> client) {
  std::unique_ptr<StreamBridge> bridge(new StreamBridge(std::move(client)));   // allow(raw-new): private constructor
  bridge->epoll_.Reset(epoll_create1(EPOLL_CLOEXEC));
  if (!bridge->epoll_) return SystemError("cannot make an epoll");
  bridge->waker_ = std::make_shared<Waker>();
  if (!bridge->waker_->event) return SystemError("cannot make an eventfd");
  PADDOCK_TRY(bridge->Watch(bridge->waker_->event.get(), kWakerNumber, EPOLLIN));
  bridge->client_->StartReader();
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);   // signals are for the program's own threads
  bridge->thread_ = std::thread([self = bridge.get()] { self->Run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return bridge;
}

StreamBridge::StreamBridge(std::shared_ptr<Client> client) : client_(std::move(client)) {}

StreamBridge::~StreamBridge() { Stop(); }

void StreamBridge::Stop() {
  if (!thread_.joinable()) return;
  waker_->Stop();
  thread_.join();
  const std::lock_guard lock(mutex_);
  inside_.clear();
  outside_.clear();
}

Status StreamBridge::Watch(int fd, uint64_t number, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return SystemError("cannot watch a socket");
  return {};
}

Result<uint16_t> StreamBridge::ListenInside(uint16_t port, std::function<Descriptor()> meet) {
  const uint64_t number = NextNumber();
  PADDOCK_ASSIGN(auto listener, client_->ports().Listen({.port = port}, In(kPatience), {.most = kMostConnections, .on_arrival = [waker = waker_, number] { waker->Note(number); }}));
  const uint16_t chosen = listener->port();
  {
    const std::lock_guard lock(mutex_);
    inside_.emplace(number, Inside{std::move(listener), std::move(meet)});
  }
  waker_->Note(number);   // one may have come before
  return chosen;
}

Status StreamBridge::DialInside(Descriptor listener, uint16_t port) {
  const uint64_t number = NextNumber();
  const int fd = listener.get();
  const std::lock_guard lock(mutex_);
  outside_.emplace(number, Outside{std::move(listener), port});
  return Watch(fd, number, EPOLLIN | EPOLLET);
}

void StreamBridge::Run() {
  std::array<epoll_event, 64> events;
  std::set<uint64_t> noted;
  while (waker_->Take(noted)) {
    for (const uint64_t number : noted) Serve(number, 0);
    const int patience = is_starved_ ? 100 : dialled_.empty() ? -1 : 1000;
    const int count = epoll_wait(epoll_.get(), events.data(), events.size(), patience);
    if (count < 0 && errno != EINTR) break;
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if (event.data.u64 != kWakerNumber) {
        Serve(event.data.u64, event.events);
        continue;
      }
      uint64_t times = 0;
      (void)!read(waker_->event.get(), &times, sizeof times);
    }
    if (std::exchange(is_starved_, false)) TakeFromAllOutside();
    DropLateDials();
  }
  joints_.clear();
}

void StreamBridge::Serve(uint64_t number, uint32_t events) {
  const auto joint = joints_.find(number);
  if (joint == joints_.end()) return TakeNew(number);
  const Joint::Outcome outcome = joint->second->Step(events);
  if (joint->second->is_open()) dialled_.erase(number);
  if (outcome == Joint::Outcome::kGoesOn) waker_->Note(number);
  if (outcome == Joint::Outcome::kOver) Drop(number);
}

void StreamBridge::TakeNew(uint64_t number) {
  Inside* inside = nullptr;
  const Outside* outside = nullptr;
  {
    const std::lock_guard lock(mutex_);   // what is there stays until the thread has ended
    if (const auto found = inside_.find(number); found != inside_.end()) inside = &found->second;
    if (const auto found = outside_.find(number); found != outside_.end()) outside = &found->second;
  }
  if (inside != nullptr) TakeFromInside(*inside);
  if (outside != nullptr) TakeFromOutside(*outside);
}

void StreamBridge::TakeFromInside(Inside& inside) {
  while (auto stream = inside.listener->TryAccept()) {
    if (joints_.size() >= kMostConnections) continue;
    if (Descriptor socket = inside.meet()) Join(std::move(stream), std::move(socket));
  }
}

void StreamBridge::TakeFromOutside(const Outside& outside) {
  for (;;) {
    Descriptor socket(accept4(outside.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!socket) {
      is_starved_ = is_starved_ || IsScarcity(errno);   // it stays in the queue
      return;
    }
    if (joints_.size() >= kMostConnections) continue;
    // 127.0.0.1 or ::1, where the program listens.
    auto stream = client_->ports().DialLater({.address = "localhost", .port = outside.port});
    if (!stream) continue;
    constexpr int kOn = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
    dialled_.insert(Join(std::move(*stream), std::move(socket)));
  }
}

void StreamBridge::TakeFromAllOutside() {
  std::vector<uint64_t> numbers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, outside] : outside_) numbers.push_back(number);
  }
  for (const uint64_t number : numbers) TakeNew(number);
}

uint64_t StreamBridge::Join(std::unique_ptr<GuestConnection> stream, Descriptor socket) {
  const uint64_t number = NextNumber();
  if (!Watch(socket.get(), number, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET)) return number;   // for want of kernel memory: both are closed
  stream->Watch([waker = waker_, number] { waker->Note(number); });
  joints_.emplace(number, std::make_unique<Joint>(std::move(stream), std::move(socket)));
  waker_->Note(number);
  return number;
}

void StreamBridge::Drop(uint64_t number) {
  joints_.erase(number);
  dialled_.erase(number);
}

void StreamBridge::DropLateDials() {
  const std::set<uint64_t> dialled = dialled_;
  for (const uint64_t number : dialled) {
    const auto joint = joints_.find(number);
    if (joint == joints_.end() || joint->second->is_late()) Drop(number);
  }
}

uint64_t StreamBridge::NextNumber() {
  const std::lock_guard lock(mutex_);
  return ++last_number_;
}

}  // namespace paddock::guest
