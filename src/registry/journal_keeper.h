// JournalKeeper: keeps a sandbox that is Persistent as the base that it started from, in the store, and a journal of what happened since.
//
// The journal's base changes when the sandbox becomes another state; then the file `origin` beside it names the base that it was created on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/bases.h"
#include "registry/keeper.h"
#include "registry/saved_state.h"
#include "sandbox/persistent.h"
#include "store/journal/journal.h"
#include "store/trees/memory_capture.h"

namespace paddock::registry {

class JournalKeeper final : public Keeper, public KeepsStates {
 public:
  // `driver` makes and Restores; `directory` is the sandbox's own, made when there is something to keep. All outlive the keeper. With
  // `has_beginning` it was told what to Become() before its first Load(); else a new one starts from the driver's own base.
  JournalKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, std::shared_ptr<Bases> bases, bool has_beginning, std::string directory)
      : driver_(driver), spec_(std::move(spec)), bases_(std::move(bases)), has_beginning_(has_beginning), directory_(std::move(directory)) {}

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override;
  Status Keep(sandbox::Sandbox& sandbox) override;
  Status Settle(sandbox::Sandbox& sandbox) override;
  Status Remove() override;

  Result<SavedState> Capture(sandbox::Sandbox* live, trees::Session& session) override;
  Status Become(const SavedState& state) override;
  Result<trees::ObjectId> CaptureCreation(trees::Session& session) override;
  Result<std::vector<trees::ObjectId>> Trees() override;
  Result<std::shared_ptr<const void>> Share(const SavedState& state) override;

 private:
  Result<std::unique_ptr<sandbox::Sandbox>> Restore(const std::string& base, std::vector<sandbox::SavedStep> steps);
  Status Begin(const std::string& base, sandbox::SavedStep step);
  // Reads the journal, which may not be there: null then.
  Status OpenJournal(const store::Journal::Visit& visit);
  // The base in the journal; empty: there is no journal.
  Result<std::string> BaseOfJournal();
  // The base that the sandbox was created on; empty: the driver's own, which nothing has left yet.
  Result<std::string> Origin();
  // Writes down what Origin() is before the journal gets another base.
  Status KeepOrigin();
  std::string path() const { return directory_ + "/journal"; }
  std::string origin_path() const { return directory_ + "/origin"; }

  sandbox::Driver& driver_;
  const sandbox::SandboxSpec spec_;
  const std::shared_ptr<Bases> bases_;
  const bool has_beginning_;
  const std::string directory_;
  std::unique_ptr<store::Journal> journal_;   // null until it was read, or something was kept
  std::unique_ptr<trees::MemoryCapture> capture_;   // of the sandbox in memory, from its first capture on
  std::optional<trees::ObjectId> creation_;         // as CaptureCreation() found it
};

}  // namespace paddock::registry
