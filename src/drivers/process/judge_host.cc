#include <cerrno>
#include <cstring>

#include "drivers/process/probe.h"

namespace paddock::process_wall {
namespace {

using sandbox::Check;
using State = Check::State;

class Judge {
 public:
  Judge(const Findings& findings, const HostSettings& settings) : findings_(findings), settings_(settings) {}

  std::vector<Check> All() {
    if (JudgeUserNamespaces()) {
      JudgeNetwork();
      if (JudgeMounts()) {
        JudgeOverlay();
        JudgeProc();
      }
      JudgeFilters();
      if (settings_.is_root) JudgeOwnerMaps();
    }
    JudgeLandlock();
    return std::move(checks_);
  }

 private:
  void Works(const char* name, std::string detail) { checks_.push_back({name, State::kWorks, std::move(detail), {}}); }
  void Limited(const char* name, std::string detail, std::string remedy) {
    checks_.push_back({name, State::kLimited, std::move(detail), std::move(remedy)});
  }
  bool Missing(const char* name, std::string detail, std::string remedy) {
    checks_.push_back({name, State::kMissing, std::move(detail), std::move(remedy)});
    return false;
  }
  // The errno of a step; -1 if it was not reached.
  int ErrorOf(std::string_view step) const {
    const auto found = findings_.find(step);
    return found == findings_.end() ? -1 : found->second.error;
  }
  bool Worked(std::string_view step) const { return ErrorOf(step) == 0; }
  std::string Text(std::string_view step) const {
    const int error = ErrorOf(step);
    return std::string(step) + ": " + (error < 0 ? "not reached" : std::strerror(error));
  }
  bool IsContainer() const { return !settings_.container.empty(); }

  std::string ContainerRemedy(const std::string& option) const {
    if (settings_.container == "kubernetes") {
      return "let the pod do it: securityContext with seccompProfile {type: Unconfined} and procMount: Unmasked, or hostUsers: false";
    }
    if (!IsContainer()) {
      return "let the sandbox or service around this program allow it: systemd RestrictNamespaces= and SystemCallFilter=, paddock kernel.nested, docker " + option;
    }
    const std::string engine = settings_.container == "podman" ? "podman" : "docker";
    return "start the container with: " + engine + " run " + option + " ...";
  }

  std::string AppArmorRemedy() const {
    return "let this program make user namespaces; write /etc/apparmor.d/paddock:\n"
           "  abi <abi/4.0>,\n"
           "  include <tunables/global>\n"
           "  profile paddock " + settings_.guest_program + " flags=(unconfined) {\n"
           "    userns,\n"
           "    include if exists <local/paddock>\n"
           "  }\n"
           "and load it: sudo apparmor_parser -r /etc/apparmor.d/paddock";
  }

  bool JudgeUserNamespaces() {
    constexpr const char* kName = "user namespaces";
    if (Worked("clone")) {
      if (Worked("maps") && (!settings_.is_root || (Worked("groups") && Worked("identity")))) {
        Works(kName, std::string("all seven namespaces are made, as ") + (settings_.is_root ? "root (mapped to an id of nobody's)" : "an ordinary user"));
        return true;
      }
      const char* const step = !Worked("maps") ? "maps" : Worked("groups") ? "identity" : "groups";
      return Missing(kName, "the namespace is made, but its ids cannot be set (" + Text(step) + ")",
                     settings_.is_root ? "this root lacks rights over ids that are not its own: run as an ordinary user, or give the container CAP_SETUID, CAP_SETGID and a full id range"
                                       : "allow the program to write its own /proc/PID/uid_map (an LSM policy refuses it)");
    }
    const bool is_made_alone = Worked("unshare-user");
    if (is_made_alone) return JudgePartOfNamespaces(kName);
    return JudgeNoUserNamespace(kName, ErrorOf("unshare-user"));
  }

