// DockerSandbox: one container with an agent as its init, its volume and its network.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/docker/agent_link.h"
#include "drivers/docker/disk_meter.h"
#include "drivers/docker/docker_settings.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/plain/inside.h"
#include "drivers/docker/posture.h"
#include "drivers/docker/prepared_images.h"
#include "drivers/docker/root_images.h"
#include "guest/bridge/network_bridge.h"
#include "guest/sandbox/guest_access.h"
#include "sandbox/begins_on_roots.h"
#include "sandbox/keeps_sandboxes.h"
#include "sandbox/moves_trees.h"
#include "sandbox/sandbox.h"
#include "sandbox/tells_denials.h"
#include "sandbox/tells_posture.h"

namespace paddock::docker {

inline constexpr const char* kSandboxLabel = "org.paddock.sandbox";
inline constexpr const char* kAgentLabel = "org.paddock.agent";   // "none": the container is made without one (plain_sandbox.h)

// What the driver's sandboxes share.
struct Workshop {
  explicit Workshop(const DockerSettings& given) : settings(given), images(given.deployment), roots(given.deployment) {}
  DockerSettings settings;
  sandbox::TakesContainerSettings::Progress progress;   // may be null
  std::shared_ptr<const Engine> engine;
  PreparedImages images;
  RootImages roots;
  std::string agent_volume;   // empty until a sandbox is made
  std::shared_ptr<VolumeSizes> volume_sizes;
  std::once_flag quota_flag;
  bool has_layer_quota = false;   // once quota_flag is done
  std::mutex no_agent_mutex;
  std::map<std::string, std::string> no_agent;   // guarded by it: why none can run, by image and runtime as they were asked for
};

// How a sandbox is found again, and what it stands on.
struct Identity {
  std::string key;        // letters, digits and "-"
  std::string session;    // empty: of none
  bool is_kept = false;   // it outlives this process
  std::string root;       // id of the prepared image of its root; empty: what is asked for names an image
};

class DockerSandbox final : public sandbox::Sandbox,
                            public sandbox::HasFiles,
                            public sandbox::PublishesPorts,
                            public sandbox::LivePolicy,
                            public sandbox::Metered,
                            public sandbox::TellsDenials,
                            public sandbox::TellsPosture,
                            public sandbox::WatchesFiles,
                            public sandbox::Freezable,
                            public sandbox::MayEnd,
                            public sandbox::MovesTrees,
                            public sandbox::PacksRoot {
 public:
  // Makes network, volume and container, and starts it; what was made is taken back when a step fails. kExecFormat, with the reason only: the
  // agent cannot be executed there.
  static Result<std::unique_ptr<DockerSandbox>> Create(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, Identity identity);
  // Likewise with a keeper in the agent's place: the body of a PlainSandbox, of which no facet but its life may be used.
  static Result<std::unique_ptr<DockerSandbox>> CreatePlain(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, Identity identity);
  // One that is kept and stands ready, whatever session claims it: `kind` is without what belongs to one (KindOf()).
  static Result<std::unique_ptr<DockerSandbox>> Prepare(const sandbox::SandboxSpec& kind, std::shared_ptr<Workshop> workshop, std::string key);
  // Makes such a one a session's. kConflict: the image's name means another image by now. After an error it is of no use.
  Status Claim(const sandbox::SandboxSpec& spec);
  // Gives it the name of one that was made for the session: for people only, and the engine takes long (50 ms) for it. What this returns may
  // be called later than the sandbox lives.
  std::function<void()> Renaming(const std::string& session) const;
  // The container of a kept sandbox, begun again as it was made. Errors: kNoEntry; kConflict when there are several.
  static Result<std::unique_ptr<DockerSandbox>> Reopen(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, const std::string& key);
  ~DockerSandbox() override;
  // Removes all that it has on the engine, kept or not. One line for each thing that is left there.
  std::vector<std::string> Discard();
  DockerSandbox(const DockerSandbox&) = delete;
  DockerSandbox& operator=(const DockerSandbox&) = delete;

  const std::string& id() const override { return identity_.key; }
  Result<std::unique_ptr<sandbox::Process>> Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) override;
  std::vector<std::string> Close() override;
  std::vector<std::string> Warnings() const override { return warnings_; }
  vfs::FileSystem& files() override { return inside_->files(); }
  bool has_concurrent_files() const override { return true; }
  sandbox::Measured Measure() const override;
  std::vector<policy::PublishedPort> Published() const override { return ways_->published(); }
  Status UpdateNetwork(policy::NetworkRules rules) override { return ways_->UpdateRules(std::move(rules)); }
  void TellDenials(std::function<void(const std::string&)> listener) override { ways_->TellDenials(std::move(listener)); }
  Result<std::unique_ptr<sandbox::FileWatch>> Watch(const std::string& path, bool is_recursive) override;
  Status PackWorkspace(const std::function<Status(std::string_view)>& sink) override;
  Result<std::unique_ptr<sandbox::TreeWriter>> UnpackWorkspace() override;
  Status PackRoot(const sandbox::TarSink& sink) override;
  Result<sandbox::RootConfig> ReadRootConfig() override;
  std::string workspace() const override { return kWorkspace; }
  Status Freeze() override;
  Status Thaw() override;
  bool HasEnded() const override { return link_ == nullptr || link_->HasEnded(); }

