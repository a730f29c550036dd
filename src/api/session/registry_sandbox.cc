#include "api/session/registry_sandbox.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>

namespace paddock::api {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPatience = std::chrono::seconds(30);         // for others to give the sandbox back
constexpr auto kWritePatience = std::chrono::seconds(5);     // for a process to read its input
constexpr auto kForever = std::chrono::hours(24 * 30);       // the longest that an exec may be given

Clock::time_point In(std::chrono::milliseconds time) {
  return Clock::now() + std::clamp<std::chrono::milliseconds>(time, std::chrono::milliseconds(0), kForever);
}

tools::ProcessInfo ShownProcess(const registry::ProcessInfo& info) {
  tools::ProcessInfo shown;
  shown.id = info.id;
  shown.command = info.command;
  shown.state = info.state == registry::ProcessState::kExited ? tools::ProcessState::kExited : tools::ProcessState::kRunning;
  if (info.result) {
    shown.exit_code = info.result->exit_code;
    shown.termination = info.result->termination;
  }
  shown.started_at = SinceEpoch(info.started.value_or(info.created));
  shown.output_end = info.output_bytes;
  return shown;
}

// Files for one caller; what was changed is kept when they are given back.
struct Held {
  Held(registry::HeldFiles taken, std::shared_ptr<Unkept> to) : files(std::move(taken)), unkept(std::move(to)) {}
  ~Held() { unkept->Add(files.Commit()); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  registry::HeldFiles files;
  std::shared_ptr<Unkept> unkept;
};

// Wakes a waiter whenever a process writes or ends.
class Watch {
 public:
  Watch(registry::RunningProcess& process, std::function<void()> call) : log_(process.output()), number_(log_.AddWatcher(std::move(call))) {}
  ~Watch() { log_.RemoveWatcher(number_); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  registry::OutputLog& log_;
  const uint64_t number_;
};

}  // namespace

Nanoseconds SinceEpoch(registry::Time time) {
  return std::chrono::duration_cast<Nanoseconds>(time.time_since_epoch());
}

bool IsSerial(const std::string& isolation) { return isolation == "virtual"; }
bool KeepsShell(const std::string& isolation) { return isolation == "virtual"; }

tools::SandboxInfo ToolInfoOf(const registry::Registry& registry, const registry::SandboxInfo& info) {
  const registry::SandboxRequest& request = info.request;
  tools::SandboxInfo shown;
  shown.id = info.id;
  shown.name = request.name;
  if (const auto title = request.labels.find(kTitleLabel); title != request.labels.end()) shown.title = title->second;
  switch (info.state) {
    case registry::SandboxState::kRunning: shown.state = tools::SandboxState::kRunning; break;
    case registry::SandboxState::kPaused: shown.state = tools::SandboxState::kPaused; break;
    case registry::SandboxState::kStopped: shown.state = tools::SandboxState::kStopped; break;
    case registry::SandboxState::kDeleting: shown.state = tools::SandboxState::kDead; break;
  }
  shown.isolation = request.isolation;
  shown.working_directory = request.working_directory.empty() ? request.image.working_directory : request.working_directory;
  if (shown.working_directory.empty() && request.isolation == "container") shown.working_directory = "/workspace";
  if (shown.working_directory.empty()) shown.working_directory = registry.settings().directory + "/sandboxes/" + info.id + "/workspace";
  shown.image = request.container.image;
  shown.runtime = request.container.runtime;
  shown.network = request.network.mode == policy::NetworkMode::kNone ? tools::NetworkReach::kNone : tools::NetworkReach::kEgress;
  shown.limits = {.memory_bytes = request.limits.memory_bytes, .cpus = request.limits.cpus, .processes = request.limits.processes, .disk_bytes = request.limits.disk_bytes};
  shown.ports = info.ports;
  if (info.posture) {
    if (!info.posture->runtime.empty()) shown.runtime = info.posture->runtime;
    shown.has_user_namespace = info.posture->is_root_somebody_else;
  }
  shown.created_at = SinceEpoch(info.created);
  shown.last_used_at = SinceEpoch(info.last_active);
  if (info.expiry) {
    const bool only_stops = info.expiry->cause == registry::Expiry::Cause::kIdle && info.expiry->action != registry::OnExpiry::kDelete;
    (only_stops ? shown.auto_stop_at : shown.lease_expires_at) = SinceEpoch(info.expiry->at);
  }
  shown.warnings = info.warnings;
  return shown;
}

Result<registry::SandboxInfo> RegistrySandbox::Get() const {
  auto info = context_.registry.Get(caller(), id_);
  if (!info || info->state == registry::SandboxState::kDeleting) return Error(Code::kNoEntry, "sandbox " + id_ + " has been removed");
  return info;
}

std::shared_ptr<registry::RunningProcess> RegistrySandbox::Running() const {
  for (const auto& process : context_.session->Remembered(id_)) {
    if (process->Info().state != registry::ProcessState::kExited) return process;
  }
  return nullptr;
}

Result<registry::SandboxInfo> RegistrySandbox::Usable() const {
  PADDOCK_ASSIGN(registry::SandboxInfo info, Get());
  if (!info.was_idle && info.state == registry::SandboxState::kStopped) {
    return Error(Code::kUnavailable, "sandbox " + id_ + " is stopped; start it with sandbox_manage and action \"start\"");
  }
  if (!info.was_idle && info.state == registry::SandboxState::kPaused) {
    return Error(Code::kUnavailable, "sandbox " + id_ + " is paused; wake it with sandbox_manage and action \"resume\"");
  }
  if (!IsSerial(info.request.isolation)) return info;
  if (const auto runner = Running()) return Occupied(*runner);
  return info;
}

Error RegistrySandbox::Occupied(const registry::RunningProcess& runner) const {
  return Error(Code::kBusy, "process " + runner.id() + " runs in sandbox " + id_ + ", whose isolation does one thing at a time; wait for it or end it with sandbox_process_signal");
}

// An error of the registry in words for a model.
Error RegistrySandbox::Explained(const Error& error, const std::string& working_directory) const {
  if (!Get()) return Error(Code::kNoEntry, "sandbox " + id_ + " has been removed");
  if (error.code == Code::kNoEntry && !working_directory.empty()) return Error(Code::kNoEntry, "working_dir " + working_directory + " does not exist in the sandbox; create it first");
  if (error.code == Code::kNotDirectory && !working_directory.empty()) return Error(Code::kNotDirectory, "working_dir " + working_directory + " is not a directory");
  if (error.code == Code::kTimedOut) return Error(Code::kBusy, "sandbox " + id_ + " runs something else; wait for it, or end it");
  return error;
}

tools::SandboxInfo RegistrySandbox::Inspect() {
  const auto info = context_.registry.Get(caller(), id_);
  tools::SandboxInfo shown = ToolInfoOf(context_.registry, info ? *info : last_);
  if (!info) shown.state = tools::SandboxState::kDead;
  return shown;
}

// ---- execs

namespace {

Result<registry::ExecRequest> RequestOf(const registry::SandboxInfo& info, const tools::ExecRequest& request) {
  if (!request.user.empty()) return Error(Code::kInvalid, "user: commands run as the sandbox's own user here; leave it out");
  if (request.keeps_shell && !request.environment.empty()) return Error(Code::kInvalid, "env: export variables in the shell instead");
  registry::ExecRequest exec;
  exec.script = request.script;
  exec.keeps_shell = request.keeps_shell && KeepsShell(info.request.isolation);
  exec.cwd = request.working_directory;
  if (exec.cwd.empty() && !exec.keeps_shell) exec.cwd = info.request.working_directory;
  exec.environment = request.environment;
  if (request.input) exec.input = *request.input;
  if (request.timeout.count() > 0) exec.timeout = request.timeout;
  exec.stop = request.stop;
  return exec;
}

}  // namespace

Result<sandbox::ExecResult> RegistrySandbox::Exec(const tools::ExecRequest& request, sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, Usable());
  PADDOCK_ASSIGN(registry::ExecRequest exec, RequestOf(info, request));
  auto ended = context_.registry.Exec(caller(), id_, std::move(exec), std::move(handler));
  if (!ended) return Explained(ended.error(), request.working_directory);
  return std::move(ended->result);
}

Status RegistrySandbox::ForgetShell() {
  PADDOCK_TRY(Usable());
  return context_.registry.ForgetShell(caller(), id_, In(kPatience));
}

Result<tools::FileLease> RegistrySandbox::Files() {
  PADDOCK_TRY(Usable());
  auto files = context_.registry.Files(caller(), id_, In(kPatience));
  if (!files) return Explained(files.error(), "");
  auto held = std::make_shared<Held>(std::move(*files), context_.unkept);
  vfs::FileSystem& system = *held->files;
  return tools::FileLease(std::move(held), system);
}

// ---- processes

Result<tools::ProcessInfo> RegistrySandbox::StartProcess(const tools::ExecRequest& request) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, Usable());
  PADDOCK_ASSIGN(registry::ExecRequest exec, RequestOf(info, request));
  exec.has_open_input = !request.input;
  exec.stop = {};   // it outlives the call
  if (!exec.timeout) exec.timeout = kForever;
  auto process = context_.registry.StartProcess(caller(), id_, std::move(exec));
  if (!process) return Explained(process.error(), request.working_directory);
  context_.session->Remember(*process);
  return ShownProcess((*process)->Info());
}

