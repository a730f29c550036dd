#include "registry/entry/file_watches.h"

#include <algorithm>
#include <vector>

namespace paddock::registry {

FileWatches::~FileWatches() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<uint64_t> FileWatches::Add(const std::shared_ptr<SandboxEntry>& entry, const std::string& path, bool is_recursive, Listener listener) {
  return Add({.sandbox = entry->id(), .owner = entry->owner()}, path, [&] { return entry->WatchFiles(path, is_recursive); }, std::move(listener));
}

Result<uint64_t> FileWatches::Add(const Subject& subject, const std::string& path, const Make& make, Listener listener) {
  {
    const std::lock_guard lock(mutex_);
    if (watches_.size() + beginning_ >= kMost) return Error(Code::kLimit, "files are watched by " + std::to_string(kMost) + " already, the most this daemon serves");
    const auto own = std::count_if(watches_.begin(), watches_.end(), [&](const auto& one) { return one.second->subject.sandbox == subject.sandbox; });
    const auto of_owner = std::count_if(watches_.begin(), watches_.end(), [&](const auto& one) { return one.second->subject.owner == subject.owner; });
    if (static_cast<size_t>(of_owner) >= kMostOfOwner) return Error(Code::kLimit, "you watch files " + std::to_string(of_owner) + " times already, the most that one owner gets");
    if (static_cast<size_t>(own) >= kMostOfSandbox) return Error(Code::kLimit, "files of " + subject.sandbox + " are watched by " + std::to_string(own) + " already, the most there may be");
    ++beginning_;
  }
  auto files = make();
  const std::lock_guard lock(mutex_);
  --beginning_;
  if (!files) return files.error();
  if (is_ending_) return Error(Code::kUnavailable, "the daemon ends");
  watches_[++last_] = std::make_shared<Watch>(Watch{.subject = subject, .path = path, .files = std::move(*files), .listener = std::move(listener)});
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  changed_.notify_all();
  return last_;
}

void FileWatches::Remove(uint64_t number) {
  std::shared_ptr<Watch> gone;   // outside of both locks: its end may take a while
  {
    const std::lock_guard serving(serving_);
    const std::lock_guard lock(mutex_);
    const auto found = watches_.find(number);
    if (found == watches_.end()) return;
    gone = std::move(found->second);
    watches_.erase(found);
  }
}

size_t FileWatches::count() const {
  const std::lock_guard lock(mutex_);
  return watches_.size();
}

bool FileWatches::Serve(Watch& watch) {
  auto events = watch.files->Take();
  if (!events) {
    watch.listener.on_end(events.error());
    return false;
  }
  const auto tell = [&](const sandbox::FileEvent& event) {
    if (!watch.owes_lost && !watch.listener.on_event(event)) watch.owes_lost = true;
  };
  if (watch.owes_lost) {
    watch.owes_lost = false;
    tell({.kind = sandbox::FileEvent::Kind::kLost, .is_directory = true, .path = watch.path, .from = {}});
  }
  for (const sandbox::FileEvent& event : *events) tell(event);
  if (!events->empty() && watch.listener.on_round) watch.listener.on_round();
  return true;
}

void FileWatches::Run() {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    changed_.wait(lock, [&] { return is_ending_ || !watches_.empty(); });
    std::vector<std::pair<uint64_t, std::shared_ptr<Watch>>> all(watches_.begin(), watches_.end());
    lock.unlock();
    for (auto& [number, watch] : all) {
      const std::lock_guard serving(serving_);
      {
        const std::lock_guard looking(mutex_);
        if (!watches_.contains(number)) continue;   // removed meanwhile
      }
      if (Serve(*watch)) continue;
      const std::lock_guard ended(mutex_);
      watches_.erase(number);
    }
    all.clear();
    lock.lock();
    changed_.wait_for(lock, kEvery, [&] { return is_ending_; });
  }
}

}  // namespace paddock::registry
