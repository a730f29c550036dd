// FileWatches: all that watch files, served by one thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "registry/entry/sandbox_entry.h"
#include "sandbox/file_watch.h"

namespace paddock::registry {

// Any thread.
class FileWatches {
 public:
  static constexpr size_t kMost = 1000;            // of all sandboxes
  static constexpr size_t kMostOfOwner = 750;
  static constexpr size_t kMostOfSandbox = 64;
  static constexpr auto kEvery = std::chrono::milliseconds(50);

  // Called on the watches' own thread; both must be quick and may not add or remove watches.
  struct Listener {
    std::function<bool(const sandbox::FileEvent&)> on_event;   // false: no room now; what is missed until there is becomes kLost
    std::function<void(const Error& why)> on_end;              // nothing comes any more
    std::function<void()> on_round = {};                       // behind the events of one look; may be null
  };

  FileWatches() = default;
  ~FileWatches();
  FileWatches(const FileWatches&) = delete;
  FileWatches& operator=(const FileWatches&) = delete;

  // Whose files they are: who counts for the bounds.
  struct Subject {
    std::string sandbox, owner;
  };
  using Make = std::function<Result<std::unique_ptr<sandbox::FileWatch>>()>;
  // A number for Remove(). `path` is what kLost says. Errors: kLimit, those of `make`.
  Result<uint64_t> Add(const Subject& subject, const std::string& path, const Make& make, Listener listener);
  // The same; errors: kLimit, those of SandboxEntry::WatchFiles().
  Result<uint64_t> Add(const std::shared_ptr<SandboxEntry>& entry, const std::string& path, bool is_recursive, Listener listener);
  // When it returns, the listener is not running. Nothing to do for one that has ended.
  void Remove(uint64_t number);
  size_t count() const;

 private:
  struct Watch {
    Subject subject;
    std::string path;
    std::unique_ptr<sandbox::FileWatch> files;
    Listener listener;
    bool owes_lost = false;
  };
  void Run();
  // False: it has ended.
  static bool Serve(Watch& watch);

  mutable std::mutex mutex_;               // of what follows
  std::condition_variable changed_;
  std::map<uint64_t, std::shared_ptr<Watch>> watches_;
  size_t beginning_ = 0;                   // places taken by those that are being made
  uint64_t last_ = 0;
  bool is_ending_ = false;
  std::thread thread_;
  std::mutex serving_;                     // held while listeners run
};

}  // namespace paddock::registry
