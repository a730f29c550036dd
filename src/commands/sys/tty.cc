// tty - print the file name of the terminal connected to standard input
//
// usage: tty [OPTION]...
//
// Exit status: 0 for a terminal, 1 for anything else, 2 for a usage error, 3 for a write error.
// Source: POSIX tty; GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file_facts.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool silent = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::silent>('s', "silent", "print nothing, only return an exit status"),
    Flag<&Options::silent>(0, "quiet", "likewise"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  const bool is_terminal = IsTerminal(in, 0);
  const ExitStatus status = is_terminal ? 0 : 1;
  if (options.silent) return status;
  const std::string name = is_terminal ? in.process.descriptors().Get(0)->description() : "not a tty";
  in.out.WriteLine(name.starts_with("/dev/") || !is_terminal ? name : "/dev/tty");
  if (const Status& flushed = in.out.Flush(); !flushed) {
    const Error error = flushed.error();
    in.out.ClearStatus();
    return in.Fail("write error", error, 3);
  }
  return status;
}

}  // namespace

extern const Command kCommand_tty;
const Command kCommand_tty = Define<Options, Run>({
    .name = "tty",
    .summary = "print the file name of the terminal connected to standard input",
    .synopsis = "[OPTION]...",
    .options = kOptions,
    .usage_status = 2,
});

}  // namespace paddock
