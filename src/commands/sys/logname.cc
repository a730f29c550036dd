// logname - print the name of the user who is logged in
//
// usage: logname [OPTION]
//
// Exit status: 1.
// Source: POSIX logname; GNU coreutils 9.1.
// Differs: nobody logs in to a sandbox, so there never is a name.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  return in.Fail("no login name");
}

}  // namespace

extern const Command kCommand_logname;
const Command kCommand_logname = Define<Options, Run>({
    .name = "logname",
    .summary = "print the user's login name",
    .synopsis = "[OPTION]",
});

}  // namespace paddock
