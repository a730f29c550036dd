// The ends of an exec's standard streams: what its descriptors 0, 1 and 2 are.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "io/poll_waiter.h"
#include "proc/kernel.h"
#include "sandbox/sandbox.h"
#include "vfs/open_file.h"

namespace paddock::sandbox {

// Who gets the output of a sandbox's processes at the moment. A background process may write after its
// exec has ended; what it writes goes to the exec that runs then.
struct OutputRoute {
  OutputHandler handler;
  uint64_t dropped_bytes = 0;   // written while no exec ran
};

// Descriptor 1 or 2. Charges the exec's output limit.
vfs::OpenFilePtr MakeOutputFile(proc::Kernel& kernel, std::shared_ptr<OutputRoute> route, Stream stream,
                                bool is_terminal);

// Descriptor 0: text behaves as a pipe that holds it, a host descriptor is read as data comes.
vfs::OpenFilePtr MakeInputFile(proc::Kernel& kernel, io::PollWaiter& waiter, StdinSource source);

}  // namespace paddock::sandbox
