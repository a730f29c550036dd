// The volumes under /dev and /proc.
#pragma once

#include <array>
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
// Attributes::special of the directories that hold one such node for each open descriptor; View
// lists them.
inline constexpr uint64_t kDescriptorDirectory = kDescriptorNode | kDescriptorMask;

// What /dev/random and /dev/urandom start from. Every open gets a stream of its own; the default
// seed is for tests, whoever serves sandboxes passes real entropy.
using RandomSeed = std::array<uint8_t, 32>;

// /dev: null zero full random urandom tty(refuses) stdin stdout stderr fd/N, ptmx-free. `created`
// is what its times show. Nothing in it can change, so that one volume serves every sandbox, on any
// thread.
VolumePtr MakeDevVolume(const RandomSeed& seed = {}, Nanoseconds created = Nanoseconds{0});

// A file of /proc whose content is made at each open.
struct GeneratedFile {
  std::string path;  // below the volume's root, "self/status"
  std::function<std::string()> content;
};
// What /proc asks of the processes of its sandbox; pids in ascending order.
struct ProcSource {
  std::function<std::vector<int>()> pids;
  std::function<int()> self;
  // "status", "cmdline", "stat", "comm", "environ", "mounts" of a process, and the targets of the symlinks
  // "cwd" and "exe"; kNoEntry for what it does not know, which then does not exist.
  std::function<Result<std::string>(int pid, std::string_view name)> file;
  // What the times show; the epoch if absent.
  std::function<Nanoseconds()> now = nullptr;
};
// /proc: self, PID/{status,cmdline,stat,comm,environ,mounts,cwd,exe,fd}, and `files` (cpuinfo, meminfo,
// version …). PID/fd has entries only for the process that looks (ProcSource::self).
VolumePtr MakeProcVolume(ProcSource source, std::vector<GeneratedFile> files);

}  // namespace paddock::vfs
