// arch - print machine architecture
//
// usage: arch [OPTION]...
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU coreutils 9.1.
// Differs: the machine is the sandbox's, x86_64.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  in.out.WriteLine("x86_64");
  return 0;
}

}  // namespace

extern const Command kCommand_arch;
const Command kCommand_arch = Define<Options, Run>({
    .name = "arch",
    .summary = "print machine architecture",
    .synopsis = "[OPTION]...",
});

}  // namespace paddock
