// What has to wait until SQLite's own frames are gone: its callbacks are called from C, and nothing may be thrown
// through that. A callback runs its work in Call(); a Termination is kept, SQLite is told to stop, and whoever called
// SQLite calls Check() when it is back.
#pragma once

#include <sqlite3.h>

#include <new>
#include <optional>
#include <string>

#include "commands/data/sqlite_memory.h"
#include "proc/command.h"

namespace paddock::data {

class SqliteGuard {
 public:
  explicit SqliteGuard(Budget& budget) : budget_(budget), user_(budget), last_look_(budget.clock().MonotonicNow()), memory_at_start_(sqlite3_memory_used()) { TakeSqliteRefusal(); }

  // What `body` returns, or `otherwise` when it must end; that too, without a call, once something waits or Abandon().
  template <class Body>
  int Call(int otherwise, Body&& body) noexcept {
    if (is_abandoned_ || pending_) return otherwise;
    try {
      return body();
    } catch (const Termination& termination) {
      pending_ = termination;
    } catch (const std::bad_alloc&) {
      has_no_memory_ = true;
      pending_ = Termination{.limit = LimitKind::kMemory};
    }
    return otherwise;
  }

  // Ends the process if a callback wanted that, or when too much memory is held. Not from callbacks.
  void Check() {
    if (pending_) {
      if (has_no_memory_) budget_.Stop(LimitKind::kMemory);
      throw *pending_;
    }
    if (TakeSqliteRefusal()) {
      budget_.CheckNow();
      budget_.Step(0);
      budget_.Stop(LimitKind::kMemory);
    }
    CheckMemory();
  }

  // Charges a few turns of SQLite's machine, each of which may make one large value. In callbacks, within Call().
  void Step(int64_t steps) {
    constexpr Nanoseconds kBetweenLooks{10'000'000};
    budget_.Step(steps);
    CheckMemory();
    const Nanoseconds now = budget_.clock().MonotonicNow();
    if (now - last_look_ < kBetweenLooks) return;
    last_look_ = now;
    budget_.CheckNow();
  }

  // From here on callbacks do nothing: the process is being unwound, so no fiber may be switched. A journal that is left
  // is played back by whoever opens the database next.
  void Abandon() { is_abandoned_ = true; }

  // What -safe forbids was asked for: the complaint.
  std::optional<std::string> safety_complaint;

 private:
  // Where MemoryMeter does not see what SQLite takes: the count is the process's, so it is what this command may have taken at
  // most.
  void CheckMemory() {
    if (IsSqliteMetered()) return;
    const int64_t taken = sqlite3_memory_used() - memory_at_start_;
    if (taken > 0) budget_.WillAllocate(static_cast<uint64_t>(taken));
  }

  Budget& budget_;
  SqliteMemoryUser user_;
  Nanoseconds last_look_;
  int64_t memory_at_start_;
  std::optional<Termination> pending_;
  bool has_no_memory_ = false;
  bool is_abandoned_ = false;
};

}  // namespace paddock::data
