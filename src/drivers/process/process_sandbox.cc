#include "drivers/process/process_sandbox.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>

#include "base/random.h"

#include "drivers/process/guest_watch.h"
#include "drivers/process/process_exec.h"

namespace paddock::process_wall {
namespace {

// Unique also among processes that share the cgroup tree but not the process ids.
std::string NewId() {
  std::array<uint8_t, 8> bytes{};
  FillRandom(bytes);
  std::string id = "paddock-";
  for (const uint8_t byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

// A disk of that size would have about as many.
std::optional<uint64_t> FilesBound(const policy::ResourceLimits& limits) {
  constexpr uint64_t kBytesPerFile = 16384;   // as mke2fs plans
  if (limits.files || !limits.disk_bytes) return limits.files;
  return std::max<uint64_t>(*limits.disk_bytes / kBytesPerFile, 1000);
}

}  // namespace

Result<std::unique_ptr<ProcessSandbox>> ProcessSandbox::Create(const sandbox::SandboxSpec& spec, const std::string& root_store, HostFacts facts,
                                                               const std::vector<CgroupTree>& cgroups, WallZygote& zygote) {
  if (!spec.policy) return Error(Code::kInvalid, "the process wall needs a policy; name a preset");
  if (!spec.working_directory.empty()) return Error(Code::kInvalid, "the process wall starts in its policy's workspace; set that");
  std::unique_ptr<ProcessSandbox> sandbox(new ProcessSandbox(spec, root_store, std::move(facts)));   // allow(raw-new): private constructor
  PADDOCK_TRY(sandbox->StandUp(cgroups, zygote));
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

Status ProcessSandbox::StandUp(const std::vector<CgroupTree>& cgroups, WallZygote& zygote) {
  const policy::Policy& policy = *spec_.policy;
  id_ = NewId();
  // From here on the zygote ends what we leave. The wall's namespaces are made while the rest is prepared.
  group_ = std::make_shared<ControlGroup>(ControlGroup::Prepare(
      cgroups, id_, {.memory_bytes = policy.limits.memory_bytes, .processes = policy.limits.processes, .cpus = policy.limits.cpus}));
  PADDOCK_ASSIGN(Wall wall, zygote.Reserve(group_->Candidates()));
  wall_ = std::make_unique<Wall>(std::move(wall));
  PlanContext context;
  context.order = MakeWallOrder(policy, facts_);
  // A v2 group takes its processes when they are born.
  if (group_->may_be_v2()) group_->Make();
  PADDOCK_TRY(zygote.Launch(*wall_, context.order, group_->v2_directory()));
  if (!group_->may_be_v2()) group_->Make();
  warnings_.insert(warnings_.end(), group_->missing().begin(), group_->missing().end());
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
  plan.cgroups = group_->v1_directories();
  PADDOCK_TRY(WatchDisk());
  PADDOCK_TRY(wall_->Build(plan));
  group_->Release();
  if (overlay_) PADDOCK_TRY(overlay_->NoteWall(wall_->pid()));
  if (disk_) disk_->SetInit(wall_->pid());
  if (workspace_) workspace_->NoteWall(wall_->pid());
  warnings_.insert(warnings_.end(), wall_->warnings().begin(), wall_->warnings().end());
  if (network_) PADDOCK_TRY(network_->Connect(*wall_));
  const int control = wall_->TakeControl().Release();
  PADDOCK_ASSIGN(client_, guest::Client::Connect(control, control, guest::In(std::chrono::seconds(10))));
  OpenFiles(plan);
  if (!policy.network.publish.empty()) {
    PADDOCK_ASSIGN(published_, PublishedPorts::Open(client_, policy.network.publish));
    client_->StartReader();   // connections must flow also while nobody waits for an exec
  }
  return {};
}

ProcessSandbox::~ProcessSandbox() { Close(); }

std::vector<std::string> ProcessSandbox::Close() {
  published_.reset();
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
  return {.cpu = std::chrono::nanoseconds(counted != 0 ? counted : use.cpu_nanoseconds), .memory_bytes = use.memory_bytes};
}

Result<std::unique_ptr<sandbox::FileWatch>> ProcessSandbox::Watch(const std::string& path, bool is_recursive) {
  PADDOCK_ASSIGN(auto watch, client_->files().Watch({.path = path, .is_recursive = is_recursive}, guest::In(std::chrono::seconds(30))));
  return std::unique_ptr<sandbox::FileWatch>(std::make_unique<GuestFileWatch>(std::move(watch), path));
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
  guest::ExecRequest request;
  if (spec.script) {
    request.arguments = {"bash", "-c", std::move(*spec.script), spec.name0};
    request.arguments.insert(request.arguments.end(), spec.arguments.begin(), spec.arguments.end());
  } else if (!spec.command.empty()) {
    request.arguments = std::move(spec.command);
  } else {
    return Error(Code::kInvalid, "neither a script nor a command");
  }
  request.environment = MakeEnvironment(spec.environment);
  request.directory = spec.cwd.empty() ? WorkspacePath(spec_.policy->files) : spec.cwd;
  if (spec.terminal) {
    request.terminal = guest::TerminalSize{.rows = static_cast<uint16_t>(std::min(spec.terminal->lines, 0xffffu)),
                                           .columns = static_cast<uint16_t>(std::min(spec.terminal->columns, 0xffffu))};
  }
  std::optional<std::chrono::nanoseconds> cpu_time;
  if (spec.limits.cpu_time.count() > 0) {
    // The watch ends the exec at its bound; the kernel a process that gets beyond that between two looks.
    cpu_time = spec.limits.cpu_time;
    const auto seconds = static_cast<uint64_t>(std::chrono::ceil<std::chrono::seconds>(*cpu_time).count());
    request.limits.push_back({.resource = RLIMIT_CPU, .soft = seconds + 1, .hard = seconds + 2});
  }
  request.has_input = input.kind != sandbox::StdinSource::Kind::kEmpty;
  ProcessExec::Parts parts{.client = client_,
                           .group = group_,
                           .denials = denials_,
                           .flush = [network = network_] { if (network) network->engine().FlushEvents(); },
                           .input = std::move(input),
                           .handler = std::move(handler),
                           .limits = spec.limits,
                           .watch = MakeWatch(cpu_time),
                           .disk = disk_,
                           .init = wall_->pid(),
                           .waits_for_background = false,
                           .has_terminal = spec.terminal.has_value()};
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Process> process, ProcessExec::Start(std::move(parts), request));
  return process;
}

}  // namespace paddock::process_wall
