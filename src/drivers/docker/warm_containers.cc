#include "drivers/docker/warm_containers.h"

#include <algorithm>

namespace paddock::docker {

void WarmContainers::End() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (worker_.joinable()) worker_.join();
  // By then nobody else is here; each removal waits for the engine.
  std::vector<std::thread> removals;
  for (Ready& one : ready_) removals.emplace_back([&one] { one.sandbox->Discard(); });
  for (std::thread& removal : removals) removal.join();
  ready_.clear();
}

std::unique_ptr<DockerSandbox> WarmContainers::Claim(const sandbox::SandboxSpec& kind) {
  std::vector<std::unique_ptr<DockerSandbox>> ended;
  std::unique_ptr<DockerSandbox> claimed;
  {
    const std::lock_guard lock(mutex_);
    for (auto one = ready_.begin(); one != ready_.end();) {
      const bool has_ended = one->sandbox->HasEnded();
      if (has_ended) ended.push_back(std::move(one->sandbox));
      else if (claimed == nullptr && one->kind == kind) claimed = std::move(one->sandbox);
      one = one->sandbox == nullptr ? ready_.erase(one) : one + 1;
    }
  }
  for (const auto& one : ended) {
    one->Discard();
    Forget(one->id());
  }
  return claimed;
}

void WarmContainers::Forget(const std::string& key) {
  const std::lock_guard lock(mutex_);
  keys_.erase(key);
}

void WarmContainers::Want(const sandbox::SandboxSpec& kind) {
  if (most_ == 0) return;
  {
    const std::lock_guard lock(mutex_);
    if (is_ending_) return;
    wanted_ = kind;
    if (!worker_.joinable()) worker_ = std::thread([this] { Work(); });
  }
  changed_.notify_all();
}

void WarmContainers::Later(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    later_.push_back(std::move(work));
  }
  changed_.notify_all();
}

bool WarmContainers::Has(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return keys_.contains(key);
}

void WarmContainers::CountWaiting(int change) {
  const std::lock_guard lock(mutex_);
  waiting_ += change;
  if (waiting_ == 0) changed_.notify_all();
}

bool WarmContainers::HasRoomFor(const sandbox::SandboxSpec& kind) const {
  return ready_.size() < most_ || std::none_of(ready_.begin(), ready_.end(), [&](const Ready& one) { return one.kind == kind; });
}

// Of the kind of which most stand ready.
std::unique_ptr<DockerSandbox> WarmContainers::TakeOldestOfMost() {
  const auto count = [&](const Ready& kind) { return std::count_if(ready_.begin(), ready_.end(), [&](const Ready& one) { return one.kind == kind.kind; }); };
  const auto oldest = std::max_element(ready_.begin(), ready_.end(), [&](const Ready& a, const Ready& b) { return count(a) < count(b); });
  std::unique_ptr<DockerSandbox> taken = std::move(oldest->sandbox);
  ready_.erase(oldest);
  return taken;
}

void WarmContainers::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || !later_.empty() || (waiting_ == 0 && wanted_ && HasRoomFor(*wanted_)); });
    if (is_ending_) return;
    if (!later_.empty()) {
      const std::function<void()> work = std::move(later_.front());
      later_.pop_front();
      lock.unlock();
      work();
      lock.lock();
      continue;
    }
    const sandbox::SandboxSpec kind = *wanted_;
    const std::unique_ptr<DockerSandbox> replaced = ready_.size() < most_ ? nullptr : TakeOldestOfMost();
    const std::string key = NewContainerKey();
    keys_.insert(key);
    lock.unlock();
    if (replaced != nullptr) {
      replaced->Discard();
      Forget(replaced->id());
    }
    auto made = make_(kind, key);
    lock.lock();
    if (made) {
      ready_.push_back({kind, std::move(*made)});
      continue;
    }
    keys_.erase(key);
    if (wanted_ == kind) wanted_.reset();   // whoever asks for the next one hears why; then it is tried again
  }
}

}  // namespace paddock::docker
