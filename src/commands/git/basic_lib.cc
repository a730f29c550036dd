// The plumbing: hash-object, cat-file, rev-parse, ls-files, ls-tree, show-ref, symbolic-ref, write-tree …
#include <algorithm>

#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "commands/input_files.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct RevParseOptions {
  bool verify = false, quiet = false, is_short = false, abbrev_ref = false, symbolic = false, top = false, git_dir = false, absolute = false, inside = false, inside_git = false, bare = false, prefix = false, cdup = false, all = false, common = false;
  int64_t digits = 0;
};
Status TakeShort(RevParseOptions& options, std::string_view value) {
  options.is_short = options.verify = true;
  return value.empty() ? Status() : ParseOptionValue(value, options.digits);
}
constexpr Option kRevParseOptions[] = {
    Flag<&RevParseOptions::verify>(0, "verify", "one object, or fail"),
    Flag<&RevParseOptions::quiet>('q', "quiet", "with --verify: fail in silence"),
    CallOptional<TakeShort>(0, "short", "N", "a short id"),
    Flag<&RevParseOptions::abbrev_ref>(0, "abbrev-ref", "the short name of a reference"),
    Flag<&RevParseOptions::symbolic>(0, "symbolic-full-name", "the full name of a reference"),
    Flag<&RevParseOptions::all>(0, "all", "all references"),
    Flag<&RevParseOptions::top>(0, "show-toplevel", "the top of the working tree"),
    Flag<&RevParseOptions::prefix>(0, "show-prefix", "the working directory from the top"),
    Flag<&RevParseOptions::cdup>(0, "show-cdup", "the top from the working directory"),
    Flag<&RevParseOptions::git_dir>(0, "git-dir", "the directory of the repository"),
    Flag<&RevParseOptions::common>(0, "git-common-dir", "likewise"),
    Flag<&RevParseOptions::absolute>(0, "absolute-git-dir", "likewise, absolute"),
    Flag<&RevParseOptions::inside>(0, "is-inside-work-tree", "true in a working tree"),
    Flag<&RevParseOptions::inside_git>(0, "is-inside-git-dir", "true below .git"),
    Flag<&RevParseOptions::bare>(0, "is-bare-repository", "true for a bare repository"),
};
Result<ExitStatus> RunRevParse(Git& git, RevParseOptions& options, Args& args) {
  PADDOCK_ASSIGN(const std::string here, git.in.fs.Canonical("."));
  const bool in_git = here == git.git_dir || here.starts_with(git.git_dir + "/");
  if (options.top) {
    if (git.work_tree.empty() || in_git) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
    git.Print(git.work_tree + "\n");
  }
  if (options.prefix) git.Print(git.prefix + "\n");
  if (options.cdup) {
    for (const char c : git.prefix) git.Print(c == '/' ? "../" : "");
    git.Print("\n");
  }
  for (const std::string* directory : {options.git_dir ? &git.git_dir : nullptr, options.common ? &git.common_dir : nullptr}) {
    if (directory != nullptr) git.Print((*directory == vfs::JoinPath(here, ".git") ? ".git" : *directory == here ? "." : *directory) + "\n");
  }
  if (options.absolute) git.Print(git.git_dir + "\n");
  if (options.inside) git.Print(!git.work_tree.empty() && !in_git ? "true\n" : "false\n");
  if (options.inside_git) git.Print(in_git ? "true\n" : "false\n");
  if (options.bare) git.Print(git.is_bare ? "true\n" : "false\n");
  if (options.all) {
    for (const auto& [name, id] : git.refs.List("refs/")) git.Print(id.Hex() + "\n");
  }
  const Error single(Code::kNoEntry, "Needed a single revision");
  if (options.verify && args.operands.size() != 1) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(single);
  for (const std::string& name : args.operands) {
    git.in.budget.Step();
    if (options.abbrev_ref || options.symbolic) {
      std::string ref = name == "@" ? "HEAD" : name;
      if (name.ends_with("@{u}") || name.ends_with("@{upstream}")) {
        const std::string branch = name[0] == '@' ? ShortRef(git.HeadBranch().value_or("")) : name.substr(0, name.find('@'));
        const auto upstream = UpstreamOf(git, branch);
        if (!upstream) return Error(Code::kNoEntry, "no upstream configured for branch '" + branch + "'");
        ref = *upstream;
      } else if (ref == "HEAD") {
        if (!git.Head()) {
          git.Print("HEAD\n");
          return AmbiguousArgument(name);
        }
        ref = git.HeadBranch().value_or("HEAD");
      } else if (const auto found = FindRef(git, ref)) {
        ref = *found;
      } else if (!ResolveObject(git, name)) {
        return AmbiguousArgument(name);
      } else {
        continue;
      }
      git.Print((options.abbrev_ref ? ShortRef(ref) : ref) + "\n");
      continue;
    }
    Selection selection;
    if (!options.verify && (name.find("..") != std::string::npos || name.starts_with('^') || name.ends_with("^!") || name.ends_with("^@") || name.find("^-") != std::string::npos)) {
      PADDOCK_ASSIGN(const bool taken, TakeRevision(git, name, selection));
      if (taken) {
        for (size_t i = selection.included.size(); i-- > 0;) git.Print(selection.included[i].Hex() + "\n");
        for (const Oid& id : selection.excluded) git.Print("^" + id.Hex() + "\n");
        continue;
      }
    }
    auto id = ResolveObject(git, name);
    if (!id && options.verify) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(single);
    if (!id) {
      if (!git.work_tree.empty() && git.in.fs.Stat(name)) {
        git.Print(name + "\n");
        continue;
      }
      if (id.error().message.empty()) git.Print(name + "\n");
      return id.error().message.empty() ? AmbiguousArgument(name) : id.error();
    }
    git.Print((options.is_short ? git.objects.Abbreviate(*id, static_cast<size_t>(options.digits)) : id->Hex()) + "\n");
  }
  for (const std::string& path : args.paths) git.Print(path + "\n");
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kRevParse;
const Subcommand kRevParse = DefineSubcommand<RevParseOptions, RunRevParse>({.name = "rev-parse", .summary = "tell what a name means", .synopsis = "[<options>] <name>...", .options = kRevParseOptions});

}  // namespace paddock::git
