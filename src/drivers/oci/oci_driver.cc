#include "drivers/oci/oci_driver.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>

#include "drivers/oci/deployment.h"
#include "drivers/oci/oci_sandbox.h"
#include "guest/sandbox/guest_program.h"
#include "sandbox/container_settings.h"
#include "sandbox/diagnosis.h"
#include "sandbox/keeps_root.h"

namespace paddock::oci {
namespace {

constexpr std::chrono::milliseconds kProbePatience{5'000};   // a platform that does not work may hang

constexpr std::chrono::minutes kTrialHolds{1};

// Whether a program starts and ends in a container of this runtime, as it is.
Status Probe(const Workshop& workshop) {
  auto trial = std::make_shared<Workshop>(workshop);
  trial->settings.root = DeploymentDirectory(workshop.settings) + "/empty";
  trial->settings.patience = std::min(workshop.settings.patience, kProbePatience);
  PADDOCK_ASSIGN(trial->runtime, Runtime::Find(workshop.runtime.program(), RuntimeDirectory(workshop.settings), trial->settings.patience));
  trial->runtime.UsePlatform(workshop.runtime.platform());
  PADDOCK_ASSIGN(const auto sandbox, OciSandbox::Create({}, "", trial));
  for (int round = 0; round < 2; ++round) {
    sandbox::ExecSpec spec;
    spec.command = {kAgentProgram, "usage"};
    spec.limits.time = trial->settings.patience;
    PADDOCK_ASSIGN(const auto process, sandbox->Start(std::move(spec), {}, nullptr));
    const sandbox::ExecResult result = process->Wait();
    if (result.exit_code != 2) return Error(Code::kUnavailable, "a program in it did not end as it should");
  }
  return {};
}

class OciDriver final : public sandbox::Driver, public sandbox::KeepsRoot, public sandbox::TakesContainerSettings, public sandbox::Diagnosable {
 public:
  explicit OciDriver(OciSettings settings) : settings_(std::move(settings)) {}
  ~OciDriver() override { OciDriver::LetGo(); }

  void LetGo() override {
    const std::lock_guard lock(mutex_);
    if (workshop_ != nullptr) RemoveDeploymentGroup(settings_.deployment);
    workshop_.reset();
  }

  const char* name() const override { return settings_.name.c_str(); }

  std::vector<sandbox::Check> Diagnose() override {
    using State = sandbox::Check::State;
    std::vector<sandbox::Check> checks;
    if (geteuid() != 0) checks.push_back({.name = "root", .state = State::kMissing, .detail = "cgroups and id maps take root", .remedy = "run it as root, or use -i process"});
    const auto runtime = Runtime::Find(settings_.runtime, "/", settings_.patience);
    if (!runtime) checks.push_back({.name = "runtime", .state = State::kMissing, .detail = std::string(runtime.error().Text()), .remedy = {}});
    else if (runtime->is_gvisor()) checks.push_back({.name = "runtime", .state = State::kLimited, .detail = runtime->program() + "; which of its platforms works is tried when it is used", .remedy = {}});
    else checks.push_back({.name = "runtime", .state = State::kWorks, .detail = runtime->program(), .remedy = {}});
    return checks;
  }
  bool is_optional() const override { return true; }

  // Of engines and images it takes nothing.
  Status Configure(sandbox::ContainerSettings settings, Progress) override {
    settings_.state_directory = settings.state_directory;
    settings_.deployment = settings.deployment;
    settings_.profile = settings.profile == sandbox::ContainerProfile::kDev ? Profile::kDev : Profile::kStrict;
    settings_.memory_bytes = settings.memory_bytes;
    settings_.nano_cpus = settings.nano_cpus;
    settings_.pids = settings.pids;
    settings_.private_bytes = settings.tmpfs_bytes;
    return {};
  }

  Result<std::unique_ptr<sandbox::Sandbox>> Create(const sandbox::SandboxSpec& spec) override { return CreateOn(spec, ""); }

  Result<std::unique_ptr<sandbox::Sandbox>> CreateOn(const sandbox::SandboxSpec& spec, const std::string& store) override {
    PADDOCK_ASSIGN(std::shared_ptr<const Workshop> workshop, Open());
    PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> sandbox, OciSandbox::Create(spec, store, std::move(workshop)));
    return sandbox;
  }

 private:
  // Finds what all sandboxes need; again when that failed before.
  Result<std::shared_ptr<const Workshop>> Open() {
    const std::lock_guard lock(mutex_);
    if (workshop_ != nullptr) return workshop_;
    if (settings_.agent_program.empty()) {
      PADDOCK_ASSIGN(settings_.agent_program, guest::FindGuestProgram());
    }
    PADDOCK_TRY(CheckSettings(settings_));
    if (geteuid() != 0) return Error(Code::kUnavailable, "isolation " + settings_.name + " takes root, for cgroups and id maps; use isolation process as an ordinary user");
    PADDOCK_TRY(MakeDeployment(settings_));
    // What a process that was killed has left. What cannot be removed is tried again by the next one, and in nobody's way.
    (void)SweepDeployment(settings_, [](const std::string&) { return false; });
    PADDOCK_ASSIGN(Runtime runtime, Runtime::Find(settings_.runtime, RuntimeDirectory(settings_), settings_.patience));
    PADDOCK_ASSIGN(std::string agent, PutAgent(settings_));
    PADDOCK_ASSIGN(std::string stage, FindPlaceForStage({settings_.state_directory, runtime.program()}));
    auto workshop = std::make_shared<Workshop>(Workshop{settings_, std::move(runtime), std::move(agent), std::move(stage)});
    if (workshop->runtime.is_gvisor()) {
      // A trial that fails takes seconds, and whoever asks again at once would hold up all others.
      if (no_platform_ && std::chrono::steady_clock::now() < tries_again_) return *no_platform_;
      if (const Status chosen = ChoosePlatform(*workshop); !chosen) {
        no_platform_ = chosen.error();
        tries_again_ = std::chrono::steady_clock::now() + kTrialHolds;
        return chosen.error();
      }
    }
    workshop_ = std::move(workshop);
    return workshop_;
  }

  static Status ChoosePlatform(Workshop& workshop) {
    std::string reasons;
    // Not ptrace: where it starts at all, its kernel ends now and then when a program forks, which no trial tells for sure.
    for (const char* platform : {"systrap", "kvm"}) {
      workshop.runtime.UsePlatform(platform);
      const bool is_there = std::strcmp(platform, "kvm") != 0 || access("/dev/kvm", R_OK | W_OK) == 0;
      const Status works = is_there ? Probe(workshop) : Status(Error(Code::kUnavailable, "/dev/kvm is not there"));
      if (works) return {};
      reasons += std::string(reasons.empty() ? "" : "; ") + platform + ": " + std::string(works.error().Text());
    }
    return Error(Code::kUnavailable, "gVisor works on this machine with none of its platforms (" + reasons + "); install a runsc of 2023 or later");
  }

  OciSettings settings_;   // constant once there is a sandbox
  std::mutex mutex_;
  std::shared_ptr<const Workshop> workshop_;
  std::optional<Error> no_platform_;   // why, at the last trial
  std::chrono::steady_clock::time_point tries_again_;
};

}  // namespace

std::unique_ptr<sandbox::Driver> MakeOciDriver(OciSettings settings) { return std::make_unique<OciDriver>(std::move(settings)); }

}  // namespace paddock::oci
