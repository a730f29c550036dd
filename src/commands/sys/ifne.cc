// ifne - run a command if standard input is not empty
//
// usage: ifne [-n] COMMAND [ARGUMENT]...
//
// Exit status: that of COMMAND; 0 when it is not run; 1 when it cannot be run.
// Source: moreutils 0.67.
// Differs: nothing known.

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "vfs/pipe.h"

namespace paddock {
namespace {

constexpr Option kOptions[] = {
    {'n', nullptr, OptionArgument::kNone, nullptr, "run COMMAND if the input is empty; else pass the input on", nullptr},
};

// Starts the command with `input` and writes what is read to `feed`.
ExitStatus RunWith(Invocation& in, const std::vector<std::string>& command, vfs::OpenFilePtr input, vfs::OpenFilePtr feed) {
  ChildSpec spec;
  spec.args = command;
  spec.environment = &in.env;
  spec.in = std::move(input);
  const auto pid = in.launcher.Spawn(in.process, spec);
  if (!pid) {
    in.err.Write(command[0] + ": " + std::string(pid.error().Text()) + "\n");
    return 1;
  }
  spec.in.reset();
  if (feed != nullptr) {
    for (std::string_view bytes = in.in.Peek(); !bytes.empty(); bytes = in.in.Peek()) {
      if (!feed->Write(bytes)) {
        in.process.Raise(proc::kSigPipe);
        in.process.Poll();
        break;
      }
      in.in.Consume(bytes.size());
    }
    feed.reset();
  }
  const auto ended = in.kernel.Wait(in.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  return ended ? ended->status : 1;
}

ExitStatus Run(Invocation& in) {
  // -n in the first place is all that it knows: every other word is the command.
  const bool wants_empty = in.args.size() > 1 && in.args[1] == "-n";
  const std::vector<std::string> command(in.args.begin() + (wants_empty ? 2 : 1), in.args.end());
  if (command.empty()) {
    in.err.Write("Usage: ifne [-n] command [args]\n");
    return 1;
  }
  const bool is_empty = in.in.at_end();
  if (is_empty) return wants_empty ? RunWith(in, command, nullptr, nullptr) : 0;
  if (wants_empty) {
    for (std::string_view bytes = in.in.Peek(); !bytes.empty() && in.out.status(); bytes = in.in.Peek()) {
      in.out.Write(bytes);
      in.in.Consume(bytes.size());
    }
    return 0;
  }
  vfs::PipeEnds ends = vfs::MakePipe(in.kernel.scheduler());
  return RunWith(in, command, std::move(ends.read), std::move(ends.write));
}

}  // namespace

extern const Command kCommand_ifne;
const Command kCommand_ifne = {
    .name = "ifne",
    .summary = "run a command if the standard input is not empty",
    .synopsis = "[-n] COMMAND [ARGUMENT]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
