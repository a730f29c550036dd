// FileTree: builds the file tree of a wall from the steps of its plan, in the mount namespace of the wall.
//
// Sources are taken as detached mounts by descriptor before anything is mounted, targets are found without following
// links, and read-only is set on whole trees of mounts. In the end the new tree is the root and nothing of the host's is
// left below it but what was bound.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/descriptor.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

class FileTree {
 public:
  using Warn = std::function<void(std::string_view text)>;
  FileTree(const WallPlan& plan, Warn warn) : plan_(plan), warn_(std::move(warn)) {}

  // Clones the mounts of every source. Where the launcher is root it runs before the namespaces are made, with root's
  // rights on the host's files; otherwise inside. Errors name the source.
  Status OpenSources();
  // Mounts everything and changes the root. Runs inside the new mount and PID namespaces.
  Status Build();

 private:
  struct Source {
    Descriptor mount;       // what the step shows; of kOverlay the lower directory
    Descriptor upper;       // kOverlay: the directory that holds upper/ and work/
    bool is_directory = true;
    bool is_absent = false;
  };

  Status FreezeScratch();
  Status OpenSource(const MountStep& step, Source& source);
  // Shows the files of the mount's owner as the sandbox user's.
  Status Remap(int mount, const std::string& name);
  Status Apply(const MountStep& step, Source& source);
  Status MountTmpfs(const MountStep& step);
  Status MountBind(const MountStep& step, Source& source);
  Status MountOverlay(const MountStep& step, Source& source);
  Status MountProc(const MountStep& step);
  Status MakeDevices(const MountStep& step);
  Status MakeFile(const MountStep& step);
  Status MakeSymlink(const MountStep& step);
  Status Mask(const MountStep& step);
  Status ProtectInPlace(const MountStep& step, bool makes_readonly);
  // Mounts at a name in the scratch directory what is to be /.
  Status BecomeRoot(int mount, const char* name);
  Status EnterNewRoot();

  // Opens a path inside without following links; makes missing parents, and the last component as a directory or an
  // empty file, when `makes` is set. Errors: kNoEntry, kLoop for a link on the way, what mkdir says.
  Result<Descriptor> OpenTarget(std::string_view path, bool makes, bool is_directory);
  Result<Descriptor> OpenParent(std::string_view path, bool makes, std::string& name);
  Status Attach(int mount, std::string_view target, bool is_directory);
  Result<Descriptor> NewTmpfs(uint64_t size, uint32_t mode, bool is_readonly);

  const WallPlan& plan_;
  Warn warn_;
  std::vector<Source> sources_;
  std::map<std::pair<uid_t, gid_t>, Descriptor> id_maps_;   // user namespaces that map an owner on disk to host_uid
  Descriptor root_;        // the new root while it is being built
  Descriptor scratch_;     // a tmpfs outside of it
  Descriptor frozen_;      // the same, read-only: what is cloned from it is, too
  Descriptor private_;     // the tmpfs that all private places are directories of
  Descriptor blank_file_;  // mounts that masks are cloned from
  Descriptor blank_directory_;
  int scratch_count_ = 0;
  bool has_own_root_ = false;   // a step stands as /, instead of the skeleton
};

}  // namespace paddock::process_wall
