#include "drivers/oci/stage.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace paddock::oci {
namespace {

constexpr size_t kMostTrees = 8;

bool Fail(StageFailure& failure, const char* step, const char* name) {
  failure = {.step = step, .name = name, .error = errno};
  return false;
}

// A clone of the mount, in a descriptor, that nothing of the host's is mounted on any more.
int TakeTree(const StagedTree& tree) {
  const int taken = open_tree(AT_FDCWD, tree.source.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
  if (taken < 0) return -1;
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (tree.is_writable ? 0 : MOUNT_ATTR_RDONLY);
  attributes.propagation = MS_PRIVATE;
  if (mount_setattr(taken, "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0) return -1;
  if (tree.id_map < 0) return taken;
  attributes = {};
  attributes.attr_set = MOUNT_ATTR_IDMAP;
  attributes.userns_fd = static_cast<uint64_t>(tree.id_map);
  if (mount_setattr(taken, "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0 && !(tree.may_lack_map && errno == EINVAL)) return -1;
  return taken;
}

bool WriteFile(const StagedFile& file) {
  const int opened = open(file.path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (opened < 0) return false;
  const bool is_written = write(opened, file.content.data(), file.content.size()) == static_cast<ssize_t>(file.content.size()) &&
                          fchown(opened, file.owner.uid, file.owner.gid) == 0;
  close(opened);
  return is_written;
}

// As `user` from here on, as far as files go, with the rights over files that an overlay's own places take: their mode is 0.
bool BecomeOverlayUser(Owner user) {
  setfsgid(user.gid);
  setfsuid(user.uid);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return false;
  sets[0].effective |= 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER;
  return syscall(SYS_capset, &header, sets) == 0;
}

bool MountOverlay(const char* place, const char* layers) { return mount("paddock", place, "overlay", MS_NOSUID | MS_NODEV, layers) == 0; }

bool IsDirectoryWithoutLinks(int root, const char* path) {
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  const auto opened = static_cast<int>(syscall(SYS_openat2, root, path, &how, sizeof how));
  if (opened >= 0) close(opened);
  return opened >= 0;
}

}  // namespace

bool LeaveHostMounts(const std::string& hidden, StageFailure& failure) {
  if (unshare(CLONE_NEWNS) != 0) return Fail(failure, "make a mount namespace", "");
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return Fail(failure, "make the mounts private", "");
  if (!hidden.empty() && umount2(hidden.c_str(), MNT_DETACH) != 0) return Fail(failure, "hide", hidden.c_str());
  return true;
}

bool BuildStage(const StagePlan& plan, StageFailure& failure) {
  umask(0);
  std::array<int, kMostTrees> taken{};
  if (plan.trees.size() > taken.size()) return errno = E2BIG, Fail(failure, "take the trees", "");
  for (size_t i = 0; i < plan.trees.size(); ++i) {
    taken[i] = TakeTree(plan.trees[i]);
    if (taken[i] < 0) return Fail(failure, "take", plan.trees[i].source.c_str());
  }
  if (mount("paddock", plan.over.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0) return Fail(failure, "mount a tmpfs over", plan.over.c_str());
  if (chdir(plan.over.c_str()) != 0) return Fail(failure, "enter", plan.over.c_str());
  const auto make = [&failure](const char* place) { return mkdir(place, 0755) == 0 || Fail(failure, "make", place); };
  for (const char* place : {"root", "empty", "tools"}) {
    if (!make(place)) return false;
  }
  for (const StagedMemory& one : plan.memory) {
    if (!make(one.place.c_str())) return false;
    if (mount("paddock", one.place.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, one.options.c_str()) != 0) return Fail(failure, "mount a tmpfs at", one.place.c_str());
  }
  for (const StagedDirectory& one : plan.directories) {
    if (mkdir(one.path.c_str(), one.mode) != 0 || chown(one.path.c_str(), one.owner.uid, one.owner.gid) != 0) return Fail(failure, "make", one.path.c_str());
  }
  for (const StagedFile& one : plan.files) {
    if (!WriteFile(one)) return Fail(failure, "write", one.path.c_str());
  }
  for (size_t i = 0; i < plan.trees.size(); ++i) {
    const char* place = plan.trees[i].place.c_str();
    if (!make(place)) return false;
    if (move_mount(taken[i], "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH) != 0) return Fail(failure, "mount at", place);
    close(taken[i]);
  }
  if (!MountOverlay("tools", plan.tools_layers.c_str())) return Fail(failure, "overlay", "the agent's directory");
  // An overlay makes what it makes as who mounted it: an id that the layers know.
  if (!BecomeOverlayUser(plan.overlay_user)) return Fail(failure, "take the rights to overlay", "the root");
  if (!MountOverlay("root", plan.root_layers.c_str())) return Fail(failure, "overlay", "the root");
  setfsuid(0);
  setfsgid(0);
  const int root = open("root", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (root < 0) return Fail(failure, "open", "the root");
  for (const std::string& path : plan.must_be_directories) {
    if (!IsDirectoryWithoutLinks(root, path.c_str())) return Fail(failure, "mount in the root, where this is no directory:", path.c_str());
  }
  close(root);
  return chdir("/") == 0 || Fail(failure, "enter", "/");
}

Result<std::string> FindPlaceForStage(const std::vector<std::string>& needed) {
  constexpr std::array<const char*, 5> kPlaces{"/mnt", "/media", "/srv", "/opt", "/tmp"};
  for (const char* place : kPlaces) {
    const std::string below = std::string(place) + "/";
    struct stat facts{};
    if (lstat(place, &facts) != 0 || !S_ISDIR(facts.st_mode) || (facts.st_mode & S_IXOTH) == 0) continue;
    bool is_needed = false;
    for (const std::string& path : needed) is_needed |= path == place || path.starts_with(below);
    if (!is_needed) return std::string(place);
  }
  return Error(Code::kUnavailable, "none of /mnt, /media, /srv, /opt and /tmp is a directory that containers' files can be laid out over; make an empty /mnt");
}

}  // namespace paddock::oci
