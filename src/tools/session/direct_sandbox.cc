#include "tools/session/direct_sandbox.h"

#include <array>

#include "base/random.h"
#include "registry/entry/scan_watch.h"
#include "tools/session/tree_diff.h"

namespace paddock::tools {
namespace {

constexpr size_t kMostProcesses = 32;   // kept, running or not
constexpr size_t kMostSnapshots = 32;

}  // namespace

std::string NewId(std::string_view prefix) {
  std::array<uint8_t, 20> random;
  FillRandom(random);
  std::string id(prefix);
  for (const uint8_t byte : random) id += "abcdefghijklmnopqrstuvwxyz234567"[byte % 32];
  return id;
}

DirectSandbox::DirectSandbox(std::unique_ptr<sandbox::Sandbox> sandbox, SandboxInfo info, Variables environment, Limits limits, Adopt adopt)
    : sandbox_(std::move(sandbox)), info_(std::move(info)), environment_(std::move(environment)), limits_(limits), adopt_(std::move(adopt)) {
  info_.created_at = info_.last_used_at = SystemClock().RealNow();
  info_.warnings = sandbox_->Warnings();
  if (auto* const forkable = dynamic_cast<sandbox::Forkable*>(sandbox_.get())) {
    if (auto fork = forkable->Fork()) first_ = std::move(*fork);
  }
}

DirectSandbox::~DirectSandbox() { EndProcesses(); }

void DirectSandbox::EndProcesses() {
  std::map<std::string, std::shared_ptr<DirectProcess>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended.swap(processes_);
  }
  for (const auto& [id, process] : ended) process->End();
}

Result<DirectSandbox::Turn> DirectSandbox::TakeTurn(bool needs_running) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (is_removed_) return Error(Code::kNoEntry, "sandbox " + info_.id + " has been removed");
    if (needs_running && info_.state == SandboxState::kStopped) {
      return Error(Code::kUnavailable, "sandbox " + info_.id + " is stopped; start it with sandbox_manage and action \"start\"");
    }
    if (needs_running && info_.state == SandboxState::kPaused) {
      return Error(Code::kUnavailable, "sandbox " + info_.id + " is paused; wake it with sandbox_manage and action \"resume\"");
    }
    if (!is_taken_) break;
    if (!runner_.empty()) {
      return Error(Code::kBusy, "process " + runner_ + " runs in sandbox " + info_.id + ", whose isolation does one thing at a time; wait for it or end it with sandbox_process_signal");
    }
    free_.wait(lock);
  }
  is_taken_ = true;
  info_.last_used_at = SystemClock().RealNow();
  return std::make_shared<TurnHolder>(shared_from_this());
}

void DirectSandbox::GiveBack(bool only_looked) {
  if (!only_looked) ++uses_;
  const std::lock_guard lock(mutex_);
  is_taken_ = false;
  runner_.clear();
  free_.notify_all();
}

SandboxInfo DirectSandbox::Inspect() {
  const std::lock_guard lock(mutex_);
  return info_;
}

Result<std::unique_ptr<sandbox::FileWatch>> DirectSandbox::WatchFiles(const std::string& path, bool is_recursive) {
  struct Seen {
    uint64_t uses = 0;
    bool has_looked = false;
  };
  const auto look = [weak = weak_from_this(), seen = std::make_shared<Seen>()](const std::function<Status(vfs::FileSystem&)>& body) -> Status {
    const std::shared_ptr<DirectSandbox> self = weak.lock();
    if (self == nullptr || self->is_removed_) return Error(Code::kUnavailable, "the sandbox has been removed");
    const uint64_t uses = self->uses_;
    if (seen->has_looked && uses == seen->uses) return Code::kBusy;
    if (seen->has_looked) {
      const std::lock_guard lock(self->mutex_);
      if (self->is_taken_) return Code::kBusy;
    }
    PADDOCK_ASSIGN(const Turn turn, self->TakeTurn(false));
    turn->only_looks = true;
    PADDOCK_ASSIGN(vfs::FileSystem* const files, self->FilesOf(*self->sandbox_));
    PADDOCK_TRY(body(*files));
    *seen = {.uses = uses, .has_looked = true};
    return {};
  };
  PADDOCK_ASSIGN(std::unique_ptr<registry::ScanWatch> watch, registry::ScanWatch::Make(look, path, is_recursive));
  return std::unique_ptr<sandbox::FileWatch>(std::move(watch));
}

Result<vfs::FileSystem*> DirectSandbox::FilesOf(sandbox::Sandbox& sandbox) const {
  if (auto* const has_files = dynamic_cast<sandbox::HasFiles*>(&sandbox)) return &has_files->files();
  return Error(Code::kUnavailable, "files of sandbox " + info_.id + " cannot be reached from outside; use sandbox_exec");
}

