// git clean.
#include <algorithm>

#include "commands/git/worktree.h"

namespace paddock::git {
namespace {

struct CleanOptions {
  bool dry_run = false, force = false, directories = false, ignored = false, only_ignored = false, quiet = false;
};
constexpr Option kCleanOptions[] = {
    Flag<&CleanOptions::dry_run>('n', "dry-run", "only show what would be removed"), Flag<&CleanOptions::force>('f', "force", "do it"),
    Flag<&CleanOptions::directories>('d', nullptr, "whole directories, too"), Flag<&CleanOptions::ignored>('x', nullptr, "ignored files, too"),
    Flag<&CleanOptions::only_ignored>('X', nullptr, "only ignored files"), Flag<&CleanOptions::quiet>('q', "quiet", "say nothing"),
};

Result<ExitStatus> RunClean(Git& git, CleanOptions& options, Args& args) {
  if (!options.force && !options.dry_run && git.config.GetBool("clean.requireforce", true)) {
    return Error(Code::kInvalid, git.config.Get("clean.requireforce") ? "clean.requireForce set to true and neither -i, -n, nor -f given; refusing to clean" : "clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean");
  }
  std::vector<std::string> operands = args.All();
  if (operands.empty() && !git.prefix.empty()) operands.push_back(".");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kNormal, paths, options.ignored || options.only_ignored));
  std::vector<std::string> gone = options.only_ignored ? std::vector<std::string>() : found.files;
  if (options.ignored || options.only_ignored) gone.insert(gone.end(), found.ignored.begin(), found.ignored.end());
  std::sort(gone.begin(), gone.end());
  for (std::string path : gone) {
    const bool is_directory = path.ends_with('/');
    if (is_directory && !options.directories) continue;
    if (is_directory && IsGitDirectory(git.in.fs, git.FilePath(path) + ".git")) continue;
    if (options.dry_run || !options.quiet) git.Print((options.dry_run ? "Would remove " : "Removing ") + git.Shown(path) + "\n");
    if (options.dry_run) continue;
    if (is_directory) {
      path.pop_back();
      PADDOCK_TRY(RemoveTree(git.in, git.FilePath(path)));
    } else {
      PADDOCK_TRY(git.in.fs.RemoveFile(git.FilePath(path)));
    }
  }
  return 0;
}

}  // namespace

extern const Subcommand kClean;
const Subcommand kClean = DefineSubcommand<CleanOptions, RunClean>({.name = "clean", .summary = "remove untracked files", .synopsis = "[-d] [-f] [-n] [-q] [-x | -X] [--] [<pathspec>...]", .options = kCleanOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
