// time - run a program and tell what it used
//
// usage: time [OPTION]... COMMAND [ARG]...
// The program behind `env time` and /usr/bin/time; the shell has a keyword of the same name.
//
// Exit status: the command's; 125 if time itself fails, 126 and 127 if the command cannot run, 128 + N if a signal ended it.
// Source: GNU time 1.9.
// Differs: processor time is the exec's thread's, all of it counted as user time; memory, faults and switches are not
// counted for one command of a sandbox and show 0;
// a FORMAT that ends in % or \ ends in ? or \.

#include <cmath>
#include <cstdio>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr const char* kDefault =
    "%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
constexpr const char* kPortable = "real %e\nuser %U\nsys %S";
constexpr const char* kVerbose =
    "\tCommand being timed: \"%C\"\n\tUser time (seconds): %U\n\tSystem time (seconds): %S\n\tPercent of CPU this job got: %P\n"
    "\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n\tAverage shared text size (kbytes): %X\n"
    "\tAverage unshared data size (kbytes): %D\n\tAverage stack size (kbytes): %p\n\tAverage total size (kbytes): %K\n"
    "\tMaximum resident set size (kbytes): %M\n\tAverage resident set size (kbytes): %t\n"
    "\tMajor (requiring I/O) page faults: %F\n\tMinor (reclaiming a frame) page faults: %R\n"
    "\tVoluntary context switches: %w\n\tInvoluntary context switches: %c\n\tSwaps: %W\n\tFile system inputs: %I\n"
    "\tFile system outputs: %O\n\tSocket messages sent: %s\n\tSocket messages received: %r\n\tSignals delivered: %k\n"
    "\tPage size (bytes): %Z\n\tExit status: %x";

struct Options {
  bool append = false, portable = false, quiet = false, verbose = false, wants_help = false, wants_version = false;
  std::optional<std::string> format, output;
};
constexpr Option kOptions[] = {
    Flag<&Options::append>('a', "append", "with -o FILE, append instead of overwriting"),
    Value<&Options::format>('f', "format", "FORMAT", "use FORMAT instead of the default one"),
    Value<&Options::output>('o', "output", "FILE", "write to FILE instead of standard error"),
    Flag<&Options::portable>('p', "portability", "print the three lines of POSIX"),
    Flag<&Options::quiet>('q', "quiet", "say nothing of a command that failed"),
    Flag<&Options::verbose>('v', "verbose", "print all that is known, with words"),
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
};

struct Figures {
  double elapsed, cpu;
  ExitStatus status;
  int signal;
  std::string command;
};

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string Clock(double seconds) {
  const auto whole = static_cast<int64_t>(seconds);
  char text[64];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole % 3600 / 60, whole % 60);
  } else {
    const auto hundredths = static_cast<int64_t>((seconds - static_cast<double>(whole)) * 100);
    std::snprintf(text, sizeof text, "%ld:%02ld.%02ld", whole / 60, whole % 60, hundredths);
  }
  return text;
}

std::string Resource(char letter, const Figures& f) {
  switch (letter) {
    case '%': return "%";
    case 'C': return f.command;
    case 'E': return Clock(f.elapsed);
    case 'e': return Format("%.2f", f.elapsed);
    case 'U': return Format("%.2f", f.cpu);
    case 'S': return "0.00";
    case 'P': return f.elapsed < 0.01 ? "0%" : std::to_string(static_cast<int>(f.cpu * 100 / f.elapsed)) + "%";
    case 'Z': return "4096";
    case 'x': return std::to_string(f.signal != 0 ? 0 : f.status);
    case 'D': case 'F': case 'I': case 'K': case 'M': case 'O': case 'R': case 'W': case 'X': case 'c': case 'k': case 'p':
    case 'r': case 's': case 't': case 'w': return "0";
    default: return std::string("?") + letter;
  }
}

std::string Filled(std::string_view format, const Figures& figures, Budget& budget) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    budget.Step();
    const char c = format[i];
    if ((c != '%' && c != '\\') || i + 1 == format.size()) {
      text += c == '%' ? "?" : std::string(1, c);
      continue;
    }
    const char next = format[++i];
    if (c == '%') text += Resource(next, figures);
    else if (next == 't') text += '\t';
    else if (next == 'n') text += '\n';
    else if (next == '\\') text += '\\';
    else text += std::string("?\\") + next;
  }
  return text + "\n";
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name_in_messages())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (operands.empty()) return in.Usage("missing program to run");
  vfs::OpenFilePtr file;
  if (options.output) {
    auto opened = in.fs.Open(*options.output, options.append ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write());
    if (!opened) return in.Fail(*options.output, opened.error(), 125);
    file = std::move(*opened);
  }
  const Nanoseconds start = in.clock.MonotonicNow(), cpu = in.clock.ThreadTime();
  ChildSpec spec;
  spec.args = operands;
  spec.environment = &in.env;
  Figures figures{0, 0, 0, 0, {}};
  const auto pid = in.launcher.Spawn(in.process, spec);
  if (pid) {
    const auto ended = in.kernel.Wait(in.process, *pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
    figures.status = ended ? ended->status : 125;
    figures.signal = ended ? ended->signal : 0;
  } else {
    // execve(2) has no word of its own for a directory.
    in.Fail("cannot run " + operands[0], pid.error().code == Code::kIsDirectory ? Error(Code::kAccess) : pid.error());
    figures.status = pid.error().code == Code::kNoEntry ? 127 : 126;
  }
  figures.elapsed = std::chrono::duration<double>(in.clock.MonotonicNow() - start).count();
  figures.cpu = std::chrono::duration<double>(in.clock.ThreadTime() - cpu).count();
  for (const std::string& word : operands) figures.command += (figures.command.empty() ? "" : " ") + word;
  std::string text;
  const std::string from_environment(in.env.Get("TIME", kDefault));
  const bool is_standard = !options.verbose && !options.portable;
  if (is_standard && !options.quiet) {
    if (figures.signal != 0) text = "Command terminated by signal " + std::to_string(figures.signal) + "\n";
    else if (figures.status != 0) text = "Command exited with non-zero status " + std::to_string(figures.status) + "\n";
  }
  const std::string format = options.verbose ? kVerbose : options.portable ? kPortable : options.format.value_or(from_environment);
  text += Filled(format, figures, in.budget);
  if (!file) in.err.Write(text);
  else if (const Status written = file->Write(text); !written) return in.Fail(*options.output, written.error(), 125);
  return figures.status;
}

}  // namespace

extern const Command kCommand_time_;
const Command kCommand_time_ = Define<Options, Run>({
    .name = "time",
    .summary = "run COMMAND, then print the resources it used",
    .synopsis = "[OPTIONS] COMMAND [ARG]...",
    .details = "FORMAT: %e elapsed seconds, %E the same as [hours:]minutes:seconds, %U user and %S system seconds, %P share of a\n"
               "processor, %C command line, %x exit status, %M memory; \\n and \\t. TIME holds a default.\n",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .usage_status = 125,
});

}  // namespace paddock
