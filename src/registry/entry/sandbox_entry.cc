#include "registry/entry/sandbox_entry.h"

#include <thread>
#include <utility>

#include "registry/entry/measure.h"
#include "sandbox/shell_session.h"
#include "sandbox/tells_denials.h"
#include "sandbox/tells_posture.h"

namespace paddock::registry {

const char* SandboxStateName(SandboxState state) {
  switch (state) {
    case SandboxState::kRunning: return "running";
    case SandboxState::kPaused: return "paused";
    case SandboxState::kStopped: return "stopped";
    case SandboxState::kDeleting: return "deleting";
  }
  return "running";
}

Result<SandboxState> ParseSandboxState(std::string_view name) {
  for (const SandboxState state : {SandboxState::kRunning, SandboxState::kPaused, SandboxState::kStopped, SandboxState::kDeleting}) {
    if (name == SandboxStateName(state)) return state;
  }
  return Error(Code::kInvalid, "state '" + std::string(name) + "' is none of running, paused, stopped, deleting");
}

// ---- held files

HeldFiles::HeldFiles(std::shared_ptr<SandboxEntry> entry, std::shared_ptr<sandbox::Sandbox> live, Hold hold,
                     std::shared_ptr<void> use, vfs::FileSystem& files)
    : entry_(std::move(entry)), live_(std::move(live)), use_(std::move(use)), hold_(std::move(hold)), files_(&files) {}

Status HeldFiles::Commit() {
  return entry_->Keep(*live_);
}

Result<vfs::ExtentPtr> HeldFiles::TakeExtent(int file, uint64_t size, uint32_t checksum) {
  return entry_->TakeExtent(*live_, file, size, checksum);
}

void HeldFiles::Transferred(uint64_t up, uint64_t down) const {
  entry_->ledger().Transferred(up, down, Now());
}

// ---- the entry

class SandboxEntry::Use {
 public:
  explicit Use(std::shared_ptr<SandboxEntry> entry) : entry_(std::move(entry)) {
    const std::lock_guard lock(entry_->mutex_);
    ++entry_->uses_;
    entry_->info_.last_active = Now();
  }
  ~Use() {
    const std::lock_guard lock(entry_->mutex_);
    --entry_->uses_;
    entry_->info_.last_active = Now();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::shared_ptr<SandboxEntry> entry_;
};

SandboxEntry::SandboxEntry(SandboxInfo info, std::unique_ptr<Keeper> keeper, std::shared_ptr<const Settings> settings, std::optional<Ledger::Past> past)
    : id_(info.id), owner_(info.owner), settings_(std::move(settings)), info_(std::move(info)), ledger_(info_, std::move(past)), log_(id_, settings_->log, settings_->log_files),
      denials_(std::make_shared<DenialEvents>(settings_->on_denial)), keeper_(std::move(keeper)) {}

namespace {

bool HasEnded(const sandbox::Sandbox& sandbox) {
  const auto* const facet = dynamic_cast<const sandbox::MayEnd*>(&sandbox);
  return facet != nullptr && facet->HasEnded();
}

}  // namespace

SandboxEntry::~SandboxEntry() = default;

LeaseClock SandboxEntry::Clock() const {
  LeaseClock clock{.created = info_.created, .extended = info_.extended, .last_active = info_.last_active, .is_busy = uses_ > 0, .is_awake = info_.state == SandboxState::kRunning};
  if (info_.was_idle) clock.rested = info_.updated;
  return clock;
}

SandboxInfo SandboxEntry::Info() const {
  const std::lock_guard lock(mutex_);
  SandboxInfo info = info_;
  info.running = static_cast<size_t>(std::count_if(processes_.begin(), processes_.end(), [](const auto& entry) {
    return entry.second->Info().state != ProcessState::kExited;
  }));
  info.expiry = NextExpiry(info.request.lease, Clock());
  if (const auto* const ports = dynamic_cast<const sandbox::PublishesPorts*>(live_.get())) info.ports = ports->Published();
  if (const auto* const teller = dynamic_cast<const sandbox::TellsPosture*>(live_.get())) info.posture = teller->GetPosture();
  return info;
}

std::shared_ptr<void> SandboxEntry::BeginUse() {
  return std::make_shared<Use>(shared_from_this());
}

// The sandbox in memory, woken where its lease had put it to rest.
Result<std::shared_ptr<sandbox::Sandbox>> SandboxEntry::Live() {
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    if (info_.state != SandboxState::kRunning && !info_.was_idle) {
      const bool is_paused = info_.state == SandboxState::kPaused;
      return Error(Code::kUnavailable, id_ + (is_paused ? " is paused; resume it first" : " is stopped; start it first"));
    }
    if (info_.state == SandboxState::kRunning && live_ != nullptr && !HasEnded(*live_)) return live_;
  }
  PADDOCK_TRY(Wake());
  const std::lock_guard lock(mutex_);
  if (live_ == nullptr) return Error(Code::kUnavailable, id_ + " was put to rest meanwhile; try again");
  return live_;
}

Result<std::shared_ptr<sandbox::Sandbox>> SandboxEntry::ThawOrLoad() {
  std::shared_ptr<sandbox::Sandbox> live;
  {
    const std::lock_guard lock(mutex_);
    live = live_;   // paused where it is
  }
  if (auto* const freezable = dynamic_cast<sandbox::Freezable*>(live.get())) {
    if (freezable->Thaw()) return live;
    const std::lock_guard lock(mutex_);
    live_ = nullptr;   // it is not there any more, and stood up anew
  }
  live.reset();
  PADDOCK_ASSIGN(live, keeper_->Load());
  return live;
}

Status SandboxEntry::Wake() {
  const std::shared_ptr<void> use = BeginUse();   // it may take longer than its lease lets it idle
  const std::lock_guard keeping(keeper_mutex_);
  std::shared_ptr<sandbox::Sandbox> ended;   // goes without the lock held
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    if (live_ != nullptr && HasEnded(*live_)) ended = std::move(live_);   // somebody else ended it: begun again, with its files
    if (info_.state == SandboxState::kRunning && live_ != nullptr) return {};
  }
  PADDOCK_ASSIGN(std::shared_ptr<sandbox::Sandbox> live, ThawOrLoad());
  // Without the entry: what is refused is told on the sandbox's own threads, which its end waits for.
  if (auto* teller = dynamic_cast<sandbox::TellsDenials*>(live.get())) {
    teller->TellDenials([denials = denials_](const std::string& line) { denials->Tell(line); });
  }
  ledger_.BeginLive(Measure(*live));
  bool has_changed = false;
  {
    const std::lock_guard lock(mutex_);
    has_changed = info_.state != SandboxState::kRunning;
    if (has_changed) info_.updated = info_.extended = Now();   // what ran out begins anew
    info_.state = SandboxState::kRunning;
    info_.was_idle = false;
    info_.last_active = Now();
    info_.warnings = live->Warnings();
    live_ = std::move(live);
  }
  ledger_.SetAlive(true, Now());
  if (has_changed) settings_->on_state(Info());
  return {};
}