  bool JudgeNoUserNamespace(const char* name, int error) {
    if (settings_.max_user_namespaces == 0) {
      return Missing(name, "user.max_user_namespaces is 0", "sudo sysctl -w user.max_user_namespaces=16384 (and in /etc/sysctl.d to keep it)");
    }
    if (error == ENOSPC || error == EUSERS) {
      return Missing(name, "the limit of user namespaces is reached, here or in a namespace around this one",
                     "raise user.max_user_namespaces where this namespace was made (sysctl -w user.max_user_namespaces=16384), or nest less deep");
    }
    if (error == ENOSYS || error == EINVAL) {
      return settings_.has_seccomp_filter ? Missing(name, "a seccomp filter around this program hides unshare(2)", ContainerRemedy("--security-opt seccomp=unconfined"))
                                          : Missing(name, "this kernel has none (CONFIG_USER_NS)", "use a kernel with CONFIG_USER_NS=y");
    }
    if (!settings_.is_root && settings_.unprivileged_userns_clone == 0) {
      return Missing(name, "kernel.unprivileged_userns_clone is 0", "sudo sysctl -w kernel.unprivileged_userns_clone=1 (and in /etc/sysctl.d to keep it)");
    }
    if (settings_.is_chroot) {
      return Missing(name, "this program runs in a chroot, where the kernel makes no user namespaces",
                     "leave the chroot, or enter it by pivot_root (systemd-nspawn, unshare --mount) so that its root is a mount");
    }
    if (!settings_.is_mapped) {
      return Missing(name, "this user has no id in the user namespace around it", "map the id: newuidmap, or --userns=keep-id in podman");
    }
    if (settings_.has_seccomp_filter) {
      return Missing(name, "a seccomp filter around this program refuses unshare(2)", ContainerRemedy("--security-opt seccomp=unconfined"));
    }
    if (settings_.apparmor_restricts_userns.value_or(0) != 0) {
      return Missing(name, "AppArmor refuses them (kernel.apparmor_restrict_unprivileged_userns)", AppArmorRemedy());
    }
    return Missing(name, std::string("refused: ") + std::strerror(error),
                   "a security module (SELinux, AppArmor, a BPF program) refuses it: look at its log (journalctl -k, ausearch -m avc); or this is a chroot into a mount: leave it");
  }

  // A user namespace alone can be had, but not the whole.
  bool JudgePartOfNamespaces(const char* name) {
    std::string refused;
    for (const char* each : {"mount", "pid", "net", "ipc", "uts", "cgroup"}) {
      if (ErrorOf(std::string("unshare-") + each) > 0) refused += (refused.empty() ? "" : ", ") + std::string(each);
    }
    if (refused.empty()) {
      return Missing(name, "clone(2) is refused (" + Text("clone") + ") though unshare(2) works: a seccomp filter around this program",
                     ContainerRemedy("--security-opt seccomp=unconfined"));
    }
    if (settings_.apparmor_restricts_userns.value_or(0) != 0) {
      return Missing(name, "one can be made, but AppArmor takes its rights away (kernel.apparmor_restrict_unprivileged_userns)", AppArmorRemedy());
    }
    if (settings_.has_seccomp_filter) {
      return Missing(name, "a seccomp filter around this program refuses other namespaces: " + refused, ContainerRemedy("--security-opt seccomp=unconfined"));
    }
    return Missing(name, "one can be made, but no other namespace in it: " + refused, "look for a limit in /proc/sys/user, and for a security module in the kernel's log (journalctl -k)");
  }

  bool JudgeMounts() {
    constexpr const char* kName = "mounts";
    for (const char* step : {"private", "tmpfs", "fsopen", "fsmount", "open_tree", "mount_setattr", "move_mount"}) {
      if (Worked(step)) continue;
      const int error = ErrorOf(step);
      if (settings_.apparmor_restricts_userns.value_or(0) != 0 && (error == EPERM || error == EACCES)) {
        return Missing(kName, "AppArmor lets user namespaces be made but nothing be mounted in them (kernel.apparmor_restrict_unprivileged_userns)", AppArmorRemedy());
      }
      if (settings_.has_seccomp_filter) {
        return Missing(kName, "a seccomp filter around this program refuses mounts (" + Text(step) + ")", ContainerRemedy("--security-opt seccomp=unconfined"));
      }
      if (error == ENOSYS) return Missing(kName, "this kernel (" + settings_.release + ") lacks a mount call (" + Text(step) + ")", "use Linux 5.12 or newer");
      if (IsContainer()) return Missing(kName, "the container refuses mounts (" + Text(step) + ")", ContainerRemedy("--security-opt apparmor=unconfined"));
      return Missing(kName, "refused (" + Text(step) + ")", "a security module refuses it: look at its log (journalctl -k, ausearch -m avc)");
    }
    Works(kName, "whole trees are bound read-only");
    return true;
  }

  void JudgeOverlay() {
    if (Worked("overlay")) return Works("overlay", "workspaces whose changes are reviewed first");
    Limited("overlay", "refused in a user namespace (" + Text("overlay") + "): --overlay and templates do not work", "use Linux 5.11 or newer with the overlay module loaded (modprobe overlay)");
  }

