// FileTree: builds the file tree of a wall from the steps of its plan, in the mount namespace of the wall.
//
// Targets are found without following links, and read-only is set on whole trees of mounts. In the end the new tree is the
// root and nothing of the host's is left below it but what was bound.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/descriptor.h"
#include "drivers/process/wall/mount_sources.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

class FileTree {
 public:
  // Begins a tree beside the host's. Runs inside the new mount and PID namespaces.
  Status Begin();
  // Mounts in it. `sources`: one for each step.
  Status Add(const std::vector<MountStep>& steps, std::vector<MountSource> sources);
  // Makes the new tree the root and leaves the host's.
  Status Enter();
  // File systems that are the wall's alone, as the kernel numbers them (major << 20 | minor).
  const std::vector<uint32_t>& own_devices() const { return own_devices_; }

 private:
  Status FreezeScratch();
  Status Apply(const MountStep& step, MountSource& source);
  Status MountTmpfs(const MountStep& step);
  Status MountBind(const MountStep& step, MountSource& source);
  Status MountOverlay(const MountStep& step, MountSource& source);
  Status MountProc(const MountStep& step);
  Status MakeDevices(const MountStep& step);
  Status MakeFile(const MountStep& step);
  Status MakeSymlink(const MountStep& step);
  Status MakeBlankFile();
  Status MakeBlankDirectory();
  Status Mask(const MountStep& step);
  Status TakeSpareBlank(const MountStep& step);
  Status ProtectInPlace(const MountStep& step, bool makes_readonly);
  // Mounts at a name in the scratch directory what is to be /.
  Status BecomeRoot(int mount, const char* name);
  // A directory of a file system that was made here.
  Status NoteOwn(int directory);

  // Opens a path inside without following links; makes missing parents, and the last component as a directory or an
  // empty file, when `makes` is set. Errors: kNoEntry, kLoop for a link on the way, what mkdir says.
  Result<Descriptor> OpenTarget(std::string_view path, bool makes, bool is_directory);
  Result<Descriptor> OpenParent(std::string_view path, bool makes, std::string& name);
  Status Attach(int mount, std::string_view target, bool is_directory);
  Result<Descriptor> NewTmpfs(uint64_t size, uint32_t mode, bool is_readonly);

  Descriptor root_;        // the new root while it is being built
  Descriptor scratch_;     // a tmpfs outside of it
  Descriptor frozen_;      // the same, read-only: what is cloned from it is, too
  Descriptor private_;     // the tmpfs that all private places are directories of
  Descriptor proc_;        // the new /proc
  Descriptor blank_file_;  // mounts that masks are cloned from
  Descriptor blank_directory_;
  Descriptor spare_blank_;   // a clone of blank_file_ that is attached nowhere yet
  std::vector<uint32_t> own_devices_;
  int scratch_count_ = 0;
  bool has_own_root_ = false;   // a step stands as /, instead of the skeleton
};

}  // namespace paddock::process_wall
