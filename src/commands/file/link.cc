// link - give a file one more name by the system call of that name
//
// usage: link FILE1 FILE2
//
// Exit status: 0, or 1 when the link could not be made.
// Source: POSIX link; GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() == 1) return in.Usage("missing operand after " + Quote(operands[0], is_utf8));
  if (operands.size() > 2) return in.Usage("extra operand " + Quote(operands[2], is_utf8));
  const Status made = in.fs.MakeLink(operands[0], operands[1]);
  if (made) return 0;
  return in.Fail("cannot create link " + QuoteFile(operands[1], is_utf8) + " to " + QuoteFile(operands[0], is_utf8),
                 made.error());
}

}  // namespace

extern const Command kCommand_link;
const Command kCommand_link = Define<Options, Run>({
    .name = "link",
    .summary = "call the link function to create a link named FILE2 to an existing FILE1",
    .synopsis = "FILE1 FILE2\nOPTION",
});

}  // namespace paddock