  void JudgeProc() {
    constexpr const char* kName = "fresh /proc";
    if (Worked("proc")) return Works(kName, "sandboxes see only their own processes");
    if (ErrorOf("proc") == EPERM) {
      const std::string option = settings_.container == "podman" ? "--security-opt unmask=ALL" : "--security-opt systempaths=unconfined";
      Missing(kName, "the kernel allows no new /proc where parts of the old one are covered, as container engines do", ContainerRemedy(option));
      return;
    }
    Missing(kName, "refused (" + Text("proc") + ")", "a security module refuses it: look at its log (journalctl -k, ausearch -m avc)");
  }

  void JudgeNetwork() {
    constexpr const char* kName = "network capture";
    if (!Worked("loopback")) {
      Missing(kName, "loopback cannot be set up inside (" + Text("loopback") + ")", "allow AF_INET sockets and network ioctls to paddock-guest");
      return;
    }
    for (const char* step : {"capture", "listen-53", "listen-80", "listen-443"}) {
      if (Worked(step)) continue;
      Limited(kName, "connections cannot be caught inside (" + Text(step) + "): policies with network rules do not work, others do",
              "allow AF_NETLINK routes and ports below 1024 to paddock-guest (a kernel with CONFIG_IP_ADVANCED_ROUTER, no seccomp filter around it)");
      return;
    }
    Works(kName, Worked("ipv6") ? "every connection goes to the egress engine, IPv4 and IPv6" : "every connection goes to the egress engine; this host has no IPv6");
  }

  void JudgeFilters() {
    constexpr const char* kName = "system call filter";
    if (!Worked("privileges") || !Worked("seccomp")) {
      const char* const step = Worked("privileges") ? "seccomp" : "privileges";
      Missing(kName, "cannot be installed (" + Text(step) + ")", "use a kernel with CONFIG_SECCOMP_FILTER=y; a filter around this program must let seccomp(2), prctl(2) and capset(2) through");
    } else if (!Worked("seccomp-acts")) {
      Missing(kName, "it is installed but does not act", "this is not a Linux kernel that filters calls (an emulation?); use isolation virtual");
    } else {
      Works(kName, "default deny");
    }
  }

  void JudgeLandlock() {
    constexpr const char* kName = "Landlock";
    const int error = ErrorOf("landlock");
    if (error != 0) {
      const bool is_filtered = settings_.has_seccomp_filter && error != EOPNOTSUPP;
      const std::string why = error == EOPNOTSUPP ? "it is built in but not started" : is_filtered ? "a seccomp filter around this program hides it" : "this kernel has none";
      const std::string remedy = error == EOPNOTSUPP ? "add landlock to the lsm= option of the kernel's command line"
                                 : is_filtered       ? ContainerRemedy("--security-opt seccomp=unconfined")
                                                     : "use Linux 5.13 or newer with CONFIG_SECURITY_LANDLOCK=y";
      return Limited(kName, why + "; mounts, namespaces and the filter confine alone", remedy);
    }
    if (ErrorOf("landlock-rules") > 0) {
      Missing(kName, "rules cannot be set (" + Text("landlock-rules") + ")", "a filter around this program must let all three landlock calls through, or none");
      return;
    }
    const int abi = std::atoi(findings_.find("landlock")->second.text.c_str());
    std::string detail = "ABI " + std::to_string(abi);
    if (abi >= 6) return Works(kName, detail + ": files, truncation, device calls, signals and abstract sockets");
    detail += ": files";
    if (abi >= 3) detail += ", truncation";
    if (abi >= 5) detail += ", device calls";
    std::string lacking = abi < 2 ? "moves between directories (2), " : "";
    if (abi < 3) lacking += "truncation (3), ";
    if (abi < 5) lacking += "device calls (5), ";
    Works(kName, detail + "; newer levels would add " + lacking + "signals and abstract sockets (6); mounts and namespaces hold those");
  }

  void JudgeOwnerMaps() {
    constexpr const char* kName = "owner mapping";
    if (Worked("idmap")) return Works(kName, "the current directory's file system shows root's files as the sandbox user's");
    if (ErrorOf("idmap") < 0) return;
    Limited(kName, "the current directory cannot be shown with other owners (" + Text("idmap") + ")",
            "work in a directory on ext4, xfs, btrfs, or tmpfs (Linux 6.3), or run paddock as the owner of the files instead of root");
  }

  const Findings& findings_;
  const HostSettings& settings_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> JudgeHost(const Findings& findings, const HostSettings& settings) { return Judge(findings, settings).All(); }

}  // namespace paddock::process_wall
