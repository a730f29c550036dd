#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <string>
#include <unordered_map>

#include "guest/agent/file_streams.h"
#include "guest/protocol/port_messages.h"

namespace paddock::guest {
namespace {

constexpr uint32_t kMask = IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE | IN_DELETE_SELF | IN_MOVED_FROM |
                           IN_MOVED_TO | IN_MOVE_SELF | IN_EXCL_UNLINK;
constexpr size_t kMostFolders = 8192;
constexpr size_t kMostQueued = 4096;   // events that the client has not granted room for; beyond that the kernel keeps them

std::string Join(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : name.empty() ? folder : folder + "/" + std::string(name);
}

class Watcher final : public SendingStream {
 public:
  Watcher(const StreamPlace& place, Descriptor events, const WatchRequest& request)
      : SendingStream(place), events_(std::move(events)), root_(request.path), is_recursive_(request.is_recursive) {
    watch_ = place_.loop.Watch(events_.get(), EPOLLIN, [this](uint32_t) { ReadEvents(); });
  }
  ~Watcher() override { place_.loop.Forget(watch_); }

  // 0 or an errno. With `tells` what is found is reported as created.
  int Add(const std::string& relative, bool tells) {
    if (folders_.size() >= kMostFolders) return ENOSPC;
    const std::string path = relative.empty() ? root_ : root_ + "/" + relative;
    const int number = inotify_add_watch(events_.get(), path.c_str(), kMask | (relative.empty() ? 0u : IN_DONT_FOLLOW));
    if (number < 0) return errno;
    folders_[number] = relative;
    if (!is_recursive_) return 0;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
    if (!folder) return 0;
    while (const dirent* entry = readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat stat {};
      if (fstatat(dirfd(folder.get()), entry->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0) continue;
      const bool is_folder = S_ISDIR(stat.st_mode);
      if (tells) Queue({WatchKind::kCreated, is_folder, 0, Join(relative, name)});
      if (is_folder) pending_.push_back(Join(relative, name));
    }
    return 0;
  }
  // Adds what Add() has found below, to any depth.
  int AddPending(bool tells) {
    while (!pending_.empty()) {
      const std::string next = std::move(pending_.front());
      pending_.pop_front();
      const int error = Add(next, tells);
      if (error == ENOSPC || error == ENOMEM) {
        pending_.clear();
        return error;
      }
    }
    return 0;
  }

 private:
  void Queue(const WatchEvent& event) {
    constexpr size_t kMaxPathBytes = 4096;
    if (event.path.size() > kMaxPathBytes) return Queue({WatchKind::kLost});
    queue_.push_back(Encode(event));
    place_.outbox.Schedule(*this);
  }

  void ReadEvents() {
    alignas(inotify_event) char buffer[16 * 1024];
    const ssize_t size = read(events_.get(), buffer, sizeof buffer);
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      Handle(*event);
      at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    }
    // What the client does not take waits in the kernel, which says so when that is full.
    place_.loop.Change(watch_, queue_.size() < kMostQueued ? EPOLLIN : 0u);
  }

  void Handle(const inotify_event& event) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) return Queue({WatchKind::kLost});
    const auto found = folders_.find(event.wd);
    if (found == folders_.end()) return;
    if ((event.mask & IN_IGNORED) != 0) {
      folders_.erase(found);
      return;
    }
    const bool is_folder = (event.mask & IN_ISDIR) != 0;
    const std::string path = Join(found->second, event.len > 0 ? std::string_view(event.name) : std::string_view());
    // Of a directory within, its parent tells already.
    const bool is_self = event.len == 0 && !found->second.empty();
    if ((event.mask & IN_CREATE) != 0) Queue({WatchKind::kCreated, is_folder, 0, path});
    if ((event.mask & (IN_MODIFY | IN_CLOSE_WRITE)) != 0) Queue({WatchKind::kModified, is_folder, 0, path});
    if ((event.mask & IN_ATTRIB) != 0 && !is_self) Queue({WatchKind::kAttributes, is_folder, 0, path});
    if ((event.mask & IN_DELETE) != 0) Queue({WatchKind::kRemoved, is_folder, 0, path});
    if ((event.mask & (IN_DELETE_SELF | IN_MOVE_SELF)) != 0 && !is_self) Queue({WatchKind::kRemoved, is_folder, 0, path});
    if ((event.mask & IN_MOVED_FROM) != 0) {
      Queue({WatchKind::kMovedFrom, is_folder, event.cookie, path});
      if (is_folder) ForgetBelow(path);
    }
    if ((event.mask & IN_MOVED_TO) != 0) Queue({WatchKind::kMovedTo, is_folder, event.cookie, path});
    if (is_recursive_ && is_folder && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) {
      pending_.push_back(path);
      if (AddPending(true) != 0) Queue({WatchKind::kLost});
    }
  }

  // Watches go with a directory that moves; their paths would be wrong.
  void ForgetBelow(const std::string& path) {
    for (auto at = folders_.begin(); at != folders_.end();) {
      if (at->second == path || at->second.starts_with(path + "/")) {
        inotify_rm_watch(events_.get(), at->first);
        at = folders_.erase(at);
      } else {
        ++at;
      }
    }
  }

  bool Produce(Outbox&) override {
    std::string frame;
    while (!queue_.empty() && frame.size() + queue_.front().size() <= Room()) {
      frame += queue_.front();
      queue_.pop_front();
    }
    if (frame.empty()) return false;
    SendData(frame);
    if (queue_.size() < kMostQueued) place_.loop.Change(watch_, EPOLLIN);
    return !queue_.empty();
  }

  Descriptor events_;
  const std::string root_;
  const bool is_recursive_;
  uint64_t watch_ = 0;
  std::unordered_map<int, std::string> folders_;   // by watch: path relative to the root
  std::deque<std::string> pending_;
  std::deque<std::string> queue_;
};

}  // namespace

std::unique_ptr<Stream> WatchStream(const StreamPlace& place, const WatchRequest& request) {
  Descriptor events(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events) {
    place.outbox.Error(place.number, errno);
    return nullptr;
  }
  auto watcher = std::make_unique<Watcher>(place, std::move(events), request);
  int error = watcher->Add("", false);
  if (error == 0) error = watcher->AddPending(false);
  if (error != 0) {
    place.outbox.Error(place.number, error);
    return nullptr;
  }
  place.outbox.Frame(place.number, FrameType::kOpened, 0, Encode(Opened()));
  return watcher;
}

}  // namespace paddock::guest
