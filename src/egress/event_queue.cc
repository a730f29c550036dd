#include "egress/event_queue.h"

#include <pthread.h>
#include <signal.h>

#include "text/utf8.h"

namespace paddock::egress {

std::string Event::Text() const {
  const char* const kinds[] = {"allowed", "denied", "failed", "secret used"};
  std::string text = std::string(kinds[static_cast<int>(kind)]) + " " + protocol;
  if (!secret.empty()) text += " " + secret;
  if (!method.empty()) text += " " + method;
  if (!host.empty()) text += " " + (host.find(':') != std::string::npos ? "[" + host + "]" : host);
  if (port != 0) text += ":" + std::to_string(port);
  text += path;
  if (!address.empty() && address != host) text += " (" + address + ")";
  if (!reason.empty()) text += ": " + reason;
  if (!rule.empty()) text += " [" + rule + "]";
  return HarmlessLine(text);
}

EventQueue::EventQueue(Handler handler, size_t most) : handler_(std::move(handler)), most_(most) {
  if (!handler_) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void EventQueue::Push(Event event) {
  if (!handler_) return;
  event.time = std::chrono::system_clock::now();
  const std::lock_guard lock(mutex_);
  if (is_stopped_) return;
  if (waiting_.size() >= most_) {
    ++dropped_;
    return;
  }
  event.dropped_before = dropped_;
  dropped_ = 0;
  waiting_.push_back(std::move(event));
  ++pushed_;
  changed_.notify_all();
}

void EventQueue::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Event event = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    handler_(event);
    lock.lock();
    ++handled_;
    changed_.notify_all();
  }
}

void EventQueue::Flush() {
  std::unique_lock lock(mutex_);
  const uint64_t goal = pushed_;
  changed_.wait(lock, [&] { return handled_ >= goal; });
}

void EventQueue::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace paddock::egress
