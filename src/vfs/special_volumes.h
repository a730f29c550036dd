// The volumes under /dev and /proc.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vfs/volume.h"

namespace paddock::vfs {

// Attributes::special of the nodes that stand for a descriptor of the opening process
// (/dev/stdin, /dev/fd/N): View opens them through its DescriptorOpener. The low 20 bits are N.
// For lstat and readlink they are symlinks.
inline constexpr uint64_t kDescriptorNode = 0xFD00'0000;
inline constexpr uint64_t kDescriptorMask = 0xF'FFFF;
// Attributes::special of the directories that hold one such node for each open descriptor; View lists
// them.
inline constexpr uint64_t kDescriptorDirectory = kDescriptorNode | kDescriptorMask;

// /dev: null zero full random urandom tty(refuses) stdin stdout stderr fd/N, ptmx-free. Stateless and
// shared by every sandbox; `pseudo_random` seeds random and urandom per volume.
VolumePtr MakeDevVolume();

// A file of /proc whose content is made at each open.
struct GeneratedFile {
  std::string path;   // below the volume's root, "self/status"
  std::function<std::string()> content;
};
// What /proc asks of the processes of its sandbox; pids in ascending order.
struct ProcSource {
  std::function<std::vector<int>()> pids;
  std::function<int()> self;
  // "status", "cmdline", "stat", "comm", "environ" of a process; kNoEntry for unknown ones.
  std::function<Result<std::string>(int pid, std::string_view name)> file;
};
// /proc: self, PID/{status,cmdline,stat,comm,environ,fd}, and `files` (cpuinfo, meminfo, version …).
VolumePtr MakeProcVolume(ProcSource source, std::vector<GeneratedFile> files);

}  // namespace paddock::vfs
