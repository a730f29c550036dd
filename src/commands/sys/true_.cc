// true - do nothing, successfully
//
// usage: true [ignored arguments]
//
// Exit status: 0.
// Source: POSIX true; GNU coreutils 9.1 (true --help and --version print only when they are the one argument).
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  if (in.args.size() == 2 && in.args[1] == "--help") in.out.Write(HelpText(in.command, in.name_in_messages()));
  if (in.args.size() == 2 && in.args[1] == "--version") in.out.Write(VersionText(in.command, in.name()));
  return 0;
}

}  // namespace

extern const Command kCommand_true_;
const Command kCommand_true_ = {
    .name = "true",
    .summary = "do nothing, successfully",
    .synopsis = "[ignored arguments]",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
