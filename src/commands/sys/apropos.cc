// apropos - search the manual page names and descriptions
//
// usage: apropos [OPTION...] KEYWORD...
//
// Exit status: 0 when something was found, 16 when nothing was, 1 for a usage error, 2 for trouble.
// Source: man-db 2.11.
// Differs: the pages are those of the sandbox's own commands, all in section 1, whatever trees the configuration of -C names; -d tells less.

#include "commands/sys/manual.h"

namespace paddock {
namespace {

using manual::Look;

using Options = manual::SearchOptions;

constexpr auto kOptions = manual::SearchTable(
    Set<&Options::look, Look::kExact>('e', "exact", "a keyword is a whole name or word"),
    Set<&Options::look, Look::kRegex>('r', "regex", "a keyword is a regular expression (the default)"),
    Set<&Options::look, Look::kWildcard>('w', "wildcard", "a keyword has wildcards"),
    Flag<&Options::all>('a', "and", "all keywords have to match"));

ExitStatus Run(Invocation& in) { return manual::Search(in, Look::kRegex, false); }

}  // namespace

extern const Command kCommand_apropos;
const Command kCommand_apropos = {
    .name = "apropos",
    .summary = "search the manual page names and descriptions",
    .synopsis = "[OPTION...] KEYWORD...",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