bool SandboxEntry::IsSerial(const sandbox::Sandbox& live) const {
  const auto* files = dynamic_cast<const sandbox::HasFiles*>(&live);
  return files == nullptr || !files->has_concurrent_files();
}

Status SandboxEntry::Keep(sandbox::Sandbox& live) {
  const std::lock_guard keeping(keeper_mutex_);
  ++files_version_;
  const Status kept = keeper_->Keep(live);
  ledger_.Sample(Measure(live), Now());
  return kept;
}

Result<vfs::ExtentPtr> SandboxEntry::TakeExtent(sandbox::Sandbox& live, int file, uint64_t size, uint32_t checksum) {
  const std::lock_guard keeping(keeper_mutex_);
  auto* keeps = dynamic_cast<KeepsExtents*>(keeper_.get());
  if (keeps == nullptr) return Error(Code::kNotSupported, id_ + ": files of this isolation are written");
  return keeps->TakeExtent(live, file, size, checksum);
}

Hold SandboxEntry::TakeHold(sandbox::Sandbox& live, Deadline until) {
  if (auto turn = turns_.Take(std::chrono::steady_clock::now())) return Hold(std::move(turn));
  auto* stands_still = dynamic_cast<sandbox::StandsStill*>(&live);
  if (stands_still == nullptr) return Hold(turns_.Take(until));
  auto loan = std::make_shared<Loan>([self = weak_from_this()] {
    if (const auto entry = self.lock()) entry->turns_.Nudge();
  });
  stands_still->WhenStill([loan] { loan->Lend(); });
  auto turn = turns_.Take(until, [&] { return loan->is_lent(); });
  if (turn != nullptr) {
    loan->End();
    return Hold(std::move(turn));
  }
  if (loan->Withdraw()) return Hold();
  return Hold(std::move(loan));
}

