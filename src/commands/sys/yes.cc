// yes - output a string repeatedly until killed
//
// usage: yes [STRING]...
// Writes a line with the strings, or "y", again and again.
//
// Exit status: 1 when writing fails.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {};

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  std::string line;
  for (const std::string& operand : operands) {
    if (!line.empty()) line += ' ';
    line += operand;
  }
  if (operands.empty()) line.push_back('y');
  line += '\n';
  constexpr size_t kBlock = 16 << 10;
  std::string block;
  while (block.size() < kBlock) block += line;
  while (in.out.status()) {
    in.budget.Step(static_cast<int64_t>(block.size() / 64));
    in.out.Write(block);
    if (!in.out.Flush()) break;
  }
  const Error error = in.out.status() ? Error(Code::kIo) : in.out.status().error();
  in.out.ClearStatus();
  return in.Fail("standard output", error);
}

}  // namespace

extern const Command kCommand_yes;
const Command kCommand_yes = Define<Options, Run>({
    .name = "yes",
    .summary = "repeatedly output a line with all specified STRING(s), or 'y'",
    .synopsis = "[STRING]...",
});

}  // namespace paddock
