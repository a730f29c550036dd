// OciSandbox: one container that a runtime binary started, with an agent as its init.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "drivers/oci/bundle.h"
#include "drivers/oci/cgroups.h"
#include "drivers/oci/oci_settings.h"
#include "drivers/oci/runtime.h"
#include "drivers/oci/stage.h"
#include "guest/bridge/network_bridge.h"
#include "guest/sandbox/guest_access.h"
#include "sandbox/keeps_sandboxes.h"
#include "sandbox/sandbox.h"
#include "sandbox/tells_denials.h"

namespace paddock::oci {

// What the driver's sandboxes share.
struct Workshop {
  OciSettings settings;
  Runtime runtime;
  std::string agent_directory;   // with paddock-guest in it, and nothing else
  std::string stage;             // FindPlaceForStage()
};

class OciSandbox final : public sandbox::Sandbox,
                         public sandbox::HasFiles,
                         public sandbox::PublishesPorts,
                         public sandbox::LivePolicy,
                         public sandbox::Metered,
                         public sandbox::TellsDenials,
                         public sandbox::WatchesFiles,
                         public sandbox::Freezable {
 public:
  // `store` as in sandbox::KeepsRoot; empty: what is changed of the root is kept in memory, or it cannot be changed (Profile). What was made
  // is taken back when a step fails.
  static Result<std::unique_ptr<OciSandbox>> Create(const sandbox::SandboxSpec& spec, const std::string& store, std::shared_ptr<const Workshop> workshop);
  ~OciSandbox() override;
  OciSandbox(const OciSandbox&) = delete;
  OciSandbox& operator=(const OciSandbox&) = delete;

  const std::string& id() const override { return id_; }
  Result<std::unique_ptr<sandbox::Process>> Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) override;
  std::vector<std::string> Close() override;
  vfs::FileSystem& files() override { return inside_->files(); }
  bool has_concurrent_files() const override { return true; }
  std::vector<std::string> Warnings() const override { return ways_->warnings(); }
  sandbox::Measured Measure() const override;
  std::vector<policy::PublishedPort> Published() const override { return ways_->published(); }
  Status UpdateNetwork(policy::NetworkRules rules) override { return ways_->UpdateRules(std::move(rules)); }
  void TellDenials(std::function<void(const std::string&)> listener) override { ways_->TellDenials(std::move(listener)); }
  Status Freeze() override;
  Status Thaw() override;
  Result<std::unique_ptr<sandbox::FileWatch>> Watch(const std::string& path, bool is_recursive) override;

  pid_t init() const { return init_; }   // on the host

 private:
  explicit OciSandbox(std::shared_ptr<const Workshop> workshop) : workshop_(std::move(workshop)) {}
  Status StandUp(const sandbox::SandboxSpec& spec, const std::string& store);
  // That what runs is what was asked for, and what it may use.
  Status Verify(const BundleSpec& asked, ino_t stream);
  Status MakeBundle(const BundleSpec& spec);
  Status MakeWorkingDirectory(const std::string& directory);
  const Runtime& runtime() const { return workshop_->runtime; }

  const std::shared_ptr<const Workshop> workshop_;
  std::string id_, bundle_;                       // bundle_: a directory; empty: not made
  Descriptor lock_;                               // of the bundle: while it is held no sweep takes it
  Descriptor link_;                               // the host's end of the agent's stream
  pid_t init_ = 0;
  ContainerGroup group_;
  std::optional<policy::ResourceLimits> limits_;
  std::shared_ptr<guest::NetworkBridge> ways_;   // the container's own network is a loopback
  std::unique_ptr<guest::GuestAccess> inside_;
  std::atomic<bool> is_frozen_{false};
  std::mutex closing_;
  bool is_started_ = false, is_closed_ = false;
};

}  // namespace paddock::oci
