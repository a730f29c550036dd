// unlink - remove one file by the system call of that name
//
// usage: unlink FILE
//
// Exit status: 0, or 1 when the file could not be removed.
// Source: POSIX unlink; GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], is_utf8));
  const Status removed = in.fs.RemoveFile(operands[0]);
  if (!removed) return in.Fail("cannot unlink " + QuoteFile(operands[0], is_utf8), removed.error());
  return 0;
}

}  // namespace

extern const Command kCommand_unlink;
const Command kCommand_unlink = Define<Options, Run>({
    .name = "unlink",
    .summary = "call the unlink function to remove the specified FILE",
    .synopsis = "FILE\nOPTION",
});

}  // namespace paddock
