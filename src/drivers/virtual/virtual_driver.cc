#include "drivers/virtual/virtual_driver.h"

#include <mutex>

#include "drivers/virtual/base_tree.h"
#include "drivers/virtual/virtual_sandbox.h"

namespace paddock::sandbox {
namespace {

class VirtualDriver final : public Driver, public Restores, public LaysBases {
 public:
  explicit VirtualDriver(std::span<const Command* const> commands) : commands_(commands) {}
  const char* name() const override { return "virtual"; }

  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override { return Restore(spec, {}); }

  Result<std::unique_ptr<Sandbox>> Restore(const SandboxSpec& spec, const SavedSandbox& saved) override {
    MakeHost();
    std::shared_ptr<const vfs::BaseTree> base = saved.base ? saved.base : BaseFor(spec);
    auto root = base->Fork();
    auto sandbox = std::make_unique<VirtualSandbox>(host_, spec, std::move(base), std::move(root));
    PADDOCK_TRY(sandbox->Mount(saved.steps));
    return std::unique_ptr<Sandbox>(std::move(sandbox));
  }

  Status Lay(std::shared_ptr<vfs::MemoryVolume> files) override {
    MakeHost();
    return LayBaseTree(std::move(files), host_->programs.ProgramNames(), SandboxSpec{});
  }

 private:
  // When the first sandbox is made: a program that has several drivers may never use this one.
  void MakeHost() {
    std::call_once(once_, [this] { host_ = std::make_shared<VirtualHost>(commands_); });
  }

  std::shared_ptr<const vfs::BaseTree> BaseFor(const SandboxSpec& spec) const {
    const SandboxSpec defaults;
    const bool is_default = spec.user == defaults.user && spec.uid == defaults.uid && spec.gid == defaults.gid &&
                            spec.hostname == defaults.hostname;
    if (is_default) return host_->base;
    return vfs::BaseTree::Make(*MakeBaseTree(SystemClock(), host_->programs.ProgramNames(), spec));
  }

  const std::span<const Command* const> commands_;
  std::once_flag once_;
  std::shared_ptr<VirtualHost> host_;
};

}  // namespace

std::unique_ptr<Driver> MakeVirtualDriver(std::span<const Command* const> commands) {
  return std::make_unique<VirtualDriver>(commands);
}

}  // namespace paddock::sandbox
