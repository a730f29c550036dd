#include "drivers/virtual/virtual_driver.h"

#include <map>
#include <mutex>

#include "drivers/virtual/base_tree.h"
#include "drivers/virtual/virtual_sandbox.h"
#include "sandbox/brings_commands.h"

namespace paddock::sandbox {
namespace {

class VirtualDriver final : public Driver, public Restores, public LaysBases, public BringsCommands {
 public:
  explicit VirtualDriver(std::span<const Command* const> commands) : commands_(commands) {
    for (const Command* command : commands_) {
      if (command->needs_network) network_programs_.emplace_back(command->name);
    }
  }
  const char* name() const override { return "virtual"; }

  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override { return Restore(spec, {}); }

  Result<std::unique_ptr<Sandbox>> Restore(const SandboxSpec& spec, const SavedSandbox& saved) override {
    std::shared_ptr<NetworkDoor> door;
    if (spec.policy && NetworkDoor::IsOpen(*spec.policy)) {
      PADDOCK_ASSIGN(door, NetworkDoor::Open(*spec.policy));
    }
    const std::shared_ptr<VirtualHost> host = MakeHost(door != nullptr);
    std::shared_ptr<const vfs::BaseTree> base = saved.base ? saved.base : BaseFor(*host, spec);
    auto root = base->Fork();
    auto sandbox = std::make_unique<VirtualSandbox>(host, spec, std::move(base), std::move(root), saved.extents);
    sandbox->Give(std::move(door));
    PADDOCK_TRY(sandbox->Mount(saved.steps));
    if (saved.base) PADDOCK_TRY(sandbox->FitPrograms(network_programs_));
    return std::unique_ptr<Sandbox>(std::move(sandbox));
  }

  Result<std::vector<vfs::ExtentName>> ExtentsOf(const SavedStep& step) const override { return SavedFiles::ExtentsOf(step); }

  std::vector<CommandFacts> Commands() const override {
    std::map<std::string, CommandFacts> by_name;
    for (const Command* command : commands_) {
      by_name[command->name] = {.name = command->name,
                                .aliases = {command->aliases.begin(), command->aliases.end()},
                                .summary = command->summary,
                                .synopsis = command->synopsis,
                                .options = command->options,
                                .help = HelpText(*command, command->name),
                                .needs_network = command->needs_network};
    }
    std::vector<CommandFacts> all;
    for (auto& [name, facts] : by_name) all.push_back(std::move(facts));
    return all;
  }

  Status Lay(std::shared_ptr<vfs::MemoryVolume> files) override {
    return LayBaseTree(std::move(files), MakeHost(false)->programs.ProgramNames(), SandboxSpec{});
  }

 private:
  // When the first sandbox that takes it is made: a program that has several drivers may never use this one.
  std::shared_ptr<VirtualHost> MakeHost(bool has_network) {
    std::shared_ptr<VirtualHost>& host = has_network ? with_network_ : without_network_;
    std::call_once(has_network ? once_with_ : once_without_, [&] {
      if (!has_network) {
        for (const Command* command : commands_) {
          if (!command->needs_network) inner_commands_.push_back(command);
        }
      }
      host = std::make_shared<VirtualHost>(has_network ? commands_ : std::span<const Command* const>(inner_commands_));
    });
    return host;
  }

  static std::shared_ptr<const vfs::BaseTree> BaseFor(const VirtualHost& host, const SandboxSpec& spec) {
    const SandboxSpec defaults;
    const bool is_default = spec.user == defaults.user && spec.uid == defaults.uid && spec.gid == defaults.gid &&
                            spec.hostname == defaults.hostname;
    if (is_default) return host.base;
    return vfs::BaseTree::Make(*MakeBaseTree(SystemClock(), host.programs.ProgramNames(), spec));
  }

  const std::span<const Command* const> commands_;
  std::vector<const Command*> inner_commands_;   // those that need no network
  std::vector<std::string> network_programs_;    // the others' names
  std::once_flag once_without_, once_with_;
  std::shared_ptr<VirtualHost> without_network_, with_network_;
};

}  // namespace

std::unique_ptr<Driver> MakeVirtualDriver(std::span<const Command* const> commands) {
  return std::make_unique<VirtualDriver>(commands);
}

}  // namespace paddock::sandbox
