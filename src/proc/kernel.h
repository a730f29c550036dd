// Kernel: the processes of one sandbox and what they share: scheduler, files, pids, limits.
//
// It starts virtual processes, on a fiber of their own or on top of the current one, ends them, lets
// parents wait for them and delivers signals. It knows nothing of what a process runs.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/fiber.h"
#include "proc/file_locks.h"
#include "proc/process.h"
#include "vfs/namespace.h"

namespace paddock::proc {

class Network;

// How a process ended, as a parent sees it.
struct WaitStatus {
  int status = 0;    // $?: 128 + signal when killed
  int signal = 0;    // 0 when it exited
};

class Kernel {
 public:
  // `waiter` is how the kernel sleeps when every process waits; it outlives the kernel.
  Kernel(std::unique_ptr<vfs::Namespace> names, const Clock& clock, IdleWaiter& waiter);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel();   // ends every process first

  Scheduler& scheduler() { return scheduler_; }
  vfs::Namespace& names() { return *names_; }
  FileLocks& file_locks() { return file_locks_; }
  const Clock& clock() const { return clock_; }
  // The budget of the exec in progress.
  Budget& budget() { return *budget_; }
  // Installs the budget that everything charges from now on (one exec at a time), null between execs.
  void set_budget(Budget* budget);

  const std::string& hostname() const { return hostname_; }
  void set_hostname(std::string hostname) { hostname_ = std::move(hostname); }

  // The way out (proc/network.h); null when there is none. Outlives the kernel's processes.
  Network* network() const { return network_; }
  void set_network(Network* network) { network_ = network; }

  // From here on the processor time and the memory of processes are looked at: one of them has a limit.
  void MeterProcesses();

  // What a process does; the result is its exit status.
  using Body = std::function<int(Process&)>;

  // The first process of an exec: parent 0, descriptors empty. Runs on a new fiber.
  // With `keep_as` its pid is that number, and children it leaves behind stay its children for the next
  // initial process of the same number (a session's shell from one exec to the next).
  Process& StartInitial(const vfs::Credentials& who, std::function<void(Process&)> prepare, Body body,
                        int keep_as = 0);

  // How that process ended, once; nothing while it runs or when the exec was stopped by its budget.
  std::optional<WaitStatus> TakeInitial(int pid);

  // Starts a child of `parent` on a fiber of its own, with copies of its descriptors and files.
  // `prepare` runs before this returns (redirect descriptors, set the group). The child stays known
  // until it is waited for or its parent ends. Passing the process limit stops the exec (kProcesses);
  // passing that of the parent (ulimit -u) ends the parent.
  Process& Start(Process& parent, std::function<void(Process&)> prepare, Body body);

  // Runs a child to its end on the current fiber; what RunInline returns is its wait status. A fatal
  // signal to the child ends only the child.
  WaitStatus RunInline(Process& parent, const std::function<void(Process&)>& prepare, const Body& body);

  // Waits until the child ends; kTimedOut when `until` passes first, kInterrupted when a caught signal
  // of the waiting process arrives (unless told to wait on), kNoChild if `pid` is no child of `parent`
  // (or already waited for).
  enum class OnSignal { kReturn, kWaitOn };
  Result<WaitStatus> Wait(Process& parent, int pid, Nanoseconds until = Nanoseconds::max(),
                          OnSignal on_signal = OnSignal::kReturn);
  // Waits for any of `pids`; returns the one that ended.
  struct Ended {
    int pid;
    WaitStatus status;
  };
  Result<Ended> WaitAny(Process& parent, const std::vector<int>& pids,
                        Nanoseconds until = Nanoseconds::max(), OnSignal on_signal = OnSignal::kReturn);

  // Sends a signal: pid > 0 to one, 0 to the sender's group, < -1 to a group, -1 to all but the sender.
  // Signal 0 only checks. Errors: kNoProcess, kInvalid.
  Status Signal(Process& sender, int pid, int signal);