Result<sandbox::ExecSpec> DirectSandbox::MakeSpec(const ExecRequest& request) {
  if (!request.user.empty()) return Error(Code::kInvalid, "user: commands run as the sandbox's own user here; leave it out");
  if (request.keeps_shell && !request.environment.empty()) return Error(Code::kInvalid, "env: export variables in the shell instead");
  sandbox::ExecSpec spec;
  spec.script = request.script;
  spec.cwd = request.working_directory;
  if (spec.cwd.empty() && !request.keeps_shell) spec.cwd = info_.working_directory;
  spec.keeps_state = request.keeps_shell;
  spec.limits = limits_;
  if (request.timeout.count() > 0) spec.limits.time = request.timeout;
  spec.environment = sandbox::UserEnvironment(sandbox::SandboxSpec().user);   // of which DirectSession makes its sandboxes
  for (const Variables* const variables : {&environment_, &request.environment}) {
    for (const auto& [name, value] : *variables) spec.environment.Set(name, value);
  }
  if (!spec.cwd.empty()) {
    if (const auto files = FilesOf(*sandbox_)) {
      const auto found = (*files)->Stat(spec.cwd);
      if (!found) return Error(Code::kNoEntry, "working_dir " + spec.cwd + " does not exist in the sandbox; create it first");
      if (!found->is_directory()) return Error(Code::kNotDirectory, "working_dir " + spec.cwd + " is not a directory");
    }
  }
  return spec;
}

Result<sandbox::ExecResult> DirectSandbox::Exec(const ExecRequest& request, sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(const Turn turn, TakeTurn());
  PADDOCK_ASSIGN(sandbox::ExecSpec spec, MakeSpec(request));
  sandbox::StdinSource input;
  if (request.input) input = {.kind = sandbox::StdinSource::Kind::kText, .text = *request.input};
  PADDOCK_ASSIGN(const std::unique_ptr<sandbox::Process> process, sandbox_->Start(std::move(spec), std::move(input), std::move(handler)));
  const std::stop_callback cancel(request.stop, [&] { process->Cancel(); });
  return process->Wait();
}

Status DirectSandbox::ForgetShell() {
  PADDOCK_ASSIGN(const Turn turn, TakeTurn());
  auto* const keeps_shell = dynamic_cast<sandbox::KeepsShell*>(sandbox_.get());
  if (keeps_shell != nullptr) keeps_shell->ForgetShell();   // others begin anew at every exec
  return {};
}

Result<FileLease> DirectSandbox::Files() {
  PADDOCK_ASSIGN(Turn turn, TakeTurn());
  PADDOCK_ASSIGN(vfs::FileSystem* const files, FilesOf(*sandbox_));
  return FileLease(std::move(turn), *files);
}

Result<ProcessInfo> DirectSandbox::StartProcess(const ExecRequest& request) {
  PADDOCK_ASSIGN(Turn turn, TakeTurn());
  PADDOCK_ASSIGN(sandbox::ExecSpec spec, MakeSpec(request));
  const std::string id = NewId("proc_");
  {
    const std::lock_guard lock(mutex_);
    for (auto known = processes_.begin(); known != processes_.end() && processes_.size() >= kMostProcesses;) {
      known = known->second->is_running() ? std::next(known) : processes_.erase(known);
    }
    runner_ = id;
  }
  const DirectProcess::Starter start = [&](sandbox::StdinSource input, sandbox::OutputHandler handler) {
    return sandbox_->Start(std::move(spec), std::move(input), std::move(handler));
  };
  PADDOCK_ASSIGN(std::shared_ptr<DirectProcess> started, DirectProcess::Start(id, request.script, start, [this] { GiveBack(); }));
  turn->sandbox.reset();   // the process gives the turn back
  const std::lock_guard lock(mutex_);
  processes_.emplace(id, started);
  return started->info();
}

Result<std::shared_ptr<DirectProcess>> DirectSandbox::FindProcess(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = processes_.find(id);
  if (found == processes_.end()) return Error(Code::kNoEntry, "no process " + id + " in sandbox " + info_.id + "; sandbox_process_start gives an id");
  return found->second;
}

Result<std::vector<ProcessInfo>> DirectSandbox::ListProcesses() {
  std::vector<ProcessInfo> list;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, process] : processes_) list.push_back(process->info());
  return list;
}

Result<ProcessOutput> DirectSandbox::ReadProcess(const std::string& id, uint64_t offset, size_t most, std::chrono::milliseconds wait) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  return process->Read(offset, most, wait);
}

Result<ProcessInfo> DirectSandbox::WriteProcess(const std::string& id, std::string_view bytes, bool ends_input) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  PADDOCK_TRY(process->Write(bytes, ends_input));
  return process->info();
}

Result<ProcessInfo> DirectSandbox::SignalProcess(const std::string& id, int signal) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  PADDOCK_TRY(process->Signal(signal));
  return process->info();
}

Result<ProcessInfo> DirectSandbox::WaitProcess(const std::string& id, std::chrono::milliseconds wait, std::stop_token stop) {
  PADDOCK_ASSIGN(const auto process, FindProcess(id));
  process->Wait(wait, std::move(stop));
  return process->info();
}

Result<std::unique_ptr<sandbox::Sandbox>> DirectSandbox::ForkTree() {
  auto* const forkable = dynamic_cast<sandbox::Forkable*>(sandbox_.get());
  if (forkable == nullptr) return Error(Code::kUnavailable, "isolation " + info_.isolation + " has no snapshots and forks");
  return forkable->Fork();
}

