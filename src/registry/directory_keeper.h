// DirectoryKeeper: keeps a sandbox whose files lie on the host: a workspace and a home in its own directory, shown behind a wall that is built
// anew each time. What was written there is there, whatever happens to the daemon; processes are not.
#pragma once

#include <string>

#include "registry/description.h"
#include "registry/keeper.h"

namespace paddock::registry {

class DirectoryKeeper final : public Keeper {
 public:
  // `driver` outlives the keeper; `directory` is the sandbox's own. kInvalid: what such a sandbox cannot have.
  static Result<std::unique_ptr<Keeper>> Make(sandbox::Driver& driver, const SandboxInfo& info, std::string directory);

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override;
  Status Keep(sandbox::Sandbox&) override { return {}; }
  Status Remove() override;

 private:
  DirectoryKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, std::string directory)
      : driver_(driver), spec_(std::move(spec)), directory_(std::move(directory)) {}

  sandbox::Driver& driver_;
  const sandbox::SandboxSpec spec_;
  const std::string directory_;
};

}  // namespace paddock::registry
