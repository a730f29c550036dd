#include "registry/entry/sandbox_entry.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/id.h"
#include "sandbox/shell_session.h"
#include "sandbox/tells_denials.h"
#include "sandbox/tells_posture.h"

namespace paddock::registry {
namespace {

sandbox::Measured Measure(const sandbox::Sandbox& live) {
  const auto* metered = dynamic_cast<const sandbox::Metered*>(&live);
  return metered != nullptr ? metered->Measure() : sandbox::Measured{};
}

sandbox::ExecResult NotRun(sandbox::Termination::Reason reason) {
  sandbox::ExecResult result;
  result.termination.reason = reason;
  return result;
}

}  // namespace

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

Result<std::shared_ptr<RunningProcess>> SandboxEntry::Admit(const ExecRequest& request) {
  const std::lock_guard lock(mutex_);
  size_t living = 0, ended = 0;
  for (const auto& [age, process] : processes_) ++(process->Info().state == ProcessState::kExited ? ended : living);
  if (living >= settings_->most_processes) {
    return Error(Code::kLimit, id_ + " has " + std::to_string(living) + " processes, the most there may be; wait for some, or end them");
  }
  for (auto it = processes_.begin(); it != processes_.end() && ended > settings_->most_ended;) {
    if (it->second->Info().state != ProcessState::kExited) {
      ++it;
      continue;
    }
    it = processes_.erase(it);
    --ended;
  }
  auto process = std::make_shared<RunningProcess>(NewId("proc_"), id_, request, settings_->output_directory);
  processes_.emplace(++last_process_, process);
  return process;
}

void SandboxEntry::TakeImagesCommand(ExecRequest& request) const {
  if (request.script || !request.command.empty() || request.keeps_shell) return;
  const std::lock_guard lock(mutex_);
  request.command = info_.request.image.command;
}

void SandboxEntry::Withdraw(const std::shared_ptr<RunningProcess>& process) {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, [&](const auto& one) { return one.second == process; });
}

sandbox::ExecSpec SandboxEntry::SpecOf(ExecRequest& request) const {
  const std::lock_guard lock(mutex_);
  const SandboxRequest& of = info_.request;
  sandbox::ExecSpec spec;
  spec.script = std::move(request.script);
  spec.command = std::move(request.command);
  spec.environment = sandbox::UserEnvironment(sandbox::SandboxSpec().user);
  for (const Variables* variables : {&of.environment, &std::as_const(request).environment}) {
    for (const auto& [name, value] : *variables) spec.environment.Set(name, value);
  }
  spec.cwd = request.cwd.empty() ? of.image.working_directory : std::move(request.cwd);
  spec.keeps_state = request.keeps_shell;
  spec.terminal = request.terminal;
  if (of.limits.memory_bytes) spec.limits.memory_bytes = *of.limits.memory_bytes;
  if (of.limits.processes) spec.limits.processes = *of.limits.processes;
  if (of.limits.output_bytes) spec.limits.output_bytes = *of.limits.output_bytes;
  if (of.limits.cpu_time) spec.limits.cpu_time = *of.limits.cpu_time;
  if (request.terminal) spec.limits.output_bytes = kUnlimited;   // nobody keeps it; who looks at it holds it up
  if (request.output_bytes) spec.limits.output_bytes = std::min(spec.limits.output_bytes, *request.output_bytes);
  return spec;
}

