// What chown and chgrp share: changing the owner and group of files and trees, and telling of it.
#pragma once

#include <array>
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

// The table of both; `own` are those that only one has.
template <class... Own>
constexpr auto OwnershipTable(const char* reference_help, Own... own) {
  using Options = OwnershipOptions;
  return std::array{
      Set<&Options::report, Options::Report::kChanges>('c', "changes", "like verbose but report only when a change is made"),
      Flag<&Options::silent>('f', "silent", "suppress most error messages"),
      Flag<&Options::silent>(0, "quiet", "likewise"),
      Set<&Options::report, Options::Report::kAll>('v', "verbose", "output a diagnostic for every file processed"),
      Set<&Options::dereferences, true>(0, "dereference", "affect the referent of each symbolic link (the default), not the link itself"),
      Set<&Options::dereferences, false>('h', "no-dereference", "affect symbolic links instead of any referenced file"),
      own...,
      Set<&Options::preserves_root, false>(0, "no-preserve-root", "do not treat '/' specially (the default)"),
      Set<&Options::preserves_root, true>(0, "preserve-root", "fail to operate recursively on '/'"),
      Value<&Options::reference>(0, "reference", "RFILE", reference_help),
      Flag<&Options::recursive>('R', "recursive", "operate on files and directories recursively"),
      Set<&Options::walk, Options::Walk::kOperands>('H', nullptr, "with -R: traverse an operand that is a symbolic link to a directory"),
      Set<&Options::walk, Options::Walk::kLogical>('L', nullptr, "with -R: traverse every symbolic link to a directory"),
      Set<&Options::walk, Options::Walk::kPhysical>('P', nullptr, "with -R: traverse no symbolic links (the default)"),
  };
}

// Changes the operands behind the first, which says to what; with a reference all of them. `has_users`: as chown, else as chgrp.
ExitStatus ChangeOwnership(Invocation& in, const OwnershipOptions& options, std::vector<std::string> operands, bool has_users);

}  // namespace paddock
