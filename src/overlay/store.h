// Where the overlays of workspaces live, and who may use one when.
//
// STATE/paddock/overlays/ID/ holds one overlay: about (what it belongs to), lock, bases (see bases.h), and tree/ with the
// upper/ and work/ of the mount. STATE is $XDG_STATE_HOME or ~/.local/state. Only what is below tree/ was written from
// inside; the rest is the caller's own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace paddock::overlay {

inline constexpr const char* kDefaultName = "default";

// What `about` says.
struct OverlayInfo {
  std::string id;
  std::string workspace;     // absolute, without symlinks
  std::string name;          // several overlays of one workspace have different ones
  std::string policy;        // name of the policy of the last run
  std::vector<std::string> protected_names;   // of that policy
  std::chrono::nanoseconds created{0};   // since 1970
  uint64_t device = 0;       // of the workspace when the overlay began
  uint64_t inode = 0;
  uid_t owner = 0;           // of the workspace; the upper's files are owned so, whoever runs inside
  gid_t group = 0;
  // A run that has begun and not been settled; 0 when there is none.
  std::chrono::nanoseconds run_began{0};
  pid_t wall = 0;            // its init on the host, and when that process started (see proc(5), starttime)
  uint64_t wall_started = 0;
};

// An overlay that this process has locked, or only looks at.
class Overlay {
 public:
  Overlay(OverlayInfo info, std::string directory, Descriptor here, Descriptor lock);

  const OverlayInfo& info() const { return info_; }
  bool is_locked() const { return lock_.is_open(); }
  // Of the host: holds upper/ and work/, for the mount.
  std::string tree_path() const { return directory_ + "/tree"; }
  int descriptor() const { return here_.get(); }   // of the overlay's directory
  Result<Descriptor> OpenUpper() const;
  // The workspace as it is now. Errors: kNoEntry with the remedy.
  Result<Descriptor> OpenWorkspace() const;
  // Whether the workspace is still the directory that the overlay began on.
  Result<bool> IsSameWorkspace() const;

  // Both need the lock. BeginRun() notes the time and the policy; NoteWall() the process that holds the mount.
  Status BeginRun(std::string policy, std::vector<std::string> protected_names, std::chrono::nanoseconds now);
  Status NoteWall(pid_t wall);
  // No run is unsettled any more.
  Status EndRun();

 private:
  Status Save() const;

  OverlayInfo info_;
  std::string directory_;
  Descriptor here_;
  Descriptor lock_;
};

class Store {
 public:
  // The overlays below `state` (absolute). Errors: kAccess if the directory is somebody else's or others may write to it.
  static Result<Store> Open(const std::string& state);

  // The overlay of this name for the workspace (an absolute path that exists), made if there is none, locked for a run. Errors:
  // kBusy names who has it; kInvalid for a bad name, for a workspace that holds the store, and for one that took the place of
  // another directory.
  Result<Overlay> Begin(const std::string& workspace, const std::string& name) const;

  enum class Access { kLook, kChange };
  // The overlay if there is one. kChange locks it (kBusy as above); kLook locks it if nobody else has it.
  Result<std::optional<Overlay>> Find(const std::string& workspace, const std::string& name, Access access) const;
  // All of them, ordered by workspace and name.
  Result<std::vector<OverlayInfo>> List() const;
  // Throws an overlay (locked by the caller) away.
  Status Remove(Overlay overlay) const;

  const std::string& path() const { return path_; }

 private:
  Store(std::string path, Descriptor here) : path_(std::move(path)), here_(std::move(here)) {}
  Result<Overlay> Make(const OverlayInfo& info) const;
  Result<Overlay> Load(const std::string& id, Descriptor lock) const;

  std::string path_;
  Descriptor here_;
};

// STATE/paddock, which nothing inside a sandbox may see.
std::string PrivateDirectory(const std::string& state);

// Errors: kInvalid unless 1 to 64 letters, digits, `.`, `_`, `-`, not beginning with a dot.
Status CheckName(std::string_view name);

}  // namespace paddock::overlay
