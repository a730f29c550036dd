// A sandbox as a whole at one moment, and the facet of keepers that take such states and put them in place: what snapshots, forks and
// templates are made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sandbox/sandbox.h"
#include "store/trees/capture.h"
#include "store/trees/image_archive.h"

namespace paddock::registry {

// The tree lies in the store for as long as the session that met it lives, or something that the collection asks names it.
struct SavedState {
  trees::ObjectId files;
  // What lies below the files: a template's tree, a root; the files themselves where they are all there is. None: nothing of the store.
  std::optional<trees::ObjectId> base = std::nullopt;
  trees::TreeTotals totals;
  std::string shell;   // as the first SavedStep::state; empty: a fresh shell
  std::string step = {};   // what is done to the files first, as the first SavedStep::files; only of what CaptureToFork() gave
};

// Facet of a Keeper. One thread at a time.
class KeepsStates {
 public:
  virtual ~KeepsStates() = default;

  // Whether Capture() looks at the sandbox in memory. Else what it keeps is there without it, and Become() wants it ended before.
  virtual bool needs_live() const { return true; }

  // `live` (null unless it is needed) as it is now. Nothing runs in it. The tree is durable when this returns. Errors: those of the store and of the sandbox.
  virtual Result<SavedState> Capture(sandbox::Sandbox* live, trees::Session& session) = 0;

  // As Capture(), for sandboxes that Become() it and for nothing else: a tree that is there already, and the step from it to what is now,
  // where that costs less.
  virtual Result<SavedState> CaptureToFork(sandbox::Sandbox* live, trees::Session& session) { return Capture(live, session); }

  // From now on Load() gives this state. In one step: a crash leaves what was before, or this. The caller's session met the tree.
  virtual Status Become(const SavedState& state) = 0;

  // What sandboxes that Become() that state have in common, made once for all of them: whoever has several to make holds it meanwhile.
  virtual Result<std::shared_ptr<const void>> Share(const SavedState& state) = 0;

  // The files as the sandbox was created with, whatever it became since. Held by the session, and durable. Costs what is in them the first
  // time. Errors: those of the store and of the driver.
  virtual Result<trees::ObjectId> CaptureCreation(trees::Session& session) = 0;

  // The trees that the other functions and Load() need from the store; empty when all lies in the sandbox's directory.
  virtual Result<std::vector<trees::ObjectId>> Trees() = 0;
};

// A root file system with all that its user sees, and how its image wants programs to be started.
struct CapturedRoot {
  trees::Captured files;
  trees::ImageConfig config;
};

// Facet of a Keeper: any isolation that begins from templates may begin from such a root.
class GivesRoots {
 public:
  virtual ~GivesRoots() = default;
  // As KeepsStates::Capture().
  virtual Result<CapturedRoot> CaptureRoot(sandbox::Sandbox* live, trees::Session& session, const trees::ArchiveLimits& limits) = 0;
};

}  // namespace paddock::registry
