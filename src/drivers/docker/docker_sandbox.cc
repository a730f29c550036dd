#include "drivers/docker/docker_sandbox.h"

#include <sys/utsname.h>

#include <algorithm>

#include "base/id.h"
#include "drivers/docker/agent_trouble.h"
#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/names.h"
#include "drivers/docker/engine/networks.h"
#include "drivers/docker/engine/volumes.h"
#include "drivers/docker/plain/file_script.h"
#include "drivers/docker/plain/plain_files.h"
#include "drivers/docker/seccomp_option.h"
#include "guest/sandbox/workspace_trees.h"

namespace paddock::docker {
namespace {

constexpr int64_t kOneCpu = 1'000'000'000;   // in nanocpus
constexpr std::chrono::seconds kMeasureTime{2};
constexpr std::chrono::seconds kAgentTime{60};   // a runtime of its own may boot a machine

// What the operator gives, or what the policy asks for where that is less.
void Lower(const policy::ResourceLimits& limits, ContainerSpec& plan) {
  if (limits.memory_bytes) plan.memory_bytes = std::min(plan.memory_bytes, *limits.memory_bytes);
  if (limits.processes) plan.pids = static_cast<int64_t>(std::min(static_cast<uint64_t>(plan.pids), *limits.processes));
  if (limits.cpus) plan.nano_cpus = std::min(plan.nano_cpus, static_cast<int64_t>(*limits.cpus * 1e9));
  if (limits.open_files) plan.open_files = std::min(plan.open_files, *limits.open_files);
  if (limits.file_bytes) plan.file_bytes = std::min(plan.file_bytes.value_or(*limits.file_bytes), *limits.file_bytes);
}

// The engine's machine, as the kernel calls it. One on a socket of this machine that has our own kind of images is on this machine, or on one
// like it; it is not asked, which takes Podman half a second. Were it another one, the container would not start.
Result<std::string> MachineOf(const Engine& engine, const std::string& image_architecture) {
  utsname own{};
  if (engine.endpoint().address.is_unix && uname(&own) == 0) {
    const std::string machine = own.machine;
    if ((machine == "x86_64" && image_architecture == "amd64") || (machine == "aarch64" && image_architecture == "arm64")) return machine;
  }
  PADDOCK_ASSIGN(const auto asked, engine.Machine());
  return asked->architecture;
}

// By its registered name: what it runs sees another kernel than the engine's.
bool HasOwnKernel(const std::string& runtime) {
  return runtime.find("runsc") != runtime.npos || runtime.find("gvisor") != runtime.npos || runtime.find("kata") != runtime.npos;
}

// That a deployment's things have; of one sandbox, unless `key` is empty.
std::vector<std::string> LabelsOf(const std::string& deployment, const std::string& key) {
  std::vector<std::string> labels{std::string(kManagedLabel) + "=paddock", std::string(kDeploymentLabel) + "=" + deployment};
  if (!key.empty()) labels.push_back(std::string(kSandboxLabel) + "=" + key);
  return labels;
}

Status CheckPolicy(const policy::Policy& policy) {
  const auto refuse = [](const std::string& what) { return Error(Code::kNotSupported, "a container cannot keep " + what); };
  if (!policy.files.paths.empty()) return refuse("rules for paths of the host (files.paths); none of its files are inside");
  if (!policy.files.workspace.empty()) return refuse("a workspace of the host (files.workspace); copy files in");
  if (policy.kernel.nested) return refuse("kernel.nested: sandboxes in the sandbox need capabilities");
  if (policy.limits.files) return refuse("limits.files: engines count bytes only; use limits.disk");
  return {};
}

// What this wall cannot do is refused by name.
Status CheckSpec(const sandbox::SandboxSpec& spec) {
  if (!spec.mounts.empty()) return Error(Code::kInvalid, "a container shows no directory of the host; copy files in");
  return spec.policy ? CheckPolicy(*spec.policy) : Status();
}

}  // namespace

DockerSandbox::DockerSandbox(std::shared_ptr<Workshop> workshop, Identity identity) : workshop_(std::move(workshop)), identity_(std::move(identity)) {
  labels_ = {{kManagedLabel, "paddock"}, {kDeploymentLabel, workshop_->settings.deployment}, {kSandboxLabel, identity_.key}};
}

Result<std::unique_ptr<DockerSandbox>> DockerSandbox::Create(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, Identity identity) {
  PADDOCK_TRY(CheckSpec(spec));
  std::unique_ptr<DockerSandbox> sandbox(new DockerSandbox(std::move(workshop), std::move(identity)));   // allow(raw-new): private constructor
  Status made = sandbox->Make(spec);
  if (made) made = sandbox->Furnish(spec.policy);
  if (!made) {
    sandbox->Discard();
    return made.error();
  }
  return sandbox;
}

Result<std::unique_ptr<DockerSandbox>> DockerSandbox::CreatePlain(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, Identity identity) {
  PADDOCK_TRY(CheckSpec(spec));
  std::unique_ptr<DockerSandbox> sandbox(new DockerSandbox(std::move(workshop), std::move(identity)));   // allow(raw-new): private constructor
  sandbox->is_plain_ = true;
  sandbox->labels_[kAgentLabel] = "none";
  if (const Status made = sandbox->Make(spec); !made) {
    sandbox->Discard();
    return made.error();
  }
  return sandbox;
}

Result<std::unique_ptr<DockerSandbox>> DockerSandbox::Prepare(const sandbox::SandboxSpec& kind, std::shared_ptr<Workshop> workshop, std::string key) {
  std::unique_ptr<DockerSandbox> sandbox(new DockerSandbox(std::move(workshop), {.key = std::move(key), .session = {}, .is_kept = true}));   // allow(raw-new): private constructor
  if (const Status made = sandbox->Make(kind); !made) {
    sandbox->Discard();
    return made.error();
  }
  return sandbox;
}

Status DockerSandbox::Claim(const sandbox::SandboxSpec& spec) {
  PADDOCK_TRY(CheckSpec(spec));
  const DockerSettings& settings = workshop_->settings;
  PADDOCK_ASSIGN(const std::string reference, ImageOf(spec.container, settings));
  PADDOCK_ASSIGN(const bool is_current, workshop_->images.IsStill(engine(), reference, settings.profile, plan_.image));
  if (!is_current) return Error(Code::kConflict, "the image has changed since the container was made");
  return Furnish(spec.policy);
}

std::function<void()> DockerSandbox::Renaming(const std::string& session) const {
  return [workshop = workshop_, id = container_id_, name = ContainerName("paddock", session, identity_.key)] {
    (void)RenameContainer(*workshop->engine, id, name);   // it may be gone
  };
}

Result<std::unique_ptr<DockerSandbox>> DockerSandbox::Reopen(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, const std::string& key) {
  PADDOCK_TRY(CheckSpec(spec));
  std::unique_ptr<DockerSandbox> sandbox(new DockerSandbox(std::move(workshop), {.key = key, .session = {}, .is_kept = true}));   // allow(raw-new): private constructor
  PADDOCK_TRY(sandbox->Find(key));
  PADDOCK_TRY(sandbox->Plan(spec));
  Status begun = sandbox->Begin(false);
  if (begun && !sandbox->is_plain_) begun = sandbox->Furnish(spec.policy);
  if (!begun) {
    sandbox->link_.reset();
    sandbox->plain_.reset();
    (void)StopContainer(sandbox->engine(), sandbox->container_id_, std::chrono::seconds(0));   // what is not as it should be does not run
    return begun.error();
  }
  return sandbox;
}

Status DockerSandbox::Plan(const sandbox::SandboxSpec& spec) {
  const DockerSettings& settings = workshop_->settings;
  ContainerSpec plan;
  plan.entrypoint = is_plain_ ? Keeper::Entrypoint() : std::vector<std::string>{kAgentProgram, "answers"};
  plan.working_directory = spec.working_directory.empty() ? kWorkspace : spec.working_directory;
  plan.hostname = spec.hostname;
  plan.labels = labels_;
  plan.removes_itself = !identity_.is_kept;
  if (!is_plain_) plan.volumes = {{.volume = workshop_->agent_volume, .target = kAgentDirectory, .is_read_only = true}};
  PADDOCK_ASSIGN(const std::string runtime, CheckRuntime(spec.container.runtime, settings));
  if (!runtime.empty()) {
    PADDOCK_ASSIGN(const auto machine, engine().Machine());
    PADDOCK_ASSIGN(plan.runtime, RegisteredRuntime(runtime, machine->runtimes, machine->default_runtime));
    // Podman takes no runtime by this way, and says nothing of the one that it took.
    if (engine().is_podman()) {
      if (plan.runtime != machine->default_runtime) {
        return Error(Code::kUnavailable, "runtime: Podman runs what its containers.conf says, which is '" + machine->default_runtime + "' and not '" + runtime + "'");
      }
      plan.runtime.clear();
      found_runtime_ = machine->default_runtime;
    }
  }
  plan.memory_bytes = settings.memory_bytes;
  plan.pids = settings.pids;
  plan.nano_cpus = settings.nano_cpus;
  disk_limit_ = settings.disk_bytes;
  if (spec.policy && spec.policy->limits.disk_bytes) disk_limit_ = std::min(disk_limit_.value_or(*spec.policy->limits.disk_bytes), *spec.policy->limits.disk_bytes);
  plan.file_bytes = disk_limit_;   // no one file alone can pass it
  if (spec.policy) Lower(spec.policy->limits, plan);
  if (plan.nano_cpus > kOneCpu) {   // more than there are is refused
    PADDOCK_ASSIGN(const auto machine, engine().Machine());
    plan.nano_cpus = std::min(plan.nano_cpus, kOneCpu * std::max(1, machine->cpus));
  }
  plan.needs_nproc_limit = engine().is_podman();
  if (settings.profile == Profile::kStrict) {
    user_ = UserOf(spec);
    plan.user = std::to_string(user_->uid) + ":" + std::to_string(user_->gid);
    plan.has_read_only_root = true;
    plan.tmpfs_bytes = std::min(settings.tmpfs_bytes, plan.memory_bytes);
    plan.volumes.push_back({.volume = identity_.is_kept ? "paddock-" + identity_.key : "", .target = kWorkspace});
  }
  plan_ = std::move(plan);
  return {};
}

Result<PreparedImage> DockerSandbox::Image(const sandbox::SandboxSpec& spec) {
  if (!identity_.root.empty()) return PreparedImage{.id = identity_.root, .architecture = {}};
  const DockerSettings& settings = workshop_->settings;
  PADDOCK_ASSIGN(const std::string reference, ImageOf(spec.container, settings));
  return workshop_->images.Get(engine(), reference, settings.profile, workshop_->progress);
}

Status DockerSandbox::Make(const sandbox::SandboxSpec& spec) {
  PADDOCK_TRY(Plan(spec));
  ContainerSpec& plan = plan_;
  const DockerSettings& settings = workshop_->settings;
  PADDOCK_ASSIGN(PreparedImage image, Image(spec));
  plan.image = std::move(image.id);
  for (const VolumeMount& mount : plan.volumes) {
    if (mount.target != kWorkspace || mount.volume.empty()) continue;
    PADDOCK_TRY(CreateVolume(engine(), mount.volume, labels_));
    volume_ = mount.volume;
  }
  if (settings.has_network) {
    PADDOCK_ASSIGN(network_id_, CreateNetwork(engine(), NetworkName(identity_.session, identity_.key), "", labels_));
    plan.network_id = network_id_;
    // Docker's own resolver passes questions on to a loopback resolver of the host, out of the isolated network (CVE-2024-29018); this one is inside.
    if (!engine().is_podman()) plan.resolver = "127.0.0.1";
  }
  if (disk_limit_ && !plan.has_read_only_root) {
    std::call_once(workshop_->quota_flag, [&] { workshop_->has_layer_quota = HasLayerQuota(engine(), plan.image); });
    if (workshop_->has_layer_quota) plan.disk_bytes = disk_limit_;
  }
  seccomp::RuntimeProfile profile{.allows_ptrace = spec.policy && spec.policy->kernel.ptrace, .allows_set_id = workshop_->settings.profile == Profile::kDev};
  PADDOCK_ASSIGN(const std::string machine, MachineOf(engine(), image.architecture));
  profile.architecture = machine;
  PADDOCK_ASSIGN(const SeccompOption option, SeccompOption::Make(engine(), profile, workshop_->settings.profile_directory));
  plan.seccomp = option.value();
  PADDOCK_ASSIGN(const Created created, CreateContainer(engine(), ContainerName("paddock", identity_.session, identity_.key), plan));
  container_id_ = created.id;
  warnings_ = created.warnings;
  return Begin(true);
}

Status DockerSandbox::Find(const std::string& key) {
  const std::vector<std::string> ours = LabelsOf(workshop_->settings.deployment, key);
  PADDOCK_ASSIGN(const auto containers, ListContainers(engine(), ours));
  if (containers.empty()) return Error(Code::kNoEntry, "the engine has no container of sandbox " + key + " any more: somebody else removed it");
  if (containers.size() > 1) return Error(Code::kConflict, "the engine has several containers of sandbox " + key);
  container_id_ = containers[0].id;
  is_plain_ = containers[0].labels.contains(kAgentLabel);
  if (is_plain_) labels_[kAgentLabel] = "none";
  // Whoever talked to its agent is not there any more, and nobody could go on in the midst of that.
  if (containers[0].state == ContainerState::kPaused) PADDOCK_TRY(UnpauseContainer(engine(), container_id_));
  if (containers[0].state == ContainerState::kPaused || containers[0].state == ContainerState::kRunning) PADDOCK_TRY(StopContainer(engine(), container_id_, std::chrono::seconds(0)));
  return {};
}

Status DockerSandbox::Begin(bool is_new) {
  // One that has ended can only be attached to when it runs again (Podman); what a new one says on its way must not be missed.
  if (!is_new) PADDOCK_TRY(StartContainer(engine(), container_id_));
  PADDOCK_ASSIGN(auto stream, AttachContainer(engine(), container_id_));
  if (is_plain_) {
    plain_ = std::make_shared<Inside>(workshop_->engine, container_id_, std::move(stream));
    if (is_new) PADDOCK_TRY(StartContainer(engine(), container_id_));
    return BeginPlain();
  }
  PADDOCK_ASSIGN(link_, AgentLink::Open(std::move(stream)));
  if (is_new) {
    if (const Status started = StartContainer(engine(), container_id_); !started) {
      if (const auto why = WhyAgentCannotRun({.start_error = std::string(started.error().Text())})) return Error(Code::kExecFormat, *why);
      return started.error();
    }
  }
  const int socket = link_->TakeSocket().Release();
  auto client = guest::Client::Connect(socket, socket, guest::In(kAgentTime));
  if (!client) {
    const std::string complaint = link_->Complaint();
    SilentAgent silent{.complaint = complaint};
    if (is_new && complaint.empty() && link_->HasEnded()) silent.exit_code = ExitCodeOf(engine(), container_id_);
    if (const auto why = WhyAgentCannotRun(silent); why && is_new) return Error(Code::kExecFormat, *why);
    return Error(Code::kUnavailable, "the agent in the container does not answer: " + std::string(client.error().Text()) + (complaint.empty() ? "" : "; it says " + complaint) +
                                        (silent.exit_code ? "; it ended with status " + std::to_string(*silent.exit_code) : ""));
  }
  PADDOCK_TRY(Verify());
  PADDOCK_ASSIGN(posture_, ReadPosture((*client)->files()));
  PADDOCK_TRY(CheckPosture(posture_, HasOwnKernel(plan_.runtime), workshop_->settings.needs_user_namespace));
  agent_ = std::move(*client);
  if (disk_limit_) {   // beside a quota, too: that is of the layer, not of volumes that the image asks for
    PADDOCK_ASSIGN(disk_, MakeDiskMeter(workshop_->engine, workshop_->volume_sizes, container_id_, kWorkspace, *disk_limit_, agent_));
  }
  return {};
}

Status DockerSandbox::BeginPlain() {
  // The init has nothing to do with how the engine starts others, who are looked at, too.
  const std::string path = "/proc/self/status";
  auto init = plain_->Show(path, kAgentTime);
  if (!init) return Error(Code::kUnavailable, "the container's shell does not answer: " + std::string(init.error().Text()));
  PADDOCK_TRY(Verify());
  const auto show = [&](const std::string& file) { return RunFileScript(*plain_, "while IFS= read -r x; do printf '%s\\n' \"$x\"; done < " + file); };
  const auto other = show(path);
  if (!other) return Error(Code::kUnavailable, "cannot see how the container is confined: " + std::string(other.error().Text()));
  const std::string user_map = show("/proc/self/uid_map").value_or("");
  const bool has_own_kernel = HasOwnKernel(plan_.runtime);
  PADDOCK_TRY(CheckPosture(ParsePosture(*init, user_map), has_own_kernel, workshop_->settings.needs_user_namespace));
  posture_ = ParsePosture(*other, user_map);
  PADDOCK_TRY(CheckPosture(posture_, has_own_kernel, workshop_->settings.needs_user_namespace));
  if (!disk_limit_) return {};
  const auto free = [inside = plain_]() -> Result<uint64_t> {
    PADDOCK_ASSIGN(const vfs::SpaceInfo space, PlainFileSystem(inside, "/", {}).Space(kWorkspace));
    return space.total_bytes - space.used_bytes;
  };
  PADDOCK_ASSIGN(disk_, MakeDiskMeter(workshop_->engine, workshop_->volume_sizes, container_id_, *disk_limit_, free));
  return {};
}

vfs::Credentials DockerSandbox::user() const {
  if (!user_) return {.uid = 0, .gid = 0};
  return {.uid = user_->uid, .gid = user_->gid};
}

std::string DockerSandbox::home() const { return plan_.user.empty() ? "/root" : kWorkspace; }

Status DockerSandbox::Furnish(const std::optional<policy::Policy>& policy) {
  PADDOCK_ASSIGN(ways_, guest::NetworkBridge::Open(agent_, policy.value_or(policy::Policy())));
  warnings_.insert(warnings_.end(), ways_->warnings().begin(), ways_->warnings().end());
  guest::GuestAccess::Options options{.working_directory = plan_.working_directory, .uid = user().uid, .gid = user().gid, .home = home()};
  options.variables = ways_->variables();
  options.take_denials = [ways = ways_] { return ways->TakeDenials(); };
  if (disk_ != nullptr) {
    options.watch = [disk = disk_](std::unique_ptr<guest::ExecWarden> agents) { return std::make_unique<ContainerWarden>(std::move(agents), disk); };
  }
  inside_ = std::make_unique<guest::GuestAccess>(agent_, std::move(options));
  return {};
}

Status DockerSandbox::Verify() {
  PADDOCK_ASSIGN(const ContainerInfo info, InspectContainer(engine(), container_id_));
  if (info.state != ContainerState::kRunning) return Error(Code::kUnavailable, "the container ended at once: " + info.error);
  started_ = info.started;
  if (!engine().is_podman()) found_runtime_ = info.runtime;   // Podman says "oci" of each
  for (const auto& [name, value] : labels_) {
    const auto found = info.labels.find(name);
    if (found == info.labels.end() || found->second != value) return Error(Code::kConflict, "the engine's container is not the one that was made");
  }
  if (!plan_.runtime.empty() && info.runtime != plan_.runtime) {
    return Error(Code::kUnavailable, "the engine ran the container with runtime '" + info.runtime + "' although '" + plan_.runtime + "' (" + workshop_->settings.runtime + ") was asked for");
  }
  return {};
}

DockerSandbox::~DockerSandbox() { Close(); }

std::vector<std::string> DockerSandbox::Close() {
  if (ways_) ways_->Stop();
  if (identity_.is_kept) {
    link_.reset();   // whoever still uses what is inside gets errors from now on
    if (plain_ != nullptr) plain_->Cut();
    if (container_id_.empty()) return {};
    std::vector<std::string> kept;
    Status stopped = Thaw();
    // What ended, and was begun again by somebody else meanwhile, is theirs.
    const auto info = InspectContainer(engine(), container_id_);
    if (!info || info->state != ContainerState::kRunning || info->started != started_) return {};
    if (stopped) stopped = StopContainer(engine(), container_id_, std::chrono::seconds(0));
    if (!stopped) kept.push_back("container " + container_id_.substr(0, 12) + " was not stopped: " + std::string(stopped.error().Text()));
    container_id_.clear();
    return kept;
  }
  return Discard();
}

std::vector<std::string> DockerSandbox::Discard() {
  if (ways_) ways_->Stop();
  link_.reset();
  if (plain_ != nullptr) plain_->Cut();
  std::vector<std::string> kept;
  const auto note = [&](const std::string& what, const Status& status) {
    if (!status) kept.push_back(what + " is left on the engine: " + std::string(status.error().Text()));
    return status.has_value();
  };
  if (!container_id_.empty() && note("container " + container_id_.substr(0, 12), RemoveContainer(engine(), container_id_))) container_id_.clear();
  if (!network_id_.empty() && note("network " + network_id_.substr(0, 12), RemoveNetwork(engine(), network_id_))) network_id_.clear();
  if (!volume_.empty() && note("volume " + volume_, RemoveVolume(engine(), volume_))) volume_.clear();
  return kept;
}

Result<std::unique_ptr<sandbox::Process>> DockerSandbox::Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) {
  return inside_->Start(std::move(spec), std::move(input), std::move(handler));
}

