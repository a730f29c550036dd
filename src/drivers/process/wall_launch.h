// Starting walls: the driver's side of drivers/process/wall/zygote.h and launcher.h.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/process/wall/launcher.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

class WallZygote;

// A wall from the moment when its process is asked for. Destroying it ends everything inside.
class Wall {
 public:
  // Gives it the first part of the plan (launcher.h), which it works on at once. Errors: as Build(), of a source that cannot be opened.
  Status Begin(const WallPlan& base);
  // Gives it the rest of the plan and waits until the wall stands. Errors: kUnavailable with what the launcher says; kBrokenPipe when
  // the zygote was killed meanwhile; kTimedOut.
  Status Build(const WallPlan& plan);

  Wall(Wall&& other) noexcept;
  Wall& operator=(Wall&&) = delete;
  ~Wall();

  // After Begin() and before Build(): whether it is still there.
  bool is_waiting() const;
  Descriptor TakeControl() { return std::move(control_); }   // speaks the guest protocol; closing it ends the wall
  pid_t pid() const { return pid_; }                    // of the init, on the host
  Descriptor TakeListener(size_t index) { return std::move(listeners_.at(index)); }   // in the order of plan.listeners
  const std::vector<std::string>& warnings() const { return warnings_; }
  Descriptor TakeDenials() { return std::move(denials_); }   // of LaunchMessage::Kind::kDenials; not open without a guard
  // Ends everything inside and waits until it has ended and the cgroups are gone. Idempotent.
  void Destroy();

 private:
  friend class WallZygote;
  Wall() = default;
  Status Give(const WallPlan& plan);
  // Notes what the next message says; whether that is that the wall stands.
  Result<bool> TakeMessage();

  std::shared_ptr<WallZygote> zygote_;
  uint64_t number_ = 0;
  Descriptor control_;
  Descriptor launch_;
  Descriptor pidfd_;
  Descriptor denials_;
  pid_t pid_ = -1;
  bool may_have_process_ = false;
  std::vector<Descriptor> listeners_;
  std::vector<std::string> warnings_;
  std::vector<std::string> cgroups_;
};

// A driver's zygote (drivers/process/wall/zygote.h). Safe from any thread.
class WallZygote : public std::enable_shared_from_this<WallZygote> {
 public:
  // Starts `guest_program` and does not wait for it. It lives until the last of its walls and this object are gone. Errors:
  // what starting a program says.
  static Result<std::shared_ptr<WallZygote>> Start(const std::string& guest_program);
  ~WallZygote();
  WallZygote(const WallZygote&) = delete;
  WallZygote& operator=(const WallZygote&) = delete;

  // Tells of the cgroups that a wall may get, whether they exist yet or not: they are gone in the end even when this process
  // is killed. Errors: kBrokenPipe when the zygote was killed, kAgain when it does not answer for twenty seconds.
  Result<Wall> Reserve(const std::vector<std::string>& cgroups);
  // Has the wall's process made, which waits for the plan. `group` is the v2 group that it is born in, or empty. Errors: as
  // Reserve(); what fails in the zygote shows in Wall::Build().
  Status Launch(Wall& wall, const WallOrder& order, const std::string& group);

  bool is_alive() const;

 private:
  friend class Wall;
  WallZygote() = default;
  void Release(uint64_t wall);

  Descriptor socket_;
  pid_t pid_ = -1;
  std::mutex mutex_;   // of last_wall_, and for one request at a time
  uint64_t last_wall_ = 0;
};

}  // namespace paddock::process_wall
