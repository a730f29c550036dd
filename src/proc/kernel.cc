#include "proc/kernel.h"

#include <algorithm>
#include <new>

#include "base/check.h"
#include "base/memory_meter.h"

namespace paddock::proc {
namespace {

constexpr int kSignalStatusBase = 128;
constexpr int kMaxPid = 4'194'304;

WaitStatus KilledBy(int signal) { return WaitStatus{kSignalStatusBase + signal, signal}; }

}  // namespace

class Kernel::DeadlineWaiter final : public IdleWaiter {
 public:
  DeadlineWaiter(Kernel& kernel, IdleWaiter& outer) : kernel_(kernel), outer_(outer) {}

  void Wait(Nanoseconds until) override {
    Budget* budget = kernel_.budget_;
    outer_.Wait(budget == nullptr ? until : std::min(until, budget->deadline()));
    if (budget == nullptr) return;
    kernel_.DeliverRequests();
    if (budget->is_cancelled()) budget->Record(LimitKind::kCancelled);
    if (budget->deadline() != Nanoseconds::max() && kernel_.clock_.MonotonicNow() >= budget->deadline()) {
      budget->Record(LimitKind::kTime);
    }
  }
  void Interrupt() override { outer_.Interrupt(); }
  bool HasSources() const override { return outer_.HasSources(); }

