// hostid - print the numeric identifier of the host
//
// usage: hostid [OPTION]
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU coreutils 9.1; glibc's gethostid().
// Differs: always that of a host whose address is 127.0.0.1.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  in.out.WriteLine("007f0100");
  return 0;
}

}  // namespace

extern const Command kCommand_hostid;
const Command kCommand_hostid = Define<Options, Run>({
    .name = "hostid",
    .summary = "print the numeric identifier (in hexadecimal) for the current host",
    .synopsis = "[OPTION]",
});

}  // namespace paddock
