// VirtualSandbox: a virtual computer inside this process: a file tree, a kernel, the state of its shell.
//
// VirtualProcess and VirtualShell run code in it; this class owns what lasts from one exec to the next.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/virtual/saved_files.h"
#include "drivers/virtual/streams.h"
#include "drivers/virtual/virtual_network.h"
#include "sandbox/persistent.h"
#include "sandbox/shell_session.h"
#include "sandbox/tells_denials.h"
#include "shell/exec/program.h"
#include "shell/state/state_codec.h"
#include "vfs/view.h"

namespace paddock::shell {
class Shell;
}

namespace paddock::sandbox {

// What the sandboxes of one driver share.
struct VirtualHost {
  explicit VirtualHost(std::span<const Command* const> commands);
  shell::ShellHost programs;
  std::shared_ptr<const vfs::BaseTree> base;   // of a default SandboxSpec
  vfs::VolumePtr dev;
  shell::StateClock clock;
};

class VirtualSandbox final : public Sandbox, public HasFiles, public Forkable, public Interactive, public Persistent, public KeepsShell,
                             public Metered, public StandsStill, public TellsDenials {
 public:
  VirtualSandbox(std::shared_ptr<VirtualHost> host, SandboxSpec spec, std::shared_ptr<const vfs::BaseTree> base,
                 std::shared_ptr<vfs::MemoryVolume> root, std::shared_ptr<vfs::ExtentSource> extents = nullptr);
  ~VirtualSandbox() override;

  // Before Mount(): the way out, which forks share.
  void Give(std::shared_ptr<NetworkDoor> door);
  // Before its first use. With steps, it goes on from where they end; with an original, from its changes over mounts.
  Status Mount(const std::vector<SavedStep>& steps, const VirtualSandbox* original = nullptr);
  // Behind Mount(), when the tree is from elsewhere: the programs that need a network are there if it has one, and else are not.
  Status FitPrograms(const std::vector<std::string>& network_programs);
  const std::string& id() const override { return id_; }
  Result<std::unique_ptr<Process>> Start(ExecSpec spec, StdinSource input, OutputHandler handler) override;
  vfs::FileSystem& files() override { return *view_; }
  Result<std::unique_ptr<Sandbox>> Fork() override;

  void ForgetShell() override;
  Result<std::unique_ptr<ShellSession>> OpenShell(SessionSpec spec, OutputHandler output) override;

  Measured Measure() const override;
  void TellDenials(std::function<void(const std::string&)> listener) override;
  void WhenStill(std::function<void()> visit) override;

  std::shared_ptr<const vfs::BaseTree> base() const override { return base_; }
  Result<SavedStep> CaptureStep() override;
  Result<SavedStep> CaptureWhole() override;
  void MarkSaved() override;
  Result<std::shared_ptr<const vfs::MemoryVolume>> CaptureFiles() override;
  Result<std::string> CaptureState() override;
  std::string FilesStep(std::string_view changes) const override { return SavedFiles::StepOf(changes); }

  // For VirtualProcess and VirtualShell.
  static constexpr int kShellPid = 42;   // of a sandbox's shell, in every exec

  // Runs `body` in the sandbox's shell process (pid 42) until it ends, and background processes with it. With a
  // null handler the output goes into the result.
  struct Exec {
    Budget& budget;
    OutputHandler handler;
    std::string cwd;   // where the shell last was if empty
    std::function<void(proc::Process&)> prepare;
    proc::Kernel::Body body;
    bool waits_for_background = true;
  };
  ExecResult Run(Exec exec);
  // Keeps a shell as it is now for the next exec. Null forgets it.
  void Keep(std::shared_ptr<const shell::Shell> state, proc::Process& process);
  void Release() { is_running_ = false; }

  const std::shared_ptr<const shell::Shell>& state() const { return state_; }
  const VirtualHost& host() const { return *host_; }
  const SandboxSpec& spec() const { return spec_; }
  io::PollWaiter& waiter() { return waiter_; }
  proc::Kernel& kernel() { return *kernel_; }
  // The terminal of what runs: the size of its window; nobody looks at one any more.
  void SetWindow(WindowSize size) { kernel_->set_window_size({.columns = size.columns, .lines = size.lines}); }
  void LeaveTerminal() {
    kernel_->set_foreground_group(0);
    kernel_->set_window_size({});
  }
  const std::shared_ptr<OutputRoute>& route() const { return route_; }
  // Placeholders of secrets, for every environment.
  void AddVariables(Environment& environment) const;

 private:
  Status MountHost(const MountSpec& mount, const SavedFiles::Steps& steps, const VirtualSandbox* original);
  Status RestoreShell(const std::vector<SavedStep>& steps);
  Status CheckIdle() const;
  void Visit();
  void NoteDisk() const;
  shell::EncodedState EncodeShell() const;
  Status MakeWorkingDirectory();

  std::shared_ptr<VirtualHost> host_;
  std::string id_;
  SandboxSpec spec_;
  std::shared_ptr<const vfs::BaseTree> base_;
  std::shared_ptr<vfs::MemoryVolume> root_;
  SavedFiles saved_files_;
  io::PollWaiter waiter_;
  std::shared_ptr<NetworkDoor> door_;          // null without a network
  std::unique_ptr<VirtualNetwork> network_;    // through it
  std::unique_ptr<proc::Kernel> kernel_;
  std::unique_ptr<vfs::View> view_;
  std::shared_ptr<OutputRoute> route_ = std::make_shared<OutputRoute>();
  // The shell as the last exec left it, and where it stood. Only copied from, never run: the process it
  // names is gone.
  std::shared_ptr<const shell::Shell> state_;
  std::string cwd_;
  uint32_t umask_ = 022;
  proc::ResourceLimits resource_limits_;
  shell::EncodedState saved_state_;                     // that the next step starts from
  std::optional<shell::EncodedState> captured_state_;   // of the last capture, until it is marked
  UsageMeter meter_;
  mutable std::atomic<uint64_t> disk_bytes_{0};         // when the files were last looked at
  std::mutex visits_mutex_;
  std::vector<std::function<void()>> visits_;           // that wait for their moment
  bool is_running_ = false;
  bool is_inside_ = false;   // an exec's processes have the word
};

}  // namespace paddock::sandbox
