// VirtualDriver: sandboxes that are a virtual Bash on a virtual file tree inside this process.
#pragma once

#include <memory>
#include <span>

#include "sandbox/sandbox.h"

namespace paddock {
struct Command;
}

namespace paddock::sandbox {

// Makes the driver, which also Restores. It prepares one base tree (programs, /etc, a home) that all its sandboxes share until
// they write. `commands` outlive it; of two with the same name the later one counts (proc/custom_command.h). The driver may be used from several threads; each sandbox from one at
// a time.
std::unique_ptr<Driver> MakeVirtualDriver(std::span<const Command* const> commands);

}  // namespace paddock::sandbox
