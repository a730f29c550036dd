// What chown and chgrp share: changing the owner and group of files and trees, and telling of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/user_names.h"
#include "proc/command.h"

namespace paddock {

// What an OWNER, OWNER:GROUP or :GROUP means; what is not set stays as it is.
struct Ownership {
  std::optional<uint32_t> uid, gid;
  // As messages show them: absent where the file's own stays.
  std::optional<std::string> user, group;
};

struct OwnershipOptions {
  enum class Report { kNone, kChanges, kAll };
  enum class Walk { kPhysical, kOperands, kLogical };   // -P, -H, -L

  Report report = Report::kNone;
  Walk walk = Walk::kPhysical;
  bool silent = false;
  bool preserves_root = false;
  bool recursive = false;
  std::optional<bool> dereferences;
  std::optional<std::string> reference;
  std::optional<std::string> from;   // chown only
};

// Changes the operands behind the first, which says to what; with a reference all of them. `has_users`: as chown, else as chgrp.
ExitStatus ChangeOwnership(Invocation& in, const OwnershipOptions& options, std::vector<std::string> operands, bool has_users);

}  // namespace paddock
