// What of a host tells who and what it is, or shows more of it than a policy grants: names of files, and mounts that are found.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::process_wall {

// Below /etc: readable by everybody, and about this host, its users, disks and networks rather than about programs. Absolute paths.
std::span<const char* const> TellingSystemFiles();

// The same below /proc.
std::span<const char* const> TellingKernelFiles();

struct HostMount {
  std::string path;   // absolute
  std::string type;   // of the file system
};

// Of this process's namespace, in the order in which they were made.
std::vector<HostMount> HostMounts();

// Where file systems of the kernel are mounted (proc, sysfs, cgroup, devices …), outside of /proc, /sys and /dev: absolute paths.
std::vector<std::string> KernelMounts(const std::vector<HostMount>& mounts);

// Other mount points below `directory`, an absolute path without links; absolute, shorter ones first. Each may be a file's.
std::vector<std::string> MountsBelow(const std::vector<HostMount>& mounts, const std::string& directory);

// Where sockets of this network namespace are bound, from /proc/net/unix: absolute paths, each once.
std::vector<std::string> BoundSocketPaths();

// The directories at the top of the host, without the kernel's file systems, /run, /tmp, and what the caller may not enter.
std::vector<std::string> TopDirectories();

// A git configuration of the user's without what it holds to log in with: names and passwords in URLs, header lines, tokens and passwords.
std::string WithoutCredentials(std::string_view git_configuration);

// 32 random hexadecimal digits, as in /etc/machine-id; and the same as "8-4-4-4-12".
std::string RandomMachineId();
std::string RandomUuid();

}  // namespace paddock::process_wall
