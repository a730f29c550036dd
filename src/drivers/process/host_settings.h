// HostSettings: what the administrator, or a container around us, has set that explains why a part of a wall is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace paddock::process_wall {

struct HostSettings {
  bool is_root = false;
  std::optional<int64_t> unprivileged_userns_clone;      // kernel.unprivileged_userns_clone (Debian's kernels)
  std::optional<int64_t> max_user_namespaces;            // user.max_user_namespaces of our own user namespace
  std::optional<int64_t> apparmor_restricts_userns;      // kernel.apparmor_restrict_unprivileged_userns (Ubuntu)
  bool has_seccomp_filter = false;                       // one is on this process already
  bool is_chroot = false;                                // the root is no mount, so somebody called chroot(2)
  bool is_mapped = true;                                 // our user id has a name in our user namespace
  std::string container;                                 // "docker", "podman", "lxc", …; empty: none seen
  std::string release;                                   // of the kernel
  std::string guest_program;
};

HostSettings ReadHostSettings();

}  // namespace paddock::process_wall
