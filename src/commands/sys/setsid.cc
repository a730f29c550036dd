// setsid - run a program in a new session
//
// usage: setsid [options] PROGRAM [ARG]...
//
// Exit status: the program's, or 0 when it was left running; 126 or 127 if it cannot run, 1 for a usage error.
// Source: util-linux 2.38.
// Differs: a new session is a process group of its own; -c fails, since a sandbox's terminal stays with its shell.

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"

namespace paddock {
namespace {

struct Options {
  bool takes_terminal = false, forks = false, waits = false, wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::takes_terminal>('c', "ctty", "set the controlling terminal to the current one"),
    Flag<&Options::forks>('f', "fork", "always leave the program running"),
    Flag<&Options::waits>('w', "wait", "wait for the program, and end with its status"),
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (operands.empty()) return in.Usage("no command specified");
  // A leader of a group cannot leave it: it goes on as another process then.
  const bool forks = options.forks || in.process.group() == in.process.pid();
  if (options.takes_terminal) {
    in.Fail("failed to set the controlling terminal", Code::kNotTty);
    return forks && !options.waits ? 0 : 1;
  }
  ChildSpec spec;
  spec.args = operands;
  spec.environment = &in.env;
  spec.own_group = true;
  const auto pid = in.launcher.Spawn(in.process, spec);
  if (!pid) {
    const bool is_missing = pid.error().code == Code::kNoEntry;
    in.Fail("failed to execute " + operands[0], pid.error().code == Code::kIsDirectory ? Error(Code::kAccess) : pid.error());
    return forks && !options.waits ? 0 : is_missing ? 127 : 126;
  }
  if (forks && !options.waits) return 0;
  const auto ended = in.kernel.Wait(in.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  return ended ? ended->status : 1;
}

}  // namespace

extern const Command kCommand_setsid;
const Command kCommand_setsid = Define<Options, Run>({
    .name = "setsid",
    .summary = "run a program in a new session",
    .synopsis = "[options] <program> [arguments ...]",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .cuts_own_name = true,
});

}  // namespace paddock