Result<std::shared_ptr<registry::RunningProcess>> RegistrySandbox::FindProcess(const std::string& id) const {
  for (const auto& process : context_.session->Remembered(id_)) {
    if (process->id() == id) return process;
  }
  return Error(Code::kNoEntry, "no process " + id.substr(0, 100) + " in sandbox " + id_ + "; sandbox_process_start gives an id");
}

Result<std::vector<tools::ProcessInfo>> RegistrySandbox::ListProcesses() {
  std::vector<tools::ProcessInfo> list;
  for (const auto& process : context_.session->Remembered(id_)) list.push_back(ShownProcess(process->Info()));
  return list;
}

Result<tools::ProcessOutput> RegistrySandbox::ReadProcess(const std::string& id, uint64_t offset, size_t most, std::chrono::milliseconds wait) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  registry::OutputLog::Reading reading = process->output().Read(offset, most, In(wait));
  if (reading.lost > 0 && reading.pieces.empty()) {   // what comes behind the gap
    const uint64_t behind = reading.next;
    reading = process->output().Read(behind, most, Clock::now());
  }
  tools::ProcessOutput output;
  output.offset = reading.pieces.empty() ? reading.next : reading.pieces.front().offset;
  for (const auto& piece : reading.pieces) output.bytes += piece.bytes;
  output.process = ShownProcess(process->Info());
  return output;
}

