#include "drivers/process/process_sandbox.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>

#include "drivers/process/process_warden.h"
#include "guest/sandbox/file_watch.h"
#include "guest/sandbox/guest_exec.h"

namespace paddock::process_wall {
namespace {

// A disk of that size would have about as many.
std::optional<uint64_t> FilesBound(const policy::ResourceLimits& limits) {
  constexpr uint64_t kBytesPerFile = 16384;   // as mke2fs plans
  if (limits.files || !limits.disk_bytes) return limits.files;
  return std::max<uint64_t>(*limits.disk_bytes / kBytesPerFile, 1000);
}

GroupLimits LimitsOf(const policy::Policy& policy) {
  return {.memory_bytes = policy.limits.memory_bytes, .processes = policy.limits.processes, .cpus = policy.limits.cpus};
}

}  // namespace

Result<std::unique_ptr<ProcessSandbox>> ProcessSandbox::Create(const sandbox::SandboxSpec& spec, const std::string& root_store, HostFacts facts,
                                                               WallStock& stock) {
  if (!spec.policy) return Error(Code::kInvalid, "the process wall needs a policy; name a preset");
  if (!spec.working_directory.empty()) return Error(Code::kInvalid, "the process wall starts in its policy's workspace; set that");
  if (spec.wall_user) {
    if (spec.wall_user->uid == 0) return Error(Code::kInvalid, "the process wall has no root inside; choose another user");
    if (!spec.wall_user->name.empty()) facts.user = spec.wall_user->name;
  }
  std::unique_ptr<ProcessSandbox> sandbox(new ProcessSandbox(spec, root_store, std::move(facts)));   // allow(raw-new): private constructor
  PADDOCK_TRY(sandbox->StandUp(stock));
  return sandbox;
}

Status ProcessSandbox::WatchDisk() {
  const policy::ResourceLimits& limits = spec_.policy->limits;
  if (!limits.disk_bytes && !limits.files) return {};
  PADDOCK_ASSIGN(std::vector<DiskWatch::Tree> trees, OpenWritableTrees(spec_.policy->files));
  if (overlay_) {
    PADDOCK_ASSIGN(DiskWatch::Tree upper, overlay_->WatchedTree());
    trees.push_back(std::move(upper));
  }
  if (!root_store_.empty()) {
    Descriptor upper(open((root_store_ + "/upper").c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!upper.is_open()) return Error(static_cast<Code>(errno), "cannot open " + root_store_ + "/upper");
    trees.push_back({.directory = std::move(upper), .is_overlay = true});
  }
  if (!trees.empty()) {
    if (limits.disk_bytes && !limits.is_disk_usual) {
      warnings_.push_back("limits.disk is watched, not held by a quota of the file system: a fast writer is stopped some megabytes beyond it");
    }
    disk_ = std::make_shared<DiskWatch>(std::move(trees), DiskWatch::Bounds{.bytes = limits.disk_bytes, .files = FilesBound(limits)});
  }
  return {};
}

void ProcessSandbox::OpenFiles(const WallPlan& plan) {
  guest::GuestFileSystemOptions options;
  options.cwd = WorkspacePath(spec_.policy->files);
  options.credentials = {.uid = plan.uid, .gid = plan.gid};
  if (disk_) {
    options.may_grow = [disk = disk_]() -> Status { return disk->Look() ? Status(Code::kQuota) : Status(); };
  }
  files_ = std::make_unique<guest::GuestFileSystem>(client_->files(), std::move(options));
}

Status ProcessSandbox::StandUp(WallStock& stock) {
  const policy::Policy& policy = *spec_.policy;
  PADDOCK_ASSIGN(BegunWall begun, stock.Begin(MakeWallOrder(policy, facts_, spec_.wall_user), LimitsOf(policy), [&] { return MakeBaseSteps(policy, facts_); }));
  id_ = begun.id;
  group_ = begun.group;
  wall_ = std::move(begun.wall);
  warnings_.insert(warnings_.end(), group_->missing().begin(), group_->missing().end());
  PlanContext context;
  context.order = begun.order;
  context.base = std::move(begun.base);
  context.host_mounts = std::move(begun.host_mounts);
  context.mounts = spec_.mounts;
  context.root_store = root_store_;
  PADDOCK_ASSIGN(overlay_, OverlaySession::Begin(spec_, context));
  PADDOCK_ASSIGN(workspace_, WorkspaceGuard::Begin(policy.files, spec_.state_directory + "/paddock/quarantine/" + id_,
                                                     policy.files.home.empty() ? facts_.home : policy.files.home));
  if (workspace_) {
    workspace_->AddTo(context);
    warnings_.insert(warnings_.end(), workspace_->warnings().begin(), workspace_->warnings().end());
  }
  if (policy.network.mode != policy::NetworkMode::kNone) {
    PADDOCK_ASSIGN(std::unique_ptr<NetworkAccess> network, NetworkAccess::Start(policy, denials_));
    network_ = std::move(network);
    PADDOCK_TRY(network_->AddCertificates(context));
  }
  PADDOCK_ASSIGN(WallPlan plan, MakeWallPlan(policy, facts_, context));
  if (network_) network_->AddListeners(plan);
  plan.hostname = spec_.hostname;
  PADDOCK_TRY(WatchDisk());
  PADDOCK_TRY(wall_->Build(plan));
  group_->Release();
  if (overlay_) PADDOCK_TRY(overlay_->NoteWall(wall_->pid()));
  if (disk_) disk_->SetInit(wall_->pid());
  if (workspace_) workspace_->NoteWall(wall_->pid());
  warnings_.insert(warnings_.end(), wall_->warnings().begin(), wall_->warnings().end());
  if (Descriptor pipe = wall_->TakeDenials()) socket_denials_ = std::make_shared<SocketDenials>(std::move(pipe));
  if (network_) PADDOCK_TRY(network_->Connect(*wall_));
  stock.Note(context.order, LimitsOf(policy), context.base);
  const int control = wall_->TakeControl().Release();
  PADDOCK_ASSIGN(client_, guest::Client::Connect(control, control, guest::In(std::chrono::seconds(10))));
  OpenFiles(plan);
  if (!policy.network.publish.empty()) {
    PADDOCK_ASSIGN(bridge_, guest::StreamBridge::Start(client_));
    PADDOCK_ASSIGN(published_, guest::PublishPorts(*bridge_, policy.network.publish));
  }
  return {};
}

ProcessSandbox::~ProcessSandbox() { Close(); }

std::vector<std::string> ProcessSandbox::Close() {
  bridge_.reset();
  client_.reset();
  if (wall_) wall_->Destroy();
  if (network_) network_->engine().Stop();
  if (overlay_) {
    overlay_->End();
    overlay_.reset();
  }
  return workspace_ ? workspace_->Sweep() : std::vector<std::string>();
}

std::optional<UsageWatch> ProcessSandbox::MakeWatch(std::optional<std::chrono::nanoseconds> cpu_time) const {
  const policy::ResourceLimits& limits = spec_.policy->limits;
  UsageWatch::Bounds bounds;
  if (!group_->limits_memory()) bounds.memory_bytes = limits.memory_bytes;
  // RLIMIT_CPU holds for each process alone, and no cgroup counts it for all.
  bounds.cpu_time = cpu_time ? cpu_time : limits.cpu_time;
  if (!bounds.memory_bytes && !bounds.cpu_time) return std::nullopt;
  return UsageWatch(wall_->pid(), bounds);
}

sandbox::Measured ProcessSandbox::Measure() const {
  if (!wall_) return {};
  const WallUse use = MeasureWall(wall_->pid());
  const uint64_t counted = group_->CpuNanoseconds();   // of a group of its own, which misses nobody
  sandbox::Measured measured{.cpu = std::chrono::nanoseconds(counted != 0 ? counted : use.cpu_nanoseconds), .memory_bytes = use.memory_bytes};
  measured.disk_read_bytes = use.disk_read_bytes;
  measured.disk_written_bytes = use.disk_written_bytes;
  if (network_) {
    const egress::Traffic traffic = network_->engine().traffic();
    measured.network_in_bytes = traffic.in_bytes;
    measured.network_out_bytes = traffic.out_bytes;
  }
  return measured;
}

Result<std::unique_ptr<sandbox::FileWatch>> ProcessSandbox::Watch(const std::string& path, bool is_recursive) {
  PADDOCK_ASSIGN(auto watch, client_->files().Watch({.path = path, .is_recursive = is_recursive}, guest::In(std::chrono::seconds(30))));
  return std::unique_ptr<sandbox::FileWatch>(std::make_unique<guest::GuestFileWatch>(std::move(watch), path));
}

Status ProcessSandbox::UpdateNetwork(policy::NetworkRules rules) {
  if (!network_) return Error(Code::kInvalid, "the sandbox was made without a network; give it rules from the start");
  return network_->engine().UpdateRules(std::move(rules));
}

std::vector<std::string> ProcessSandbox::MakeEnvironment(const Environment& wanted) const {
  // Who and where the code is follows from the wall, whatever the host's variables say.
  Environment complete = wanted;
  if (!complete.Get("PATH")) complete.Set("PATH", "/usr/local/bin:/usr/bin:/bin");
  complete.Set("HOME", HomePath(spec_.policy->files));
  complete.Set("USER", facts_.user);
  complete.Set("LOGNAME", facts_.user);
  complete.Set("TMPDIR", "/tmp");
  if (network_) {
    for (auto& [name, value] : network_->Variables()) complete.Set(name, value);
  }
  std::vector<std::string> environment;
  for (const Environment::Variable& variable : complete.variables()) {
    environment.push_back(variable.name + "=" + variable.value);
  }
  return environment;
}

Result<std::unique_ptr<sandbox::Process>> ProcessSandbox::Start(sandbox::ExecSpec spec, sandbox::StdinSource input,
                                                                sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(guest::ExecRequest request, guest::MakeExecRequest(spec, input, "bash"));
  request.environment = MakeEnvironment(spec.environment);
  request.directory = spec.cwd.empty() ? WorkspacePath(spec_.policy->files) : spec.cwd;
  std::optional<std::chrono::nanoseconds> cpu_time;
  if (spec.limits.cpu_time.count() > 0) {
    // The watch ends the exec at its bound; the kernel a process that gets beyond that between two looks.
    cpu_time = spec.limits.cpu_time;
    const auto seconds = static_cast<uint64_t>(std::chrono::ceil<std::chrono::seconds>(*cpu_time).count());
    request.limits.push_back({.resource = RLIMIT_CPU, .soft = seconds + 1, .hard = seconds + 2});
  }
  ProcessWarden::Parts known{.group = group_,
                             .denials = denials_,
                             .flush = [network = network_, sockets = socket_denials_, log = denials_] {
                               if (network) network->engine().FlushEvents();
                               if (sockets) sockets->MoveTo(*log);
                             },
                             .watch = MakeWatch(cpu_time),
                             .disk = disk_,
                             .init = wall_->pid()};
  guest::GuestExec::Parts parts{.client = client_,
                                .warden = std::make_unique<ProcessWarden>(std::move(known)),
                                .input = std::move(input),
                                .handler = std::move(handler),
                                .limits = spec.limits,
                                .waits_for_background = false,
                                .has_terminal = spec.terminal.has_value()};
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Process> process, guest::GuestExec::Start(std::move(parts), request));
  return process;
}

}  // namespace paddock::process_wall
