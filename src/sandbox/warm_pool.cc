#include "sandbox/warm_pool.h"

#include <algorithm>

namespace paddock::sandbox {

WarmPool::WarmPool(std::unique_ptr<Driver> driver, size_t size)
    : driver_(std::move(driver)), size_(size), refiller_([this] { Refill(); }) {}

WarmPool::~WarmPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  refiller_.join();
}

bool WarmPool::CanBeMadeAhead(const SandboxSpec& spec) {
  if (!spec.mounts.empty()) return false;
  if (!spec.policy) return true;
  const policy::FileRules& files = spec.policy->files;
  return files.workspace.empty() && files.home_store.empty() &&
         std::none_of(files.paths.begin(), files.paths.end(),
                      [](const policy::PathRule& rule) { return rule.access == policy::Access::kWrite; });
}

WarmPool::Shelf& WarmPool::ShelfOf(const SandboxSpec& spec) {
  const auto found = std::find_if(shelves_.begin(), shelves_.end(), [&](const auto& shelf) { return shelf->spec == spec; });
  if (found != shelves_.end()) {
    shelves_.splice(shelves_.begin(), shelves_, found);
  } else {
    shelves_.push_front(std::make_shared<Shelf>());
    shelves_.front()->spec = spec;
    if (shelves_.size() > kMostSpecs) shelves_.pop_back();
  }
  return *shelves_.front();
}

Result<std::unique_ptr<Sandbox>> WarmPool::Create(const SandboxSpec& spec) {
  if (CanBeMadeAhead(spec)) {
    std::unique_ptr<Sandbox> claimed;
    {
      const std::lock_guard lock(mutex_);
      Shelf& shelf = ShelfOf(spec);
      shelf.is_failing = false;
      if (!shelf.ready.empty()) {
        claimed = std::move(shelf.ready.front());
        shelf.ready.pop_front();
        last_claim_ = std::chrono::steady_clock::now();
      }
    }
    changed_.notify_all();
    if (claimed) return claimed;
  }
  return driver_->Create(spec);
}

Status WarmPool::Prepare(const SandboxSpec& spec) {
  if (!CanBeMadeAhead(spec)) return Error(Code::kInvalid, "sandboxes that show changeable files of the host are not made ahead");
  std::unique_lock lock(mutex_);
  ShelfOf(spec).is_failing = false;
  changed_.notify_all();
  changed_.wait(lock, [&] {
    const Shelf& shelf = ShelfOf(spec);
    return shelf.ready.size() >= size_ || shelf.is_failing || is_ending_;
  });
  if (ShelfOf(spec).ready.size() >= size_) return {};
  lock.unlock();
  // The driver says why.
  auto made = driver_->Create(spec);
  return made ? Status() : Status(made.error());
}

void WarmPool::Refill() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    const auto wanting = std::find_if(shelves_.begin(), shelves_.end(), [this](const auto& shelf) {
      return !shelf->is_failing && shelf->ready.size() < size_;
    });
    if (wanting == shelves_.end()) {
      changed_.wait(lock);
      continue;
    }
    const auto quiet_from = last_claim_ + kQuiet;
    if (!(*wanting)->ready.empty() && std::chrono::steady_clock::now() < quiet_from) {
      changed_.wait_until(lock, quiet_from);
      continue;
    }
    const std::shared_ptr<Shelf> shelf = *wanting;   // may be dropped from the list meanwhile
    lock.unlock();
    auto made = driver_->Create(shelf->spec);
    lock.lock();
    if (made) shelf->ready.push_back(std::move(*made));
    else shelf->is_failing = true;
    changed_.notify_all();
  }
}

}  // namespace paddock::sandbox
