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

struct ShowRefOptions {
  bool heads = false, tags = false, dereference = false, hash = false, quiet = false, verify = false, with_head = false;
};
constexpr Option kShowRefOptions[] = {
    Flag<&ShowRefOptions::heads>(0, "heads", "only branches"), Flag<&ShowRefOptions::tags>(0, "tags", "only tags"),
    Flag<&ShowRefOptions::dereference>('d', "dereference", "with what tags name"), Flag<&ShowRefOptions::hash>('s', "hash", "only ids"),
    Flag<&ShowRefOptions::quiet>('q', "quiet", "show nothing"), Flag<&ShowRefOptions::verify>(0, "verify", "names are whole"),
    Flag<&ShowRefOptions::with_head>(0, "head", "with HEAD"),
};
Result<ExitStatus> RunShowRef(Git& git, ShowRefOptions& options, Args& args) {
  bool found = false;
  const auto show = [&](const std::string& name, const Oid& id) {
    found = true;
    if (options.quiet) return;
    git.Print(id.Hex() + (options.hash ? "\n" : " " + name + "\n"));
    if (!options.dereference) return;
    if (const auto peeled = git.objects.Peel(id, std::nullopt); peeled && *peeled != id) git.Print(peeled->Hex() + (options.hash ? "\n" : " " + name + "^{}\n"));
  };
  if (options.with_head) {
    if (const auto head = git.Head()) show("HEAD", *head);
  }
  for (const auto& [name, id] : git.refs.List("refs/")) {
    if ((options.heads || options.tags) && !(options.heads && name.starts_with("refs/heads/")) && !(options.tags && name.starts_with("refs/tags/"))) continue;
    const bool matches = args.operands.empty() || std::any_of(args.operands.begin(), args.operands.end(), [&, &full = name](const std::string& wanted) { return full == wanted || (!options.verify && full.ends_with("/" + wanted)); });
    if (matches) show(name, id);
  }
  if (options.verify && !found && !options.quiet && !args.operands.empty()) return Error(Code::kNoEntry, "'" + args.operands[0] + "' - not a valid ref");
  return found ? 0 : 1;
}

struct SymbolicOptions {
  bool is_short = false, quiet = false;
};
constexpr Option kSymbolicOptions[] = {Flag<&SymbolicOptions::is_short>(0, "short", "a short name"), Flag<&SymbolicOptions::quiet>('q', "quiet", "fail in silence")};
Result<ExitStatus> RunSymbolicRef(Git& git, SymbolicOptions& options, Args& args) {
  if (args.operands.empty() || args.operands.size() > 2) return 129;
  if (args.operands.size() == 2) {
    if (args.operands[0] == "HEAD" && !args.operands[1].starts_with("refs/")) return Error(Code::kInvalid, "Refusing to point HEAD outside of refs/");
    if (!IsRefName(args.operands[1])) return Error(Code::kInvalid, "Refusing to set '" + args.operands[0] + "' to invalid ref '" + args.operands[1] + "'");
    PADDOCK_TRY(git.refs.WriteSymbolic(args.operands[0], args.operands[1]));
    return 0;
  }
  const auto target = git.refs.ReadSymbolic(args.operands[0]);
  if (!target) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(Error(Code::kInvalid, "ref " + args.operands[0] + " is not a symbolic ref"));
  git.Print((options.is_short ? ShortRef(*target) : *target) + "\n");
  return 0;
}
}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kRevParse, kShowRef, kSymbolicRef;
const Subcommand kRevParse = DefineSubcommand<RevParseOptions, RunRevParse>({.name = "rev-parse", .summary = "tell what a name means", .synopsis = "[<options>] <name>...", .options = kRevParseOptions});
const Subcommand kShowRef = DefineSubcommand<ShowRefOptions, RunShowRef>({.name = "show-ref", .summary = "list references", .synopsis = "[<options>] [<pattern>...]", .options = kShowRefOptions});
const Subcommand kSymbolicRef = DefineSubcommand<SymbolicOptions, RunSymbolicRef>({.name = "symbolic-ref", .summary = "show or set a symbolic reference", .synopsis = "[-q] [--short] <name> [<ref>]", .options = kSymbolicOptions});

}  // namespace paddock::git
