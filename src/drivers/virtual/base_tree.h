// The files that every virtual sandbox starts with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "sandbox/spec.h"
#include "vfs/memory_volume.h"

namespace paddock::sandbox {

// A small Debian-like tree: /etc, /home/USER, /tmp, /usr/bin with a marker file for each program.
std::shared_ptr<vfs::MemoryVolume> MakeBaseTree(const Clock& clock, const std::vector<std::string>& programs,
                                                const SandboxSpec& spec);

}  // namespace paddock::sandbox
