// xq - transform XML with jq
//
// usage: xq [OPTION]... FILTER [FILE]...
//
// Documents become JSON: an element is a member, its attributes are members @NAME, text beside them is #text, and elements of one name
// are a list. The filter is jq's with all of jq's options, and the output is JSON unless -x (XML), -y (YAML) or -t (TOML) is given.
//
// Exit status: jq's; 1 for documents that cannot be read or written, 2 for a wrong command line.
// Source: xq of yq 3.1.0 in Debian 12, where it is called xq-python; xmltodict 0.13 and expat.
// Differs: -i writes XML with -x, -n without files reads nothing, and --xml-item-depth is of later versions. Entities of the document
//          come to nothing in attributes, too, and defaults of attributes in a DTD are not filled in. In a document type declaration
//          only what does not end is complained of.
#include "commands/data/transcode.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) { return data::Transcode(in, data::DocumentFormat::kXml); }

constexpr const char* kAliases[] = {"xq-python"};

}  // namespace

extern const Command kCommand_xq;
const Command kCommand_xq = {
    .name = "xq",
    .aliases = kAliases,
    .summary = "transform XML with jq",
    .synopsis = "[OPTION]... FILTER [FILE]...",
    .details = "Makes JSON of XML documents, runs the jq filter on each, and writes JSON or,\nwith -x, XML. All options of jq are understood too.\n",
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
