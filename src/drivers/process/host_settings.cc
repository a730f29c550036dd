#include "drivers/process/host_settings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <sstream>

namespace paddock::process_wall {
namespace {

std::optional<int64_t> ReadNumber(const char* path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

bool HasSeccompFilter() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:")) return line.find('2') != std::string::npos;
  }
  return false;
}

// The kernel asks the same: is the root of this process the root of a mount?
bool IsChroot() {
  struct statx status {};
  if (statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &status) != 0) return false;
  return (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0;
}

bool IsMapped() {
  std::ifstream map("/proc/self/uid_map");
  const uint64_t id = geteuid();
  uint64_t first = 0, outside = 0, count = 0;
  bool has_line = false;
  while (map >> first >> outside >> count) {
    has_line = true;
    if (id >= first && id - first < count) return true;
  }
  return !has_line && !map.is_open();   // without /proc nothing is known
}

std::string Container() {
  if (access("/run/.containerenv", F_OK) == 0) return "podman";
  if (access("/.dockerenv", F_OK) == 0) return "docker";
  std::ifstream file("/run/systemd/container");
  std::string name;
  std::getline(file, name);
  if (!name.empty()) return name.substr(0, 40);
  if (access("/var/run/secrets/kubernetes.io", F_OK) == 0) return "kubernetes";
  return {};
}

}  // namespace

HostSettings ReadHostSettings() {
  HostSettings settings;
  settings.is_root = geteuid() == 0;
  settings.unprivileged_userns_clone = ReadNumber("/proc/sys/kernel/unprivileged_userns_clone");
  settings.max_user_namespaces = ReadNumber("/proc/sys/user/max_user_namespaces");
  settings.apparmor_restricts_userns = ReadNumber("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  settings.has_seccomp_filter = HasSeccompFilter();
  settings.is_chroot = IsChroot();
  settings.is_mapped = IsMapped();
  settings.container = Container();
  utsname names{};
  if (uname(&names) == 0) settings.release = names.release;
  return settings;
}

}  // namespace paddock::process_wall
