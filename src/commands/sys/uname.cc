// uname - print system information
//
// usage: uname [OPTION]...
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU coreutils 9.1.
// Differs: the system shown is the sandbox's: Linux 6.1.0-paddock on x86_64.

#include "proc/command.h"
#include "proc/kernel.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool all = false;
  bool kernel_name = false;
  bool nodename = false;
  bool release = false;
  bool version = false;
  bool machine = false;
  bool processor = false;
  bool platform = false;
  bool system = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::all>('a', "all", "print all information, in the following order, except omit -p and -i if unknown"),
    Flag<&Options::kernel_name>('s', "kernel-name", "print the kernel name"),
    Flag<&Options::nodename>('n', "nodename", "print the network node hostname"),
    Flag<&Options::release>('r', "kernel-release", "print the kernel release"),
    Flag<&Options::version>('v', "kernel-version", "print the kernel version"),
    Flag<&Options::machine>('m', "machine", "print the machine hardware name"),
    Flag<&Options::processor>('p', "processor", "print the processor type (non-portable)"),
    Flag<&Options::platform>('i', "hardware-platform", "print the hardware platform (non-portable)"),
    Flag<&Options::system>('o', "operating-system", "print the operating system"),
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
  const bool any = options.all || options.kernel_name || options.nodename || options.release || options.version ||
                   options.machine || options.processor || options.platform || options.system;
  if (!any) options.kernel_name = true;
  std::string line;
  const auto add = [&](bool wanted, const std::string& text) {
    if (!wanted) return;
    if (!line.empty()) line += ' ';
    line += text;
  };
  add(options.all || options.kernel_name, "Linux");
  add(options.all || options.nodename, in.kernel.hostname());
  add(options.all || options.release, "6.1.0-paddock");
  add(options.all || options.version, "#1 SMP PREEMPT_DYNAMIC Paddock");
  add(options.all || options.machine, "x86_64");
  add(options.processor && !options.all, "unknown");
  add(options.platform && !options.all, "unknown");
  add(options.all || options.system, "GNU/Linux");
  in.out.WriteLine(line);
  return 0;
}

}  // namespace

extern const Command kCommand_uname;
const Command kCommand_uname = Define<Options, Run>({
    .name = "uname",
    .summary = "print certain system information",
    .synopsis = "[OPTION]...",
    .options = kOptions,
});

}  // namespace paddock
