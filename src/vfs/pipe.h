// Pipes: a bounded byte queue between fibers. What joins the stages of a pipeline.
#pragma once

#include "base/fiber.h"
#include "vfs/open_file.h"

namespace paddock::vfs {

// Attributes::device of pipes; their inodes count from 1 within a scheduler.
inline constexpr uint64_t kPipeDevice = 13;

struct PipeEnds {
  OpenFilePtr read;
  OpenFilePtr write;
};

// Makes a pipe. A read waits (parks the fiber) while the pipe is empty and a writer is left, then
// ends; a write waits while `capacity` bytes are queued and fails with kBrokenPipe when no reader
// is left. Both ends go when their last owner drops them. `scheduler` outlives both.
PipeEnds MakePipe(Scheduler& scheduler, size_t capacity = 64 << 10);

}  // namespace paddock::vfs
