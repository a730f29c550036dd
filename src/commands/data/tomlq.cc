// tomlq - transform TOML with jq
//
// usage: tomlq [OPTION]... FILTER [FILE]...
//
// Documents become JSON, dates and times as strings; the filter is jq's with all of jq's options, and the output is
// JSON unless -t (TOML) or -y (YAML) is given.
//
// Exit status: jq's; 1 for documents that cannot be read or written, 2 for a wrong command line.
// Source: tomlq of yq 3.1.0 in Debian 12; TOML 1.0.
// Differs: TOML 1.0 is read whole (arrays of mixed types, dotted keys), and errors have other words. -i writes TOML with -t.
//          Tables are written behind the values of the table that they are in, depth first.
#include "commands/data/transcode.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) { return data::Transcode(in, data::DocumentFormat::kToml); }

}  // namespace

extern const Command kCommand_tomlq;
const Command kCommand_tomlq = {
    .name = "tomlq",
    .summary = "transform TOML with jq",
    .synopsis = "[OPTION]... FILTER [FILE]...",
    .details = "Makes JSON of TOML documents, runs the jq filter on each, and writes JSON or,\nwith -t, TOML. All options of jq are understood too.\n",
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
