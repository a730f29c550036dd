// The last steps before a wall's process may run code that nobody has read: rights are given up, for good.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "drivers/process/wall/plan.h"

namespace paddock::process_wall {

// Nothing that is executed gets a capability any more; those of this process stay. Errors name the step.
Status EmptyBoundingSet();
// Empties every capability set and sets no_new_privs; after EmptyBoundingSet(). Errors name the step.
Status DropPrivileges();
// Whether Landlock has a say in opens for reading. Where it has, the kernel walks from each opened file up to the root, which makes
// small opens cost half as much again; where it has not, it does not hold truncation without writing either, and mounts alone hold both.
enum class Reading { kFree, kHeld };
// Restricts the process and its children with Landlock, as far as the kernel's ABI goes: executing below the root, writing
// below `writable` only, no signals and no abstract sockets out of the domain; when `reading` is held, nothing outside of the
// root can be read through a descriptor from elsewhere. False if the kernel has no Landlock.
Result<bool> RestrictWithLandlock(const std::vector<std::string>& writable, Reading reading);
// Installs the filter of a profile.
Status InstallSeccomp(SeccompProfile profile);
// The same, but connect(2) waits for an answer from who holds the listener that it gives, and no datagram sockets of the unix family are made.
// Errors: kBusy when a filter around this process has a listener already; kInvalid on kernels before 5.0.
Result<Descriptor> InstallListeningSeccomp(SeccompProfile profile);
// For a thread that answers (socket_guard.h): the few calls that this takes.
Status InstallGuardSeccomp();

}  // namespace paddock::process_wall
