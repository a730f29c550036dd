#include "drivers/process/host_traces.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/random.h"
#include "policy/context.h"

namespace paddock::process_wall {
namespace {

// "\\040" as a blank, and so on: as the kernel writes paths in tables.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto is_octal = [&](size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && is_octal(i + 1) && is_octal(i + 2) && is_octal(i + 3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string RandomHex() {
  std::array<uint8_t, 16> bytes{};
  FillRandom(bytes);
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

bool IsKernelType(std::string_view type) {
  static constexpr std::array<std::string_view, 18> kTypes{"proc",     "sysfs",   "cgroup", "cgroup2",  "devtmpfs",  "devpts",
                                                          "debugfs",  "tracefs", "bpf",    "configfs", "efivarfs",  "securityfs",
                                                          "mqueue",   "pstore",  "nfsd",   "fusectl",  "selinuxfs", "binfmt_misc"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

bool IsOwnPlaceOfKernel(const std::string& path) {
  return policy::IsWithin(path, "/proc") || policy::IsWithin(path, "/sys") || policy::IsWithin(path, "/dev");
}

}  // namespace

std::span<const char* const> TellingSystemFiles() {
  static constexpr const char* kFiles[] = {
      "/etc/passwd-", "/etc/group-", "/etc/subuid", "/etc/subuid-", "/etc/subgid", "/etc/subgid-", "/etc/hostid", "/etc/machine-info",
      "/etc/fstab", "/etc/crypttab", "/etc/exports", "/etc/environment", "/etc/netplan", "/etc/network/interfaces", "/etc/network/interfaces.d",
      "/etc/systemd/network", "/etc/NetworkManager", "/etc/wpa_supplicant", "/etc/iwd", "/etc/ppp", "/etc/iscsi", "/etc/samba", "/etc/cloud",
      "/etc/ssh/ssh_host_rsa_key.pub", "/etc/ssh/ssh_host_ecdsa_key.pub", "/etc/ssh/ssh_host_ed25519_key.pub", "/etc/ssh/ssh_known_hosts",
  };
  return kFiles;
}

std::span<const char* const> TellingKernelFiles() {
  static constexpr const char* kFiles[] = {
      "/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/scsi",
      "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/latency_stats", "/proc/timer_list", "/proc/sched_debug", "/proc/schedstat",
      "/proc/kallsyms", "/proc/kmsg", "/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup", "/proc/modules", "/proc/vmallocinfo",
      "/proc/slabinfo", "/proc/iomem", "/proc/ioports", "/proc/interrupts", "/proc/softirqs", "/proc/cmdline", "/proc/bootconfig",
      "/proc/partitions", "/proc/diskstats", "/proc/mdstat", "/proc/swaps", "/proc/vmcore", "/proc/pagetypeinfo", "/proc/buddyinfo",
      "/proc/zoneinfo", "/proc/locks", "/proc/fb", "/proc/mtrr", "/proc/dma", "/proc/consoles",
  };
  return kFiles;
}

std::vector<HostMount> HostMounts() {
  std::ifstream table("/proc/self/mountinfo");
  std::vector<HostMount> mounts;
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string id, parent, device, root, path, word;
    words >> id >> parent >> device >> root >> path;
    while (words >> word && word != "-") {
    }
    std::string type;
    if (words >> type) mounts.push_back({Unescape(path), type});
  }
  return mounts;
}

std::vector<std::string> KernelMounts(const std::vector<HostMount>& mounts) {
  std::vector<std::string> paths;
  for (const HostMount& mount : mounts) {
    if (IsKernelType(mount.type) && !IsOwnPlaceOfKernel(mount.path)) paths.push_back(mount.path);
  }
  return paths;
}

std::vector<std::string> MountsBelow(const std::vector<HostMount>& mounts, const std::string& directory) {
  std::vector<std::string> paths;
  for (const HostMount& mount : mounts) {
    if (!IsKernelType(mount.type) && mount.path != directory && policy::IsWithin(mount.path, directory)) paths.push_back(mount.path);
  }
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; });
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::vector<std::string> BoundSocketPaths() {
  std::ifstream table("/proc/net/unix");
  std::vector<std::string> paths;
  for (std::string line; std::getline(table, line);) {
    const size_t slash = line.find(" /");
    if (slash != std::string::npos) paths.push_back(line.substr(slash + 1));
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

std::vector<std::string> TopDirectories() {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/", error)) {
    std::string path = entry.path().string();
    struct stat status {};
    if (IsOwnPlaceOfKernel(path) || path == "/run" || path == "/tmp" || lstat(path.c_str(), &status) != 0) continue;
    if (S_ISDIR(status.st_mode) && access(path.c_str(), X_OK) == 0) paths.push_back(std::move(path));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string WithoutCredentials(std::string_view git_configuration) {
  static constexpr std::array<std::string_view, 6> kSecret{"extraheader", "token", "password", "passwd", "smtppass", "secret"};
  std::string kept;
  while (!git_configuration.empty()) {
    // A line with those that it goes on in.
    size_t end = git_configuration.find('\n');
    while (end != std::string_view::npos && end > 0 && git_configuration[end - 1] == '\\') end = git_configuration.find('\n', end + 1);
    std::string line(git_configuration.substr(0, end == std::string_view::npos ? end : end + 1));
    git_configuration.remove_prefix(line.size());
    std::string key = line.substr(0, line.find('='));
    std::transform(key.begin(), key.end(), key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    const bool has_value = line.find('=') != std::string::npos;
    if (has_value && std::any_of(kSecret.begin(), kSecret.end(), [&](std::string_view word) { return key.find(word) != std::string::npos; })) continue;
    for (size_t at = line.find("://"); at != std::string::npos; at = line.find("://", at + 3)) {
      const size_t authority = at + 3;
      const size_t behind = std::min(line.find_first_of("/ \t\"\n?#", authority), line.size());
      const size_t user = line.substr(0, behind).rfind('@');
      if (user != std::string::npos && user >= authority) line.erase(authority, user + 1 - authority);
    }
    kept += line;
  }
  return kept;
}

std::string RandomMachineId() { return RandomHex(); }

std::string RandomUuid() {
  std::string text = RandomHex();
  for (const size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

}  // namespace paddock::process_wall