Result<HeldFiles> SandboxEntry::Files(Deadline until) {
  std::shared_ptr<void> use = BeginUse();
  PADDOCK_ASSIGN(std::shared_ptr<sandbox::Sandbox> live, Live());
  Hold hold;
  if (IsSerial(*live)) {
    hold = TakeHold(*live, until);
    if (!hold) return Error(Code::kTimedOut, id_ + " runs something else; wait for it, or end it");
    PADDOCK_ASSIGN(live, Live());
  }
  auto* files = dynamic_cast<sandbox::HasFiles*>(live.get());
  if (files == nullptr) return Error(Code::kNotSupported, id_ + ": this isolation shows no files");
  vfs::FileSystem& system = files->files();
  return HeldFiles(shared_from_this(), std::move(live), std::move(hold), std::move(use), system);
}

Result<HeldFiles> SandboxEntry::FrozenFiles(Deadline until) {
  PADDOCK_ASSIGN(HeldFiles held, Files(until));
  auto* forkable = dynamic_cast<sandbox::Forkable*>(held.live_.get());
  if (!held.hold_ || forkable == nullptr) return held;
  PADDOCK_ASSIGN(held.live_, forkable->Fork());
  held.hold_ = Hold();
  held.files_ = &dynamic_cast<sandbox::HasFiles&>(*held.live_).files();
  return held;
}

Result<bool> SandboxEntry::HasLineShell() {
  PADDOCK_ASSIGN(const std::shared_ptr<sandbox::Sandbox> live, Live());
  return dynamic_cast<sandbox::Interactive*>(live.get()) != nullptr;
}

Status SandboxEntry::With(Deadline until, const std::function<Status(sandbox::Sandbox&)>& body) {
  const std::shared_ptr<void> use = BeginUse();
  PADDOCK_ASSIGN(std::shared_ptr<sandbox::Sandbox> live, Live());
  std::unique_ptr<Turns::Turn> turn;
  if (IsSerial(*live)) {
    turn = turns_.Take(until);
    if (turn == nullptr) return Error(Code::kTimedOut, id_ + " runs something else; wait for it, or end it");
    PADDOCK_ASSIGN(live, Live());
  }
  return body(*live);
}

Status SandboxEntry::ForgetShell(Deadline until) {
  return With(until, [&](sandbox::Sandbox& live) -> Status {
    auto* keeps_shell = dynamic_cast<sandbox::KeepsShell*>(&live);
    if (keeps_shell == nullptr) return {};
    keeps_shell->ForgetShell();
    return Keep(live);
  });
}

Result<std::unique_ptr<Turns::Turn>> SandboxEntry::TakeQuiet(bool force, Deadline until) {
  if (force) EndProcesses();
  std::unique_ptr<Turns::Turn> turn = turns_.Take(until);
  const auto running = [&] {
    const auto list = Processes();
    return std::count_if(list.begin(), list.end(), [](const ProcessInfo& info) { return info.state != ProcessState::kExited; });
  };
  while (force && running() > 0 && std::chrono::steady_clock::now() < until) {
    turn.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    turn = turns_.Take(until);
  }
  if (turn == nullptr || running() > 0) return Error(Code::kBusy, id_ + " runs something; wait for it, end it, or use force");
  return turn;
}

