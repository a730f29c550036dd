// What the subcommands of git share: the repository that the working directory is in, and how a subcommand is declared.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "git/config.h"
#include "git/index_file.h"
#include "git/loose_date.h"
#include "git/object_store.h"
#include "git/refs.h"
#include "proc/command.h"
#include "text/pattern.h"

namespace paddock {
class IgnoreGlob;
}

namespace paddock::git {

inline constexpr std::string_view kNoRepository = "not a git repository (or any of the parent directories): .git";
inline constexpr std::string_view kNeedsWorkTree = "this operation must be run in a work tree";

// A file of a tree, an index or the working tree.
struct TreeItem {
  uint32_t mode = 0;
  Oid id;
  bool operator==(const TreeItem&) const = default;
};
using FlatTree = std::map<std::string, TreeItem>;

// Operands that name files: literal paths, directories, patterns, and ":!" exclusions.
class Pathspec {
 public:
  // `prefix`: of the working directory below the top, "" or "sub/". Errors: outside of the repository, unknown magic.
  static Result<Pathspec> Parse(const std::vector<std::string>& operands, std::string_view prefix, std::string_view work_tree);
  bool empty() const { return items_.empty(); }
  size_t count() const { return items_.size(); }
  bool Matches(std::string_view path, Budget& budget);
  // Whether something below the directory may match.
  bool MayMatchBelow(std::string_view directory, Budget& budget) const;
  // The operands that matched nothing so far, as they were written.
  std::vector<std::string> Unmatched() const;
  // The literal paths, for those who take nothing else.
  std::vector<std::string> Paths() const;

 private:
  struct Item {
    std::string text;      // as written
    std::string path;      // from the top, without a slash behind it; "" for all
    bool is_excluded = false;
    bool is_glob = false;
    bool ignores_case = false;
    std::shared_ptr<const IgnoreGlob> glob;   // of :(glob): no * goes beyond a slash
    bool is_directory = false;   // had a slash at its end
    bool has_matched = false;
  };
  static bool ItemMatches(const Item& item, std::string_view path, Budget& budget);
  std::vector<Item> items_;
};

class Attributes;

// See Git::ReadDate().
LooseDate ReadDate(Invocation& in, std::string_view text);

class Git {
 public:
  // `common_directory`: of a linked working tree; empty for others.
  Git(Invocation& invocation, std::string git_directory, std::string work_tree, bool is_bare_one, std::string common_directory = {});

  Invocation& in;
  std::string git_dir;     // absolute
  std::string common_dir;  // likewise: what linked working trees share
  std::string work_tree;   // absolute; empty for a bare repository
  bool is_bare;
  std::string prefix;      // of the working directory below the top: "" or "sub/"
  Config config;
  ObjectStore objects;
  Refs refs;
  std::shared_ptr<Attributes> attributes;   // once they were asked for
  std::optional<std::string> signing_key;   // -S: commits that are made get a signature of it; "": the configured one

  // Says "error: TEXT", "warning: TEXT", or the text alone, on standard error.
  ExitStatus Complain(std::string_view text, ExitStatus status = 1);
  void Warn(std::string_view text);
  void Say(std::string_view text);
  void Print(std::string_view text) { in.out.Write(text); }

  std::string FilePath(std::string_view path) const { return vfs::JoinPath(work_tree, path); }
  std::string GitPath(std::string_view name) const { return (IsSharedPath(name) ? common_dir : git_dir) + "/" + std::string(name); }
  // How a path from the top reads from the working directory, quoted where git quotes it.
  std::string Shown(std::string_view path) const;
  std::string Quoted(std::string_view path) const;
  // A file operand, from the top.
  Result<std::string> RepositoryPath(std::string_view operand) const;
  Result<Pathspec> ParsePaths(const std::vector<std::string>& operands) const { return Pathspec::Parse(operands, prefix, work_tree); }

  Result<Index> ReadIndex();
  Status WriteIndex(const Index& index);

  // "Name <email> time zone". Errors: git's, when nobody said who it is.
  Result<std::string> Author();
  Result<std::string> Committer();
  // For reflogs: as Committer(), with what there is.
  std::string Who();
  // A date as GIT_AUTHOR_DATE has it: "TIME ZONE".
  Result<std::string> ParseGitDate(std::string_view text);
  // A date as --since has it, with its zone or in words.
  LooseDate ReadDate(std::string_view text) { return git::ReadDate(in, text); }

