#include "drivers/virtual/virtual_driver.h"

#include <atomic>
#include <cstdio>
#include <random>

#include "base/budget.h"
#include "drivers/virtual/base_tree.h"
#include "drivers/virtual/streams.h"
#include "io/poll_waiter.h"
#include "proc/kernel.h"
#include "shell/exec/jobs.h"
#include "shell/exec/program.h"
#include "shell/shell.h"
#include "vfs/host/host_volume.h"
#include "vfs/memory_volume.h"
#include "vfs/overlay_volume.h"
#include "vfs/special_volumes.h"

namespace paddock::sandbox {
namespace {

constexpr int kShellPid = 42;   // of a sandbox's shell, in every exec

std::string NewId() {
  static std::atomic<uint64_t> counter{std::random_device{}()};
  char text[24];
  std::snprintf(text, sizeof text, "sbx_%012llx",
                static_cast<unsigned long long>(counter.fetch_add(0x9E3779B97F4A7C15ull) >> 16));
  return text;
}

// What the sandboxes of one driver share.
struct Shared {
  explicit Shared(std::span<const Command* const> commands) : host(commands) {
    base = MakeBaseTree(SystemClock(), host.ProgramNames(), SandboxSpec{});
    vfs::RandomSeed seed{};
    std::random_device device;
    for (uint8_t& byte : seed) byte = static_cast<uint8_t>(device());
    dev = vfs::MakeDevVolume(seed, SystemClock().RealNow());
  }
  shell::ShellHost host;
  std::shared_ptr<vfs::MemoryVolume> base;   // of a default SandboxSpec
  vfs::VolumePtr dev;
};

Termination::Reason ReasonOf(LimitKind limit) {
  switch (limit) {
    case LimitKind::kSteps: return Termination::Reason::kCpu;
    case LimitKind::kMemory: return Termination::Reason::kOom;
    case LimitKind::kOutput: return Termination::Reason::kOutputCap;
    case LimitKind::kTime: return Termination::Reason::kTimeout;
    case LimitKind::kDepth: return Termination::Reason::kDepth;
    case LimitKind::kProcesses: return Termination::Reason::kPids;
    case LimitKind::kDisk: return Termination::Reason::kDisk;
    case LimitKind::kCancelled: return Termination::Reason::kCancelled;
    case LimitKind::kDeadlock: return Termination::Reason::kDeadlock;
    case LimitKind::kNone: break;
  }
  return Termination::Reason::kExit;
}

class VirtualSandbox;

class VirtualProcess final : public Process {
 public:
  VirtualProcess(VirtualSandbox& sandbox, ExecSpec spec, StdinSource input, OutputHandler handler);
  ExecResult Wait() override;
  void Cancel() override;

 private:
  int RunInside(proc::Process& process);
  void FillResult(ExecResult& result, std::optional<proc::WaitStatus> ended) const;

  VirtualSandbox& sandbox_;
  ExecSpec spec_;
  StdinSource input_;
  OutputHandler handler_;
  Budget budget_;
};

class VirtualSandbox final : public Sandbox, public Forkable {
 public:
  VirtualSandbox(std::shared_ptr<Shared> shared, SandboxSpec spec, std::shared_ptr<vfs::MemoryVolume> root)
      : shared_(std::move(shared)), id_(NewId()), spec_(std::move(spec)), root_(std::move(root)) {
    auto names = std::make_unique<vfs::Namespace>(root_);
    kernel_ = std::make_unique<proc::Kernel>(std::move(names), SystemClock(), waiter_);
    kernel_->set_hostname(spec_.hostname);
    root_->set_scheduler(&kernel_->scheduler());
    root_->set_quota(vfs::Quota{.bytes = spec_.disk_bytes, .inodes = spec_.disk_inodes});
    view_ = std::make_unique<vfs::View>(kernel_->names(), SystemClock(), vfs::Credentials{spec_.uid, spec_.gid}, 022);
  }