Status SandboxEntry::Rest(SandboxState state, bool is_lease, bool force, Deadline until) {
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    if (is_lease && (uses_ > 0 || info_.state != SandboxState::kRunning)) return Error(Code::kBusy, id_ + " is in use");
    if (info_.state == state && (live_ == nullptr || state == SandboxState::kPaused)) {
      if (!is_lease) info_.was_idle = false;   // now somebody meant it
      return {};
    }
  }
  PADDOCK_ASSIGN(const std::unique_ptr<Turns::Turn> turn, TakeQuiet(force, until));

  const std::lock_guard keeping(keeper_mutex_);
  std::shared_ptr<sandbox::Sandbox> live;
  {
    const std::lock_guard lock(mutex_);
    if (is_lease && uses_ > 0) return Error(Code::kBusy, id_ + " is in use");
    live = live_;
  }
  auto* const freezable = state == SandboxState::kPaused ? dynamic_cast<sandbox::Freezable*>(live.get()) : nullptr;
  if (live != nullptr) PADDOCK_TRY(keeper_->Settle(*live));
  if (freezable != nullptr) PADDOCK_TRY(freezable->Freeze());
  {
    const std::lock_guard lock(mutex_);
    if (freezable == nullptr) live_ = nullptr;
    info_.state = state;
    info_.was_idle = is_lease;
    info_.updated = Now();
  }
  ledger_.SetAlive(false, Now());
  live.reset();
  settings_->on_state(Info());
  return {};
}

bool SandboxEntry::Park() {
  if (!keeper_->parks()) return false;
  const std::unique_ptr<Turns::Turn> turn = turns_.Take(std::chrono::steady_clock::now());
  if (turn == nullptr) return false;
  const std::lock_guard keeping(keeper_mutex_);
  const std::lock_guard lock(mutex_);
  if (uses_ > 0 || live_ == nullptr || live_.use_count() > 1) return false;
  if (!keeper_->Keep(*live_)) return false;
  live_ = nullptr;
  return true;
}

void SandboxEntry::LetGo() {
  std::shared_ptr<sandbox::Sandbox> live;   // ends without the lock held
  const std::lock_guard keeping(keeper_mutex_);
  const std::lock_guard lock(mutex_);
  live.swap(live_);
}

Status SandboxEntry::Remove() {
  {
    const std::lock_guard lock(mutex_);
    info_.state = SandboxState::kDeleting;
    info_.updated = Now();
  }
  ledger_.SetAlive(false, Now());
  EndProcesses();
  const std::unique_ptr<Turns::Turn> turn = turns_.Take(std::chrono::steady_clock::now() + std::chrono::seconds(30));
  if (turn == nullptr) return Error(Code::kBusy, id_ + " did not end within 30 s");
  const std::lock_guard keeping(keeper_mutex_);
  std::shared_ptr<sandbox::Sandbox> live;
  {
    const std::lock_guard lock(mutex_);
    live = std::move(live_);
    live_ = nullptr;
  }
  if (live != nullptr) live->Close();
  live.reset();
  return keeper_->Remove();
}

void SandboxEntry::SetLease(const Lease& lease, Time extended) {
  const std::lock_guard lock(mutex_);
  info_.request.lease = lease;
  info_.extended = extended;
  info_.updated = Now();
}

void SandboxEntry::SetLabels(Labels labels) {
  const std::lock_guard lock(mutex_);
  ledger_.SetLabels(labels);
  info_.request.labels = std::move(labels);
  info_.updated = Now();
}

std::optional<Expiry> SandboxEntry::Due(Time now) const {
  const std::lock_guard lock(mutex_);
  if (info_.state == SandboxState::kDeleting) return std::nullopt;
  auto expiry = NextExpiry(info_.request.lease, Clock());
  if (!expiry || expiry->at > now) return std::nullopt;
  return expiry;
}

bool SandboxEntry::IsIdleSince(Time time) const {
  const std::lock_guard lock(mutex_);
  const bool has_ports = !info_.request.network.publish.empty();   // which it would have by other numbers afterwards
  return live_ != nullptr && uses_ == 0 && info_.last_active <= time && keeper_->parks() && !has_ports;
}

void SandboxEntry::Read(const std::function<void(const SandboxInfo&)>& look) const {
  const std::lock_guard lock(mutex_);
  look(info_);
}

void SandboxEntry::SampleUsage(Time now) {
  if (!ledger_.is_active()) return;
  std::shared_ptr<sandbox::Sandbox> live;
  {
    const std::lock_guard lock(mutex_);
    live = live_;
  }
  if (live != nullptr) ledger_.Sample(Measure(*live), now);
}

bool SandboxEntry::is_in_memory() const {
  const std::lock_guard lock(mutex_);
  return live_ != nullptr;
}

}  // namespace paddock::registry
