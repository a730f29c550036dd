#include "drivers/docker/docker_driver.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "drivers/docker/agent_volume.h"
#include "drivers/docker/plain_sandbox.h"
#include "drivers/docker/warm_containers.h"
#include "guest/sandbox/guest_program.h"
#include "sandbox/diagnosis.h"

namespace paddock::docker {
namespace {

class DockerDriver final : public sandbox::Driver, public sandbox::KeepsSandboxes, public sandbox::BeginsOnRoots, public sandbox::TakesContainerSettings, public sandbox::Diagnosable {
 public:
  DockerDriver(DockerSettings settings, GetVariable variable) : settings_(std::move(settings)), variable_(std::move(variable)) { StockWarm(); }

  const char* name() const override { return "container"; }

  Status Configure(DockerSettings settings, Progress progress) override {
    if (!settings.engine.host.empty()) {
      if (auto endpoint = ParseEndpoint(settings.engine); !endpoint) return endpoint.error();
    }
    if (auto image = CheckImage(settings.image, settings.allowed_images); !image) return image.error();
    settings_ = std::move(settings);
    progress_ = std::move(progress);
    StockWarm();
    return {};
  }

  std::vector<sandbox::Check> Diagnose() override {
    const auto found = Find("");
    if (!found) return {{.name = "engine", .state = sandbox::Check::State::kMissing, .detail = std::string(found.error().Text()), .remedy = {}}};
    const Engine& engine = *(*found)->engine;
    const auto machine = engine.Machine();
    if (!machine) return {{.name = "engine", .state = sandbox::Check::State::kMissing, .detail = std::string(machine.error().Text()), .remedy = {}}};
    std::string runtimes;
    for (const std::string& one : (*machine)->runtimes) runtimes += (runtimes.empty() ? "" : ", ") + one;
    return {{.name = "engine", .state = sandbox::Check::State::kWorks,
             .detail = std::string(engine.is_podman() ? "Podman " : "Docker ") + engine.facts().version + " at " + engine.endpoint().text + ", runtimes " + runtimes, .remedy = {}}};
  }
  bool is_optional() const override { return true; }

  Result<std::unique_ptr<sandbox::Sandbox>> Create(const sandbox::SandboxSpec& spec) override { return MakeOne(spec, {.key = NewContainerKey(), .session = {}}); }

  Result<std::unique_ptr<sandbox::Sandbox>> Make(const sandbox::SandboxSpec& spec, const sandbox::KeptOwner& owner,
                                                 const std::function<Status(const std::string& key)>& remember) override {
    if (settings_.warm == 0) return MakeKept(spec, owner, remember);
    const sandbox::SandboxSpec kind = KindOf(spec);
    Result<std::unique_ptr<sandbox::Sandbox>> made = Error(Code::kNoEntry, "none stands ready");
    {
      const WarmContainers::Waiting waiting(*warm_);
      if (auto claimed = warm_->Claim(kind)) made = FinishClaim(std::move(claimed), spec, owner, remember);
      if (!made) made = MakeKept(spec, owner, remember);
    }
    if (made) warm_->Want(kind);
    return made;
  }

  void LetGo() override { warm_->End(); }

  void Expect(const sandbox::SandboxSpec& spec) override { warm_->Want(KindOf(spec)); }

  Result<std::unique_ptr<sandbox::Sandbox>> Reopen(const sandbox::SandboxSpec& spec, const std::string& key) override {
    PADDOCK_ASSIGN(std::shared_ptr<Workshop> workshop, Find(spec.container.engine));
    return ReopenContainer(spec, std::move(workshop), key);
  }

  Status Remove(const sandbox::SandboxSpec& spec, const std::string& key) override {
    PADDOCK_ASSIGN(const std::shared_ptr<Workshop> workshop, Find(spec.container.engine));
    return RemoveSandbox(*workshop->engine, settings_.deployment, key);
  }

