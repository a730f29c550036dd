// SavedFiles: the file trees of a virtual sandbox between captures: what of them has been saved, and what has changed since.
//
// A sandbox has one tree of its own and one more for each overlay mount. A step's bytes tell the changes of each:
// its number, the length of its changes (vfs/tree_changes.h) and these; trees without changes are left out.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/persistent.h"
#include "vfs/tree_changes.h"

namespace paddock::sandbox {

class SavedFiles {
 public:
  // Where what it captures may name extents, and what is added finds them; null: nowhere.
  explicit SavedFiles(std::shared_ptr<vfs::ExtentSource> extents = nullptr) : extents_(std::move(extents)) {}

  // The changes of each tree, in the order of the steps. Views into the steps.
  using Steps = std::vector<std::vector<std::string_view>>;
  static Result<Steps> Split(const std::vector<SavedStep>& steps);

  // The next tree: `volume` is a fork of `base`. Does the tree's part of `steps` to it. The first one is the sandbox's own.
  Status Add(std::shared_ptr<vfs::MemoryVolume> volume, std::shared_ptr<const vfs::BaseTree> base, const Steps& steps);
  // After the last Add(): kInvalid if the steps have changes of trees that are not there.
  Status CheckAllUsed(const Steps& steps) const;

  const std::shared_ptr<const vfs::BaseTree>& base(size_t tree) const { return trees_[tree].base; }
  const vfs::MemoryVolume& volume(size_t tree) const { return *trees_[tree].volume; }
  size_t size() const { return trees_.size(); }

  enum class Since { kSaved, kBase };
  Result<std::string> Capture(Since since);
  void MarkSaved();
  // A step of the sandbox's own tree alone.
  static std::string StepOf(std::string_view changes);
  static Result<std::vector<vfs::ExtentName>> ExtentsOf(const SavedStep& step);

 private:
  struct Tree {
    std::shared_ptr<vfs::MemoryVolume> volume;
    std::shared_ptr<const vfs::BaseTree> base;
    std::shared_ptr<const vfs::MemoryVolume> saved;      // a fork; null: as the base
    std::shared_ptr<const vfs::MemoryVolume> captured;   // of the last capture, until it is marked; null: as saved
  };
  std::shared_ptr<vfs::ExtentSource> extents_;
  std::vector<Tree> trees_;
};

}  // namespace paddock::sandbox
