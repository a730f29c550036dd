// The stage: what a container's files are made of, laid out in a mount namespace of its own, in which the runtime is then started. Nothing
// of it is mounted in the host's namespace, so that whoever is killed leaves no mount. It lies on a tmpfs over a directory of the host that
// nothing here needs, where ids without rights can reach it.
//
//   skeleton/   places that are mounted upon, and files of /etc; lies over the root, so that no link in that is followed
//   lower/      the root as it is given, read-only, its owner shown as the container's
//   upper/      what is changed: a directory that is kept, or memory
//   root/       the three of them
//   private/    memory: /tmp, /run, …; one bound on all of it
//   workspace/, home/   directories that are kept
//   tools/      the agent
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/oci/id_map.h"

namespace paddock::oci {

// A directory of the host that becomes a place of the stage.
struct StagedTree {
  std::string source, place;
  int id_map = -1;              // MakeIdMap(); -1: as it is
  bool is_writable = false;
  bool may_lack_map = false;    // where the file system knows no id maps its files are shown as nobody's
};

struct StagedDirectory {
  std::string path;             // below the stage
  mode_t mode = 0755;
  Owner owner;
};

struct StagedFile {
  std::string path, content;
  Owner owner;
};

struct StagedMemory {
  std::string place;
  std::string options;          // of the tmpfs: "mode=755,size=…"
};

struct StagePlan {
  std::string over;                             // the host's directory that the stage lies over
  std::vector<StagedTree> trees;
  std::vector<StagedMemory> memory;
  std::vector<StagedDirectory> directories;     // parents first
  std::vector<StagedFile> files;
  std::string root_layers;                      // options of the overlay at "root"
  std::string tools_layers;                     // and of the one at "tools"
  Owner overlay_user;                           // who makes what overlays make
  std::vector<std::string> must_be_directories; // below "root": links there are refused
};

// Why the stage could not be built: the step as text, for a person. Of a plan's own strings, or constant.
struct StageFailure {
  const char* step = nullptr;
  const char* name = "";
  int error = 0;
};

// Gives the calling process a mount namespace of its own, without the mount at `hidden` (empty: none). Between fork and exec: allocates
// nothing. Else `failure` says why.
bool LeaveHostMounts(const std::string& hidden, StageFailure& failure);
// Builds it, after LeaveHostMounts(). Likewise.
bool BuildStage(const StagePlan& plan, StageFailure& failure);

// A directory of the host for StagePlan::over: none of `needed` lies in it. Errors: kUnavailable.
Result<std::string> FindPlaceForStage(const std::vector<std::string>& needed);

}  // namespace paddock::oci
