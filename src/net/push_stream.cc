#include "net/push_stream.h"

#include <sys/epoll.h>

#include "net/server_core.h"

namespace paddock::net {
namespace {

constexpr int kReadsAtOnce = 16;              // before other connections have their turn
constexpr std::chrono::seconds kFinishTime(5);

}  // namespace

void PushStream::Take(Channel channel, std::string received, std::string_view head) {
  Lock lock(mutex_);
  channel_ = std::move(channel);
  received_ = std::move(received);
  last_sent_ = progress_ = Now();
  queue_ = head;
  core_.streams().fetch_add(1);
  Flush(lock);
}

void PushStream::Begin() {
  Lock lock(mutex_);
  has_begun_ = is_in_strand_ = true;
  if (const std::string received = std::exchange(received_, {}); !received.empty()) {
    lock.unlock();
    const bool goes_on = OnBytes(received);
    lock.lock();
    if (!goes_on) is_broken_ = true;
  }
  RunStrand(lock);
}

void PushStream::OnEvents(uint32_t) {
  Lock lock(mutex_);
  if (!has_begun_ || state_ == State::kClosed) return;
  Flush(lock);
  if (is_in_strand_) {   // the other thread goes on with what came
    if (!is_broken_) Rearm(lock);
    return;
  }
  is_in_strand_ = true;
  RunStrand(lock);
}

void PushStream::RunStrand(Lock& lock) {
  for (int i = 0; i < kReadsAtOnce && ReadOnce(lock); ++i) continue;
  if (is_broken_) End(lock);
  while (must_tell_drained_ && state_ == State::kOpen) {
    must_tell_drained_ = false;
    lock.unlock();
    OnDrained();
    lock.lock();
  }
  if (is_broken_) End(lock);
  if (state_ == State::kClosed) {
    lock.unlock();
    OnClosed();   // the strand stays taken: nothing comes after this
    return;
  }
  is_in_strand_ = false;
  Rearm(lock);
}

bool PushStream::ReadOnce(Lock& lock) {
  if (is_broken_ || state_ == State::kClosed) return false;
  char scratch[16 << 10];
  const IoCount got = channel_.Read(scratch);
  if (got.io == Io::kWantRead || got.io == Io::kWantWrite) return false;
  if (got.io != Io::kDone) {
    is_broken_ = true;
    return false;
  }
  lock.unlock();
  const bool goes_on = OnBytes({scratch, got.count});
  lock.lock();
  if (!goes_on) is_broken_ = true;
  return goes_on;
}

void PushStream::Flush(Lock&) {
  while (sent_ < queue_.size() && !is_broken_) {
    const IoCount put = channel_.Write(std::string_view(queue_).substr(sent_));
    if (put.io == Io::kWantRead || put.io == Io::kWantWrite) break;
    if (put.io != Io::kDone) {
      is_broken_ = true;
      channel_.Cut();   // which makes an event, and that ends the stream
      return;
    }
    sent_ += put.count;
    progress_ = last_sent_ = Now();
  }
  if (sent_ == queue_.size()) {
    queue_ = std::string();
    sent_ = 0;
    if (state_ == State::kFinishing && !std::exchange(is_finished_, true)) channel_.FinishWriting();
  } else if (sent_ > queue_.size() / 2) {
    queue_.erase(0, sent_);
    sent_ = 0;
  }
  if (was_refused_ && queue_.size() - sent_ <= bounds_.queue_bytes / 2) {
    was_refused_ = false;
    must_tell_drained_ = true;
  }
}

void PushStream::Rearm(Lock&) {
  if (!has_begun_ || state_ == State::kClosed) return;
  const uint32_t events =
      (is_in_strand_ ? 0u : static_cast<uint32_t>(EPOLLIN)) | (sent_ < queue_.size() ? static_cast<uint32_t>(EPOLLOUT) : 0u);
  if (events != 0) core_.poller().Rearm(channel_.fd(), id_, events);
}

void PushStream::End(Lock&) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  channel_.Close();
  queue_ = std::string();
  sent_ = 0;
  core_.connections().fetch_sub(1);
  core_.streams().fetch_sub(1);
  core_.poller().Remove(id_);
}

Status PushStream::Enqueue(std::string_view bytes, Lock& lock) {
  if (state_ != State::kOpen || is_broken_) return Error(Code::kBrokenPipe, "the stream is closed");
  if (bytes.size() > bounds_.queue_bytes - std::min(bounds_.queue_bytes, pending(lock))) {
    was_refused_ = pending(lock) > 0;
    return Error(Code::kLimit, "the client does not keep up: " + std::to_string(pending(lock)) + " of " +
                                   std::to_string(bounds_.queue_bytes) + " bytes wait for it");
  }
  if (pending(lock) == 0) progress_ = Now();
  const bool was_empty = queue_.empty();
  queue_ += bytes;
  if (was_empty) Flush(lock);
  if (is_broken_) return Error(Code::kBrokenPipe, "the client is gone");
  if (was_empty && !queue_.empty()) Rearm(lock);
  return {};
}

void PushStream::FinishAfterQueue(Lock& lock) {
  if (state_ != State::kOpen) return;
  state_ = State::kFinishing;
  finish_by_ = Now() + kFinishTime;
  Flush(lock);
  Rearm(lock);
}

bool PushStream::IsHeartbeatDue(Time now, const Lock&) const {
  return bounds_.heartbeat.count() != 0 && now - last_sent_ >= bounds_.heartbeat;
}

void PushStream::OnTick(Time now) {
  Lock lock(mutex_);
  if (!has_begun_ || state_ == State::kClosed) return;
  const bool is_stuck = sent_ < queue_.size() && now - progress_ > core_.limits().write_time;
  if (is_stuck || now > finish_by_ || IsDead(now)) channel_.Cut();   // an event follows, and ends it
  if (state_ == State::kOpen && queue_.empty() && IsHeartbeatDue(now, lock)) {
    last_sent_ = now;
    SendHeartbeat(lock);
  }
}

void PushStream::Cover() { core_.Cover(); }

void PushStream::Cut() {
  const Lock lock(mutex_);
  channel_.Cut();
}

bool PushStream::is_closed() const {
  const Lock lock(mutex_);
  return state_ != State::kOpen || is_broken_;
}

size_t PushStream::queued_bytes() const {
  const Lock lock(mutex_);
  return pending(lock);
}

}  // namespace paddock::net
