// sync - synchronize cached writes to persistent storage
//
// usage: sync [OPTION] [FILE]...
// A sandbox's files are in memory or written through to the host, so what is left to do is to look at the FILEs.
//
// Exit status: 0, or 1 when a FILE cannot be opened.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool data = false;
  bool file_system = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::data>('d', "data", "sync only file data, no unneeded metadata"),
    Flag<&Options::file_system>('f', "file-system", "sync the file systems that contain the files"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.data && options.file_system) return in.Fail("cannot specify both --data and --file-system");
  if (options.data && operands.empty()) return in.Fail("--data needs at least one argument");
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    auto file = in.fs.Open(path, {.read = true, .nonblocking = true});
    if (!file && file.error().code == Code::kAccess) file = in.fs.Open(path, {.write = true, .nonblocking = true});
    if (!file) status = in.Fail("error opening " + QuoteFile(path, in.locale.is_utf8), file.error());
  }
  return status;
}

}  // namespace

extern const Command kCommand_sync;
const Command kCommand_sync = Define<Options, Run>({
    .name = "sync",
    .summary = "synchronize cached writes to persistent storage",
    .synopsis = "[OPTION] [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
