// sponge - soak up standard input and write it to a file
//
// usage: sponge [-a] [FILE]
// Reads all of its input before the file is opened, so a pipeline may write the file that it reads.
//
// Exit status: 0, or 1 when the file cannot be read, opened or written.
// Source: moreutils 0.67.
// Differs: the file is written in its place, not put there by a rename.

#include <algorithm>
#include <iterator>

#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool append = false, wants_help = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::append>('a', nullptr, "append to FILE instead of replacing it"),
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
};

ExitStatus Complain(Invocation& in, std::string_view message, const Error& error) {
  in.err.Write(std::string(message) + ": " + std::string(error.Text()) + "\n");
  return 1;
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) ComplainOfOption(in, parsed.error().Text());
  if (options.wants_help) {
    in.out.Write("sponge [-a] <file>: soak up all input from stdin and write it to <file>\n");
    return 0;
  }
  const std::string text = in.in.ReadAll();
  if (!in.in.status()) return Complain(in, "error reading from standard input", in.in.status().error());
  // A word that is no option does not stop it.
  std::vector<std::string> operands;
  if (parsed) operands = parsed->operands;
  else std::ranges::copy_if(in.args.subspan(1), std::back_inserter(operands), [](const std::string& word) { return !word.starts_with('-'); });
  if (operands.empty()) {
    in.out.Write(text);
    return 0;
  }
  const auto file = in.fs.Open(operands[0], options.append ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write());
  if (!file) return Complain(in, "error opening output file", file.error());
  const Status written = (*file)->Write(text);
  return written ? 0 : Complain(in, "error writing buffer to output file", written.error());
}

}  // namespace

extern const Command kCommand_sponge;
const Command kCommand_sponge = {
    .name = "sponge",
    .summary = "soak up standard input and write to a file",
    .synopsis = "[-a] [FILE]",
    .details = "Without FILE, the input goes to standard output once all of it was read.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
