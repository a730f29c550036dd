// git check-ignore.
#include "commands/git/work/ignore_rules.h"

namespace paddock::git {
namespace {

struct Options {
  bool quiet = false, verbose = false, non_matching = false, from_stdin = false, nul = false, no_index = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::quiet>('q', "quiet", "only tell by the exit status"),
    Flag<&Options::verbose>('v', "verbose", "tell the rule, too"),
    Flag<&Options::from_stdin>(0, "stdin", "read names from standard input"),
    Flag<&Options::nul>('z', nullptr, "names end with NUL, both ways"),
    Flag<&Options::non_matching>('n', "non-matching", "show what no rule matches, too"),
    Flag<&Options::no_index>(0, "no-index", "also for files in the index"),
};

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  const std::vector<std::string> names = args.All();
  if (options.from_stdin && !names.empty()) return Error(Code::kInvalid, "cannot specify pathnames with --stdin");
  if (options.nul && !options.from_stdin) return Error(Code::kInvalid, "-z only makes sense with --stdin");
  if (!options.from_stdin && names.empty()) return Error(Code::kInvalid, "no path specified");
  if (options.quiet && names.size() > 1) return Error(Code::kInvalid, "--quiet is only valid with a single pathname");
  if (options.quiet && options.verbose) return Error(Code::kInvalid, "cannot have both --quiet and --verbose");
  if (options.non_matching && !options.verbose) return Error(Code::kInvalid, "--non-matching is only valid with --verbose");
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  IgnoreRules rules(git);
  rules.AddStandard();
  bool found = false;
  const auto check = [&](const std::string& operand) -> Status {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(operand));
    const auto facts = git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo);
    const IgnoreRule* rule = nullptr;
    if (!path.empty() && (options.no_index || index.Find(path) == nullptr)) rule = rules.FindFor(path, operand.ends_with('/') || (facts && facts->is_directory()));
    const bool is_hidden = rule != nullptr && !rule->glob.is_negative();
    // With --verbose a rule that takes files out of the ignored ones counts, too.
    const bool counts = rule != nullptr && (is_hidden || options.verbose);
    found |= counts;
    if (options.quiet || (!counts && !options.non_matching)) return {};
    if (!options.verbose) {
      git.Print(options.nul ? operand + '\0' : git.Quoted(operand) + "\n");
    } else if (options.nul) {
      git.Print((rule == nullptr ? std::string(3, '\0') : rule->source + '\0' + std::to_string(rule->line) + '\0' + rule->text + '\0') + operand + '\0');
    } else {
      git.Print((rule == nullptr ? "::" : git.Quoted(rule->source) + ":" + std::to_string(rule->line) + ":" + rule->text) + "\t" + git.Quoted(operand) + "\n");
    }
    return {};
  };
  for (const std::string& name : names) PADDOCK_TRY(check(name));
  if (options.from_stdin) {
    while (const auto line = git.in.in.ReadLine(options.nul ? '\0' : '\n')) PADDOCK_TRY(check(options.nul ? std::string(line->text) : UnquotePath(line->text)));
  }
  return found ? 0 : 1;
}

}  // namespace

extern const Subcommand kCheckIgnore;
const Subcommand kCheckIgnore = DefineSubcommand<Options, Run>({.name = "check-ignore", .summary = "tell which files are ignored", .synopsis = "[<options>] <pathname>...\n[<options>] --stdin", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
