// SandboxEntry: one sandbox of the registry from its creation to its deletion: whether it is in memory, whose turn it is, what
// runs in it, and when its lease ends.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "registry/entry/denial_events.h"
#include "registry/entry/description.h"
#include "registry/entry/exec.h"
#include "registry/entry/ledger.h"
#include "registry/entry/loan.h"
#include "registry/entry/sandbox_log.h"
#include "registry/entry/turns.h"
#include "registry/states/keeper.h"
#include "registry/states/saved_state.h"
#include "sandbox/file_watch.h"
#include "sandbox/keeps_sandboxes.h"
#include "sandbox/sandbox.h"
#include "vfs/file_system.h"

namespace paddock::registry {

class SandboxEntry;

// Who may use a sandbox that does one thing at a time: who has the turn, or borrows that of an exec which stands still meanwhile.
class Hold {
 public:
  Hold() = default;
  explicit Hold(std::unique_ptr<Turns::Turn> turn) : turn_(std::move(turn)) {}
  explicit Hold(std::shared_ptr<Loan> loan) : loan_(std::move(loan)) {}
  Hold(Hold&& other) noexcept : turn_(std::move(other.turn_)), loan_(std::move(other.loan_)) {}
  Hold& operator=(Hold&& other) noexcept {
    End();
    turn_ = std::move(other.turn_);
    loan_ = std::move(other.loan_);
    return *this;
  }
  ~Hold() { End(); }
  explicit operator bool() const { return turn_ != nullptr || loan_ != nullptr; }
  void End() {
    if (loan_ != nullptr) loan_->End();
    loan_.reset();
    turn_.reset();
  }

 private:
  std::unique_ptr<Turns::Turn> turn_;
  std::shared_ptr<Loan> loan_;
};

// The files of a sandbox for the length of a few operations. Where the wall does one thing at a time, whoever holds it keeps execs from
// beginning; one that runs stands still.
class HeldFiles {
 public:
  HeldFiles(HeldFiles&&) = default;
  HeldFiles& operator=(HeldFiles&&) = default;
  vfs::FileSystem& operator*() const { return *files_; }
  vfs::FileSystem* operator->() const { return files_; }
  // Makes what was changed outlive the daemon: before it is acknowledged. Errors: those of Keeper::Keep().
  Status Commit();
  // Whether others wait for their turn meanwhile: not to be held while a client sends or takes.
  bool is_exclusive() const { return static_cast<bool>(hold_); }
  // Takes a file of the host as KeepsExtents::TakeExtent(), or kNotSupported. To be written before Commit().
  Result<vfs::ExtentPtr> TakeExtent(int file, uint64_t size, uint32_t checksum);
  // Notes bytes that went into the sandbox and came out of it.
  void Transferred(uint64_t up, uint64_t down) const;

 private:
  friend class SandboxEntry;
  HeldFiles(std::shared_ptr<SandboxEntry> entry, std::shared_ptr<sandbox::Sandbox> live, Hold hold,
            std::shared_ptr<void> use, vfs::FileSystem& files);

  std::shared_ptr<SandboxEntry> entry_;
  std::shared_ptr<sandbox::Sandbox> live_;
  std::shared_ptr<void> use_;
  Hold hold_;   // ends first
  vfs::FileSystem* files_;
};

// Any thread. Errors of all that use the sandbox: kUnavailable (paused or stopped by somebody; being deleted), kTimedOut (others had the
// turn for too long), those of Keeper::Load().
class SandboxEntry : public std::enable_shared_from_this<SandboxEntry> {
 public:
  struct Settings {
    size_t most_processes = 64;              // that run or wait
    size_t most_ended = 64;                  // ended ones that are remembered
    std::string output_directory;            // for output that does not fit in memory
    SandboxLog::Settings log;                // what all of its execs write
    SandboxLog::Files log_files;
    std::function<void(const SandboxInfo&)> on_state;   // after each change of state; no lock held
    DenialEvents::Publish on_denial = {};               // on any thread, one at a time; null: nobody wants to hear
  };

  SandboxEntry(SandboxInfo info, std::unique_ptr<Keeper> keeper, std::shared_ptr<const Settings> settings,
               std::optional<Ledger::Past> past = std::nullopt);
  ~SandboxEntry();

  const std::string& id() const { return id_; }
  const std::string& owner() const { return owner_; }
  SandboxInfo Info() const;

  using Deadline = Turns::Deadline;

  // ---- execs

  // Where neither a script nor a command was asked for: what the image that it began from wants to be run, if it says.
  void TakeImagesCommand(ExecRequest& request) const;
  // Takes a place for a process; it does not run yet. Errors: kLimit.
  Result<std::shared_ptr<RunningProcess>> Admit(const ExecRequest& request);
  // Forgets an admitted process that will not run.
  void Withdraw(const std::shared_ptr<RunningProcess>& process);
  // Runs an admitted process to its end, on this thread. `handler` gets the output beside the process's log. An error means that it did not
  // run, or that what it changed could not be kept; the process's result says so, too.
  Result<sandbox::ExecResult> Run(const std::shared_ptr<RunningProcess>& process, ExecRequest request, sandbox::OutputHandler handler = {});
  std::vector<ProcessInfo> Processes() const;   // oldest first
  std::shared_ptr<RunningProcess> FindProcess(std::string_view id) const;   // null: none

  // ---- files