sandbox::Measured DockerSandbox::Measure() const {
  sandbox::Measured measured;
  if (is_frozen_) return measured;
  // By the agent, which sees the container's control group: Docker's own statistics take a second or two.
  const auto usage = inside_->client().Usage(guest::In(kMeasureTime));
  if (!usage) return measured;
  for (const guest::UsageValue& one : *usage) {
    if (one.name == "cgroup.cpu_ns") measured.cpu = std::chrono::nanoseconds(one.value);
    if (one.name == "cgroup.memory_bytes") measured.memory_bytes = one.value;
    if (one.name == "cgroup.disk_read_bytes") measured.disk_read_bytes = one.value;
    if (one.name == "cgroup.disk_written_bytes") measured.disk_written_bytes = one.value;
  }
  if (const auto carried = ways_->traffic()) {
    measured.network_in_bytes = carried->in_bytes;
    measured.network_out_bytes = carried->out_bytes;
  }
  return measured;
}

sandbox::Posture DockerSandbox::GetPosture() const {
  return {.runtime = found_runtime_, .user_map = posture_.user_map, .is_root_somebody_else = posture_.is_user_namespace_shifted(), .has_seccomp_filter = posture_.has_seccomp_filter,
          .has_no_new_privileges = posture_.has_no_new_privileges, .capabilities = posture_.capabilities};
}

