// Namespace: the mounted volumes of a sandbox as one tree, and the walk over it.
//
// The only place where paths become nodes. It handles "." and "..", symlinks (at most 40), mount
// points, search permission and the length limits, component by component, so that no path, however
// it is built, names anything outside the tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vfs/volume.h"

namespace paddock::vfs {

inline constexpr size_t kMaxPath = 4096;
inline constexpr size_t kMaxName = 255;

// A node and the volume it lives in.
struct Place {
  Volume* volume = nullptr;
  NodeId node = 0;
  bool operator==(const Place&) const = default;
};

// The result of a walk: the node if it exists, and where its name is or would be.
struct Walked {
  Place place;       // volume null when the last component does not exist
  Place parent;      // the directory that holds the last component
  std::string name;  // the last component; empty for the root, "." and ".."
  bool has_trailing_slash = false;
  Attributes attributes;         // of the place, as the walk saw it
  Attributes parent_attributes;  // of the parent, likewise
  bool exists() const { return place.volume != nullptr; }
};

// Whether a symlink as the last component is followed. kNo still follows one that has a slash
// behind it, as lstat(2) does; kNever does not, as mkdir, unlink and rename; kCreate is kYes for
// O_CREAT: it stops before a last component with a slash behind it, in the path or in a symlink's
// target.
enum class Follow { kNo, kYes, kNever, kCreate };

class Namespace {
 public:
  explicit Namespace(VolumePtr root);

  // Mounts a volume over an existing directory of the tree (symlinks followed as root) and gives it
  // its device number. Errors: those of the walk, kNotDirectory, kBusy for a volume that is mounted
  // already.
  Status Mount(std::string_view path, VolumePtr volume);
  struct MountPoint {
    std::string path;  // canonical
    VolumePtr volume;
    Place covered;
  };
  const std::vector<MountPoint>& mounts() const { return mounts_; }  // the root is the first

  // Walks `path` from `start` (the root for an absolute path). Errors: kNoEntry (a directory on the
  // way or an empty path), kNotDirectory, kAccess, kLoop, kNameTooLong, kInvalid (NUL in the path).
  Result<Walked> Walk(const Place& start, std::string_view path, Follow follow,
                      const Credentials& who) const;
  Place root() const;
  // True when something is mounted on this node (of the covered volume).
  bool IsCovered(const Place& directory) const;
  // The owner of a volume of this namespace; null for a foreign one.
  VolumePtr Find(const Volume* volume) const;
  // The absolute path of a directory, by walking up. Errors: kNoEntry when it was removed.
  Result<std::string> PathOf(const Place& directory) const;
  Result<Place> Parent(const Place& directory) const;
  // A volume's number for Attributes::device.
  uint64_t DeviceOf(const Volume* volume) const;

 private:
  // What is visible at `place`: the root of the topmost volume mounted there, or the place itself.
  Place Cross(Place place) const;

  std::vector<MountPoint> mounts_;
};

// True when `who` may access a node with these attributes; bits are 4 read, 2 write, 1 execute.
bool MayAccess(const Attributes& attributes, const Credentials& who, uint32_t bits);

}  // namespace paddock::vfs
