// zforce - give files that gzip has packed a name that says so
//
// usage: zforce FILE...
//
// Exit status: 0, or 1 for a usage error and when a FILE is none.
// Source: GNU gzip 1.12.
// Differs: a name that is too long for the ending is told as an error.

#include "commands/archive/packed_tools.h"
#include "proc/command.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  if (in.args.size() < 2) {
    const std::string name = ScriptName(in, "zforce");
    in.err.Write(name + ": invalid number of operands; try `" + name + " --help' for help\n");
    return 1;
  }
  if (in.args[1] == "--help") return in.out.Write(HelpText(in.command, in.name())), 0;
  if (in.args[1] == "--version") return in.out.Write(VersionText(in.command, in.name())), 0;
  ExitStatus status = 0;
  for (const std::string& file : in.args.subspan(1)) {
    in.budget.Step();
    const auto found = in.fs.Stat(file);
    if (!found || !found->is_file()) {
      // The script says so on standard output.
      in.out.Write("zforce: " + file + " not a file\n");
      status = 1;
      continue;
    }
    if (HasPackedName(PackFamily::kGzip, file)) continue;
    auto opened = in.fs.Open(file, vfs::OpenFlags::Read());
    if (!opened) {
      status = in.Fail(file, opened.error());
      continue;
    }
    constexpr std::string_view kMagic = "\037\213";
    char head[2];
    Input input(**opened, in.budget);
    if (input.Read(head, sizeof head) < sizeof head || std::string_view(head, sizeof head) != kMagic) continue;
    const std::string target = file + ".gz";
    if (const Status renamed = in.fs.Rename(file, target); !renamed) status = in.Fail(target, renamed.error());
    else in.out.Write(file + " -- replaced with " + target + "\n");
  }
  return status;
}

}  // namespace

extern const Command kCommand_zforce;
const Command kCommand_zforce = {
    .name = "zforce",
    .summary = "force a '.gz' extension on all gzip files",
    .synopsis = "FILE...",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
