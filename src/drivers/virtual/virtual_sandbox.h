// VirtualSandbox: a virtual computer inside this process: a file tree, a kernel, the state of its shell.
//
// VirtualProcess and VirtualShell run code in it; this class owns what lasts from one exec to the next.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "drivers/virtual/streams.h"
#include "sandbox/shell_session.h"
#include "shell/exec/program.h"
#include "vfs/memory_volume.h"
#include "vfs/view.h"

namespace paddock::shell {
class Shell;
}

namespace paddock::sandbox {

// What the sandboxes of one driver share.
struct VirtualHost {
  explicit VirtualHost(std::span<const Command* const> commands);
  shell::ShellHost programs;
  std::shared_ptr<vfs::MemoryVolume> base;   // of a default SandboxSpec
  vfs::VolumePtr dev;
};

class VirtualSandbox final : public Sandbox, public HasFiles, public Forkable, public Interactive {
 public:
  VirtualSandbox(std::shared_ptr<VirtualHost> host, SandboxSpec spec, std::shared_ptr<vfs::MemoryVolume> root);
  ~VirtualSandbox() override;

  Status Mount();
  const std::string& id() const override { return id_; }
  Result<std::unique_ptr<Process>> Start(ExecSpec spec, StdinSource input, OutputHandler handler) override;
  vfs::FileSystem& files() override { return *view_; }
  Result<std::unique_ptr<Sandbox>> Fork() override;

  Result<std::unique_ptr<ShellSession>> OpenShell(SessionSpec spec, OutputHandler output) override;

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
  const std::shared_ptr<OutputRoute>& route() const { return route_; }

 private:
  Status MountHost(const MountSpec& mount);

  std::shared_ptr<VirtualHost> host_;
  std::string id_;
  SandboxSpec spec_;
  std::shared_ptr<vfs::MemoryVolume> root_;
  io::PollWaiter waiter_;
  std::unique_ptr<proc::Kernel> kernel_;
  std::unique_ptr<vfs::View> view_;
  std::shared_ptr<OutputRoute> route_ = std::make_shared<OutputRoute>();
  // The shell as the last exec left it, and where it stood. Only copied from, never run: the process it
  // names is gone.
  std::shared_ptr<const shell::Shell> state_;
  std::string cwd_;
  uint32_t umask_ = 022;
  bool is_running_ = false;
};

}  // namespace paddock::sandbox
