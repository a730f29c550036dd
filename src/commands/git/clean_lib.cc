// git clean.
#include <algorithm>

#include "commands/git/worktree.h"
#include "commands/ignore_files.h"

namespace paddock::git {
namespace {

struct CleanOptions {
  bool dry_run = false, force = false, directories = false, ignored = false, only_ignored = false, quiet = false;
  std::vector<std::string> excludes;
};
constexpr Option kCleanOptions[] = {
    Flag<&CleanOptions::dry_run>('n', "dry-run", "only show what would be removed"), Flag<&CleanOptions::force>('f', "force", "do it"),
    Flag<&CleanOptions::directories>('d', nullptr, "whole directories, too"), Flag<&CleanOptions::ignored>('x', nullptr, "ignored files, too"),
    Flag<&CleanOptions::only_ignored>('X', nullptr, "only ignored files"), Flag<&CleanOptions::quiet>('q', "quiet", "say nothing"),
    Value<&CleanOptions::excludes>('e', "exclude", "PATTERN", "pass over what matches, as in .gitignore"),
};

// Whether something in the directory ("x/") is to be kept.
Result<bool> HasExcluded(Git& git, const std::string& directory, const IgnoreGlobList& excluded) {
  git.in.budget.CheckStack();
  PADDOCK_ASSIGN(const auto list, git.in.fs.List(git.FilePath(directory)));
  for (const vfs::DirectoryEntry& entry : list) {
    git.in.budget.Step();
    const bool is_directory = entry.type == vfs::FileType::kDirectory;
    if (excluded.Check(directory + entry.name, is_directory, git.in.budget) == IgnoreVerdict::kIgnore) return true;
    if (!is_directory) continue;
    PADDOCK_ASSIGN(const bool has_excluded, HasExcluded(git, directory + entry.name + "/", excluded));
    if (has_excluded) return true;
  }
  return false;
}

bool HoldsOnlyDirectories(Git& git, const std::string& path) {
  git.in.budget.CheckStack();
  git.in.budget.Step(4);
  const auto list = git.in.fs.List(path);
  if (!list) return false;
  return std::all_of(list->begin(), list->end(), [&](const vfs::DirectoryEntry& entry) { return entry.type == vfs::FileType::kDirectory && HoldsOnlyDirectories(git, path + "/" + entry.name); });
}

// Directories without any file, which the lists of files do not name. `directory`: "" or "sub/".
Status AddEmpty(Git& git, const Index& index, Pathspec& paths, const std::string& directory, std::vector<std::string>& found) {
  git.in.budget.CheckStack();
  const auto list = git.in.fs.List(git.FilePath(directory));
  if (!list) return {};
  for (const vfs::DirectoryEntry& entry : *list) {
    git.in.budget.Step(4);
    if (entry.type != vfs::FileType::kDirectory || entry.name == ".git") continue;
    const std::string path = directory + entry.name;
    if (HoldsOnlyDirectories(git, git.FilePath(path))) {
      if ((paths.empty() || paths.Matches(path, git.in.budget)) && !IsIgnored(git, path, true)) found.push_back(path + "/");
    } else if (index.HasBelow(path)) {
      PADDOCK_TRY(AddEmpty(git, index, paths, path + "/", found));
    }
  }
  return {};
}

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
  if (options.directories && !options.only_ignored) PADDOCK_TRY(AddEmpty(git, index, paths, "", gone));
  std::sort(gone.begin(), gone.end());
  IgnoreGlobList excluded;
  for (const std::string& pattern : options.excludes) excluded.AddLines(pattern + "\n", false, git.in.budget);
  for (std::string path : gone) {
    const bool is_directory = path.ends_with('/');
    if (is_directory && !options.directories) continue;
    const std::string plain = is_directory ? path.substr(0, path.size() - 1) : path;
    if (excluded.Check(plain, is_directory, git.in.budget) == IgnoreVerdict::kIgnore) continue;
    if (is_directory && !options.excludes.empty()) {
      PADDOCK_ASSIGN(const bool has_excluded, HasExcluded(git, path, excluded));
      if (has_excluded) return Error(Code::kNotSupported, "--exclude of files in a directory that git does not know is not supported: " + path);
    }
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