  Result<std::vector<std::string>> Sweep(const std::function<bool(const std::string& key)>& is_kept) override {
    PADDOCK_ASSIGN(const std::shared_ptr<Workshop> workshop, Find(""));
    return SweepDeployment(*workshop->engine, settings_.deployment, [&](const std::string& key) { return warm_->Has(key) || is_kept(key); });
  }

  Result<std::unique_ptr<sandbox::Sandbox>> MakeOn(const sandbox::RootTree& root, const sandbox::SandboxSpec& spec, const sandbox::KeptOwner& owner,
                                                   const std::function<Status(const std::string& key)>& remember) override {
    const WarmContainers::Waiting waiting(*warm_);
    PADDOCK_ASSIGN(const std::shared_ptr<Workshop> found, Find(spec.container.engine));
    PADDOCK_ASSIGN(const HeldRoot held, found->roots.Get(*found->engine, root, has_own_roots() ? std::nullopt : std::optional(UserOf(spec))));
    PADDOCK_ASSIGN(std::shared_ptr<Workshop> workshop, Equip(spec.container, held.image));
    const std::string key = NewContainerKey();
    PADDOCK_TRY(remember(key));
    PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> sandbox,
                   DockerSandbox::Create(spec, std::move(workshop), {.key = key, .session = owner.session, .is_kept = true, .root = held.image}));
    return sandbox;
  }

  bool has_own_roots() const override { return settings_.profile == Profile::kDev; }

  Status PackBeginning(const sandbox::SandboxSpec& spec, const std::string& key, const sandbox::TarSink& sink) override {
    PADDOCK_ASSIGN(const std::shared_ptr<Workshop> workshop, Find(spec.container.engine));
    return docker::PackBeginning(*workshop->engine, settings_.deployment, key, sink);
  }

  // Engines fill /dev, /proc and /sys anew each time, and leave marks of their own.
  std::vector<std::string> WallsOwn() const override { return {".dockerenv", "run/.containerenv", "dev/", "proc/", "sys/", std::string(kAgentDirectory).substr(1)}; }

  Status DropRoot(const sandbox::SandboxSpec& spec, const std::string& name) override {
    PADDOCK_ASSIGN(const std::shared_ptr<Workshop> workshop, Find(spec.container.engine));
    return workshop->roots.Drop(*workshop->engine, name);
  }

  Result<std::vector<std::string>> SweepRoots(const std::function<bool(const std::string& name)>& is_needed) override {
    PADDOCK_ASSIGN(const std::shared_ptr<Workshop> workshop, Find(""));
    return workshop->roots.Sweep(*workshop->engine, is_needed);
  }

 private:
  // What there is of one engine; each again when it failed before.
  struct Place {
    std::mutex mutex;   // of finding it and of putting the agent there
    std::shared_ptr<Workshop> workshop;
  };

  void StockWarm() {
    warm_ = std::make_unique<WarmContainers>(settings_.warm, [this](const sandbox::SandboxSpec& kind, const std::string& key) -> Result<std::unique_ptr<DockerSandbox>> {
      PADDOCK_ASSIGN(std::shared_ptr<Workshop> workshop, Equip(kind.container));
      if (const auto why = KnownWithoutAgent(*workshop, kind.container)) return Error(Code::kExecFormat, *why);   // only those with an agent stand ready
      return DockerSandbox::Prepare(kind, std::move(workshop), key);
    });
  }

  Result<std::unique_ptr<sandbox::Sandbox>> MakeKept(const sandbox::SandboxSpec& spec, const sandbox::KeptOwner& owner, const std::function<Status(const std::string& key)>& remember) {
    const std::string key = NewContainerKey();
    PADDOCK_TRY(remember(key));
    return MakeOne(spec, {.key = key, .session = owner.session, .is_kept = true});
  }

