// w - show who is logged on and what they are doing
//
// usage: w [options] [USER]
// Begins with the line of uptime.
//
// Exit status: 0, or 1 for a usage error.
// Source: procps-ng 4.0.2.
// Differs: nobody logs in inside a sandbox: there are headings only, and options that choose among sessions have nothing to choose from.

#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool no_header = false, no_current = false, is_short = false, from = false, old_style = false, addresses = false, pids = false;
  bool wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::no_header>('h', "no-header", "do not print header"),
    Flag<&Options::no_current>('u', "no-current", "ignore current process username"),
    Flag<&Options::is_short>('s', "short", "short format"),
    Flag<&Options::from>('f', "from", "show remote hostname field"),
    Flag<&Options::old_style>('o', "old-style", "old style output"),
    Flag<&Options::addresses>('i', "ip-addr", "display IP address instead of hostname (if possible)"),
    Flag<&Options::wants_help>(0, "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) ComplainOfOption(in, parsed.error().Text());
  if (!parsed || options.wants_help) {
    (parsed ? in.out : in.err).Write("\nUsage:\n w [options] [user]\n\nOptions:\n" + OptionHelp(kOptions) + "\nFor more details see w(1).\n");
    return parsed ? 0 : 1;
  }
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.no_header) return 0;
  const auto status = in.launcher.Run(in.process, {.args = {"uptime"}, .environment = &in.env});
  if (!status) return in.Fail("uptime", status.error());
  // The host is a column of its own unless -f takes it away.
  in.out.Write("USER     TTY      ");
  in.out.Write(options.from ? "  " : "FROM             ");
  in.out.Write(options.is_short ? " IDLE WHAT\n" : "LOGIN@   IDLE   JCPU   PCPU WHAT\n");
  return 0;
}

}  // namespace

extern const Command kCommand_w;
const Command kCommand_w = {
    .name = "w",
    .summary = "show who is logged on and what they are doing",
    .synopsis = "[options] [USER]",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