  ~VirtualSandbox() override {
    // Fibers of background processes hold shells that refer to the kernel: end them first.
    kernel_->EndAll();
    state_.reset();
  }

  Status Mount() {
    PADDOCK_TRY(kernel_->names().Mount("/dev", shared_->dev));
    PADDOCK_TRY(kernel_->names().Mount("/proc", MakeProc()));
    for (const MountSpec& mount : spec_.mounts) PADDOCK_TRY(MountHost(mount));
    return {};
  }

  const std::string& id() const override { return id_; }

  Result<std::unique_ptr<Process>> Start(ExecSpec spec, StdinSource input, OutputHandler handler) override {
    if (is_running_) return Error(Code::kBusy, "sandbox " + id_ + " is running another exec");
    if (spec.script.has_value() == !spec.command.empty()) {
      return Error(Code::kInvalid, "an exec needs either a script or a command");
    }
    is_running_ = true;
    return std::unique_ptr<Process>(
        std::make_unique<VirtualProcess>(*this, std::move(spec), std::move(input), std::move(handler)));
  }

  vfs::FileSystem& files() override { return *view_; }

  Result<std::unique_ptr<Sandbox>> Fork() override {
    auto fork = std::make_unique<VirtualSandbox>(shared_, spec_, root_->Fork());
    PADDOCK_TRY(fork->Mount());
    fork->state_ = state_;
    fork->cwd_ = cwd_;
    fork->umask_ = umask_;
    return std::unique_ptr<Sandbox>(std::move(fork));
  }

 private:
  friend class VirtualProcess;

  vfs::VolumePtr MakeProc() {
    proc::Kernel* kernel = kernel_.get();
    vfs::ProcSource source;
    source.pids = [kernel] {
      std::vector<int> pids;
      for (const proc::Process* process : kernel->List()) pids.push_back(process->pid());
      return pids;
    };
    source.self = [kernel] { return kernel->current() == nullptr ? 0 : kernel->current()->pid(); };
    source.file = [kernel](int pid, std::string_view name) -> Result<std::string> {
      proc::Process* process = kernel->Find(pid);
      if (process == nullptr) return Code::kNoEntry;
      const std::string command = process->arguments().empty() ? "bash" : vfs::BaseName(process->arguments()[0]);
      if (name == "comm") return command + "\n";
      if (name == "cmdline") {
        std::string text;
        for (const std::string& argument : process->arguments()) text += argument + '\0';
        return text;
      }
      if (name == "status") {
        return "Name:\t" + command + "\nState:\tR (running)\nPid:\t" + std::to_string(pid) + "\nPPid:\t" +
               std::to_string(process->parent_pid()) + "\nUid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n";
      }
      if (name == "stat") {
        return std::to_string(pid) + " (" + command + ") R " + std::to_string(process->parent_pid()) + " " +
               std::to_string(process->group()) + " 0 0 -1 0\n";
      }
      if (name == "cwd") return process->files().cwd();
      return Code::kNoEntry;
    };
    const auto fixed = [](const char* text) { return [text] { return std::string(text); }; };
    std::vector<vfs::GeneratedFile> files = {
        {"version", fixed("Linux version 6.1.0 (paddock) #1 SMP\n")},
        {"cpuinfo", fixed("processor\t: 0\nmodel name\t: Paddock virtual CPU\n")},
        {"meminfo", fixed("MemTotal:        1048576 kB\nMemFree:          524288 kB\nMemAvailable:     786432 kB\n")},
        {"uptime", fixed("1.00 1.00\n")},
        {"loadavg", fixed("0.00 0.00 0.00 1/1 1\n")},
    };
    return vfs::MakeProcVolume(std::move(source), std::move(files));
  }