 private:
  Kernel& kernel_;
  IdleWaiter& outer_;
};

Kernel::Kernel(std::unique_ptr<vfs::Namespace> names, const Clock& clock, IdleWaiter& waiter)
    : names_(std::move(names)),
      clock_(clock),
      waiter_(std::make_unique<DeadlineWaiter>(*this, waiter)),
      scheduler_(clock, waiter_.get()) {}

Kernel::~Kernel() { EndAll(); }

void Kernel::set_budget(Budget* budget) {
  if (budget_ != nullptr) budget_->set_on_tick(nullptr);
  budget_ = budget;
  if (budget_ != nullptr) budget_->set_on_tick([this] { Tick(); });
  metered_until_ = clock_.ThreadTime();
}

void Kernel::MeterProcesses() {
  if (!meters_) metered_until_ = clock_.ThreadTime();
  meters_ = true;
}

// The time since the last look is the current process's: others that ran in between were looked at when their budget ticked.
void Kernel::Meter() {
  const Nanoseconds now = clock_.ThreadTime();
  const Nanoseconds used = std::max(now - metered_until_, Nanoseconds(0));
  metered_until_ = now;
  Process* const process = current();
  if (process == nullptr || budget_ == nullptr) return;
  const int64_t at_start = budget_->memory_ceiling() - static_cast<int64_t>(budget_->limits().memory_bytes);
  const auto memory = static_cast<uint64_t>(std::max<int64_t>(MemoryMeter::LiveBytes() - at_start, 0));
  process->Charge(used, memory);
}

void Kernel::CheckMayFork(Process& parent) {
  constexpr int kCannotFork = 254;   // bash's
  if (live_count_ >= parent.SoftLimit('u')) parent.Fail("fork: Resource temporarily unavailable", kCannotFork);
}

Process* Kernel::current() {
  Fiber* fiber = scheduler_.current();
  return fiber == nullptr ? nullptr : static_cast<Process*>(fiber->local);
}

void Kernel::DeliverRequests() {
  if (is_stop_requested_.load(std::memory_order_relaxed) && is_stop_requested_.exchange(false)) {
    budget_->Record(LimitKind::kCancelled);
  }
  if (requested_signals_.load(std::memory_order_relaxed) == 0) return;
  for (uint64_t signals = requested_signals_.exchange(0); signals != 0; signals &= signals - 1) {
    for (const auto& [pid, process] : processes_) {
      if (process->group_ == foreground_group_) process->Raise(__builtin_ctzll(signals) + 1);
    }
  }
}

void Kernel::ClearRequests() {
  requested_signals_.store(0);
  is_stop_requested_.store(false);
}

void Kernel::Tick() {
  if (scheduler_.current() == nullptr) return;
  DeliverRequests();
  if (meters_) Meter();
  if (scheduler_.HasOtherWork() || is_visit_requested_.load(std::memory_order_relaxed)) {
    scheduler_.Yield();
  } else {
    OnWake(scheduler_.current()->local);
  }
}

void Kernel::OnWake(void* local) {
  for (Process* process = static_cast<Process*>(local); process != nullptr; process = process->below_) {
    process->Poll();
  }
}

void Kernel::ParkStopped() {
  // Park() ends in OnWake(), which would come back here: step out of it while stopped.
  Fiber* fiber = scheduler_.current();
  PADDOCK_CHECK(fiber != nullptr);
  auto* const on_wake = fiber->on_wake;
  fiber->on_wake = nullptr;
  scheduler_.Park();
  fiber->on_wake = on_wake;
  if (budget_ != nullptr && budget_->stopped_by() != LimitKind::kNone) budget_->Stop(budget_->stopped_by());
}

Process& Kernel::Make(int parent_pid, const vfs::View& files, int wanted_pid) {
  if (budget_ != nullptr && live_count_ >= budget_->limits().processes) {
    budget_->Stop(LimitKind::kProcesses);
  }
  int pid = wanted_pid;
  if (pid == 0) {
    while (processes_.contains(next_pid_)) next_pid_ = next_pid_ >= kMaxPid ? 100 : next_pid_ + 1;
    pid = next_pid_;
    next_pid_ = next_pid_ >= kMaxPid ? 100 : next_pid_ + 1;
  }
  PADDOCK_CHECK(!processes_.contains(pid));
  std::unique_ptr<Process> process(new Process(*this, pid, parent_pid, files));  // allow(raw-new): private
  Process& made = *process;
  made.start_time_ = clock_.MonotonicNow();
  processes_.emplace(pid, std::move(process));
  ++live_count_;
  return made;
}

Kernel::BodyEnd Kernel::RunBody(Process& process, const Body& body) {
  BodyEnd end;
  std::optional<Termination> termination;
  try {
    process.Poll();
    end.status.status = body(process) & 0xFF;
    return end;
  } catch (const Termination& thrown) {
    termination = thrown;
  } catch (const std::bad_alloc&) {
    // A large request over the ceiling (see base/memory_meter.h).
    termination = Termination{Termination::Cause::kLimit, LimitKind::kMemory, 0, nullptr};
  }
  if (termination->cause == Termination::Cause::kLimit) {
    if (budget_ != nullptr) budget_->Record(termination->limit);
    end.status = KilledBy(kSigKill);
    end.rethrow = termination;
  } else {
    end.status = KilledBy(termination->signal);
    if (termination->process == &process && process.failed_status_) end.status = {.status = *process.failed_status_};
    if (termination->process != &process) end.rethrow = termination;
  }
  return end;
}

void Kernel::StartFiber(Process& process, Body body) {
  Process* const raw = &process;
  Fiber* fiber = scheduler_.Spawn([this, raw, run = std::move(body)] {
    const BodyEnd end = RunBody(*raw, run);
    Exit(*raw, end.status);
    if (end.rethrow && end.rethrow->cause == Termination::Cause::kLimit) WakeAll();
  });
  fiber->local = raw;
  fiber->on_wake = OnWake;
  process.fiber_ = fiber;
}

Process& Kernel::StartInitial(const vfs::Credentials& who, std::function<void(Process&)> prepare, Body body,
                              int keep_as) {
  constexpr uint32_t kUmask = 022;
  kept_pid_ = keep_as;
  Process& process = Make(0, vfs::View(*names_, clock_, who, kUmask), keep_as);
  if (prepare) prepare(process);
  StartFiber(process, std::move(body));
  return process;
}

Process& Kernel::Start(Process& parent, std::function<void(Process&)> prepare, Body body) {
  CheckMayFork(parent);
  Process& child = Make(parent.pid_, parent.files_);
  child.Inherit(parent);
  child.arguments_ = parent.arguments_;
  if (prepare) prepare(child);
  StartFiber(child, std::move(body));
  return child;
}

WaitStatus Kernel::RunInline(Process& parent, const std::function<void(Process&)>& prepare, const Body& body) {
  Fiber* fiber = scheduler_.current();
  PADDOCK_CHECK(fiber != nullptr);
  CheckMayFork(parent);
  Process& child = Make(parent.pid_, parent.files_);
  child.Inherit(parent);
  if (prepare) prepare(child);
  child.fiber_ = fiber;
  child.below_ = static_cast<Process*>(fiber->local);
  fiber->local = &child;
  const BodyEnd end = RunBody(child, body);
  fiber->local = child.below_;
  Exit(child, end.status);
  processes_.erase(child.pid_);
  if (end.rethrow) throw *end.rethrow;
  OnWake(fiber->local);  // a signal to the whole group ends the parent too, before it goes on
  return end.status;
}

void Kernel::Exit(Process& process, WaitStatus status) {
  process.state_ = Process::State::kExited;
  process.exit_status_ = status.status;
  process.exit_signal_ = status.signal;
  process.fiber_ = nullptr;
  --live_count_;
  process.descriptors_ = {};
  for (Fiber* waiter : process.exit_waiters_) scheduler_.Unpark(waiter);
  process.exit_waiters_.clear();
  // Children go to the init process, which reaps those that have ended.
  for (auto it = processes_.begin(); it != processes_.end() && process.pid_ != kept_pid_;) {
    Process& other = *it->second;
    ++it;
    if (other.parent_pid_ != process.pid_) continue;
    other.parent_pid_ = 1;
    if (other.state_ == Process::State::kExited && &other != &process) processes_.erase(other.pid_);
  }
  if (Process* parent = Find(process.parent_pid_); parent != nullptr) {
    parent->Raise(kSigChld);
  } else if (process.parent_pid_ == 1) {
    const int pid = process.pid_;
    processes_.erase(pid);
  }
}

std::optional<WaitStatus> Kernel::TakeInitial(int pid) {
  Process* process = Find(pid);
  if (process == nullptr || process->state_ != Process::State::kExited) return std::nullopt;
  return Reap(*process);
}

Process* Kernel::FindUnreapedChild(const Process& parent, int pid) {
  Process* child = Find(pid);
  return child != nullptr && child->parent_pid_ == parent.pid_ ? child : nullptr;
}

WaitStatus Kernel::Reap(Process& process) {
  const WaitStatus status{process.exit_status_, process.exit_signal_};
  processes_.erase(process.pid_);
  return status;
}

Result<WaitStatus> Kernel::Wait(Process& parent, int pid, Nanoseconds until, OnSignal on_signal) {
  auto ended = WaitAny(parent, {pid}, until, on_signal);
  if (!ended) return ended.error();
  return ended->status;
}

Result<Kernel::Ended> Kernel::WaitAny(Process& parent, const std::vector<int>& pids, Nanoseconds until,
                                      OnSignal on_signal) {
  Fiber* const self = scheduler_.current();
  for (bool is_timed_out = false;;) {
    std::vector<Process*> running;
    // A signal that came before the child's end is what the waiter learns of first.
    const bool is_interrupted = parent.HasCaught() && on_signal == OnSignal::kReturn;
    for (const int pid : pids) {
      Process* child = FindUnreapedChild(parent, pid);
      if (child == nullptr) continue;
      if (is_interrupted) return Code::kInterrupted;
      if (child->state_ == Process::State::kExited) return Ended{pid, Reap(*child)};
      running.push_back(child);
    }
    if (running.empty()) return Code::kNoChild;
    if (is_timed_out) return Code::kTimedOut;
    for (Process* child : running) child->exit_waiters_.push_back(self);
    // Must be undone on every way out: Park() may throw Termination.
    struct Unregister {
      Kernel& kernel;
      const std::vector<int>& pids;
      Fiber* self;
      ~Unregister() {
        for (const int pid : pids) {
          if (Process* child = kernel.Find(pid); child != nullptr) std::erase(child->exit_waiters_, self);
        }
      }
    } unregister{*this, pids, self};
    is_timed_out = !scheduler_.Park(until);
  }
}

Status Kernel::Signal(Process& sender, int pid, int signal) {
  if (signal < 0 || signal > kLastSignal) return Code::kInvalid;
  std::vector<Process*> targets;
  for (const auto& [number, process] : processes_) {
    const bool is_meant = pid > 0    ? number == pid
                          : pid == 0 ? process->group_ == sender.group_
                          : pid == -1 ? process.get() != &sender
                                      : process->group_ == -pid;
    if (is_meant) targets.push_back(process.get());
  }
  // One that has ended and waits for its parent is gone for a sender: shells reap theirs at once.
  std::erase_if(targets, [](const Process* target) { return target->state_ == Process::State::kExited; });
  if (targets.empty()) return Code::kNoProcess;
  if (signal == 0) return {};
  for (Process* target : targets) target->Raise(signal);
  if (Process* running = current(); running != nullptr) OnWake(running);
  return {};
}

Status Kernel::Sleep(Process& process, Nanoseconds until) {
  while (clock_.MonotonicNow() < until) {
    if (process.HasCaught()) return Code::kInterrupted;
    scheduler_.Park(until);
  }
  return {};
}

Process* Kernel::Find(int pid) {
  const auto it = processes_.find(pid);
  return it == processes_.end() ? nullptr : it->second.get();
}

std::vector<Process*> Kernel::List() {
  std::vector<Process*> all;
  for (const auto& [pid, process] : processes_) all.push_back(process.get());
  return all;
}

void Kernel::WakeAll() {
  for (const auto& [pid, process] : processes_) {
    if (process->fiber_ != nullptr) scheduler_.Unpark(process->fiber_);
  }
}

void Kernel::EndAll() {
  for (const auto& [pid, process] : processes_) process->Raise(kSigKill);
  scheduler_.RunUntil([this] { return scheduler_.fiber_count() == 0; });
  processes_.clear();
}

void Kernel::RunUntil(const std::function<bool()>& is_finished) {
  PADDOCK_CHECK(budget_ != nullptr);
  const MemoryMeter::Ceiling ceiling(budget_->memory_ceiling(), budget_->fuel());
  const bool is_done = scheduler_.RunUntil([&] {
    if (is_visit_requested_.load(std::memory_order_relaxed) && is_visit_requested_.exchange(false) && on_visit_) on_visit_();
    return is_finished() || budget_->stopped_by() != LimitKind::kNone;
  });
  if (!is_done) budget_->Record(LimitKind::kDeadlock);
  if (budget_->stopped_by() == LimitKind::kNone) return;
  WakeAll();
  scheduler_.RunUntil([this] { return scheduler_.fiber_count() == 0; });
  processes_.clear();
  live_count_ = 0;
}

}  // namespace paddock::proc
