// Identity and content of one file in a hostile tree.
#pragma once

#include <string>

#include "base/result.h"
#include "drivers/process/protect/protected_names.h"

namespace paddock::process_wall {

// Files are looked at up to 64 MiB in all, and kept up to 256 KiB each and 16 MiB in all; beyond that only their identity counts.
struct EntryBudget {
  uint64_t hashed = 64 << 20;
  uint64_t kept = 16 << 20;
};

// The entry `name` of an open directory. Errors: the system's.
Result<ProtectedEntry> LookAt(int directory, const std::string& name, EntryBudget& budget);

// Whether what an open descriptor (O_PATH does) refers to is the very file that `before` describes. No where the file system keeps no time of birth.
bool IsSameFile(const ProtectedEntry& before, int descriptor);

// Whether both are the same to a program that reads or runs them.
bool IsSame(const ProtectedEntry& before, const ProtectedEntry& now);

}  // namespace paddock::process_wall
