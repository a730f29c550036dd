// whatis - display one-line manual page descriptions
//
// usage: whatis [OPTION...] KEYWORD...
//
// Exit status: 0 when something was found, 16 when nothing was, 1 for a usage error, 2 for trouble.
// Source: man-db 2.11.
// Differs: the pages are those of the sandbox's own commands, all in section 1. There are no other manual trees, so options about
// them are refused.

#include "commands/sys/manual.h"

namespace paddock {
namespace {

using manual::Look;

struct Options {
  Look look = Look::kName;
  bool is_long = false;
  std::string sections;
  bool wants_help = false, wants_version = false;
};

constexpr Option kOptions[] = {
    Set<&Options::look, Look::kRegex>('r', "regex", "a keyword is a regular expression"),
    Set<&Options::look, Look::kWildcard>('w', "wildcard", "a keyword has wildcards"),
    Flag<&Options::is_long>('l', "long", "do not cut lines to the width of the terminal"),
    Value<&Options::sections>('s', "sections", "LIST", "only these sections, with colons between"),
    Value<&Options::sections>(0, "section", "LIST", nullptr),
    Flag<&Options::wants_help>('?', "usage", "show this help"),
    Flag<&Options::wants_version>('V', nullptr, "show the version"),
};

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  const auto operands = manual::Parse(in, &options, &status);
  if (!operands) return status;
  if (options.wants_help || options.wants_version) return manual::Tell(in, options.wants_help);
  if (operands->empty()) {
    in.out.Write(std::string(in.name()) + " what?\n");
    return 1;
  }
  return manual::Find(in, {.names_only = true, .look = options.look, .is_long = options.is_long, .sections = options.sections}, *operands);
}

}  // namespace

extern const Command kCommand_whatis;
const Command kCommand_whatis = {
    .name = "whatis",
    .summary = "display one-line manual page descriptions",
    .synopsis = "[OPTION...] KEYWORD...",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
