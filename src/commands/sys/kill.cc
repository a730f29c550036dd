// kill - send a signal to processes
//
// usage: kill [-SIGNAL | -s SIGNAL] PID... | kill -l [SIGNAL]
// The program behind `env kill` and `xargs kill`; the shell has its own.
//
// Exit status: 0 if all signals were sent, else 1.
// Source: procps 4.0.
// Differs: -q and -L are refused.

#include <charconv>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"

namespace paddock {
namespace {

// Number for a name and name for a number.
ExitStatus Convert(Invocation& in, std::string_view text) {
  const int signal = proc::FindSignal(text);
  if (signal <= 0) {
    in.Fail("unknown signal name " + std::string(text));
    return 0;
  }
  const bool is_number = text[0] >= '0' && text[0] <= '9';
  in.out.WriteLine(is_number ? proc::SignalName(signal) : std::to_string(signal));
  return 0;
}

ExitStatus List(Invocation& in) {
  std::string line;
  for (int number = 1; number < 32; ++number) {
    const std::string name = number == 29 ? "POLL" : proc::SignalName(number);
    if (line.size() + name.size() > 77) {
      in.out.WriteLine(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + name;
  }
  in.out.WriteLine(line);
  return 0;
}

ExitStatus Run(Invocation& in) {
  int signal = proc::kSigTerm;
  size_t i = 1;
  for (; i < in.args.size() && in.args[i].size() > 1 && in.args[i][0] == '-' && in.args[i] != "--"; ++i) {
    const std::string& option = in.args[i];
    if (option == "-l" || option == "--list") {
      return i + 1 < in.args.size() ? Convert(in, in.args[i + 1]) : List(in);
    }
    if (option.starts_with("--list=")) return Convert(in, std::string_view(option).substr(7));
    std::string name = option.substr(1);
    if (option.starts_with("--signal=")) {
      name = option.substr(9);
    } else if (option == "-s" || option == "--signal") {
      if (i + 1 >= in.args.size()) return in.Fail("invalid argument s");
      name = in.args[++i];
    } else if (option.starts_with("-s") && option.size() > 2) {
      name = option.substr(2);
    } else if (i > 1) {
      break;   // a process group
    }
    signal = proc::FindSignal(name);
    if (signal < 0) return in.Fail("invalid argument " + name.substr(0, 1));
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
      status = in.Fail("(" + text + ")", sent.error());
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
