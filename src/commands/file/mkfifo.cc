// mkfifo - make named pipes
//
// usage: mkfifo [OPTION]... NAME...
//
// Exit status: 0, or 1 if one could not be made.
// Source: GNU coreutils 9.1.
// Differs: nothing known; there are no security contexts, so -Z does nothing, as on any kernel without SELinux.

#include "proc/command.h"
#include "text/mode.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> mode, context;
};

Status SetContext(Options& options, std::string_view context) {
  if (context.data() != nullptr) options.context = context;
  return {};
}

constexpr Option kOptions[] = {
    Value<&Options::mode>('m', "mode", "MODE", "set file permission bits to MODE, not a=rw - umask"),
    Call<SetContext>('Z', nullptr, nullptr, "set the SELinux security context to default type"),
    CallOptional<SetContext>(0, "context", "CTX", "like -Z, or if CTX is specified then set the SELinux or SMACK security context to CTX"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  if (options.context) in.Fail("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
  uint32_t mode = 0666;
  if (options.mode) {
    const auto change = ModeChange::Parse(*options.mode);
    if (!change) return in.Fail("invalid mode");
    mode = change->Apply(mode, false, in.fs.umask());
    if (mode > 0777) return in.Fail("mode must specify only file permission bits");
  }
  ExitStatus status = 0;
  for (const std::string& name : operands) {
    Status made = in.fs.MakeNode(name, vfs::FileType::kFifo, mode);
    if (made && options.mode) made = in.fs.SetMode(name, mode);
    if (!made) {
      status = in.Fail("cannot create fifo " + QuoteFile(name, in.locale.is_utf8) + ": " + std::string(made.error().Text()));
    }
  }
  return status;
}

}  // namespace

extern const Command kCommand_mkfifo;
const Command kCommand_mkfifo = Define<Options, Run>({
    .name = "mkfifo",
    .summary = "create named pipes (FIFOs) with the given NAMEs",
    .synopsis = "[OPTION]... NAME...",
    .options = kOptions,
});

}  // namespace paddock
