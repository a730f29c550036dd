// chown - change the owner and group of files
//
// usage: chown [OPTION]... [OWNER][:[GROUP]] FILE...
//        chown [OPTION]... --reference=RFILE FILE...
//
// Exit status: 0, or 1 when something could not be changed.
// Source: POSIX chown, GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file/ownership.h"

namespace paddock {
namespace {

using Options = OwnershipOptions;

constexpr auto kOptions =
    OwnershipTable("use RFILE's owner and group instead of naming them",
                   Value<&Options::from>(0, "from", "OWNER:GROUP", "change only files that belong to these now; either may be left out"));

ExitStatus Run(Invocation& in, const Options& options, std::vector<std::string> operands) { return ChangeOwnership(in, options, std::move(operands), true); }

}  // namespace

extern const Command kCommand_chown;
const Command kCommand_chown = Define<Options, Run>({
    .name = "chown",
    .summary = "change the owner and/or group of each FILE to OWNER and/or GROUP",
    .synopsis = "[OPTION]... [OWNER][:[GROUP]] FILE...\n[OPTION]... --reference=RFILE FILE...",
    .details = "Owner and group are names or numbers. OWNER: means the owner's login group, too.\n",
    .options = kOptions,
});

}  // namespace paddock
