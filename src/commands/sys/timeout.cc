// timeout - run a command with a time limit
//
// usage: timeout [OPTION] DURATION COMMAND [ARG]...
//
// Exit status: 124 if the command timed out; 125 if timeout itself fails; 126 or 127 if the command cannot run;
// 137 if it was killed with KILL; else the command's.
// Source: GNU coreutils 9.1.
// Differs: --foreground only leaves out the process group.

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "text/date/duration.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kTimedOut = 124;
constexpr ExitStatus kFailed = 125;
constexpr ExitStatus kCannotRun = 126;
constexpr ExitStatus kMissing = 127;

struct Options {
  bool preserve_status = false;
  bool foreground = false;
  bool verbose = false;
  std::optional<std::string> kill_after;
  std::optional<std::string> signal;
};
constexpr Option kOptions[] = {
    Flag<&Options::preserve_status>(0, "preserve-status", "exit with the same status as COMMAND, even when it times out"),
    Flag<&Options::foreground>(0, "foreground", "do not run COMMAND in a process group of its own"),
    Value<&Options::kill_after>('k', "kill-after", "DURATION", "also send a KILL signal if COMMAND is still running"),
    Value<&Options::signal>('s', "signal", "SIGNAL", "specify the signal to be sent on timeout"),
    Flag<&Options::verbose>('v', "verbose", "diagnose to stderr any signal sent upon timeout"),
};

void Send(Invocation& in, const Options& options, int pid, int signal, const std::string& name) {
  if (options.verbose) {
    in.Fail("sending signal " + (signal == 0 ? "EXIT" : proc::SignalName(signal)) + " to command " + Quote(name, in.locale.is_utf8));
  }
  // The group of its own is known by the child's pid; a dead one is no error.
  [[maybe_unused]] const Status sent = in.kernel.Signal(in.process, options.foreground ? pid : -pid, signal);
  if (signal != proc::kSigKill && signal != proc::kSigCont) {
    [[maybe_unused]] const Status woken = in.kernel.Signal(in.process, options.foreground ? pid : -pid, proc::kSigCont);
  }
}

// Ends this process by the signal that ended the command; for those that do not end it, the status that says so.
ExitStatus EndBy(Invocation& in, int signal) {
  in.process.set_disposition(signal, proc::Process::Disposition::kDefault);
  in.process.Raise(signal);
  in.process.Poll();
  return 128 + signal;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.size() < 2) return in.UsageHint();
  const auto duration = ParseDuration(operands[0]);
  const auto bad_time = [&](const std::string& text) {
    return in.Usage("invalid time interval " + Quote(text, in.locale.is_utf8));
  };
  if (!duration) return bad_time(operands[0]);
  std::optional<double> kill_after;
  if (options.kill_after) {
    kill_after = ParseDuration(*options.kill_after);
    if (!kill_after) return bad_time(*options.kill_after);
  }
  int signal = proc::kSigTerm;
  if (options.signal) {
    signal = proc::FindSignal(*options.signal);
    if (signal < 0) return in.Usage(Quote(*options.signal, in.locale.is_utf8) + ": invalid signal");
  }
  const ChildSpec spec{.args = {operands.begin() + 1, operands.end()}, .environment = &in.env, .own_group = !options.foreground};
  auto pid = in.launcher.Spawn(in.process, spec);
  if (!pid) {
    const Code code = pid.error().code == Code::kIsDirectory ? Code::kAccess : pid.error().code;
    in.Fail("failed to run command " + Quote(operands[1], in.locale.is_utf8) + ": " + std::string(Error(code).Text()));
    return code == Code::kNoEntry ? kMissing : kCannotRun;
  }
  // Signals that would end this program are for the command; then its end is awaited as before.
  constexpr int kPassedOn[] = {proc::kSigTerm, proc::kSigInt, proc::kSigHup, proc::kSigQuit};
  for (const int caught : kPassedOn) in.process.set_disposition(caught, proc::Process::Disposition::kCatch);
  if (signal > 0 && signal != proc::kSigKill && signal != proc::kSigStop) {
    in.process.set_disposition(signal, proc::Process::Disposition::kCatch);
  }
  const auto deadline = [&](double seconds) {
    return seconds == 0 ? Nanoseconds::max() : in.clock.MonotonicNow() + ToNanoseconds(seconds);
  };
  Nanoseconds until = deadline(*duration);
  const auto wait = [&]() -> Result<proc::WaitStatus> {
    for (;;) {
      auto found = in.kernel.Wait(in.process, *pid, until);
      if (found || found.error().code != Code::kInterrupted) return found;
      while (const int caught = in.process.TakeCaught()) {
        Send(in, options, *pid, caught, operands[1]);
        if (kill_after) until = deadline(*kill_after);
      }
    }
  };
  auto ended = wait();
  if (ended && ended->signal != 0) return EndBy(in, ended->signal);
  if (ended) return ended->status;
  if (ended.error().code != Code::kTimedOut) return kFailed;
  Send(in, options, *pid, signal, operands[1]);
  bool was_killed = signal == proc::kSigKill;
  until = kill_after ? deadline(*kill_after) : Nanoseconds::max();
  ended = wait();
  if (!ended && ended.error().code == Code::kTimedOut) {
    Send(in, options, *pid, proc::kSigKill, operands[1]);
    was_killed = true;
    until = Nanoseconds::max();
    ended = wait();
  }
  if (!ended) return kFailed;
  if (was_killed && ended->signal == proc::kSigKill) {
    // Sent to the whole group, it came here, too.
    return options.foreground ? 128 + proc::kSigKill : EndBy(in, proc::kSigKill);
  }
  return options.preserve_status ? ended->status : kTimedOut;
}

}  // namespace

extern const Command kCommand_timeout;
const Command kCommand_timeout = Define<Options, Run>({
    .name = "timeout",
    .summary = "start COMMAND, and kill it if still running after DURATION",
    .synopsis = "[OPTION] DURATION COMMAND [ARG]...",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
});

}  // namespace paddock
