#include "drivers/process/wall/mount_calls.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace paddock::process_wall {

Error MountFailure(std::string_view what, std::string_view name) {
  const int code = errno;
  return Error(static_cast<Code>(code), std::string(what) + " " + std::string(name) + ": " + std::strerror(code));
}

Result<Descriptor> CloneOwn(int directory, const char* path, Reach reach, std::string_view name) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW |
                         (reach == Reach::kTree ? static_cast<unsigned>(AT_RECURSIVE) : 0u);
  Descriptor mount(open_tree(directory, path, flags));
  if (!mount.is_open()) return MountFailure("take", name);
  return mount;
}

Result<Descriptor> CloneMount(int directory, const char* path, Reach reach, uint64_t set, std::string_view name) {
  PADDOCK_ASSIGN(Descriptor mount, CloneOwn(directory, path, reach, name));
  mount_attr attributes{};
  attributes.attr_set = set;
  attributes.propagation = MS_PRIVATE;
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0) {
    return MountFailure("set flags of", name);
  }
  return mount;
}

bool IsDirectory(int descriptor) {
  struct stat status{};
  return fstatat(descriptor, "", &status, AT_EMPTY_PATH) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace paddock::process_wall
