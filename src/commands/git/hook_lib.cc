// git hook.
#include "commands/git/hooks.h"

namespace paddock::git {
namespace {

struct Options {
  bool ignores_missing = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::ignores_missing>(0, "ignore-missing", "say nothing where there is no such hook"),
};

Result<ExitStatus> RunHookCommand(Git& git, Options& options, Args& args) {
  constexpr const char* kUsage = "usage: git hook run [--ignore-missing] <hook-name> [-- <hook-args>]\n\n";
  if (args.operands.empty() || args.operands[0] != "run") {
    git.Say(std::string("error: ") + (args.operands.empty() ? "need a subcommand" : "unknown subcommand: `" + args.operands[0] + "'") + "\n" + kUsage);
    return 129;
  }
  if (args.operands.size() != 2) {
    git.Say(std::string(kUsage) + "    --ignore-missing      silently ignore missing requested <hook-name>\n\n");
    return 129;
  }
  const std::string& name = args.operands[1];
  if (!HasHook(git, name)) return options.ignores_missing ? 0 : git.Complain("cannot find a hook named " + name);
  return RunHook(git, name, args.paths);
}

}  // namespace

extern const Subcommand kHook;
const Subcommand kHook = DefineSubcommand<Options, RunHookCommand>({.name = "hook", .summary = "run a hook", .synopsis = "run [--ignore-missing] <hook-name> [-- <hook-args>]", .options = kOptions});

}  // namespace paddock::git
