// /proc of a virtual sandbox: what its kernel knows about processes, mounts, time and memory.
#pragma once

#include "proc/kernel.h"
#include "sandbox/spec.h"
#include "vfs/volume.h"

namespace paddock::sandbox {

// `kernel` outlives the volume.
vfs::VolumePtr MakeProcFiles(proc::Kernel& kernel, const SandboxSpec& spec);

}  // namespace paddock::sandbox