Result<SnapshotInfo> DirectSandbox::Snapshot(const std::string& name) {
  PADDOCK_ASSIGN(const Turn turn, TakeTurn(false));
  if (snapshots_.size() >= kMostSnapshots) return Error(Code::kQuota, "sandbox " + info_.id + " has " + std::to_string(kMostSnapshots) + " snapshots, the most there may be");
  for (const Captured& known : snapshots_) {
    if (!name.empty() && known.info.name == name) return Error(Code::kExists, "name: there is a snapshot '" + name + "' already (" + known.info.id + ")");
  }
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> tree, ForkTree());
  const SnapshotInfo info{.id = NewId("snap_"), .name = name, .created_at = SystemClock().RealNow()};
  snapshots_.push_back({info, std::move(tree)});
  return info;
}

Result<std::vector<ForkOutcome>> DirectSandbox::Fork(size_t count, const std::string& name) {
  PADDOCK_ASSIGN(const Turn turn, TakeTurn(false));
  std::vector<ForkOutcome> outcomes;
  for (size_t i = 0; i < count; ++i) {
    ForkOutcome outcome;
    SandboxInfo info = Inspect();
    info.id = NewId("sbx_");
    info.name = name.empty() ? "" : count == 1 ? name : name + "-" + std::to_string(i + 1);
    info.state = SandboxState::kRunning;
    auto tree = ForkTree();
    if (tree) {
      auto fork = std::make_shared<DirectSandbox>(std::move(*tree), std::move(info), environment_, limits_, adopt_);
      const Status adopted = adopt_(fork);
      if (adopted) outcome.sandbox = fork->Inspect();
      else outcome.error = adopted.error().Text();
    } else {
      outcome.error = tree.error().Text();
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

Result<sandbox::Sandbox*> DirectSandbox::TreeOf(const std::string& snapshot, sandbox::Sandbox* otherwise) {
  if (snapshot.empty()) {
    if (otherwise == nullptr) return Error(Code::kUnavailable, "isolation " + info_.isolation + " keeps no state to compare with");
    return otherwise;
  }
  for (const Captured& known : snapshots_) {
    if (known.info.id == snapshot || known.info.name == snapshot) return known.tree.get();
  }
  return Error(Code::kNoEntry, "no snapshot " + snapshot + " of sandbox " + info_.id);
}

Result<DiffOutcome> DirectSandbox::Diff(const DiffRequest& request) {
  PADDOCK_ASSIGN(const Turn turn, TakeTurn(false));
  PADDOCK_ASSIGN(sandbox::Sandbox* const before, TreeOf(request.from, first_.get()));
  PADDOCK_ASSIGN(sandbox::Sandbox* const after, TreeOf(request.to, sandbox_.get()));
  PADDOCK_ASSIGN(vfs::FileSystem* const before_files, FilesOf(*before));
  PADDOCK_ASSIGN(vfs::FileSystem* const after_files, FilesOf(*after));
  return DiffTrees(*before_files, *after_files, request);
}

Result<std::string> DirectSandbox::Manage(const ManageRequest& request) {
  if (request.action == ManageAction::kExtend) return Error(Code::kUnavailable, "sandboxes of this session have no lease to extend");
  const auto is_running_something = [&] {
    const std::lock_guard lock(mutex_);
    return !runner_.empty();
  };
  if (request.action == ManageAction::kRemove || request.action == ManageAction::kStop) {
    if (!request.force && request.action == ManageAction::kRemove && is_running_something()) {
      return Error(Code::kBusy, "process " + runner_ + " runs in sandbox " + info_.id + "; end it first, or remove with force");
    }
    EndProcesses();
  }
  PADDOCK_ASSIGN(const Turn turn, TakeTurn(false));
  const std::lock_guard lock(mutex_);
  const auto move_to = [&](SandboxState state, const char* done, const char* already) -> std::string {
    const bool was = info_.state == state;
    info_.state = state;
    return "sandbox " + info_.id + (was ? already : done);
  };
  switch (request.action) {
    case ManageAction::kStop: return move_to(SandboxState::kStopped, " is stopped; its files are kept", " was stopped already");
    case ManageAction::kStart: return move_to(SandboxState::kRunning, " runs", " runs already");
    case ManageAction::kPause:
      if (info_.state == SandboxState::kStopped) return Error(Code::kUnavailable, "sandbox " + info_.id + " is stopped and cannot be paused; start it first");
      return move_to(SandboxState::kPaused, " is paused", " was paused already");
    case ManageAction::kResume:
      if (info_.state == SandboxState::kStopped) return Error(Code::kUnavailable, "sandbox " + info_.id + " is stopped, not paused; start it with action \"start\"");
      return move_to(SandboxState::kRunning, " runs", " runs already");
    case ManageAction::kRemove:
      is_removed_ = true;
      sandbox_->Close();
      return "sandbox " + info_.id + " and its files are gone";
    case ManageAction::kExtend: break;
  }
  return Error(Code::kInternal, "no such action");
}

}  // namespace paddock::tools
