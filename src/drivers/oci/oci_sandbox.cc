#include "drivers/oci/oci_sandbox.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "drivers/oci/deployment.h"
#include "drivers/oci/sandbox_plan.h"
#include "drivers/oci/verify.h"
#include "vfs/file_system.h"

namespace paddock::oci {
namespace {

constexpr const char* kSandboxAnnotation = "org.paddock.sandbox";
constexpr const char* kDeploymentAnnotation = "org.paddock.deployment";

Error HostError(const std::string& what) {
  const int code = errno;
  return Error(static_cast<Code>(code), what + ": " + std::strerror(code));
}

}  // namespace

Result<std::unique_ptr<OciSandbox>> OciSandbox::Create(const sandbox::SandboxSpec& spec, const std::string& store, std::shared_ptr<const Workshop> workshop) {
  std::unique_ptr<OciSandbox> sandbox(new OciSandbox(std::move(workshop)));   // allow(raw-new): private constructor
  PADDOCK_TRY(sandbox->StandUp(spec, store));
  return sandbox;
}

OciSandbox::~OciSandbox() { Close(); }

Status OciSandbox::MakeBundle(const BundleSpec& spec) {
  const std::string directory = SandboxesDirectory(workshop_->settings) + "/" + id_;
  if (mkdir(directory.c_str(), 0700) != 0) return HostError("cannot make " + directory);
  bundle_ = directory;
  PADDOCK_ASSIGN(lock_, HoldSandbox(directory));
  const std::string text = BundleConfig(spec);
  const Descriptor file(openat(lock_.get(), "config.json", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.is_open() || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return HostError("cannot write " + directory + "/config.json");
  return {};
}

Status OciSandbox::StandUp(const sandbox::SandboxSpec& spec, const std::string& store) {
  const OciSettings& settings = workshop_->settings;
  id_ = NewSandboxId();
  PADDOCK_ASSIGN(SandboxPlan plan, MakePlan(spec, settings, {.stage = workshop_->stage, .agent_directory = workshop_->agent_directory, .store = store}));
  if (spec.policy) limits_ = spec.policy->limits;
  plan.bundle.cgroup = CgroupPath(settings.deployment, id_);
  // Its helper cannot make a mount read-only that has other flags; what must not change is an overlay without an upper layer.
  if (runtime().is_gvisor()) plan.bundle.has_writable_root = true;
  plan.bundle.annotations = {{kSandboxAnnotation, id_}, {kDeploymentAnnotation, settings.deployment}};
  PADDOCK_TRY(MakeBundle(plan.bundle));
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return HostError("cannot make a socket pair");
  Descriptor ours(ends[0]), theirs(ends[1]);
  struct stat stream{};
  if (fstat(theirs.get(), &stream) != 0) return HostError("cannot look at a socket pair");
  is_started_ = true;
  PADDOCK_ASSIGN(const Descriptor complaints, runtime().Start(id_, bundle_, plan.stage, theirs.get()));
  theirs.Reset();
  link_.Reset(fcntl(ours.get(), F_DUPFD_CLOEXEC, 3));
  const int agent = ours.Release();
  auto client = guest::Client::Connect(agent, agent, guest::In(settings.patience));
  if (!client) {
    const std::string said = ReadComplaint(complaints.get());
    return Error(Code::kUnavailable, "the agent in the container does not answer: " + std::string(client.error().Text()) + (said.empty() ? "" : "; it says " + said));
  }
  const std::shared_ptr<guest::Client> connected = std::move(*client);
  PADDOCK_TRY(Verify(plan.bundle, stream.st_ino));
  PADDOCK_ASSIGN(ways_, guest::NetworkBridge::Open(connected, spec.policy.value_or(policy::Policy())));
  guest::GuestAccess::Options options{.working_directory = spec.working_directory.empty() ? plan.working_directory : spec.working_directory,
                                      .uid = plan.bundle.user,
                                      .gid = plan.bundle.user,
                                      .home = plan.home};
  options.variables = ways_->variables();
  options.take_denials = [ways = ways_] { return ways->TakeDenials(); };
  inside_ = std::make_unique<guest::GuestAccess>(connected, std::move(options));
  return MakeWorkingDirectory(spec.working_directory);
}

Status OciSandbox::Verify(const BundleSpec& asked, ino_t stream) {
  PADDOCK_ASSIGN(const ContainerState state, runtime().State(id_));
  if (state.status != "running") return Error(Code::kUnavailable, "the container ended at once: " + runtime().program() + " says that it is " + state.status);
  init_ = state.pid;
  if (!runtime().is_gvisor()) PADDOCK_TRY(VerifyInit(init_, asked, stream));
  PADDOCK_ASSIGN(group_, ContainerGroup::Of(init_, asked.cgroup));
  return group_.CheckLimits(asked.memory_bytes, asked.pids, asked.nano_cpus);
}

Status OciSandbox::MakeWorkingDirectory(const std::string& directory) {
  if (directory.empty()) return {};
  if (!directory.starts_with('/')) return Error(Code::kInvalid, "working_directory: '" + directory.substr(0, 200) + "' is no absolute path");
  Status made;
  for (size_t slash = directory.find('/', 1); slash != std::string::npos; slash = directory.find('/', slash + 1)) {
    static_cast<void>(inside_->files().MakeDirectory(directory.substr(0, slash)));   // the last one tells
  }
  made = inside_->files().MakeDirectory(directory);
  if (!made && made.error().code != Code::kExists) return Error(made.error().code, "working_directory: cannot make " + directory + ": " + std::string(made.error().Text()));
  return {};
}

std::vector<std::string> OciSandbox::Close() {
  const std::lock_guard lock(closing_);
  if (ways_) ways_->Stop();
  if (link_.is_open()) shutdown(link_.get(), SHUT_RDWR);   // whoever still uses what is inside gets errors from now on
  std::vector<std::string> kept;
  if (is_closed_ || bundle_.empty()) return kept;
  const auto note = [&kept](const std::string& what, const Status& status) {
    if (!status) kept.push_back(what + " is left: " + std::string(status.error().Text()));
    return status.has_value();
  };
  bool is_gone = true;
  if (is_started_) {
    ThawGroup(CgroupPath(workshop_->settings.deployment, id_));   // what is frozen does not end
    is_gone = note("container " + id_, runtime().Delete(id_));
    const auto removed = RemoveGroup(CgroupPath(workshop_->settings.deployment, id_));
    is_gone &= note("container " + id_, removed ? Status() : Status(removed.error()));
  }
  // While something is left its directory stays, too: a sweep finds it by that.
  is_closed_ = is_gone && note("directory " + bundle_, RemoveDirectory(bundle_));
  lock_.Reset();
  return kept;
}

Result<std::unique_ptr<sandbox::Process>> OciSandbox::Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) {
  const auto lower = [](auto& limit, auto most) {
    if (limit.count() == 0 || limit > most) limit = most;
  };
  if (limits_ && limits_->time) lower(spec.limits.time, *limits_->time);
  if (limits_ && limits_->cpu_time) lower(spec.limits.cpu_time, *limits_->cpu_time);
  if (limits_ && limits_->output_bytes) spec.limits.output_bytes = std::min(spec.limits.output_bytes, *limits_->output_bytes);
  return inside_->Start(std::move(spec), std::move(input), std::move(handler));
}

sandbox::Measured OciSandbox::Measure() const {
  const GroupUsage usage = group_.Measure();
  sandbox::Measured measured;
  if (usage.cpu_nanoseconds) measured.cpu = std::chrono::nanoseconds(*usage.cpu_nanoseconds);
  measured.memory_bytes = usage.memory_bytes;
  measured.disk_read_bytes = usage.disk_read_bytes;
  measured.disk_written_bytes = usage.disk_written_bytes;
  if (const auto carried = ways_->traffic()) {
    measured.network_in_bytes = carried->in_bytes;
    measured.network_out_bytes = carried->out_bytes;
  }
  return measured;
}

Status OciSandbox::Freeze() {
  if (is_frozen_) return {};
  PADDOCK_TRY(runtime().Pause(id_));
  is_frozen_ = true;
  return {};
}

Status OciSandbox::Thaw() {
  if (!is_frozen_) return {};
  PADDOCK_TRY(runtime().Resume(id_));
  is_frozen_ = false;
  return {};
}

Result<std::unique_ptr<sandbox::FileWatch>> OciSandbox::Watch(const std::string& path, bool is_recursive) { return inside_->Watch(path, is_recursive); }

}  // namespace paddock::oci
