// git init.
#include <algorithm>

#include "commands/git/config_files.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

struct InitOptions {
  bool quiet = false, bare = false;
  std::string branch, object_format;
  std::optional<std::string> template_directory, separate;
  std::optional<int> shared;
};
// 1: the group, 2: everybody, below 0: a mode.
Result<int> ParseShared(std::string_view text) {
  if (text.data() == nullptr || text == "group") return 1;
  if (text == "umask") return 0;
  if (text == "all" || text == "world" || text == "everybody") return 2;
  const bool is_octal = !text.empty() && text.size() < 6 && text.find_first_not_of("01234567") == std::string_view::npos;
  if (!is_octal) {
    const auto value = ParseConfigBool(text);
    if (!value) return Error(Code::kInvalid, "bad boolean config value '" + std::string(text) + "' for 'arg'");
    return *value ? 1 : 0;
  }
  int mode = 0;
  for (const char c : text) mode = mode * 8 + (c - '0');
  if (mode <= 2) return mode;
  if ((mode & 0600) != 0600) return Error(Code::kInvalid, "problem with core.sharedRepository filemode value (0" + std::string(text.substr(text.find_first_not_of('0'))) + ").\nThe owner of files must always have read and write permissions.");
  return -(mode & 0666);
}
Status SetShared(InitOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.shared, ParseShared(text));
  return {};
}
constexpr Option kInitOptions[] = {
    Value<&InitOptions::template_directory>(0, "template", "DIRECTORY", "what the new repository begins with"),
    Flag<&InitOptions::bare>(0, "bare", "without a working tree"),
    CallOptional<SetShared>(0, "shared", "WHOM", "also for others: group, all, umask or a mode"),
    Flag<&InitOptions::quiet>('q', "quiet", "say nothing"),
    Value<&InitOptions::separate>(0, "separate-git-dir", "DIRECTORY", "put the repository there"),
    Value<&InitOptions::branch>('b', "initial-branch", "NAME", "the name of the first branch"),
    Value<&InitOptions::object_format>(0, "object-format", "HASH", "sha1"),
};

// The repository itself may lie elsewhere: the file .git says where. One that is there moves.
Result<std::string> Separate(Invocation& in, const std::string& separate, const std::string& dot_git) {
  const std::string target = vfs::NormalizePath(vfs::JoinPath(in.fs.cwd(), separate));
  const auto facts = in.fs.Stat(dot_git, vfs::Follow::kNo);
  if (facts && facts->is_directory()) {
    PADDOCK_TRY(vfs::MakeDirectories(in.fs, vfs::DirectoryName(target)));
    if (const Status moved = in.fs.Rename(dot_git, target, true); !moved) return Error(moved.error().code, "unable to move " + dot_git + " to " + target + ": " + std::string(moved.error().Text()));
  } else if (const auto before = FollowGitFile(in, dot_git); before && IsGitDirectory(in.fs, *before) && *before != target) {
    if (const Status moved = in.fs.Rename(*before, target, true); !moved) return Error(moved.error().code, "unable to move " + *before + " to " + target + ": " + std::string(moved.error().Text()));
  }
  PADDOCK_TRY(vfs::MakeDirectories(in.fs, target));
  PADDOCK_TRY(vfs::WriteFile(in.fs, dot_git, "gitdir: " + target + "\n"));
  return target;
}

Result<ExitStatus> Init(Invocation& in, Git*, InitOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (options.separate && options.bare) return Error(Code::kInvalid, "options '--separate-git-dir' and '--bare' cannot be used together");
  if (options.object_format == "sha256") return Error(Code::kNotSupported, "repositories with other hashes than SHA-1 are not supported");
  if (!options.object_format.empty() && options.object_format != "sha1") return Error(Code::kInvalid, "unknown hash algorithm '" + options.object_format + "'");
  if (operands.size() > 1) return Error(Code::kInvalid, "too many arguments");
  std::string directory = operands.empty() ? "." : operands[0];
  if (!operands.empty()) {
    if (const Status made = vfs::MakeDirectories(in.fs, directory); !made) return Error(made.error().code, "cannot mkdir " + directory + ": " + std::string(made.error().Text()));
  }
  PADDOCK_ASSIGN(directory, in.fs.Canonical(directory));
  PADDOCK_ASSIGN(const Config config, ReadConfig(in, nullptr));
  std::string git_dir = options.bare ? directory : vfs::JoinPath(directory, ".git");
  if (const auto followed = FollowGitFile(in, git_dir); followed && !options.bare && IsGitDirectory(in.fs, *followed) && !options.separate) git_dir = *followed;
  const bool was_file = FollowGitFile(in, vfs::JoinPath(directory, ".git")).has_value();
  const bool is_again = IsGitDirectory(in.fs, git_dir) || was_file;
  std::string branch = options.branch;
  if (branch.empty()) branch = DefaultBranch(in.env, config).value_or("");
  if (branch.empty()) {
    branch = "master";
    if (!options.quiet && !is_again) {
      in.err.Write("hint: Using 'master' as the name for the initial branch. This default branch name\nhint: is subject to change. To configure the initial branch name to use in all\n"
                   "hint: of your new repositories, which will suppress this warning, call:\nhint: \nhint: \tgit config --global init.defaultBranch <name>\nhint: \n"
                   "hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and\nhint: 'development'. The just-created branch can be renamed via this command:\nhint: \nhint: \tgit branch -m <name>\n");
    }
  }
  if (!IsRefName("refs/heads/" + branch)) return Error(Code::kInvalid, "invalid initial branch name: '" + branch + "'");
  if (is_again && !options.branch.empty()) in.err.Write("warning: re-init: ignored --initial-branch=" + options.branch + "\n");
  if (options.template_directory && !options.template_directory->empty()) options.template_directory = vfs::NormalizePath(vfs::JoinPath(in.fs.cwd(), *options.template_directory));
  if (options.separate) {
    PADDOCK_ASSIGN(git_dir, Separate(in, *options.separate, git_dir));
  }
  PADDOCK_TRY(CreateRepository(in, git_dir, {.is_bare = options.bare, .branch = branch, .template_directory = options.template_directory, .shared = options.shared}));
  if (!options.quiet) in.out.Write(std::string(is_again ? "Reinitialized existing" : "Initialized empty") + (options.shared.value_or(0) != 0 ? " shared" : "") + " Git repository in " + git_dir + "/\n");
  return 0;
}

}  // namespace

extern const Subcommand kInit, kInitDb;
const Subcommand kInit = DefineFreeSubcommand<InitOptions, Init>({.name = "init", .summary = "create an empty repository", .synopsis = "[-q] [--bare] [--template=<dir>] [--separate-git-dir <dir>] [--object-format=<hash>] [-b <branch>] [--shared[=<permissions>]] [<directory>]", .options = kInitOptions, .needs = Subcommand::Needs::kNothing});
const Subcommand kInitDb = DefineFreeSubcommand<InitOptions, Init>({.name = "init-db", .summary = "init, by its other name", .synopsis = "[-q] [--bare] [--template=<dir>] [--separate-git-dir <dir>] [--object-format=<hash>] [-b <branch>] [--shared[=<permissions>]] [<directory>]", .options = kInitOptions, .needs = Subcommand::Needs::kNothing});

}  // namespace paddock::git
