#include "proc/file_locks.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/fiber.h"
#include "proc/process.h"

namespace paddock::proc {

struct FileLocks::Table {
  using Key = std::pair<uint64_t, uint64_t>;   // device, inode
  struct File {
    size_t shared = 0;
    bool is_exclusive = false;
    std::vector<Fiber*> waiters;
    bool is_free() const { return shared == 0 && !is_exclusive; }
  };

  explicit Table(Scheduler& used) : scheduler(used) {}

  void Drop(const Key& key, Kind kind) {
    File& file = files[key];
    if (kind == Kind::kExclusive) {
      file.is_exclusive = false;
    } else {
      --file.shared;
    }
    for (Fiber* fiber : file.waiters) scheduler.Unpark(fiber);
    if (file.is_free() && file.waiters.empty()) files.erase(key);
  }

  Scheduler& scheduler;
  std::map<Key, File> files;
};

// One lock, as the description keeps it.
struct FileLocks::Held {
  Held(std::weak_ptr<Table> in, const Table::Key& of, Kind how) : table(std::move(in)), key(of), kind(how) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (const auto still = table.lock()) still->Drop(key, kind);
  }

  std::weak_ptr<Table> table;
  Table::Key key;
  Kind kind;
};

FileLocks::FileLocks(Scheduler& scheduler) : table_(std::make_shared<Table>(scheduler)) {}
FileLocks::~FileLocks() = default;

Status FileLocks::TryLock(vfs::OpenFile& file, Kind kind) {
  PADDOCK_ASSIGN(const vfs::Attributes attributes, file.GetAttributes());
  Unlock(file);
  const Table::Key key{attributes.device, attributes.inode};
  const auto known = table_->files.find(key);
  if (known != table_->files.end()) {
    if (known->second.is_exclusive || (kind == Kind::kExclusive && known->second.shared > 0)) return Code::kAgain;
  }
  Table::File& entry = table_->files[key];
  if (kind == Kind::kExclusive) {
    entry.is_exclusive = true;
  } else {
    ++entry.shared;
  }
  file.set_lock(std::make_shared<Held>(table_, key, kind));
  return {};
}

Status FileLocks::Lock(Process& process, vfs::OpenFile& file, Kind kind, Nanoseconds until) {
  PADDOCK_ASSIGN(const vfs::Attributes attributes, file.GetAttributes());
  const Table::Key key{attributes.device, attributes.inode};
  Scheduler& scheduler = table_->scheduler;
  for (bool is_timed_out = false;;) {
    const Status taken = TryLock(file, kind);
    if (taken || taken.error().code != Code::kAgain) return taken;
    if (process.HasCaught()) return Code::kInterrupted;
    if (is_timed_out) return Code::kTimedOut;
    // Undone on every way out: Park() may throw Termination.
    struct Waiting {
      Waiting(Table& in, const Table::Key& of, Fiber* who) : table(in), key(of), fiber(who) { table.files[key].waiters.push_back(fiber); }
      Waiting(const Waiting&) = delete;
      Waiting& operator=(const Waiting&) = delete;
      ~Waiting() {
        Table::File& entry = table.files[key];
        std::erase(entry.waiters, fiber);
        if (entry.is_free() && entry.waiters.empty()) table.files.erase(key);
      }
      Table& table;
      const Table::Key& key;
      Fiber* fiber;
    } waiting{*table_, key, scheduler.current()};
    is_timed_out = !scheduler.Park(until);
  }
}

}  // namespace paddock::proc
