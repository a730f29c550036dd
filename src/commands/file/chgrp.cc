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

constexpr Option kOptions[] = {
    Set<&Options::report, Options::Report::kChanges>('c', "changes", "like verbose but report only when a change is made"),
    Flag<&Options::silent>('f', "silent", "suppress most error messages"),
    Flag<&Options::silent>(0, "quiet", "likewise"),
    Set<&Options::report, Options::Report::kAll>('v', "verbose", "output a diagnostic for every file processed"),
    Set<&Options::dereferences, true>(0, "dereference", "affect the referent of each symbolic link (the default), not the link itself"),
    Set<&Options::dereferences, false>('h', "no-dereference", "affect symbolic links instead of any referenced file"),
    Set<&Options::preserves_root, false>(0, "no-preserve-root", "do not treat '/' specially (the default)"),
    Set<&Options::preserves_root, true>(0, "preserve-root", "fail to operate recursively on '/'"),
    Value<&Options::reference>(0, "reference", "RFILE", "use RFILE's group instead of naming one"),
    Flag<&Options::recursive>('R', "recursive", "operate on files and directories recursively"),
    Set<&Options::walk, Options::Walk::kOperands>('H', nullptr, "with -R: traverse an operand that is a symbolic link to a directory"),
    Set<&Options::walk, Options::Walk::kLogical>('L', nullptr, "with -R: traverse every symbolic link to a directory"),
    Set<&Options::walk, Options::Walk::kPhysical>('P', nullptr, "with -R: traverse no symbolic links (the default)"),
};

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
