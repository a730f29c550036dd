// kill - send a signal to processes
//
// usage: kill [-SIGNAL | -s SIGNAL] PID... | kill -l [SIGNAL]...
// The program behind `env kill` and `xargs kill`; the shell has its own.
//
// Exit status: 0 if all signals were sent, else 1.
// Source: procps 4.0.
// Differs: -q and --list as a table are not there.

#include <charconv>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  int signal = proc::kSigTerm;
  size_t i = 1;
  if (i < in.args.size() && in.args[i].size() > 1 && in.args[i][0] == '-' && in.args[i] != "--") {
    std::string name = in.args[i].substr(1);
    if (name == "l" || name == "L") {
      for (int number = 1; number < 32; ++number) in.out.Write(proc::SignalName(number) + (number == 31 ? "\n" : " "));
      return 0;
    }
    if (name == "s" || name == "n") {
      if (++i >= in.args.size()) return in.Fail("option requires an argument -- 's'");
      name = in.args[i];
    }
    signal = proc::FindSignal(name);
    if (signal < 0) return in.Fail("unknown signal " + name);
    ++i;
  }
  if (i < in.args.size() && in.args[i] == "--") ++i;
  if (i >= in.args.size()) return in.Usage("not enough arguments");
  ExitStatus status = 0;
  for (; i < in.args.size(); ++i) {
    const std::string& text = in.args[i];
    int pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    if (error != std::errc() || end != text.data() + text.size()) {
      status = in.Fail("failed to parse argument: '" + text + "'");
      continue;
    }
    if (const Status sent = in.kernel.Signal(in.process, pid, signal); !sent) {
      status = in.Fail("sending signal to " + text + " failed", sent.error());
    }
  }
  return status;
}

}  // namespace

extern const Command kCommand_kill;
const Command kCommand_kill = {
    .name = "kill",
    .summary = "send a signal to a process",
    .synopsis = "[-SIGNAL] PID...",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
