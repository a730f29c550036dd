// chronic - run a command quietly unless it fails
//
// usage: chronic [-ev] COMMAND [ARGUMENT]...
// What COMMAND writes is kept, and shown (standard output first) only when it fails.
//
// Exit status: that of COMMAND; 1 when it was killed; 2 when -e found fault, or it cannot be run; 255 without COMMAND.
// Source: moreutils 0.67.
// Differs: an unknown option is refused, not skipped.

#include "commands/child_output.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

constexpr ExitStatus kUsage = 255, kTrouble = 2;

struct Options {
  bool minds_errors = false, verbose = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::minds_errors>('e', nullptr, "also show the output when something was written to standard error"),
    Flag<&Options::verbose>('v', nullptr, "tell the two outputs and the status apart"),
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options, {.stop_at_operand = true});
  if (!parsed) {
    ComplainOfOption(in, parsed.error().Text());
    return kUsage;
  }
  if (parsed->operands.empty()) {
    in.err.Write("usage: chronic COMMAND...\n");
    return kUsage;
  }
  auto child = ChildReader::Start(in, parsed->operands, nullptr);
  if (!child) {
    in.err.Write("Command '" + parsed->operands[0] + "' not found\n");
    return kTrouble;
  }
  std::string text;
  while (true) {
    auto block = (*child)->ReadBlock(64 << 10);
    if (!block || block->bytes.empty()) break;
    in.budget.Step();
    if (text.size() + block->bytes.size() > text.capacity()) in.budget.WillAllocate(text.size() + block->bytes.size());
    text += block->bytes;
  }
  const auto ended = (*child)->Wait();
  if (!ended) return kTrouble;
  const std::string& complaints = (*child)->complaints();
  const bool was_killed = ended->signal != 0;
  const ExitStatus status = was_killed ? 0 : ended->status;
  const bool has_failed = was_killed || status != 0 || (options.minds_errors && !complaints.empty());
  if (!has_failed) return 0;
  if (options.verbose) in.out.Write("STDOUT:\n");
  in.out.Write(text);
  if (options.verbose) in.out.Write("\nSTDERR:\n");
  in.out.Flush();
  in.err.Write(complaints);
  if (options.verbose) in.out.Write("\nRETVAL: " + std::to_string(status) + "\n");
  if (was_killed) return 1;
  return status != 0 ? status : kTrouble;
}

}  // namespace

extern const Command kCommand_chronic;
const Command kCommand_chronic = {
    .name = "chronic",
    .summary = "runs a command quietly unless it fails",
    .synopsis = "[-ev] COMMAND [ARGUMENT]...",
    .options = kOptions,
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