Result<tools::ProcessInfo> RegistrySandbox::WriteProcess(const std::string& id, std::string_view bytes, bool ends_input) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  if (const Status written = process->Write(bytes, In(kWritePatience)); !written) {
    if (written.error().code != Code::kBrokenPipe) return written.error();
    return Error(Code::kUnavailable, "the input of process " + id + " has ended");
  }
  if (ends_input) PADDOCK_TRY(process->CloseInput());
  return ShownProcess(process->Info());
}

Result<tools::ProcessInfo> RegistrySandbox::SignalProcess(const std::string& id, int signal) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  const Status sent = process->Signal(signal);
  const bool is_refused = !sent && sent.error().code == Code::kNotSupported;
  if (is_refused && (signal == SIGTERM || signal == SIGINT)) process->Cancel();
  else if (is_refused) return Error(Code::kUnavailable, "processes of this isolation take only TERM, INT and KILL, and all three end them");
  else if (!sent && sent.error().code != Code::kNoProcess) return sent.error();   // one that has ended needs none
  return ShownProcess(process->Info());
}

Result<tools::ProcessInfo> RegistrySandbox::WaitProcess(const std::string& id, std::chrono::milliseconds wait, std::stop_token stop) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  std::mutex mutex;
  std::condition_variable_any changed;
  const Watch watch(*process, [&] {
    const std::lock_guard lock(mutex);
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait_until(lock, std::move(stop), In(wait), [&] { return process->WaitUntil(Clock::time_point::min()); });
  }
  return ShownProcess(process->Info());
}

