// ProcessSandbox: one wall with its agent, its egress engine and its cgroups.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/process/control_group.h"
#include "drivers/process/host_facts.h"
#include "drivers/process/network_access.h"
#include "drivers/process/usage_watch.h"
#include "drivers/process/overlay_session.h"
#include "drivers/process/socket_denials.h"
#include "drivers/process/wall_launch.h"
#include "drivers/process/wall_plan.h"
#include "drivers/process/wall_stock.h"
#include "drivers/process/workspace_guard.h"
#include "guest/bridge/published_ports.h"
#include "guest/client/client.h"
#include "guest/files/guest_file_system.h"
#include "sandbox/denial_log.h"
#include "sandbox/file_watch.h"
#include "sandbox/sandbox.h"
#include "sandbox/tells_denials.h"

namespace paddock::process_wall {

class ProcessSandbox final : public sandbox::Sandbox,
                             public sandbox::HasFiles,
                             public sandbox::PublishesPorts,
                             public sandbox::LivePolicy,
                             public sandbox::Metered,
                             public sandbox::TellsDenials,
                             public sandbox::WatchesFiles {
 public:
  // `stock` begins the wall. `root_store`: of KeepsRoot, or empty.
  static Result<std::unique_ptr<ProcessSandbox>> Create(const sandbox::SandboxSpec& spec, const std::string& root_store, HostFacts facts,
                                                        WallStock& stock);
  ~ProcessSandbox() override;
  ProcessSandbox(const ProcessSandbox&) = delete;
  ProcessSandbox& operator=(const ProcessSandbox&) = delete;

  const std::string& id() const override { return id_; }
  Result<std::unique_ptr<sandbox::Process>> Start(sandbox::ExecSpec spec, sandbox::StdinSource input,
                                                  sandbox::OutputHandler handler) override;
  std::vector<std::string> Close() override;
  std::vector<policy::PublishedPort> Published() const override { return published_; }
  std::vector<std::string> Warnings() const override { return warnings_; }
  vfs::FileSystem& files() override { return *files_; }
  bool has_concurrent_files() const override { return true; }
  Status UpdateNetwork(policy::NetworkRules rules) override;
  sandbox::Measured Measure() const override;
  void TellDenials(std::function<void(const std::string&)> listener) override { denials_->Tell(std::move(listener)); }
  Result<std::unique_ptr<sandbox::FileWatch>> Watch(const std::string& path, bool is_recursive) override;

 private:
  ProcessSandbox(sandbox::SandboxSpec spec, std::string root_store, HostFacts facts)
      : spec_(std::move(spec)), root_store_(std::move(root_store)), facts_(std::move(facts)) {}
  Status StandUp(WallStock& stock);
  Status WatchDisk();
  void OpenFiles(const WallPlan& plan);
  // For the limits that no cgroup keeps; none if there are none.
  std::optional<UsageWatch> MakeWatch(std::optional<std::chrono::nanoseconds> cpu_time) const;
  std::vector<std::string> MakeEnvironment(const Environment& wanted) const;

  std::string id_;
  sandbox::SandboxSpec spec_;
  const std::string root_store_;
  HostFacts facts_;
  std::shared_ptr<ControlGroup> group_;
  std::shared_ptr<sandbox::DenialLog> denials_ = std::make_shared<sandbox::DenialLog>();
  std::unique_ptr<WorkspaceGuard> workspace_;
  std::shared_ptr<NetworkAccess> network_;   // outlives the wall
  std::unique_ptr<OverlaySession> overlay_;   // null unless the workspace is an overlay
  std::shared_ptr<DiskWatch> disk_;           // null unless that has a limit
  std::shared_ptr<SocketDenials> socket_denials_;   // null without a socket guard
  std::unique_ptr<Wall> wall_;
  std::shared_ptr<guest::Client> client_;
  std::unique_ptr<guest::GuestFileSystem> files_;
  std::unique_ptr<guest::StreamBridge> bridge_;   // of published ports, or null; ends before the client
  std::vector<policy::PublishedPort> published_;
  std::vector<std::string> warnings_;
};

}  // namespace paddock::process_wall
