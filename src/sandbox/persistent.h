// Facets of sandboxes that outlive their process: what they hold as bytes, and sandboxes made from such bytes.
//
// A sandbox starts from a base, a tree of files that its owner keeps. What happens to its files and its shell afterwards is
// captured in steps; an owner that keeps base and steps (in a store::Journal, say) can make the sandbox again elsewhere:
// same files with their times and numbers, same shell. Processes that ran are gone then, as after a loss of power; what they
// had written is there.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/sandbox.h"

namespace paddock::vfs {
class BaseTree;
class ExtentSource;
struct ExtentName;
class MemoryVolume;
}  // namespace paddock::vfs

namespace paddock::sandbox {

// A stretch of a sandbox's life: what turns the one before into the one after. The bytes are the driver's.
struct SavedStep {
  std::string files;   // empty: no file changed
  std::string state;   // empty: the shell did not change
  bool empty() const { return files.empty() && state.empty(); }
};

struct SavedSandbox {
  // What it started from; null: what the driver's sandboxes start from, which may differ from one version of the program to
  // the next.
  std::shared_ptr<const vfs::BaseTree> base;
  std::vector<SavedStep> steps;
  // Where the extents that the steps name are, and those that later ones will name; null: nowhere.
  std::shared_ptr<vfs::ExtentSource> extents = nullptr;
};

// Facet of a Sandbox. Not while an exec runs (kBusy); between two steps of a ShellSession is fine.
class Persistent {
 public:
  virtual ~Persistent() = default;

  // What it started from, shared by all that start from the same: to be kept once.
  virtual std::shared_ptr<const vfs::BaseTree> base() const = 0;

  // What has changed since the last capture that MarkSaved() was called for (at first: since the base). Costs what has
  // changed. Empty if nothing has.
  virtual Result<SavedStep> CaptureStep() = 0;
  // All that has changed since the base, in one step that stands for all others.
  virtual Result<SavedStep> CaptureWhole() = 0;
  // The last capture is safe: the next step starts from it. Without this the next one holds it, too.
  virtual void MarkSaved() = 0;

  // The files as they are, to make a new base from. O(1). Mounts are not in it.
  virtual Result<std::shared_ptr<const vfs::MemoryVolume>> CaptureFiles() = 0;
  // The shell as it is, as SavedStep::state of a first step. With CaptureFiles(): a sandbox to start from.
  virtual Result<std::string> CaptureState() = 0;
  // SavedStep::files that does these changes (vfs::EncodeChanges) to what a sandbox like this one has from a base.
  virtual std::string FilesStep(std::string_view changes) const = 0;
};

// Facet of a Driver.
class Restores {
 public:
  virtual ~Restores() = default;
  // A sandbox that goes on where those steps end; without steps, a fresh one on that base. `spec` is the one it was created
  // with. The next CaptureStep() starts from there. Errors: those of Create(); kInvalid, kNoSpace, kLimit for steps that are
  // damaged or of another base.
  virtual Result<std::unique_ptr<Sandbox>> Restore(const SandboxSpec& spec, const SavedSandbox& saved) = 0;
  // The extents that a step names. Errors: kInvalid.
  virtual Result<std::vector<vfs::ExtentName>> ExtentsOf(const SavedStep& step) const = 0;
};

// Facet of a Driver whose sandboxes need files of its own among those that they begin with: programs, a home.
class LaysBases {
 public:
  virtual ~LaysBases() = default;
  // Puts them into a tree that came from elsewhere (a distribution, an image), which is believed in nothing. What has the name of one
  // of the driver's programs where programs are looked for is replaced. The same tree gives the same result. Errors: kInvalid for a
  // tree that cannot hold them, naming the path; kNoSpace.
  virtual Status Lay(std::shared_ptr<vfs::MemoryVolume> files) = 0;
};

}  // namespace paddock::sandbox
