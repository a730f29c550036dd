#include "api/mcp/feed.h"

#include <algorithm>
#include <utility>

namespace paddock::mcp {

json::object Feed::NotificationOf(const std::string& uri) const {
  json::object params;
  if (!uri.empty()) params["uri"] = uri;
  if (!subscription_.is_null()) params["_meta"] = json::object{{kSubscriptionKey, subscription_}};
  return Notification(uri.empty() ? "notifications/resources/list_changed" : "notifications/resources/updated", std::move(params));
}

void Feed::Tell(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  for (auto each = kept_.rbegin(); each != kept_.rend() && each->number > sent_; ++each) {
    if (each->uri == uri) return;   // it will be told
  }
  kept_.push_back({++last_, uri});
  if (kept_.size() > kMostKept) kept_.pop_front();
  PumpLocked();
}

void Feed::PumpLocked() {
  if (!outlet_ || !is_ready_) return;
  while (!kept_.empty() && sent_ < last_) {
    const uint64_t next = std::max(sent_ + 1, kept_.front().number);
    const Told& told = kept_[next - kept_.front().number];
    if (!outlet_->send(told.number, NotificationOf(told.uri))) return;
    sent_ = next;
  }
}

Result<Feed::Attached> Feed::Attach(Outlet outlet, std::optional<uint64_t> after) {
  std::function<void()> close;   // outside of the lock
  Attached attached;
  {
    const std::lock_guard lock(mutex_);
    if (after && *after > last_) return Error(Code::kInvalid, "Last-Event-ID: is none of this session's");
    if (after) sent_ = *after;
    attached.has_missed = sent_ < last_ && !kept_.empty() && kept_.front().number > sent_ + 1;
    attached.number = sent_;
    if (outlet_) close = std::move(outlet_->close);
    outlet_ = std::move(outlet);
    is_ready_ = false;
    attached.outlet = ++outlets_;
  }
  if (close) close();
  return attached;
}

bool Feed::Detach(uint64_t outlet) {
  std::optional<Outlet> gone;   // ends outside of the lock
  const std::lock_guard lock(mutex_);
  if (outlet != outlets_ || !outlet_) return false;
  gone.swap(outlet_);
  return true;
}

void Feed::Pump() {
  const std::lock_guard lock(mutex_);
  is_ready_ = true;
  PumpLocked();
}

void Feed::Close() {
  std::optional<Outlet> gone;
  {
    const std::lock_guard lock(mutex_);
    gone.swap(outlet_);
  }
  if (gone && gone->close) gone->close();
}

bool Feed::is_attached() const {
  const std::lock_guard lock(mutex_);
  return outlet_.has_value();
}

}  // namespace paddock::mcp
