// nohup - run a command that ignores hangups
//
// usage: nohup COMMAND [ARG]...
// A terminal as standard input is replaced by nothing, one as output by nohup.out here or in $HOME.
//
// Exit status: the command's; 125 if nohup itself fails, 126 if the command cannot run, 127 if it is missing.
// Source: POSIX nohup; GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kFailed = 125;
constexpr ExitStatus kCannotRun = 126;
constexpr ExitStatus kMissing = 127;

struct Options {};

bool IsTerminal(Invocation& in, int descriptor) {
  const vfs::OpenFilePtr& file = in.process.descriptors().Get(descriptor);
  return file != nullptr && file->is_terminal();
}

// Opens nohup.out; `name` is what the message calls it.
Result<vfs::OpenFilePtr> OpenOutput(Invocation& in, std::string& name) {
  name = "nohup.out";
  auto file = in.fs.Open(name, vfs::OpenFlags::Append(), 0600);
  const auto home = in.env.Get("HOME");
  if (file || !home) return file;
  name = vfs::JoinPath(*home, "nohup.out");
  return in.fs.Open(name, vfs::OpenFlags::Append(), 0600);
}

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  ChildSpec spec{.args = operands, .environment = &in.env};
  // The command inherits it; nohup has to outlive it too, since it does not become the command.
  in.process.set_disposition(proc::kSigHup, proc::Process::Disposition::kIgnore);
  const bool ignores_input = IsTerminal(in, 0);
  const bool has_terminal = IsTerminal(in, 1);
  if (ignores_input) {
    auto nothing = in.fs.Open("/dev/null", vfs::OpenFlags::Read());
    if (!nothing) return in.Fail("failed to render standard input unusable", nothing.error(), kFailed);
    spec.in = *nothing;
  }
  if (has_terminal) {
    std::string name;
    auto file = OpenOutput(in, name);
    if (!file) return in.Fail("failed to open " + QuoteFile(name, in.locale.is_utf8), file.error(), kFailed);
    spec.out = *file;
    in.Fail((ignores_input ? "ignoring input and appending output to " : "appending output to ") +
            QuoteFile(name, in.locale.is_utf8));
  } else if (ignores_input) {
    in.Fail(IsTerminal(in, 2) ? "ignoring input and redirecting stderr to stdout" : "ignoring input");
  } else if (IsTerminal(in, 2)) {
    in.Fail("redirecting stderr to stdout");
  }
  if (IsTerminal(in, 2)) spec.err = spec.out ? spec.out : in.process.descriptors().Get(1);
  in.out.Flush();
  auto status = in.launcher.Run(in.process, spec);
  if (status) return *status;
  const Code code = status.error().code == Code::kIsDirectory ? Code::kAccess : status.error().code;
  in.Fail("failed to run command " + QuoteFile(operands[0], in.locale.is_utf8) + ": " +
          std::string(Error(code).Text()));
  return code == Code::kNoEntry ? kMissing : kCannotRun;
}

}  // namespace

extern const Command kCommand_nohup;
const Command kCommand_nohup = Define<Options, Run>({
    .name = "nohup",
    .summary = "run COMMAND, ignoring hangup signals",
    .synopsis = "COMMAND [ARG]...",
    .rules = {.stop_at_operand = true},
    .usage_status = kFailed,
});

}  // namespace paddock