  // The terminal's side. Its keys signal the processes of the foreground group; a process of another group
  // that reads from the terminal is stopped (SIGTTIN). Group 0: there is no terminal.
  int foreground_group() const { return foreground_group_; }
  void set_foreground_group(int group) { foreground_group_ = group; }
  // The size of the terminal's window; zeros where nobody knows it. From any thread.
  struct WindowSize {
    uint32_t columns = 0, lines = 0;
  };
  WindowSize window_size() const {
    const uint64_t size = window_size_;
    return {.columns = static_cast<uint32_t>(size), .lines = static_cast<uint32_t>(size >> 32)};
  }
  void set_window_size(WindowSize size) { window_size_ = uint64_t{size.lines} << 32 | size.columns; }
  // Asks for a signal to the foreground group (a key was pressed, the window has a new size). From any thread
  // and from signal handlers; takes effect when processes next run or sleep, so the caller interrupts the waiter.
  void RequestSignal(int signal) { requested_signals_.fetch_or(1ull << (signal - 1)); }
  // Asks to stop the exec in progress, background processes and all (kCancelled); otherwise the same.
  void RequestStop() { is_stop_requested_.store(true); }
  // Forgets requests that came too late for the exec they were meant for.
  void ClearRequests();

  // Sleeps; returns early with kInterrupted for a caught signal.
  Status Sleep(Process& process, Nanoseconds until);

  Process* Find(int pid);
  // Live and unreaped processes, ascending pid.
  std::vector<Process*> List();
  // The process that runs now on the current fiber.
  Process* current();
  // The pid that the next process gets.
  int next_pid() const { return next_pid_; }
  // Goes on behind the pids of a kernel that was, which scripts may still wait for.
  void set_next_pid(int pid) { next_pid_ = pid; }

  // Ends every process with SIGKILL, and returns when their fibers are done. Called from outside fibers.
  void EndAll();
  // Runs processes until `is_finished` answers true (asked between switches), with limits and deadline
  // honoured: when the budget stops, every process is unwound and this returns. If all wait for each
  // other for ever, the budget stops with kDeadlock. Called from outside fibers.
  void RunUntil(const std::function<bool()>& is_finished);
  // RunUntil() calls it when somebody has asked for that: outside of fibers, between two steps of the code that runs. The waiter has to be
  // interrupted, too.
  void set_on_visit(std::function<void()> visit) { on_visit_ = std::move(visit); }
  void RequestVisit() { is_visit_requested_.store(true); }   // any thread
  // True while a process has not exited.
  bool HasLiveProcesses() const { return live_count_ > 0; }

 private:
  friend class Process;
  // The kernel's own idle waiter: the outer one, but no longer than the deadline.
  class DeadlineWaiter;
  // How a body ended; `rethrow` when what is below on the fiber must end too.
  struct BodyEnd {
    WaitStatus status;
    std::optional<Termination> rethrow;
  };

  static void OnWake(void* local);
  void DeliverRequests();
  void Tick();
  void ParkStopped();
  void Meter();
  void CheckMayFork(Process& parent);
  BodyEnd RunBody(Process& process, const Body& body);
  void StartFiber(Process& process, Body body);
  void Exit(Process& process, WaitStatus status);
  Process& Make(int parent_pid, const vfs::View& files, int pid = 0);
  Process* FindUnreapedChild(const Process& parent, int pid);
  WaitStatus Reap(Process& process);
  void WakeAll();

  std::unique_ptr<vfs::Namespace> names_;
  const Clock& clock_;
  std::unique_ptr<DeadlineWaiter> waiter_;
  Scheduler scheduler_;
  FileLocks file_locks_{scheduler_};
  Budget* budget_ = nullptr;
  Network* network_ = nullptr;
  size_t live_count_ = 0;
  bool meters_ = false;
  Nanoseconds metered_until_{0};   // of the exec's processor time
  std::map<int, std::unique_ptr<Process>> processes_;
  int next_pid_ = 100;
  int kept_pid_ = 0;
  int foreground_group_ = 0;
  std::atomic<uint64_t> window_size_{0};
  std::atomic<uint64_t> requested_signals_{0};
  std::atomic<bool> is_stop_requested_{false};
  std::atomic<bool> is_visit_requested_{false};
  std::function<void()> on_visit_;
  std::string hostname_ = "paddock";
};

}  // namespace paddock::proc
