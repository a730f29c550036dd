// JournalKeeper: keeps a sandbox that is Persistent as the base that it started from, in the store, and a journal of what happened since.
//
// The bytes of large files that came from clients lie beside the journal, in files that it names (ExtentFiles).
//
// The journal's base changes when the sandbox becomes another state; then the file `origin` beside it names the base that it was created on.
// So it does for a fork that began with a step of its own; that follows the name there.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "registry/states/bases.h"
#include "registry/states/extent_files.h"
#include "registry/states/keeper.h"
#include "registry/states/saved_state.h"
#include "sandbox/persistent.h"
#include "store/journal/journal.h"
#include "store/trees/memory_capture.h"
#include "vfs/base_mirror.h"

namespace paddock::registry {

class JournalKeeper final : public Keeper, public KeepsStates, public KeepsExtents {
 public:
  // `driver` makes and Restores; `directory` is the sandbox's own, made when there is something to keep. All outlive the keeper. With
  // `has_beginning` it was told what to Become() before its first Load(); else a new one starts from the driver's own base.
  JournalKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, std::shared_ptr<Bases> bases, bool has_beginning, std::string directory)
      : driver_(driver), spec_(std::move(spec)), bases_(std::move(bases)), has_beginning_(has_beginning), directory_(std::move(directory)), extents_(std::make_shared<ExtentFiles>(directory_)) {}

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override;
  Status Keep(sandbox::Sandbox& sandbox) override;
  Status Settle(sandbox::Sandbox& sandbox) override;
  Status Remove() override;

  Result<SavedState> Capture(sandbox::Sandbox* live, trees::Session& session) override;
  Result<SavedState> CaptureToFork(sandbox::Sandbox* live, trees::Session& session) override;
  Status Become(const SavedState& state) override;
  Result<trees::ObjectId> CaptureCreation(trees::Session& session) override;
  Result<std::vector<trees::ObjectId>> Trees() override;
  Result<std::shared_ptr<const void>> Share(const SavedState& state) override;

  Result<vfs::ExtentPtr> TakeExtent(sandbox::Sandbox& live, int file, uint64_t size, uint32_t checksum) override;

 private:
  Result<std::unique_ptr<sandbox::Sandbox>> Restore(const std::string& base, std::vector<sandbox::SavedStep> steps);
  // All that the journal says, in one record; the disk has the extents that it names.
  Result<store::Journal::Start> Whole(sandbox::Persistent& persistent);
  // Begins the journal anew with that when extents that are needed by nothing in it any more take more than the others.
  Status DropOldExtents(sandbox::Persistent& persistent);
  Status Begin(const std::string& base, sandbox::SavedStep step);
  // Reads the journal, which may not be there: null then.
  Status OpenJournal(const store::Journal::Visit& visit);
  // The base in the journal; empty: there is no journal.
  Result<std::string> BaseOfJournal();
  // The base that the sandbox was created on (empty: the driver's own, which nothing has left yet), and the step that it began with, as
  // SavedStep::files; read only where `step` asks for it.
  Result<std::string> Origin(std::string* step = nullptr);
  // Writes down what Origin() is before the journal gets another base.
  Status KeepOrigin();
  Status WriteOrigin(const std::string& base, const std::string& step, bool syncs);
  Status MakeDirectory();
  std::string path() const { return directory_ + "/journal"; }
  std::string origin_path() const { return directory_ + "/origin"; }

  sandbox::Driver& driver_;
  const sandbox::SandboxSpec spec_;
  const std::shared_ptr<Bases> bases_;
  const bool has_beginning_;
  const std::string directory_;
  const std::shared_ptr<ExtentFiles> extents_;
  std::unique_ptr<store::Journal> journal_;   // null until it was read, or something was kept
  std::unique_ptr<trees::MemoryCapture> capture_;   // of the sandbox in memory, from its first capture on
  std::unique_ptr<vfs::BaseMirror> mirror_;         // of the same, from its first fork on that its own base was too far away for
  trees::ObjectId mirror_tree_;                     // the base of that in the store
  std::optional<trees::ObjectId> creation_;         // as CaptureCreation() found it
};

}  // namespace paddock::registry
