// git check-mailmap.
#include "commands/git/history/mailmap.h"

namespace paddock::git {
namespace {

struct CheckMailmapOptions {
  bool from_stdin = false;
};
constexpr Option kOptions[] = {Flag<&CheckMailmapOptions::from_stdin>(0, "stdin", "also read people from standard input")};

Result<ExitStatus> RunCheckMailmap(Git& git, CheckMailmapOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.empty() && !options.from_stdin) return Error(Code::kInvalid, "no contacts specified");
  const auto people = Mailmap::Load(git);
  const auto show = [&](const std::string& contact) -> Status {
    git.in.budget.Step(4);
    const size_t open = contact.find('<');
    if (open == std::string::npos || contact.find('>', open) == std::string::npos) return Error(Code::kInvalid, "unable to parse contact: " + contact);
    const Signature who = people->Map(ParseSignature(contact));
    git.Print((who.name.empty() ? "" : who.name + " ") + "<" + who.email + ">\n");
    return {};
  };
  for (const std::string& operand : operands) PADDOCK_TRY(show(operand));
  if (!options.from_stdin) return 0;
  while (const auto line = git.in.in.ReadLine()) PADDOCK_TRY(show(std::string(line->text)));
  return 0;
}

}  // namespace

extern const Subcommand kCheckMailmap;
const Subcommand kCheckMailmap = DefineSubcommand<CheckMailmapOptions, RunCheckMailmap>({.name = "check-mailmap", .summary = "tell how .mailmap names people", .synopsis = "[<options>] <contact>...", .options = kOptions});

}  // namespace paddock::git
