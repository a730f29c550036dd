// pwdx - report the working directory of processes
//
// usage: pwdx [options] PID...
//
// Exit status: 0, or 1 when a process is not there.
// Source: procps-ng 4.0.2.
// Differs: nothing known.

#include "commands/sys/process_table.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

void PrintUsage(Output& to) { to.Write("\nUsage:\n pwdx [options] pid...\n\nOptions:\n" + OptionHelp(kOptions) + "\nFor more details see pwdx(1).\n"); }

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) ComplainOfOption(in, parsed.error().Text());
  if (parsed && options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (!parsed || options.wants_help || parsed->operands.empty()) {
    PrintUsage(parsed && options.wants_help ? in.out : in.err);
    return parsed && options.wants_help ? 0 : 1;
  }
  ExitStatus status = 0;
  for (const std::string& word : parsed->operands) {
    in.budget.Step();
    const std::string_view number = word.starts_with("/proc/") ? std::string_view(word).substr(6) : std::string_view(word);
    const auto pid = ParsePid(number);
    if (!pid || *pid < 1) return in.Fail("invalid process id: " + word);
    const auto directory = in.fs.ReadLink("/proc/" + std::to_string(*pid) + "/cwd");
    if (directory) {
      in.out.WriteLine(word + ": " + *directory);
      continue;
    }
    in.out.Flush();
    in.err.Write(word + ": " + (directory.error().code == Code::kNoEntry ? "No such process" : std::string(directory.error().Text())) + "\n");
    status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_pwdx;
const Command kCommand_pwdx = {
    .name = "pwdx",
    .summary = "report current working directory of a process",
    .synopsis = "[options] PID...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