  // One that stood ready becomes the owner's. After an error nothing of it is left, and another is made.
  Result<std::unique_ptr<sandbox::Sandbox>> FinishClaim(std::unique_ptr<DockerSandbox> claimed, const sandbox::SandboxSpec& spec, const sandbox::KeptOwner& owner,
                                                        const std::function<Status(const std::string& key)>& remember) {
    Status finished = remember(claimed->id());
    if (finished) finished = claimed->Claim(spec);
    if (finished) warm_->Later(claimed->Renaming(owner.session));
    else claimed->Discard();
    warm_->Forget(claimed->id());
    if (!finished) return finished.error();
    return std::unique_ptr<sandbox::Sandbox>(std::move(claimed));
  }

  Result<std::unique_ptr<sandbox::Sandbox>> MakeOne(const sandbox::SandboxSpec& spec, Identity identity) {
    PADDOCK_ASSIGN(std::shared_ptr<Workshop> workshop, Equip(spec.container));
    return MakeContainer(spec, std::move(workshop), std::move(identity));
  }

  // `host`: empty for the operator's own engine.
  Result<std::shared_ptr<Place>> PlaceOf(const std::string& host) {
    const auto& others = settings_.other_engines;
    const bool is_own = host.empty() || host == settings_.engine.host;
    if (!is_own && std::find(others.begin(), others.end(), host) == others.end()) {
      return Error(Code::kAccess, "docker_host: '" + host.substr(0, 200) + "' is not one that the operator allows (containers.engines)");
    }
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Place>& place = places_[is_own ? "" : host];
    if (place == nullptr) place = std::make_shared<Place>();
    return place;
  }

  // With the agent on it, put there by way of the image where there is none: `root`, or the one that is asked for.
  Result<std::shared_ptr<Workshop>> Equip(const sandbox::ContainerChoice& choice, std::string root = {}) {
    PADDOCK_ASSIGN(const std::shared_ptr<Place> place, PlaceOf(choice.engine));
    const std::lock_guard lock(place->mutex);
    PADDOCK_TRY(Find(*place, choice.engine));
    Workshop& workshop = *place->workshop;
    if (!workshop.agent_volume.empty()) return place->workshop;
    std::string program = settings_.agent_program;
    if (program.empty()) {
      PADDOCK_ASSIGN(program, guest::FindGuestProgram());
    }
    PADDOCK_ASSIGN(workshop.agent_volume, PutAgent(*workshop.engine, program, [&]() -> Result<std::string> {
      if (!root.empty()) return root;
      PADDOCK_ASSIGN(const std::string reference, ImageOf(choice, settings_));
      PADDOCK_ASSIGN(const PreparedImage image, workshop.images.Get(*workshop.engine, reference, settings_.profile, workshop.progress));
      return image.id;
    }));
    return place->workshop;
  }

  Result<std::shared_ptr<Workshop>> Find(const std::string& host) {
    PADDOCK_ASSIGN(const std::shared_ptr<Place> place, PlaceOf(host));
    const std::lock_guard lock(place->mutex);
    PADDOCK_TRY(Find(*place, host));
    return place->workshop;
  }

  Status Find(Place& place, const std::string& host) {
    if (place.workshop != nullptr) return {};
    EndpointSettings endpoint = settings_.engine;
    if (!host.empty()) endpoint.host = host;
    PADDOCK_ASSIGN(const std::vector<Endpoint> endpoints, FindEndpoints(endpoint, variable_, getuid()));
    auto workshop = std::make_shared<Workshop>(settings_);
    workshop->progress = progress_;
    PADDOCK_ASSIGN(workshop->engine, Engine::ConnectFirst(endpoints));
    workshop->volume_sizes = std::make_shared<VolumeSizes>(workshop->engine);
    place.workshop = std::move(workshop);
    return {};
  }

  // Constant once there is a sandbox.
  DockerSettings settings_;
  Progress progress_;
  const GetVariable variable_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Place>> places_;   // by host, as it was asked for
  std::unique_ptr<WarmContainers> warm_;   // never null; ends first, since it makes containers
};

}  // namespace

std::unique_ptr<sandbox::Driver> MakeDockerDriver(DockerSettings settings, GetVariable variable) {
  return std::make_unique<DockerDriver>(std::move(settings), std::move(variable));
}

}  // namespace paddock::docker
