// The files that every virtual sandbox starts with.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sandbox/spec.h"
#include "vfs/memory_volume.h"

namespace paddock::sandbox {

// A small Debian-like tree: /etc, /home/USER, /tmp, /usr/bin with a marker file for each program.
std::shared_ptr<vfs::MemoryVolume> MakeBaseTree(const Clock& clock, const std::vector<std::string>& programs,
                                                const SandboxSpec& spec);

// Makes another tree one that a virtual sandbox can begin with: see LaysBases in sandbox/persistent.h.
Status LayBaseTree(std::shared_ptr<vfs::MemoryVolume> files, const std::vector<std::string>& programs, const SandboxSpec& spec);

// What both have in common.
struct BaseDirectory {
  const char* path;
  uint32_t mode;
};
struct BaseLink {
  const char* path;
  const char* target;
};
std::span<const BaseDirectory> BaseDirectories();   // parents first
std::span<const BaseLink> BaseLinks();
std::string PasswdLine(const SandboxSpec& spec);
std::string GroupLine(const SandboxSpec& spec);
inline std::string HomeOf(const SandboxSpec& spec) { return "/home/" + spec.user; }

}  // namespace paddock::sandbox