// ---- its life (registry_sandbox_states.cc has its states)

// At least so long from now on, never shorter than it was.
Result<std::string> RegistrySandbox::Extend(const registry::SandboxInfo& info, std::chrono::minutes minutes) {
  registry::Lease lease = info.request.lease;
  if (!lease.ttl && !lease.idle_ttl) return Error(Code::kUnavailable, "sandbox " + id_ + " has no lease to extend; it lives until it is removed");
  const auto now = std::chrono::time_point_cast<registry::Duration>(std::chrono::system_clock::now());
  if (lease.ttl) lease.ttl = std::max<registry::Duration>(minutes, info.extended + *lease.ttl - now);
  if (lease.idle_ttl) lease.idle_ttl = std::max<registry::Duration>(minutes, *lease.idle_ttl);
  PADDOCK_TRY(context_.registry.Extend(caller(), id_, lease));
  return "sandbox " + id_ + " lives for " + std::to_string(minutes.count()) + " minutes more" +
         (lease.max_lifetime ? ", but not beyond its whole lifetime" : "");
}

Result<std::string> RegistrySandbox::Manage(const tools::ManageRequest& request) {
  using tools::ManageAction;
  PADDOCK_ASSIGN(const registry::SandboxInfo info, Get());
  const std::string name = "sandbox " + id_;
  const bool is_running = info.state == registry::SandboxState::kRunning;
  const bool is_paused = info.state == registry::SandboxState::kPaused;
  const bool is_stopped = info.state == registry::SandboxState::kStopped;
  registry::Registry& registry = context_.registry;
  const auto runner = Running();
  switch (request.action) {
    case ManageAction::kStop:
      PADDOCK_TRY(registry.Stop(caller(), id_, true));
      return name + (is_stopped ? " was stopped already" : " is stopped; its files are kept");
    case ManageAction::kStart:
      PADDOCK_TRY(registry.Start(caller(), id_));
      return name + (is_running ? " runs already" : " runs");
    case ManageAction::kPause:
      if (is_stopped) return Error(Code::kUnavailable, name + " is stopped and cannot be paused; start it first");
      if (runner) return Error(Code::kBusy, "process " + runner->id() + " runs in " + name + "; wait for it or end it first");
      PADDOCK_TRY(registry.Pause(caller(), id_, false));
      return name + (is_paused ? " was paused already" : " is paused");
    case ManageAction::kResume:
      if (is_stopped) return Error(Code::kUnavailable, name + " is stopped, not paused; start it with action \"start\"");
      PADDOCK_TRY(registry.Start(caller(), id_));
      return name + (is_running ? " runs already" : " runs");
    case ManageAction::kRemove: {
      if (!request.force && runner) return Error(Code::kBusy, "process " + runner->id() + " runs in " + name + "; end it first, or remove with force");
      if (!request.force && info.running > 0) return Error(Code::kBusy, "a command runs in " + name + "; wait for it, or remove with force");
      const Status removed = registry.Delete(caller(), id_);
      if (!removed && removed.error().code != Code::kNoEntry) return removed.error();
      return name + " and its files are gone";
    }
    case ManageAction::kExtend: return Extend(info, request.minutes.value_or(std::chrono::minutes(0)));
  }
  return Error(Code::kInternal, "no such action");
}

}  // namespace paddock::api