  // The commit that HEAD names; nothing before the first one.
  std::optional<Oid> Head() { return refs.Read("HEAD"); }
  // The same. Errors: kNoEntry in git's words before the first one.
  Result<Oid> RequireHead();
  // "refs/heads/x"; nothing when HEAD is detached.
  std::optional<std::string> HeadBranch() { return refs.ReadSymbolic("HEAD"); }

  // All files of a tree. The names are checked: what could not be a file is an error.
  Result<FlatTree> Flatten(const Oid& tree);
  // Of a commit (or what leads to a tree).
  Result<FlatTree> FlattenCommit(const Oid& commit);
  // Writes the trees of an index (stage 0).
  Result<Oid> WriteTree(const Index& index);
  Result<std::string> ReadBlob(const Oid& id);

  // Runs the editor on a file; its failure is an error. `other`: another one than that of messages.
  Status Edit(const std::string& path, std::string_view other = {});

 private:
  Result<std::string> Identity(bool is_author);
};

struct Args {
  std::vector<std::string> operands;   // before "--"
  std::vector<std::string> paths;      // behind it
  bool has_dashes = false;
  // Both, for those who see no difference.
  std::vector<std::string> All() const;
};

struct Subcommand {
  const char* name;
  const char* summary;
  const char* synopsis;
  std::span<const Option> options = {};
  OptionRules rules = {};
  enum class Needs { kNothing, kMaybeRepository, kRepository, kWorkTree } needs = Needs::kRepository;
  ExitStatus (*run)(Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) = nullptr;
};

// Parses the options; nothing when it is answered with `status`.
std::optional<Args> PrepareSubcommand(Invocation& in, const Subcommand& self, void* options, const std::vector<std::string>& args, ExitStatus* status);
// Says "fatal: …" on standard error; 128.
ExitStatus Die(Invocation& in, const Error& error);

// kRun: Result<ExitStatus>(Git&, O&, Args&).
template <class O, auto kRun>
constexpr Subcommand DefineSubcommand(Subcommand subcommand) {
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) -> ExitStatus {
    O options{};
    ExitStatus status = 0;
    auto parsed = PrepareSubcommand(in, self, &options, args, &status);
    if (!parsed) return status;
    Result<ExitStatus> result = kRun(*git, options, *parsed);
    return result ? *result : Die(in, result.error());
  };
  return subcommand;
}
// kRun: Result<ExitStatus>(Invocation&, Git*, O&, Args&), for those who can do without a repository.
template <class O, auto kRun>
constexpr Subcommand DefineFreeSubcommand(Subcommand subcommand) {
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) -> ExitStatus {
    O options{};
    ExitStatus status = 0;
    auto parsed = PrepareSubcommand(in, self, &options, args, &status);
    if (!parsed) return status;
    Result<ExitStatus> result = kRun(in, git, options, *parsed);
    return result ? *result : Die(in, result.error());
  };
  return subcommand;
}

// Where the repository of the working directory is; nothing if there is none. `git_dir`, `work_tree`: what the options said.
struct Place {
  std::string git_dir, work_tree, common_dir;
  bool is_bare = false;
};
Result<Place> FindRepository(Invocation& in, std::string_view git_dir, std::string_view work_tree);
// What the file `commondir` of a linked working tree's directory names; else the directory itself.
std::string CommonDirectory(vfs::FileSystem& fs, const std::string& git_dir);
// The directory that a file .git names; nothing when it is no such file.
std::optional<std::string> FollowGitFile(Invocation& in, const std::string& path);
// Whether the directory is one: HEAD, objects and refs are there.
bool IsGitDirectory(vfs::FileSystem& fs, const std::string& path);
// The files of configuration that hold for everyone in the sandbox (~/.gitconfig …), with -c and GIT_CONFIG_*.
struct ConfigFile {
  std::string path;
  std::string scope;   // system, global, local, command
};
std::vector<ConfigFile> ConfigFiles(Invocation& in, const Git* git);
Result<Config> ReadConfig(Invocation& in, const Git* git);

// Creates the files of an empty repository.
struct RepositoryPlan {
  bool is_bare = false;
  std::string branch;                             // that HEAD names
  std::optional<std::string> template_directory;  // what is copied into it; absent: what the configuration says, or git's usual files
  std::optional<int> shared;                      // core.sharedRepository: 1 group, 2 everybody, below 0 a mode
};
Status CreateRepository(Invocation& in, const std::string& git_dir, const RepositoryPlan& plan);

// "a\tb" in quotes with C's escapes, where it needs them.
std::string QuotePath(std::string_view path, bool quotes_high);
// The other way; what does not begin with a quote stays as it is.
std::string UnquotePath(std::string_view text);

}  // namespace paddock::git