Result<std::unique_ptr<sandbox::FileWatch>> DockerSandbox::Watch(const std::string& path, bool is_recursive) { return inside_->Watch(path, is_recursive); }

Status DockerSandbox::PackWorkspace(const std::function<Status(std::string_view)>& sink) {
  if (workshop_->settings.profile == Profile::kDev) {
    return Error(Code::kNotSupported, "a container with a root that can be written to (profile dev) is more than its workspace: its root is packed");
  }
  return guest::PackDirectory(inside_->client(), kWorkspace, sink);
}

Result<std::unique_ptr<sandbox::TreeWriter>> DockerSandbox::UnpackWorkspace() { return guest::UnpackDirectory(inside_->client(), kWorkspace); }

Status DockerSandbox::Freeze() {
  if (is_frozen_) return {};
  PADDOCK_TRY(PauseContainer(engine(), container_id_));
  is_frozen_ = true;
  return {};
}

Status DockerSandbox::Thaw() {
  if (!is_frozen_) return {};
  PADDOCK_TRY(UnpauseContainer(engine(), container_id_));
  is_frozen_ = false;
  return {};
}

namespace {

// Removes what has all the labels, and whose key `is_left` says yes to, and notes it. kBusy: a container stands on what was to go.
Status RemoveLabelledOnce(const Engine& engine, const std::vector<std::string>& labels, const std::function<bool(const std::string& key)>& is_left, std::vector<std::string>& removed) {
  const auto goes = [&](const std::map<std::string, std::string>& has) {
    const auto key = has.find(kSandboxLabel);
    return key != has.end() && is_left(key->second);
  };
  PADDOCK_ASSIGN(const auto containers, ListContainers(engine, labels));
  for (const ContainerInfo& one : containers) {
    if (!goes(one.labels)) continue;
    PADDOCK_TRY(RemoveContainer(engine, one.id));
    removed.push_back("container " + one.name);
  }
  PADDOCK_ASSIGN(const auto networks, ListNetworks(engine, labels));
  for (const NetworkInfo& one : networks) {
    if (!goes(one.labels)) continue;
    PADDOCK_TRY(RemoveNetwork(engine, one.id));
    removed.push_back("network " + one.name);
  }
  PADDOCK_ASSIGN(const auto volumes, ListVolumes(engine, labels));
  for (const VolumeInfo& one : volumes) {
    if (!goes(one.labels)) continue;
    PADDOCK_TRY(RemoveVolume(engine, one.name));
    removed.push_back("volume " + one.name);
  }
  return {};
}

// An engine may still be making a container that its caller, who was killed, had asked for: then it comes to be seen in the midst of this.
Result<std::vector<std::string>> RemoveLabelled(const Engine& engine, const std::vector<std::string>& labels, const std::function<bool(const std::string& key)>& is_left) {
  constexpr int kMostRounds = 4;
  std::vector<std::string> removed;
  Status status;
  for (int round = 0; round < kMostRounds; ++round) {
    status = RemoveLabelledOnce(engine, labels, is_left, removed);
    if (status) return removed;
    if (status.error().code != Code::kBusy) break;
  }
  return status.error();
}

}  // namespace

