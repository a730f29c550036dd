// unix2dos - convert text files of Unix to the line breaks of DOS
//
// usage: unix2dos [options] [file ...] [-n infile outfile ...]
//        unix2mac [options] ...                             as unix2dos -c mac
//
// Exit status: 0, 1 for a usage error, 2 when a file could not be read or written.
// Source: dos2unix 7.4.3.
// Differs: -iso, code pages, -e and -L are refused; half of a pair of UTF-16 becomes U+FFFD.

#include "commands/text/line_breaks.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) { return ConvertLineBreaks(in, false); }

}  // namespace

extern const Command kCommand_unix2dos;
constexpr const char* kAliases[] = {"unix2mac"};
const Command kCommand_unix2dos = {
    .name = "unix2dos",
    .aliases = kAliases,
    .summary = "convert text files of Unix to the line breaks of DOS",
    .synopsis = "[options] [file ...] [-n infile outfile ...]",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
