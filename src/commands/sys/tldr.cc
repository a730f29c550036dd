// tldr - show short examples of commands
//
// usage: tldr [OPTION]... COMMAND
//        tldr -l
// Writes the name and the summary of a command, how it is called, and examples of its commonest uses.
//
// Exit status: 0, or 1 when there is no such command.
// Source: our own pages; the summary and the usage come from the command's own tables.
// Differs: the pages of the tldr project are not there, and nothing is fetched.

#include <algorithm>

#include "commands/sys/manual.h"
#include "commands/sys/tldr_pages.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  bool list = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::list>('l', "list", "list the commands that have a page"),
};

void ShowPage(Invocation& in, const manual::Entry& entry) {
  const Command& command = *entry.command;
  in.out.Write(entry.name + " - " + command.summary + "\n\nUsage:\n");
  for (std::string_view synopsis = command.synopsis; !synopsis.empty();) {
    in.budget.Step();
    const size_t end = std::min(synopsis.find('\n'), synopsis.size());
    in.out.Write("    " + entry.name + " " + std::string(synopsis.substr(0, end)) + "\n");
    synopsis.remove_prefix(std::min(end + 1, synopsis.size()));
  }
  for (const tldr::Example& example : tldr::ExamplesOf(entry.name)) {
    in.out.Write(std::string("\n") + example.what + ":\n    " + example.line + "\n");
  }
  in.out.Write("\nAll options: man " + entry.name + "\n");
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const auto entries = manual::AllEntries(in);
  if (options.list) {
    if (!operands.empty()) return in.Usage("extra operand " + Quote(operands[0], in.locale.is_utf8));
    for (const manual::Entry& entry : entries) in.out.WriteLine(entry.name);
    return 0;
  }
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() > 1) return in.Usage("extra operand " + Quote(operands[1], in.locale.is_utf8));
  const auto found = std::ranges::find(entries, operands[0], &manual::Entry::name);
  if (found == entries.end()) return in.Fail("no page for " + Quote(operands[0], in.locale.is_utf8) + "; 'tldr -l' lists those there are");
  ShowPage(in, *found);
  return 0;
}

}  // namespace

extern const Command kCommand_tldr;
const Command kCommand_tldr = Define<Options, Run>({
    .name = "tldr",
    .summary = "show short examples of commands",
    .synopsis = "[OPTION]... COMMAND\n-l",
    .options = kOptions,
});

}  // namespace paddock
