#include "api/mcp/subscriptions.h"

#include <algorithm>

#include "api/mcp/resources.h"

namespace paddock::mcp {

using sandbox::FileEvent;

namespace {

constexpr auto kLongestPause = std::chrono::minutes(1);

}  // namespace

Result<std::shared_ptr<void>> WatchResource(tools::SessionAccess& session, const std::string& uri, std::function<void()> changed,
                                            std::function<void()> ended) {
  tools::WatchRequest request{.sandbox = {}, .directory = "/", .is_recursive = true};
  std::string file;
  if (!uri.empty()) {
    PADDOCK_ASSIGN(const Place place, ParseUri(uri));
    PADDOCK_ASSIGN(file, FileOf(session, place));
    request = {.sandbox = place.sandbox, .directory = file.substr(0, std::max<size_t>(file.rfind('/'), 1)), .is_recursive = false};
  }
  // Many events at once are one change.
  auto is_dirty = std::make_shared<bool>(false);   // of the watches' thread
  tools::WatchListener listener{
      .on_event =
          [is_dirty, file, directory = request.directory](const FileEvent& event) {
            const bool comes_or_goes = event.kind != FileEvent::Kind::kModified && event.kind != FileEvent::Kind::kAttributes;
            if (file.empty()) *is_dirty |= comes_or_goes;
            else if (event.kind == FileEvent::Kind::kLost) *is_dirty = true;
            else if (event.path == file || event.from == file) *is_dirty |= event.kind != FileEvent::Kind::kAttributes;
            else if (event.path == directory) *is_dirty |= comes_or_goes;
          },
      .on_round =
          [is_dirty, changed = std::move(changed)] {
            if (std::exchange(*is_dirty, false)) changed();
          },
      .on_end = [ended = std::move(ended)](const Error&) { ended(); }};
  return session.Watch(request, std::move(listener));
}

Status Subscriber::Begin(const std::shared_ptr<Item>& item) {
  auto has_ended = std::make_shared<std::atomic<bool>>(false);
  // Neither may hold the subscriber: its end, on the watches' thread, would wait for itself.
  const auto changed = [feed = feed_, uri = item->uri] { feed->Tell(uri); };
  const auto ended = [feed = feed_, uri = item->uri, has_ended] {
    has_ended->store(true);
    feed->Tell(uri);
  };
  auto watch = WatchResource(*item->session, item->uri, changed, ended);
  std::shared_ptr<void> old;   // ends outside of the lock
  const std::lock_guard lock(mutex_);
  if (!watch) {
    item->next_try = Clock::now() + item->pause;
    item->pause = std::min<Clock::duration>(2 * item->pause, kLongestPause);
    return watch.error();
  }
  item->next_try = {};
  item->pause = std::chrono::seconds(1);
  const auto found = items_.find(item->uri);
  old = std::exchange(item->watch, nullptr);
  if (is_closed_ || found == items_.end() || found->second != item) {
    old = std::move(*watch);   // it was removed meanwhile
    return {};
  }
  item->has_ended = std::move(has_ended);
  item->watch = std::move(*watch);
  return {};
}

Status Subscriber::Add(const std::shared_ptr<tools::SessionAccess>& session, const std::string& uri) {
  auto item = std::make_shared<Item>();
  item->session = session;
  item->uri = uri;
  item->next_try = Clock::time_point::max();   // this thread makes it
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return Error(Code::kUnavailable, "this client has gone");
    if (items_.contains(uri)) return {};
    const size_t files = items_.size() - (items_.contains("") ? 1 : 0);
    if (!uri.empty() && files >= kMostSubscriptions) {
      return Error(Code::kLimit, std::to_string(files) + " resources are subscribed to, the most there may be; unsubscribe from one");
    }
    items_[uri] = item;
  }
  const Status begun = Begin(item);
  if (!begun) Remove(uri);
  return begun;
}

bool Subscriber::Remove(const std::string& uri) {
  std::shared_ptr<Item> gone;   // its watch ends outside of the lock
  std::shared_ptr<void> watch;
  const std::lock_guard lock(mutex_);
  const auto found = items_.find(uri);
  if (found == items_.end()) return false;
  gone = std::move(found->second);
  watch = std::move(gone->watch);
  items_.erase(found);
  return true;
}

