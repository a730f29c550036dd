#include "drivers/virtual/virtual_sandbox.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "base/random.h"
#include "drivers/virtual/base_tree.h"
#include "drivers/virtual/proc_files.h"
#include "drivers/virtual/virtual_process.h"
#include "drivers/virtual/virtual_shell.h"
#include "shell/shell.h"
#include "vfs/host/host_volume.h"
#include "vfs/overlay_volume.h"
#include "vfs/special_volumes.h"

namespace paddock::sandbox {
namespace {

std::string NewId() {
  std::array<uint8_t, 8> random;
  FillRandom(random);
  uint64_t number = 0;
  std::memcpy(&number, random.data(), sizeof number);
  char text[24];
  std::snprintf(text, sizeof text, "sbx_%016llx", static_cast<unsigned long long>(number));
  return text;
}

Termination::Reason ReasonOf(LimitKind limit) {
  switch (limit) {
    case LimitKind::kSteps: return Termination::Reason::kCpu;
    case LimitKind::kMemory: return Termination::Reason::kOom;
    case LimitKind::kOutput: return Termination::Reason::kOutputCap;
    case LimitKind::kTime: return Termination::Reason::kTimeout;
    case LimitKind::kCpuTime: return Termination::Reason::kCpu;
    case LimitKind::kDepth: return Termination::Reason::kDepth;
    case LimitKind::kProcesses: return Termination::Reason::kPids;
    case LimitKind::kDisk: return Termination::Reason::kDisk;
    case LimitKind::kCancelled: return Termination::Reason::kCancelled;
    case LimitKind::kDeadlock: return Termination::Reason::kDeadlock;
    case LimitKind::kNone: break;
  }
  return Termination::Reason::kExit;
}

void FillResult(const Budget& budget, Nanoseconds cpu, std::optional<proc::WaitStatus> ended, ExecResult& result) {
  result.usage = Usage{.steps = budget.steps_used(),
                       .peak_memory_bytes = budget.peak_memory_bytes(),
                       .output_bytes = budget.output_used(),
                       .cpu = cpu};
  const LimitKind limit = budget.stopped_by();
  if (limit != LimitKind::kNone) {
    result.termination.reason = ReasonOf(limit);
    result.termination.limit = LimitName(limit);
    switch (limit) {
      case LimitKind::kSteps: result.termination.peak = result.usage.steps; break;
      case LimitKind::kMemory: result.termination.peak = std::max(result.usage.peak_memory_bytes, budget.limits().memory_bytes); break;
      case LimitKind::kOutput: result.termination.peak = result.usage.output_bytes; break;
      case LimitKind::kTime: result.termination.peak = static_cast<uint64_t>(result.duration.count()); break;
      case LimitKind::kCpuTime: result.termination.peak = static_cast<uint64_t>(cpu.count()); break;
      case LimitKind::kProcesses: result.termination.peak = budget.limits().processes; break;
      default: break;
    }
    return;
  }
  if (!ended) {
    result.termination.reason = Termination::Reason::kInfra;
    return;
  }
  result.exit_code = ended->status;
  if (ended->signal != 0) {
    result.termination.reason = Termination::Reason::kSignal;
    result.termination.signal = ended->signal;
  }
}

}  // namespace

VirtualHost::VirtualHost(std::span<const Command* const> commands) : programs(commands) {
  base = vfs::BaseTree::Make(*MakeBaseTree(SystemClock(), programs.ProgramNames(), SandboxSpec{}));
  clock.real_minus_monotonic = SystemClock().RealNow() - SystemClock().MonotonicNow();
  vfs::RandomSeed seed{};
  FillRandom(seed);
  dev = vfs::MakeDevVolume(seed, SystemClock().RealNow());
}

VirtualSandbox::VirtualSandbox(std::shared_ptr<VirtualHost> host, SandboxSpec spec,
                               std::shared_ptr<const vfs::BaseTree> base, std::shared_ptr<vfs::MemoryVolume> root,
                               std::shared_ptr<vfs::ExtentSource> extents)
    : host_(std::move(host)), id_(NewId()), spec_(std::move(spec)), base_(std::move(base)), root_(std::move(root)), saved_files_(std::move(extents)) {
  auto names = std::make_unique<vfs::Namespace>(root_);
  kernel_ = std::make_unique<proc::Kernel>(std::move(names), SystemClock(), waiter_);
  kernel_->set_hostname(spec_.hostname);
  root_->set_scheduler(&kernel_->scheduler());
  root_->set_quota(vfs::Quota{.bytes = spec_.disk_bytes, .inodes = spec_.disk_inodes});
  kernel_->set_on_visit([this] { Visit(); });
  view_ = std::make_unique<vfs::View>(kernel_->names(), SystemClock(), vfs::Credentials{spec_.uid, spec_.gid}, 022);
}

VirtualSandbox::~VirtualSandbox() {
  // Fibers of background processes hold shells that refer to the kernel: end them first.
  kernel_->EndAll();
  state_.reset();
}

void VirtualSandbox::Give(std::shared_ptr<NetworkDoor> door) {
  if (door == nullptr) return;
  door_ = std::move(door);
  network_ = std::make_unique<VirtualNetwork>(*door_, *kernel_, waiter_);
  kernel_->set_network(network_.get());
}

void VirtualSandbox::AddVariables(Environment& environment) const {
  if (door_ == nullptr) return;
  for (const auto& [name, placeholder] : door_->Placeholders()) environment.Set(name, placeholder);
}

void VirtualSandbox::TellDenials(std::function<void(const std::string&)> listener) {
  if (door_ != nullptr) door_->denials().Tell(std::move(listener));
}

Status VirtualSandbox::Mount(const std::vector<SavedStep>& steps, const VirtualSandbox* original) {
  PADDOCK_ASSIGN(const SavedFiles::Steps files, SavedFiles::Split(steps));
  PADDOCK_TRY(saved_files_.Add(root_, base_, files));
  PADDOCK_TRY(kernel_->names().Mount("/dev", host_->dev));
  PADDOCK_TRY(kernel_->names().Mount("/proc", MakeProcFiles(*kernel_, spec_)));
  for (const MountSpec& mount : spec_.mounts) PADDOCK_TRY(MountHost(mount, files, original));
  PADDOCK_TRY(saved_files_.CheckAllUsed(files));
  if (!spec_.working_directory.empty()) PADDOCK_TRY(MakeWorkingDirectory());
  return RestoreShell(steps);
}

Status VirtualSandbox::FitPrograms(const std::vector<std::string>& network_programs) {
  vfs::View root(kernel_->names(), SystemClock(), vfs::Credentials{0, 0}, 022);
  for (const char* directory : {"/usr/bin", "/bin"}) {
    const auto found = root.Stat(directory);
    if (!found || found->type != vfs::FileType::kDirectory) continue;   // what its owner removed stays away
    for (const std::string& program : network_programs) {
      const std::string path = vfs::JoinPath(directory, program);
      const bool is_there = root.Stat(path, vfs::Follow::kNo).has_value();
      if (is_there == (door_ != nullptr)) continue;
      if (!is_there) {
        // A full disk must not keep a sandbox asleep.
        if (Status written = vfs::WriteFile(root, path, shell::ShellHost::ProgramFile(program), 0755); !written && written.error().code != Code::kNoSpace) return written;
      } else if (const auto content = vfs::ReadFile(root, path, 256); content && shell::ProgramName(*content) == program) {
        PADDOCK_TRY(root.RemoveFile(path));
      }
    }
  }
  return {};
}

Status VirtualSandbox::MakeWorkingDirectory() {
  const std::string& path = spec_.working_directory;
  if (!path.starts_with('/')) return Error(Code::kInvalid, "working directory '" + path + "' must be an absolute path");
  vfs::View root(kernel_->names(), SystemClock(), vfs::Credentials{0, 0}, 022);
  if (!root.Stat(path)) {
    PADDOCK_TRY(vfs::MakeDirectories(root, path, 0755));
    PADDOCK_TRY(root.SetOwner(path, spec_.uid, spec_.gid));
  }
  return view_->ChangeDirectory(path, path);
}

void VirtualSandbox::ForgetShell() {
  state_.reset();
  cwd_.clear();
  umask_ = 022;
  resource_limits_.clear();
}

Result<std::unique_ptr<Process>> VirtualSandbox::Start(ExecSpec spec, StdinSource input, OutputHandler handler) {
  if (is_running_) return Error(Code::kBusy, "sandbox " + id_ + " is running another exec");
  if (spec.script.has_value() == !spec.command.empty()) {
    return Error(Code::kInvalid, "an exec needs either a script or a command");
  }
  if (!spec.cwd.empty()) {
    const auto found = view_->Stat(spec.cwd);
    if (!found) return Error(found.error().code, "cwd " + spec.cwd + ": " + std::string(found.error().Text()));
    if (!found->is_directory()) return Error(Code::kNotDirectory, "cwd " + spec.cwd + " is not a directory");
  }
  is_running_ = true;
  AddVariables(spec.environment);
  if (spec.terminal) return std::unique_ptr<Process>(std::make_unique<VirtualTerminalProcess>(*this, std::move(spec), std::move(input), std::move(handler)));
  return std::unique_ptr<Process>(
      std::make_unique<VirtualProcess>(*this, std::move(spec), std::move(input), std::move(handler)));
}

Result<std::unique_ptr<ShellSession>> VirtualSandbox::OpenShell(SessionSpec spec, OutputHandler output) {
  if (is_running_) return Error(Code::kBusy, "sandbox " + id_ + " is running another exec");
  if (!spec.cwd.empty()) PADDOCK_TRY(view_->Stat(spec.cwd));
  is_running_ = true;
  AddVariables(spec.environment);
  return std::unique_ptr<ShellSession>(std::make_unique<VirtualShell>(*this, std::move(spec), std::move(output)));
}

Result<std::unique_ptr<Sandbox>> VirtualSandbox::Fork() {
  auto fork = std::make_unique<VirtualSandbox>(host_, spec_, base_, root_->Fork());
  fork->Give(door_);
  PADDOCK_TRY(fork->Mount({}, this));
  fork->state_ = state_;
  fork->cwd_ = cwd_;
  fork->umask_ = umask_;
  fork->resource_limits_ = resource_limits_;
  return std::unique_ptr<Sandbox>(std::move(fork));
}

ExecResult VirtualSandbox::Run(Exec exec) {
  ExecResult result;
  const Nanoseconds started = SystemClock().MonotonicNow();
  OutputRoute& route = *route_;
  route.dropped_bytes = 0;
  route.handler = exec.handler ? std::move(exec.handler) : [&result](Stream stream, std::string_view bytes) {
    (stream == Stream::kStdout ? result.stdout_text : result.stderr_text).append(bytes);
  };
  kernel_->set_budget(&exec.budget);
  exec.budget.StartClock(&meter_);
  is_inside_ = true;
  const auto prepare = [&](proc::Process& process) {
    process.set_arguments({"bash"});
    process.files().set_umask(umask_);
    process.set_resource_limits(resource_limits_);
    const std::string first = spec_.working_directory.empty() ? "/home/" + spec_.user : spec_.working_directory;
    const std::string& cwd = !exec.cwd.empty() ? exec.cwd : !cwd_.empty() ? cwd_ : first;
    [[maybe_unused]] const Status ignored = process.files().ChangeDirectory(cwd, cwd);
    exec.prepare(process);
  };
  const int pid =
      kernel_->StartInitial(vfs::Credentials{spec_.uid, spec_.gid}, prepare, std::move(exec.body), kShellPid).pid();
  const bool waits = exec.waits_for_background;
  kernel_->RunUntil([&] {
    const proc::Process* initial = kernel_->Find(pid);
    const bool has_ended = initial == nullptr || initial->state() == proc::Process::State::kExited;
    return has_ended && (!waits || !kernel_->HasLiveProcesses());
  });
  const auto ended = kernel_->TakeInitial(pid);
  kernel_->set_budget(nullptr);
  is_inside_ = false;
  route.handler = nullptr;
  result.dropped_bytes = route.dropped_bytes;
  result.duration = SystemClock().MonotonicNow() - started;
  NoteDisk();
  if (door_ != nullptr) result.denials = door_->TakeDenials();
  FillResult(exec.budget, exec.budget.StopClock(), ended, result);
  return result;
}

Measured VirtualSandbox::Measure() const {
  Measured measured{.cpu = Nanoseconds(meter_.cpu_nanoseconds.load(std::memory_order_relaxed)),
                    .memory_bytes = meter_.memory_bytes.load(std::memory_order_relaxed),
                    .disk_bytes = disk_bytes_.load(std::memory_order_relaxed)};
  if (door_ != nullptr) {
    const egress::Traffic traffic = door_->traffic();
    measured.network_in_bytes = traffic.in_bytes;
    measured.network_out_bytes = traffic.out_bytes;
  }
  return measured;
}

void VirtualSandbox::NoteDisk() const { disk_bytes_.store(root_->Space().used_bytes, std::memory_order_relaxed); }

void VirtualSandbox::WhenStill(std::function<void()> visit) {
  {
    const std::lock_guard lock(visits_mutex_);
    constexpr size_t kMostVisits = 4096;   // more than wait at once: the oldest have given up
    if (visits_.size() >= kMostVisits) visits_.erase(visits_.begin());
    visits_.push_back(std::move(visit));
  }
  kernel_->RequestVisit();
  waiter_.Interrupt();
}

// Of the exec's thread, outside of fibers: to visitors it is as if none ran.
void VirtualSandbox::Visit() {
  std::vector<std::function<void()>> visits;
  {
    const std::lock_guard lock(visits_mutex_);
    visits.swap(visits_);
  }
  is_inside_ = false;
  for (const auto& visit : visits) visit();
  is_inside_ = true;
}

void VirtualSandbox::Keep(std::shared_ptr<const shell::Shell> state, proc::Process& process) {
  cwd_ = process.files().cwd();
  umask_ = process.files().umask();
  resource_limits_ = process.resource_limits();
  state_ = std::move(state);
}

Status VirtualSandbox::MountHost(const MountSpec& mount, const SavedFiles::Steps& steps, const VirtualSandbox* original) {
  const auto access = mount.mode == MountMode::kReadWrite ? vfs::HostAccess::kReadWrite : vfs::HostAccess::kReadOnly;
  auto volume = vfs::MakeHostVolume(mount.host, access);
  if (!volume) {
    return Error(volume.error().code, "cannot mount " + mount.host + ": " + std::string(volume.error().Text()));
  }
  vfs::VolumePtr mounted = std::move(*volume);
  if (mount.mode == MountMode::kOverlay) {
    const size_t number = saved_files_.size();
    const auto base = original != nullptr
                          ? original->saved_files_.base(number)
                          : vfs::BaseTree::Make(vfs::MemoryVolume(SystemClock(), vfs::Quota{.bytes = spec_.disk_bytes}));
    auto upper = original != nullptr ? original->saved_files_.volume(number).Fork() : base->Fork();
    upper->set_scheduler(&kernel_->scheduler());
    PADDOCK_TRY(saved_files_.Add(upper, base, steps));
    mounted = vfs::MakeOverlayVolume(std::move(mounted), std::move(upper));
  }
  vfs::View root(kernel_->names(), SystemClock(), vfs::Credentials{0, 0}, 022);
  PADDOCK_TRY(vfs::MakeDirectories(root, mount.guest));
  return kernel_->names().Mount(mount.guest, std::move(mounted));
}

}  // namespace paddock::sandbox