Result<sandbox::ExecResult> SandboxEntry::Run(const std::shared_ptr<RunningProcess>& process, ExecRequest request, sandbox::OutputHandler handler) {
  const std::shared_ptr<void> use = BeginUse();
  const auto give_up = [&](sandbox::Termination::Reason reason, Error error) -> Error {
    process->Finish(NotRun(reason), Now(), std::string(error.Text()));
    return error;
  };
  const std::optional<Duration> time = request.timeout ? request.timeout : Info().request.limits.exec_time;
  const Deadline asked = std::chrono::steady_clock::now();
  const Deadline until = time ? asked + *time : Deadline::max();

  auto live = Live();
  if (!live) return give_up(sandbox::Termination::Reason::kInfra, live.error());
  // Where execs go side by side it is only waited for: whoever wants quiet has it.
  process->WhenCancelled([self = shared_from_this()] { self->turns_.Nudge(); });
  std::unique_ptr<Turns::Turn> turn = turns_.Take(until, [&] { return process->is_cancelled(); });
  process->WhenCancelled({});
  if (turn == nullptr && process->is_cancelled()) {
    sandbox::ExecResult result = NotRun(sandbox::Termination::Reason::kCancelled);
    process->Finish(result, Now());
    return result;
  }
  if (turn == nullptr) {
    sandbox::ExecResult result = NotRun(sandbox::Termination::Reason::kTimeout);
    result.termination.limit = "time";
    process->Finish(result, Now());
    return result;
  }
  live = Live();   // it may have been put to rest while others had the turn
  if (!live) return give_up(sandbox::Termination::Reason::kInfra, live.error());
  if (!IsSerial(**live)) turn.reset();

  sandbox::StdinSource input;
  const Descriptor input_end(process->TakeInput());
  if (input_end.is_open()) {
    input = {.kind = sandbox::StdinSource::Kind::kHostDescriptor, .text = {}, .descriptor = input_end.get()};
  } else if (!request.input.empty()) {
    input = {.kind = sandbox::StdinSource::Kind::kText, .text = std::move(request.input), .descriptor = -1};
  }
  if (request.keeps_shell && dynamic_cast<sandbox::KeepsShell*>(live->get()) == nullptr) {
    return give_up(sandbox::Termination::Reason::kInfra, Error(Code::kNotSupported, "keep_shell: this isolation keeps no shell between execs"));
  }
  const bool is_command = !request.command.empty();
  sandbox::ExecSpec spec = SpecOf(request);
  if (time) {
    const auto left = std::chrono::duration_cast<Nanoseconds>(until - std::chrono::steady_clock::now());
    spec.limits.time = std::max(left, Nanoseconds(1));
  }
  const bool is_logged = !request.terminal;   // what a person sees is no log
  const auto output = [&](sandbox::Stream stream, std::string_view bytes) {
    std::string lines;
    if (process->reads_lines()) {
      // What it read is shown before what it answers: whoever types holds the input until then.
      static_cast<void>(process->WriteSome({}, std::chrono::steady_clock::now()));
      bytes = lines = ForTerminal(bytes);
    }
    process->output().Append(stream, bytes);
    if (is_logged) log_.Append(process->id(), stream, Now(), bytes);
    if (handler) handler(stream, bytes);
  };
  auto started = request.starter ? request.starter(**live, std::move(spec), std::move(input), output) : (*live)->Start(std::move(spec), std::move(input), output);
  if (!started && is_command && (started.error().code == Code::kNoEntry || started.error().code == Code::kAccess)) {
    // As a shell answers: that is the command's failure, not the sandbox's.
    const std::string text = "paddock: " + std::string(started.error().Text()) + "\n";
    output(sandbox::Stream::kStderr, text);
    sandbox::ExecResult result;
    result.exit_code = started.error().code == Code::kNoEntry ? 127 : 126;
    process->Finish(result, Now());
    return result;
  }
  if (!started) return give_up(sandbox::Termination::Reason::kInfra, started.error());
  sandbox::ExecResult result;
  ledger_.ExecBegan(Now());
  if (process->Begin(**started, Now())) {
    result = (*started)->Wait();
  } else {
    (*started)->Cancel();
    result = (*started)->Wait();
  }
  process->Leave();   // before it goes: signals, new sizes and cancels come from other threads
  ledger_.ExecEnded(result, Measure(**live), Now());
  started->reset();
  if (const Status kept = Keep(**live); !kept) {
    const Error failure(kept.error().code, "the exec ended, but what it changed could not be kept: " + std::string(kept.error().Text()) +
                                               "; it is in memory, and kept with the next one that succeeds");
    process->Finish(result, Now(), failure.message);
    return failure;
  }
  process->Finish(result, Now());
  return result;
}

std::vector<ProcessInfo> SandboxEntry::Processes() const {
  const std::lock_guard lock(mutex_);
  std::vector<ProcessInfo> list;
  for (const auto& [age, process] : processes_) list.push_back(process->Info());
  return list;
}

std::shared_ptr<RunningProcess> SandboxEntry::FindProcess(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [age, process] : processes_) {
    if (process->id() == id) return process;
  }
  return nullptr;
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

void SandboxEntry::ForgetEnded(Time before) {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, [&](const auto& entry) {
    const auto info = entry.second->Info();
    return info.state == ProcessState::kExited && info.ended && *info.ended < before;
  });
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

void SandboxEntry::EndProcesses() {
  std::vector<std::shared_ptr<RunningProcess>> living;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [age, process] : processes_) living.push_back(process);
  }
  for (const auto& process : living) process->Cancel();
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