std::string NewContainerKey() {
  std::string key = NewId("ctr_");
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

sandbox::SandboxSpec KindOf(const sandbox::SandboxSpec& spec) {
  sandbox::SandboxSpec kind;
  kind.hostname = spec.hostname;
  kind.working_directory = spec.working_directory;
  kind.container = spec.container;
  kind.wall_user = spec.wall_user;
  kind.policy.emplace();
  if (!spec.policy) return kind;
  kind.policy->limits = spec.policy->limits;
  kind.policy->kernel = spec.policy->kernel;
  return kind;
}

ImageOwner UserOf(const sandbox::SandboxSpec& spec) { return spec.wall_user ? ImageOwner{.uid = spec.wall_user->uid, .gid = spec.wall_user->gid} : ImageOwner(); }

Result<std::vector<std::string>> SweepDeployment(const Engine& engine, const std::string& deployment, const std::function<bool(const std::string& key)>& is_kept) {
  return RemoveLabelled(engine, LabelsOf(deployment, ""), [&](const std::string& key) { return !is_kept(key); });
}

Status RemoveSandbox(const Engine& engine, const std::string& deployment, const std::string& key) {
  const auto removed = RemoveLabelled(engine, LabelsOf(deployment, key), [&](const std::string& found) { return found == key; });
  return removed ? Status() : Status(removed.error());
}

}  // namespace paddock::docker