  Result<HeldFiles> Files(Deadline until);
  // To read for as long as it takes: where Files() would hold up others, the files as they are now, while those go on.
  Result<HeldFiles> FrozenFiles(Deadline until);
  // What happens to files from now on, absolute paths. The sandbox counts as in use as long as somebody watches; at rest, nobody does: Take()
  // then gives an error.
  Result<std::unique_ptr<sandbox::FileWatch>> WatchFiles(const std::string& path, bool is_recursive);

  // ---- state

  // Puts it into memory if it is not, and what is paused or stopped back to running. Idempotent.
  Status Wake();
  // kPaused or kStopped. Waits for what runs until `until`, then, with `force`, ends it. Idempotent. Errors: kBusy.
  Status Rest(SandboxState state, bool is_lease, bool force, Deadline until);
  // Takes it out of memory while nothing uses it; it stays running. False: something does.
  bool Park();
  // Takes out of memory what does not park, when the daemon ends: its processes end, its files stay.
  void LetGo();
  // Ends everything and takes away what is kept. The entry is of no use afterwards.
  Status Remove();
  // Whether its terminal is a shell that is run line by line (sandbox::Interactive), and not a pseudo-terminal of its own.
  Result<bool> HasLineShell();
  // Runs `body` with the sandbox in memory and the turn taken.
  Status With(Deadline until, const std::function<Status(sandbox::Sandbox&)>& body);
  // The next exec that keeps the shell begins with a fresh one; kept like what an exec changes.
  Status ForgetShell(Deadline until);

  // ---- whole states. Errors: also kNotSupported, for an isolation that keeps none.

  // As it is now, also at rest, which it stays then; waits for what runs.
  // For forks alone, it may cost less (KeepsStates::CaptureToFork).
  enum class CaptureFor { kAll, kForks };
  Result<SavedState> Capture(trees::Session& session, Deadline until, CaptureFor purpose = CaptureFor::kAll);
  // Its root file system as it is now, for templates; nothing where the isolation gives none (GivesRoots). As Capture().
  Result<std::optional<CapturedRoot>> CaptureRoot(trees::Session& session, Deadline until, const trees::ArchiveLimits& limits);
  // Puts it into another state, in one step. kBusy while something runs, unless `force` ends that.
  Status Become(const SavedState& state, bool force, Deadline until);
  // The files that it was created with, held by the session.
  Result<trees::ObjectId> CaptureCreation(trees::Session& session);
  // As KeepsExtents::TakeExtent().
  Result<vfs::ExtentPtr> TakeExtent(sandbox::Sandbox& live, int file, uint64_t size, uint32_t checksum);
  // The trees of the store that it needs.
  Result<std::vector<trees::ObjectId>> Trees();
  // KeepsStates::Share().
  Result<std::shared_ptr<const void>> Share(const SavedState& state);

  void SetLease(const Lease& lease, Time extended);
  void SetLabels(Labels labels);
  // True when the lease has run out, with what is to be done.
  std::optional<Expiry> Due(Time now) const;
  bool is_in_memory() const;
  // In memory, and not used since.
  bool IsIdleSince(Time time) const;
  // Calls with what is known, without copying it; `expiry` and `running` are not set. `look` must be quick.
  void Read(const std::function<void(const SandboxInfo&)>& look) const;
  Ledger& ledger() { return ledger_; }
  SandboxLog& log() { return log_; }
  DenialEvents& denials() { return *denials_; }
  // Forgets processes that ended before.
  void ForgetEnded(Time before);
  // Measures what runs; nothing where nothing does.
  void SampleUsage(Time now);
  // Asks everything that runs or waits to end.
  void EndProcesses();

 private:
  friend class HeldFiles;
  class LiveWatch;

  // Counts as activity while it lives.
  class Use;

  Result<std::shared_ptr<sandbox::Sandbox>> Live();
  // Holding keeper_mutex_.
  Result<std::shared_ptr<sandbox::Sandbox>> ThawOrLoad();
  LeaseClock Clock() const;   // holding mutex_
  Status LookAt(const std::weak_ptr<sandbox::Sandbox>& watched, const std::function<Status(vfs::FileSystem&)>& body);
  // The turn, or that of the exec that has it. Empty when `until` passes first.
  Hold TakeHold(sandbox::Sandbox& live, Deadline until);
  bool IsSerial(const sandbox::Sandbox& live) const;
  Status Keep(sandbox::Sandbox& live);
  // The turn while nothing runs or waits. Errors: kBusy.
  Result<std::unique_ptr<Turns::Turn>> TakeQuiet(bool force, Deadline until);
  std::shared_ptr<void> BeginUse();
  bool NeedsLive();
  // Runs `body` while nothing runs in the sandbox, which is in memory then if that is needed, and is as it was before afterwards.
  Status WithStill(Deadline until, const std::function<Status(KeepsStates& states, sandbox::Sandbox* live)>& body);
  sandbox::ExecSpec SpecOf(ExecRequest& request) const;

  const std::string id_, owner_;
  const std::shared_ptr<const Settings> settings_;

  mutable std::mutex mutex_;
  SandboxInfo info_;
  std::shared_ptr<sandbox::Sandbox> live_;   // null: not in memory; paused ones may be, frozen
  size_t uses_ = 0;
  std::map<uint64_t, std::shared_ptr<RunningProcess>> processes_;   // by age
  uint64_t last_process_ = 0;

  Ledger ledger_;
  SandboxLog log_;
  const std::shared_ptr<DenialEvents> denials_;
  std::atomic<uint64_t> files_version_{0};   // grows when files may have changed

  std::mutex keeper_mutex_;   // of keeper_, and of making live_
  std::unique_ptr<Keeper> keeper_;
  Turns turns_;
};

}  // namespace paddock::registry
