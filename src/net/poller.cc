#include "net/poller.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <cerrno>

#include "net/channel.h"

namespace paddock::net {

Status Poller::Open() {
  epoll_.Reset(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) return SystemError("epoll", errno);
  wakeup_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakeup_) return SystemError("eventfd", errno);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = 0;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wakeup_.get(), &event) != 0) return SystemError("epoll", errno);
  return {};
}

Status Poller::Add(int fd, uint32_t events, std::shared_ptr<Pollable> what, uint64_t id) {
  {
    Shard& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    shard.table.emplace(id, std::move(what));
  }
  size_.fetch_add(1);
  epoll_event event{};
  event.events = events == 0 ? 0 : events | EPOLLONESHOT;
  event.data.u64 = id;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return {};
  const Error error = SystemError("epoll", errno);
  Remove(id);
  return error;
}

void Poller::Rearm(int fd, uint64_t id, uint32_t events) {
  epoll_event event{};
  event.events = events | EPOLLONESHOT;
  event.data.u64 = id;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Poller::Replace(uint64_t id, std::shared_ptr<Pollable> what) {
  Shard& shard = ShardOf(id);
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.table.find(id); found != shard.table.end()) std::swap(found->second, what);
}

void Poller::Remove(uint64_t id) {
  std::shared_ptr<Pollable> gone;   // ends outside the lock
  {
    Shard& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.table.find(id);
    if (found == shard.table.end()) return;
    gone = std::move(found->second);
    shard.table.erase(found);
  }
  size_.fetch_sub(1);
}

std::vector<std::shared_ptr<Pollable>> Poller::All() const {
  std::vector<std::shared_ptr<Pollable>> all;
  all.reserve(size());
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [id, what] : shard.table) all.push_back(what);
  }
  return all;
}

bool Poller::HandleOne(int milliseconds, std::atomic<size_t>* waiting) {
  epoll_event event{};
  waiting->fetch_add(1);
  const int count = epoll_wait(epoll_.get(), &event, 1, milliseconds);
  waiting->fetch_sub(1);
  if (count == 0) return false;
  const uint64_t id = event.data.u64;   // the struct is packed: no reference to it
  if (count < 0 || id == 0) return true;
  std::shared_ptr<Pollable> what;
  {
    Shard& shard = ShardOf(id);
    const std::lock_guard lock(shard.mutex);
    if (const auto found = shard.table.find(id); found != shard.table.end()) what = found->second;
  }
  if (what != nullptr) what->OnEvents(event.events);
  return true;
}

void Poller::WakeAll() {
  is_woken_.store(true);
  eventfd_write(wakeup_.get(), 1);
}

}  // namespace paddock::net
