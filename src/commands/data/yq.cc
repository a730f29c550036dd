// yq - transform YAML with jq
//
// usage: yq [OPTION]... FILTER [FILE]...
//        yq e|eval [OPTION]... FILTER [FILE]...
//
// Two programs go by this name. This one is Andrey Kislyuk's, which Debian has: documents become JSON, the filter is
// jq's with all of jq's options, and the output is JSON unless -y (YAML), -Y (YAML with the styles of the input) or
// -t (TOML), -x (XML) is given. Of Mike Farah's, which is written in Go, these forms are understood, because they mean
// nothing to the other: `yq e FILTER` and `yq eval FILTER` write YAML, and outputs that are one scalar bare;
// -o FORMAT and -p FORMAT name the formats of output and input (json, yaml, toml, xml), -P writes YAML. The filter is jq's
// all the same.
//
// Exit status: jq's; 1 for documents that cannot be read or written, 2 for a wrong command line.
// Source: yq 3.1.0 of Debian 12 with jq 1.7.1; YAML 1.1 and 1.2 as PyYAML 6 reads and writes them.
// Differs: whole numbers keep all their digits, as jq 1.7's do. Letters may stand together (-yr), and files behind
//          options are files. A timestamp with an explicit tag stays text; !!omap and !!pairs stay lists.
#include "commands/data/transcode.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) { return data::Transcode(in, data::DocumentFormat::kYaml); }

}  // namespace

extern const Command kCommand_yq;
const Command kCommand_yq = {
    .name = "yq",
    .summary = "transform YAML with jq",
    .synopsis = "[OPTION]... FILTER [FILE]...",
    .details = "Makes JSON of YAML documents, runs the jq filter on each, and writes JSON or,\nwith -y, YAML. All options of jq are understood too.\n",
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
