// JournalKeeper: keeps a sandbox that is Persistent as the base that it started from, in the store, and a journal of what happened since.
#pragma once

#include <memory>
#include <string>

#include "registry/bases.h"
#include "registry/keeper.h"
#include "sandbox/persistent.h"
#include "store/journal/journal.h"

namespace paddock::registry {

class JournalKeeper final : public Keeper {
 public:
  // `driver` makes and Restores; `directory` is the sandbox's own, made when there is something to keep. All outlive the keeper. `base` names
  // what a new sandbox starts from; empty: the driver's own.
  JournalKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, std::shared_ptr<Bases> bases, std::string base, std::string directory)
      : driver_(driver), spec_(std::move(spec)), bases_(std::move(bases)), base_(std::move(base)), directory_(std::move(directory)) {}

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override;
  Status Keep(sandbox::Sandbox& sandbox) override;
  Status Settle(sandbox::Sandbox& sandbox) override;
  Status Remove() override;

 private:
  Result<std::unique_ptr<sandbox::Sandbox>> Restore(const std::string& base, std::vector<sandbox::SavedStep> steps);
  Status Begin(const std::shared_ptr<const vfs::BaseTree>& base, sandbox::SavedStep step);
  std::string path() const { return directory_ + "/journal"; }

  sandbox::Driver& driver_;
  const sandbox::SandboxSpec spec_;
  const std::shared_ptr<Bases> bases_;
  const std::string base_;
  const std::string directory_;
  std::unique_ptr<store::Journal> journal_;   // null until something was kept
};

}  // namespace paddock::registry
