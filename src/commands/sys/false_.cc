// false - do nothing, unsuccessfully
//
// usage: false [ignored arguments]
//
// Exit status: 1.
// Source: POSIX false; GNU coreutils 9.1 (false --help and --version print only when they are the one argument).
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  if (in.args.size() == 2 && in.args[1] == "--help") in.out.Write(HelpText(in.command, in.name_in_messages()));
  if (in.args.size() == 2 && in.args[1] == "--version") in.out.Write(VersionText(in.command, in.name()));
  return 1;
}

}  // namespace

extern const Command kCommand_false_;
const Command kCommand_false_ = {
    .name = "false",
    .summary = "do nothing, unsuccessfully",
    .synopsis = "[ignored arguments]",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
