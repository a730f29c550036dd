// chgrp - change the group of files
//
// usage: chgrp [OPTION]... GROUP FILE...
//        chgrp [OPTION]... --reference=RFILE FILE...
//
// Exit status: 0, or 1 when something could not be changed.
// Source: POSIX chgrp, GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file/ownership.h"

namespace paddock {
namespace {

using Options = OwnershipOptions;

constexpr auto kOptions = OwnershipTable("use RFILE's group instead of naming one");

ExitStatus Run(Invocation& in, const Options& options, std::vector<std::string> operands) { return ChangeOwnership(in, options, std::move(operands), false); }

}  // namespace

extern const Command kCommand_chgrp;
const Command kCommand_chgrp = Define<Options, Run>({
    .name = "chgrp",
    .summary = "change the group of each FILE to GROUP",
    .synopsis = "[OPTION]... GROUP FILE...\n[OPTION]... --reference=RFILE FILE...",
    .details = "GROUP is a name or a number.\n",
    .options = kOptions,
});

}  // namespace paddock