Status SandboxEntry::WithStill(Deadline until, const std::function<Status(KeepsStates& states, sandbox::Sandbox* live)>& body) {
  const std::shared_ptr<void> use = BeginUse();
  const bool needs_live = NeedsLive();
  // Where execs go side by side, none does: their files would be read while they change.
  std::unique_ptr<Turns::Turn> turn;
  if (needs_live) {
    turn = turns_.Take(until);
    if (turn == nullptr) return Error(Code::kTimedOut, id_ + " runs something else; wait for it, or end it");
  } else {
    auto quiet = TakeQuiet(false, until);
    if (!quiet) return Error(Code::kBusy, id_ + " runs something; wait for it, end it, or pause the sandbox");
    turn = std::move(*quiet);
  }
  bool is_running = false;
  {
    const std::lock_guard lock(mutex_);
    is_running = info_.state == SandboxState::kRunning;
  }
  if (is_running && needs_live) PADDOCK_TRY(Wake());
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return Error(Code::kNotSupported, id_ + ": sandboxes of isolation " + Info().request.isolation + " cannot be copied yet");
  std::shared_ptr<sandbox::Sandbox> live;
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    live = live_;
  }
  if (live == nullptr && needs_live) {   // for the moment
    PADDOCK_ASSIGN(live, keeper_->Load());
  }
  auto* const frozen = is_running ? nullptr : dynamic_cast<sandbox::Freezable*>(live.get());
  if (frozen != nullptr) PADDOCK_TRY(frozen->Thaw());
  const Status done = body(*states, live.get());
  if (frozen != nullptr) PADDOCK_TRY(frozen->Freeze());
  return done;
}

Result<SavedState> SandboxEntry::Capture(trees::Session& session, Deadline until, CaptureFor purpose) {
  SavedState state;
  PADDOCK_TRY(WithStill(until, [&](KeepsStates& states, sandbox::Sandbox* live) -> Status {
    PADDOCK_ASSIGN(state, purpose == CaptureFor::kForks ? states.CaptureToFork(live, session) : states.Capture(live, session));
    return {};
  }));
  return state;
}

Result<std::optional<CapturedRoot>> SandboxEntry::CaptureRoot(trees::Session& session, Deadline until, const trees::ArchiveLimits& limits) {
  std::optional<CapturedRoot> root;
  PADDOCK_TRY(WithStill(until, [&](KeepsStates& states, sandbox::Sandbox* live) -> Status {
    auto* const gives = dynamic_cast<GivesRoots*>(&states);
    if (gives == nullptr) return {};
    PADDOCK_ASSIGN(root, gives->CaptureRoot(live, session, limits));
    return {};
  }));
  return root;
}

Status SandboxEntry::Become(const SavedState& state, bool force, Deadline until) {
  const std::shared_ptr<void> use = BeginUse();
  PADDOCK_ASSIGN(const std::unique_ptr<Turns::Turn> turn, TakeQuiet(force, force ? until : std::chrono::steady_clock::now()));
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return Error(Code::kNotSupported, id_ + ": sandboxes of isolation " + Info().request.isolation + " cannot be put back yet");
  std::shared_ptr<sandbox::Sandbox> live;   // ends here, when nobody else looks at it any more
  {
    const std::lock_guard lock(mutex_);
    if (info_.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
    live = live_;
    if (!states->needs_live()) live_ = nullptr;   // the next use stands it up anew, whatever becomes of this
  }
  if (live != nullptr && !states->needs_live()) live->Close();
  PADDOCK_TRY(states->Become(state));
  const std::lock_guard lock(mutex_);
  live_ = nullptr;
  info_.updated = Now();
  return {};
}

bool SandboxEntry::NeedsLive() {
  const std::lock_guard keeping(keeper_mutex_);
  const auto* states = dynamic_cast<const KeepsStates*>(keeper_.get());
  return states == nullptr || states->needs_live();
}

Result<std::shared_ptr<const void>> SandboxEntry::Share(const SavedState& state) {
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return std::shared_ptr<const void>();
  return states->Share(state);
}

Result<trees::ObjectId> SandboxEntry::CaptureCreation(trees::Session& session) {
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  const SandboxInfo info = Info();
  if (states == nullptr) return Error(Code::kNotSupported, id_ + ": of sandboxes of isolation " + info.request.isolation + " it is not known how they began");
  if (info.state == SandboxState::kDeleting) return Error(Code::kNoEntry, id_ + " is being deleted");
  return states->CaptureCreation(session);
}

Result<std::vector<trees::ObjectId>> SandboxEntry::Trees() {
  const std::lock_guard keeping(keeper_mutex_);
  auto* states = dynamic_cast<KeepsStates*>(keeper_.get());
  if (states == nullptr) return std::vector<trees::ObjectId>();
  return states->Trees();
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
