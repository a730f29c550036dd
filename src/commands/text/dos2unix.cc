// dos2unix - convert text files of DOS to the line breaks of Unix
//
// usage: dos2unix [options] [file ...] [-n infile outfile ...]
//        mac2unix [options] ...                             as dos2unix -c mac
//
// Exit status: 0, 1 for a usage error, 2 when a file could not be read or written.
// Source: dos2unix 7.4.3.
// Differs: -iso, code pages, -e and -L are refused; half of a pair of UTF-16 becomes U+FFFD.

#include "commands/text/line_breaks.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) { return ConvertLineBreaks(in, true); }

}  // namespace

extern const Command kCommand_dos2unix;
constexpr const char* kAliases[] = {"mac2unix"};
const Command kCommand_dos2unix = {
    .name = "dos2unix",
    .aliases = kAliases,
    .summary = "convert text files of DOS to the line breaks of Unix",
    .synopsis = "[options] [file ...] [-n infile outfile ...]",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
