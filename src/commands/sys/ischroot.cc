// ischroot - detect if running in a chroot
//
// usage: ischroot [OPTION]
//
// Exit status: 0 in a chroot, 1 outside, 2 when it cannot be told.
// Source: debianutils 5.7.
// Differs: the root of a sandbox is its own, so that the answer is 1.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool falls_to_false = false, falls_to_true = false, wants_help = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::falls_to_false>('f', "default-false", "return false if detection fails"),
    Flag<&Options::falls_to_true>('t', "default-true", "return true if detection fails"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit."),
    Flag<&Options::wants_help>('h', "help", "display this help and exit."),
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    in.err.Write("ischroot: " + std::string(parsed.error().Text()) + "\nTry `ischroot --help' for more information.\n");
    return 1;
  }
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  return 1;   // there is nothing that fails to be detected
}

}  // namespace

extern const Command kCommand_ischroot;
const Command kCommand_ischroot = {
    .name = "ischroot",
    .summary = "detect if running in a chroot",
    .synopsis = "[OPTION]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
