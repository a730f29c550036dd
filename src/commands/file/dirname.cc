// dirname - strip last component from file name
//
// usage: dirname [OPTION] NAME...
//
// Exit status: 0, or 1 for bad usage.
// Source: POSIX dirname, GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool zero = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::zero>('z', "zero", "end each output line with NUL, not newline"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand");
  for (const std::string& name : operands) {
    in.budget.Step();
    in.out.Write(vfs::DirectoryName(name));
    in.out.Put(options.zero ? '\0' : '\n');
  }
  return 0;
}

}  // namespace

extern const Command kCommand_dirname;
const Command kCommand_dirname = Define<Options, Run>({
    .name = "dirname",
    .summary = "output each NAME with its last non-slash component and trailing slashes removed",
    .synopsis = "[OPTION] NAME...",
    .options = kOptions,
});

}  // namespace paddock
