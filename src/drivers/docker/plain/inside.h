// Inside: what is done in a container that has no agent: by its init (keeper.h), and by programs that the engine starts beside it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "drivers/docker/engine/execs.h"
#include "drivers/docker/plain/keeper.h"

namespace paddock::docker {

class Inside {
 public:
  // `stream`: attached to a container that runs Keeper::Entrypoint().
  Inside(std::shared_ptr<const Engine> engine, std::string container_id, std::unique_ptr<net::ByteStream> stream)
      : engine_(std::move(engine)), container_id_(std::move(container_id)), keeper_(std::move(stream)) {}
  ~Inside() { Cut(); }
  Inside(const Inside&) = delete;

  const Engine& engine() const { return *engine_; }
  const std::string& container_id() const { return container_id_; }

  // All of these: any thread. Errors, besides others: kUnavailable once the sandbox is closed, kTimedOut while it is frozen.
  //
  // As the keeper does them.
  Result<std::string> Show(const std::string& path, std::chrono::milliseconds time = std::chrono::seconds(10));
  Status Signal(int signal, int process, bool to_foreground);
  Status Wake(int process);   // waits until it has stopped

  // Runs a script of the image's shell and its tools as the container's user, without input; stdout and stderr come together. For short ones: they take turns.
  // Errors: those of ShellChannel::Ask(), and the script may then have been done in part.
  Result<ShellChannel::Answer> Ask(std::string_view script, size_t most = 64 << 10, std::chrono::milliseconds time = std::chrono::seconds(60));
  // Likewise, in a shell of its own, with input that the script reads to its end.
  Result<ShellChannel::Answer> Feed(const std::string& script, std::string_view input);

  // A program that was started and says that its process is `session`, which leads a session. While it is being started nothing is ended.
  struct Starting {
    std::shared_lock<std::shared_mutex> use, start;
  };
  Result<Starting> BeginStart();
  void Add(const Starting&, int session);
  // Ends all that is left of it: its session, and with the last program whatever runs beside the init.
  Status End(int session);

  // Whether everything inside stands still; waits for what is being done.
  Status Freeze();
  Status Thaw();
  bool is_frozen() const { return is_frozen_; }

  // Ends every use.
  void Cut();
  bool HasEnded() const { return is_cut_ || keeper_.HasEnded(); }

 private:
  // Held while something is done inside.
  Result<std::shared_lock<std::shared_mutex>> Enter();
  // A shell that the engine starts; a script on its stdin unless `script` is one.
  Result<std::unique_ptr<ShellChannel>> StartShell(const std::string& script);
  Result<std::shared_ptr<ShellChannel>> Helper();

  const std::shared_ptr<const Engine> engine_;
  const std::string container_id_;
  Keeper keeper_;
  std::shared_mutex use_;        // held while something is done inside, alone while it is frozen or thawed
  std::atomic<bool> is_frozen_{false};
  std::shared_mutex starting_;   // held while a program is being started, alone while some are ended
  std::mutex mutex_;
  std::multiset<int> sessions_;             // guarded by mutex_
  std::mutex opening_;                      // of the helper
  std::shared_ptr<ShellChannel> helper_;    // guarded by mutex_; null: there is none
  int helper_session_ = 0;                  // likewise
  std::atomic<bool> is_cut_{false};
};

}  // namespace paddock::docker