  // How its processes are confined, as it was read when it started.
  const Posture& posture() const { return posture_; }
  sandbox::Posture GetPosture() const override;
  const std::string& container_id() const { return container_id_; }

  // For a PlainSandbox. Null with an agent.
  const std::shared_ptr<Inside>& plain() const { return plain_; }
  const ContainerSpec& plan() const { return plan_; }
  const std::shared_ptr<DiskMeter>& disk() const { return disk_; }
  vfs::Credentials user() const;
  std::string home() const;

 private:
  DockerSandbox(std::shared_ptr<Workshop> workshop, Identity identity);
  // What it is made as, but for the image.
  Status Plan(const sandbox::SandboxSpec& spec);
  Result<PreparedImage> Image(const sandbox::SandboxSpec& spec);
  Status Make(const sandbox::SandboxSpec& spec);
  Status Find(const std::string& key);
  // Starts the container, and its agent answers.
  Status Begin(bool is_new);
  Status BeginPlain();
  // Opens the ways in and out that the policy gives.
  Status Furnish(const std::optional<policy::Policy>& policy);
  // That what runs is what was asked for: engines are known to accept and ignore.
  Status Verify();
  const Engine& engine() const { return *workshop_->engine; }

  const std::shared_ptr<Workshop> workshop_;
  const Identity identity_;
  bool is_plain_ = false;
  std::shared_ptr<Inside> plain_;                    // in the place of link_, agent_, ways_ and inside_
  std::map<std::string, std::string> labels_;
  ContainerSpec plan_;
  std::optional<ImageOwner> user_;                   // inside; none: the image's root
  std::string network_id_, volume_, container_id_;   // empty: not made
  std::string started_;                              // when the engine began it, as it says
  std::unique_ptr<AgentLink> link_;
  std::shared_ptr<guest::Client> agent_;             // ends before the link
  std::shared_ptr<guest::NetworkBridge> ways_;       // past the engine's network
  std::unique_ptr<guest::GuestAccess> inside_;       // ends before the link
  std::optional<uint64_t> disk_limit_;
  std::shared_ptr<DiskMeter> disk_;   // null without a limit
  Posture posture_;
  std::string found_runtime_;   // empty: nobody has asked Podman
  std::atomic<bool> is_frozen_{false};
  std::vector<std::string> warnings_;
};

// A name for a new sandbox on an engine.
std::string NewContainerKey();

// Of what is asked for only what a container is made as: two of the same kind differ in nothing that could not be given later.
sandbox::SandboxSpec KindOf(const sandbox::SandboxSpec& spec);

// Who the code inside is, where the root file system is read-only.
ImageOwner UserOf(const sandbox::SandboxSpec& spec);
// The root that the container of that key began on, by way of another container that is never started.
Status PackBeginning(const Engine& engine, const std::string& deployment, const std::string& key, const sandbox::TarSink& sink);

// Removes the containers, networks and volumes of a deployment but those of the sandboxes that `is_kept` knows by their keys: what a daemon
// that was killed has left. Others' things are never looked at. One line for each thing that was removed.
Result<std::vector<std::string>> SweepDeployment(const Engine& engine, const std::string& deployment, const std::function<bool(const std::string& key)>& is_kept);
// Removes what one sandbox has on the engine. Idempotent.
Status RemoveSandbox(const Engine& engine, const std::string& deployment, const std::string& key);

}  // namespace paddock::docker