void Subscriber::WantListing(const std::shared_ptr<tools::SessionAccess>& session) {
  if (feed_->is_attached()) return (void)Add(session, "");
  auto item = std::make_shared<Item>();
  item->session = session;
  const std::lock_guard lock(mutex_);
  if (!is_closed_) items_.emplace("", std::move(item));   // made when somebody listens
}

void Subscriber::Came(bool has_missed) {
  std::vector<std::string> all;
  {
    const std::lock_guard lock(mutex_);
    if (!has_missed && !is_at_rest_) return;
    is_at_rest_ = false;
    for (auto& [uri, item] : items_) {
      all.push_back(uri);
      item->next_try = {};
      item->pause = std::chrono::seconds(1);
    }
  }
  for (const std::string& uri : all) feed_->Tell(uri);
}

void Subscriber::Left() {
  const std::lock_guard lock(mutex_);
  left_ = Clock::now();
}

bool Subscriber::IsDue(const Item& item, bool is_heard, Clock::time_point now) {
  return *item.has_ended && item.next_try <= now && (is_heard || !item.uri.empty());
}

bool Subscriber::NeedsMending(Clock::time_point now, Clock::duration patience) const {
  const bool is_heard = feed_->is_attached();
  const std::lock_guard lock(mutex_);
  if (is_closed_ || items_.empty()) return false;
  if (!is_heard && now - left_ >= patience) return !is_at_rest_;
  if (is_at_rest_) return false;
  return std::any_of(items_.begin(), items_.end(), [&](const auto& each) { return IsDue(*each.second, is_heard, now); });
}

void Subscriber::Mend(Clock::time_point now, Clock::duration patience) {
  const bool is_heard = feed_->is_attached();
  std::vector<std::shared_ptr<Item>> ended;
  std::vector<std::shared_ptr<void>> released;   // end outside of the lock
  {
    const std::lock_guard lock(mutex_);
    if (!is_heard && now - left_ >= patience) {
      is_at_rest_ = true;
      for (auto& [uri, item] : items_) {
        released.push_back(std::move(item->watch));
        item->has_ended = std::make_shared<std::atomic<bool>>(true);
      }
    } else {
      for (auto& [uri, item] : items_) {
        if (IsDue(*item, is_heard, now)) ended.push_back(item);
      }
    }
  }
  released.clear();
  for (const std::shared_ptr<Item>& item : ended) {
    if (Begin(item)) feed_->Tell(item->uri);   // nobody saw what happened meanwhile
  }
}

void Subscriber::Close() {
  std::map<std::string, std::shared_ptr<Item>> gone;
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    gone.swap(items_);
  }
  for (auto& [uri, item] : gone) {
    std::shared_ptr<void> watch;
    const std::lock_guard lock(mutex_);
    watch = std::move(item->watch);
  }
  gone.clear();
  feed_->Close();
}

size_t Subscriber::count() const {
  const std::lock_guard lock(mutex_);
  return items_.size();
}

void Subscriptions::Mind(const std::shared_ptr<Subscriber>& subscriber) {
  const std::lock_guard lock(mutex_);
  if (is_ending_) return;
  std::erase_if(subscribers_, [](const auto& each) { return each.expired(); });
  subscribers_.push_back(subscriber);
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void Subscriptions::End() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  while (!threads_.WaitFor(std::chrono::seconds(1))) continue;
}

void Subscriptions::Run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, times_.look, [&] { return is_ending_; })) {
    std::vector<std::shared_ptr<Subscriber>> all;
    for (const auto& each : subscribers_) {
      if (auto held = each.lock()) all.push_back(std::move(held));
    }
    lock.unlock();
    const auto now = Subscriber::Clock::now();
    for (const auto& each : all) {
      if (!each->NeedsMending(now, times_.patience) || each->is_mending_.exchange(true)) continue;
      const auto mend = [each, now, patience = times_.patience] {
        each->Mend(now, patience);
        each->is_mending_ = false;
      };
      if (!threads_.Start(mend)) each->is_mending_ = false;   // the next time
    }
    all.clear();
    lock.lock();
  }
}

}  // namespace paddock::mcp
