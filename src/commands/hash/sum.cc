// sum - checksum and count the blocks in a file
//
// usage: sum [OPTION]... [FILE]...
// Writes the BSD (or with -s the System V) checksum and the number of blocks of each FILE.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/closed_input.h"
#include "commands/hash/crc.h"
#include "commands/input_files.h"

namespace paddock {
namespace {

struct Options {
  SumKind kind = SumKind::kBsd;
};

constexpr Option kOptions[] = {
    Set<&Options::kind, SumKind::kBsd>('r', nullptr, "use BSD sum algorithm (the default), use 1K blocks"),
    Set<&Options::kind, SumKind::kSysv>('s', "sysv", "use System V sum algorithm, use 512 bytes blocks"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  ExitStatus status = 0;
  const std::vector<std::string> names = operands.empty() ? std::vector<std::string>{"-"} : operands;
  for (const std::string& name : names) {
    auto sum = SumFile(in, options.kind, name);
    if (!sum) {
      ReportFile(in, name, sum.error());
      status = 1;
      continue;
    }
    WriteSum(in.out, options.kind, *sum, operands.empty() ? "" : name, '\n');
  }
  return CloseStandardInput(in, operands, status, "standard input");
}

}  // namespace

extern const Command kCommand_sum;
const Command kCommand_sum = Define<Options, Run>({
    .name = "sum",
    .summary = "checksum and count the blocks in a file",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
});

}  // namespace paddock