  Status MountHost(const MountSpec& mount) {
    const auto access = mount.mode == MountMode::kReadWrite ? vfs::HostAccess::kReadWrite : vfs::HostAccess::kReadOnly;
    auto volume = vfs::MakeHostVolume(mount.host, access);
    if (!volume) {
      return Error(volume.error().code, "cannot mount " + mount.host + ": " + std::string(volume.error().Text()));
    }
    vfs::VolumePtr mounted = std::move(*volume);
    if (mount.mode == MountMode::kOverlay) {
      auto upper = std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{.bytes = spec_.disk_bytes});
      upper->set_scheduler(&kernel_->scheduler());
      mounted = vfs::MakeOverlayVolume(std::move(mounted), std::move(upper));
    }
    vfs::View root(kernel_->names(), SystemClock(), vfs::Credentials{0, 0}, 022);
    PADDOCK_TRY(vfs::MakeDirectories(root, mount.guest));
    return kernel_->names().Mount(mount.guest, std::move(mounted));
  }

  std::shared_ptr<Shared> shared_;
  std::string id_;
  SandboxSpec spec_;
  std::shared_ptr<vfs::MemoryVolume> root_;
  io::PollWaiter waiter_;
  std::unique_ptr<proc::Kernel> kernel_;
  std::unique_ptr<vfs::View> view_;
  std::shared_ptr<OutputRoute> route_ = std::make_shared<OutputRoute>();
  // The shell as the last exec left it, and where it stood. Only copied from, never run: the process it
  // names is gone.
  std::shared_ptr<const shell::Shell> state_;
  std::string cwd_;
  uint32_t umask_ = 022;
  bool is_running_ = false;
};

VirtualProcess::VirtualProcess(VirtualSandbox& sandbox, ExecSpec spec, StdinSource input, OutputHandler handler)
    : sandbox_(sandbox),
      spec_(std::move(spec)),
      input_(std::move(input)),
      handler_(std::move(handler)),
      budget_(spec_.limits, SystemClock()) {}

void VirtualProcess::Cancel() {
  budget_.Cancel();
  sandbox_.waiter_.Interrupt();
}

int VirtualProcess::RunInside(proc::Process& process) {
  const shell::ShellHost& host = sandbox_.shared_->host;
  if (!spec_.command.empty()) {
    shell::Shell shell(process, host, spec_.environment);
    shell.name0 = "paddock";
    return shell.Finish(shell.CallWords(spec_.command, {.skip_functions = true}));
  }
  auto shell = sandbox_.state_ && spec_.keeps_state
                   ? std::make_shared<shell::Shell>(*sandbox_.state_, process, shell::Shell::Continue{})
                   : std::make_shared<shell::Shell>(process, host, spec_.environment);
  shell->name0 = spec_.name0;
  shell->reads_command_string = !spec_.is_file;
  if (spec_.is_file) shell->frames.front().source = spec_.name0;
  else shell->SetShellVariable("BASH_EXECUTION_STRING", *spec_.script);
  if (!spec_.arguments.empty() || !spec_.keeps_state) shell->SetPositionals(spec_.arguments);
  int status = shell->RunScript(*spec_.script);
  const bool has_exited = shell->flow == shell::Flow::kExit;
  if (!spec_.keeps_state || has_exited) status = shell->Finish(status);
  if (spec_.keeps_state) {
    shell->flow = shell::Flow::kNone;
    sandbox_.cwd_ = process.files().cwd();
    sandbox_.umask_ = process.files().umask();
    sandbox_.state_ = std::move(shell);
  }
  return status;
}

ExecResult VirtualProcess::Wait() {
  ExecResult result;
  const Nanoseconds started = SystemClock().MonotonicNow();
  proc::Kernel& kernel = *sandbox_.kernel_;
  OutputRoute& route = *sandbox_.route_;
  route.dropped_bytes = 0;
  route.handler = handler_ ? handler_ : [&result](Stream stream, std::string_view bytes) {
    (stream == Stream::kStdout ? result.stdout_text : result.stderr_text).append(bytes);
  };
  kernel.set_budget(&budget_);
  const vfs::Credentials who{sandbox_.spec_.uid, sandbox_.spec_.gid};
  const auto prepare = [&](proc::Process& process) {
    proc::DescriptorTable& descriptors = process.descriptors();
    descriptors.Set(0, MakeInputFile(kernel, sandbox_.waiter_, std::move(input_)));
    descriptors.Set(1, MakeOutputFile(kernel, sandbox_.route_, Stream::kStdout, false));
    descriptors.Set(2, MakeOutputFile(kernel, sandbox_.route_, Stream::kStderr, false));
    process.set_arguments({"bash"});
    process.files().set_umask(sandbox_.umask_);
    const std::string home = "/home/" + sandbox_.spec_.user;
    const std::string& cwd = !spec_.cwd.empty() ? spec_.cwd : !sandbox_.cwd_.empty() ? sandbox_.cwd_ : home;
    [[maybe_unused]] const Status ignored = process.files().ChangeDirectory(cwd, cwd);
  };
  const int pid =
      kernel.StartInitial(who, prepare, [this](proc::Process& process) { return RunInside(process); }, kShellPid).pid();
  const bool waits = spec_.waits_for_background;
  kernel.RunUntil([&] {
    const proc::Process* initial = kernel.Find(pid);
    const bool has_ended = initial == nullptr || initial->state() == proc::Process::State::kExited;
    return has_ended && (!waits || !kernel.HasLiveProcesses());
  });
  const auto ended = kernel.TakeInitial(pid);
  kernel.set_budget(nullptr);
  route.handler = nullptr;
  result.dropped_bytes = route.dropped_bytes;
  result.duration = SystemClock().MonotonicNow() - started;
  FillResult(result, ended);
  sandbox_.is_running_ = false;
  return result;
}

void VirtualProcess::FillResult(ExecResult& result, std::optional<proc::WaitStatus> ended) const {
  result.usage = Usage{.steps = budget_.steps_used(),
                       .peak_memory_bytes = budget_.peak_memory_bytes(),
                       .output_bytes = budget_.output_used()};
  const LimitKind limit = budget_.stopped_by();
  if (limit != LimitKind::kNone) {
    result.termination.reason = ReasonOf(limit);
    result.termination.limit = LimitName(limit);
    switch (limit) {
      case LimitKind::kSteps: result.termination.peak = result.usage.steps; break;
      case LimitKind::kMemory: result.termination.peak = std::max(result.usage.peak_memory_bytes, budget_.limits().memory_bytes); break;
      case LimitKind::kOutput: result.termination.peak = result.usage.output_bytes; break;
      case LimitKind::kTime: result.termination.peak = static_cast<uint64_t>(result.duration.count()); break;
      case LimitKind::kProcesses: result.termination.peak = budget_.limits().processes; break;
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

class VirtualDriver final : public Driver {
 public:
  explicit VirtualDriver(std::span<const Command* const> commands) : shared_(std::make_shared<Shared>(commands)) {}
  const char* name() const override { return "virtual"; }

  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override {
    const SandboxSpec defaults;
    const bool is_default = spec.user == defaults.user && spec.uid == defaults.uid && spec.gid == defaults.gid &&
                            spec.hostname == defaults.hostname;
    auto root = is_default ? shared_->base->Fork() : MakeBaseTree(SystemClock(), shared_->host.ProgramNames(), spec);
    auto sandbox = std::make_unique<VirtualSandbox>(shared_, spec, std::move(root));
    PADDOCK_TRY(sandbox->Mount());
    return std::unique_ptr<Sandbox>(std::move(sandbox));
  }

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace

std::unique_ptr<Driver> MakeVirtualDriver(std::span<const Command* const> commands) {
  return std::make_unique<VirtualDriver>(commands);
}

}  // namespace paddock::sandbox
