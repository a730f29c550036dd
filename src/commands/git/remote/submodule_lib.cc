// git submodule.
#include "commands/git/remote/submodule.h"

#include <algorithm>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

template <auto kMember, const char* kName>
Status TakeNumber(SubmoduleOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseGitNumber(text, kName));
  return {};
}
constexpr char kDepth[] = "depth", kJobs[] = "jobs", kLimit[] = "summary-limit";
using Update = SubmoduleOptions::Update;
constexpr Option kOptions[] = {
    Flag<&SubmoduleOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&SubmoduleOptions::cached>(0, "cached", "status, summary: what the index has"),
    Flag<&SubmoduleOptions::files>(0, "files", "summary: of the index against the working tree"),
    Value<&SubmoduleOptions::branch>('b', "branch", "NAME", "add, set-branch: the branch"),
    Flag<&SubmoduleOptions::is_default>('d', "default", "set-branch: none"),
    Flag<&SubmoduleOptions::force>('f', "force", "add: also what is ignored; update, deinit: throw local changes away"),
    Value<&SubmoduleOptions::name>(0, "name", "NAME", "add: its name"),
    Value<&SubmoduleOptions::references>(0, "reference", "REPOSITORY", "add, update: use its objects, too"),
    Flag<&SubmoduleOptions::dissociate>(0, "dissociate", "add, update: use those only while cloning"),
    Call<TakeNumber<&SubmoduleOptions::depth, kDepth>>(0, "depth", "N", "add, update: only so many commits of history"),
    Flag<&SubmoduleOptions::progress>(0, "progress", "add, update: show progress"),
    Flag<&SubmoduleOptions::recursive>(0, "recursive", "submodules of submodules, too"),
    Flag<&SubmoduleOptions::all>(0, "all", "deinit: all of them"),
    Flag<&SubmoduleOptions::init>('i', "init", "update: those that are not registered, too"),
    Flag<&SubmoduleOptions::requires_init>(0, "require-init", nullptr),
    Value<&SubmoduleOptions::filter>(0, "filter", "SPEC", "update --init: a part of the objects, where the server can do it"),
    Flag<&SubmoduleOptions::remote>(0, "remote", "update: to what the remote branch is at"),
    Flag<&SubmoduleOptions::no_fetch>('N', "no-fetch", "update: take no new objects"),
    Set<&SubmoduleOptions::update, Update::kCheckout>(0, "checkout", "update: check out (the default)"),
    Set<&SubmoduleOptions::update, Update::kMerge>('m', "merge", "update: merge into the branch there"),
    Set<&SubmoduleOptions::update, Update::kRebase>('r', "rebase", "update: rebase the branch there"),
    Set<&SubmoduleOptions::shallow, true>(0, "recommend-shallow", "update: as .gitmodules recommends (the default)"),
    Set<&SubmoduleOptions::shallow, false>(0, "no-recommend-shallow", "update: with all of the history"),
    Set<&SubmoduleOptions::single_branch, true>(0, "single-branch", "update: clone only one branch"),
    Set<&SubmoduleOptions::single_branch, false>(0, "no-single-branch", "update: clone all branches"),
    Call<TakeNumber<&SubmoduleOptions::jobs, kJobs>>('j', "jobs", "N", "update: so many at once"),
    Call<TakeNumber<&SubmoduleOptions::limit, kLimit>>('n', "summary-limit", "N", "summary: so many commits of each"),
};

constexpr char kUsage[] =
    "usage: git submodule [--quiet] [--cached]\n   or: git submodule [--quiet] add [-b <branch>] [-f|--force] [--name <name>] [--reference <repository>] [--] <repository> [<path>]\n"
    "   or: git submodule [--quiet] status [--cached] [--recursive] [--] [<path>...]\n   or: git submodule [--quiet] init [--] [<path>...]\n   or: git submodule [--quiet] deinit [-f|--force] (--all| [--] <path>...)\n"
    "   or: git submodule [--quiet] update [--init [--filter=<filter-spec>]] [--remote] [-N|--no-fetch] [-f|--force] [--checkout|--merge|--rebase] [--[no-]recommend-shallow] [--reference <repository>] [--recursive] [--[no-]single-branch] [--] [<path>...]\n"
    "   or: git submodule [--quiet] set-branch (--default|--branch <branch>) [--] <path>\n   or: git submodule [--quiet] set-url [--] <path> <newurl>\n   or: git submodule [--quiet] summary [--cached|--files] [--summary-limit <n>] [commit] [--] [<path>...]\n"
    "   or: git submodule [--quiet] foreach [--recursive] <command>\n   or: git submodule [--quiet] sync [--recursive] [--] [<path>...]\n   or: git submodule [--quiet] absorbgitdirs [--] [<path>...]\n";

class Command {
 public:
  Command(Git& git, const SubmoduleOptions& options, std::vector<std::string> operands) : git_(git), options_(options), operands_(std::move(operands)), submodules_(git) {}

  Result<ExitStatus> Status_() {
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List(operands_));
    for (const Submodule& module : modules) {
      git_.in.budget.Step();
      if (module.name.empty()) return Error(Code::kNoEntry, "no submodule mapping found in .gitmodules for path '" + module.path + "'");
      const auto line = [&](char flag, const Oid& id, bool is_named) {
        std::string text = std::string(1, flag) + id.Hex() + " " + git_.Shown(module.path);
        if (is_named) {
          if (const auto name = NameOf(module, id)) text += " (" + *name + ")";
        }
        if (!options_.quiet) git_.Print(text + "\n");
      };
      if (module.is_unmerged) {
        line('U', Oid{}, false);
        continue;
      }
      if (submodules_.IsBehindLink(module)) return 128;
      if (!submodules_.IsActive(module) || !submodules_.IsPopulated(module)) {
        line('-', module.id, false);
        continue;
      }
      const Oid head = submodules_.Head(module).value_or(Oid{});
      line(head == module.id ? ' ' : '+', options_.cached ? module.id : head, true);
      if (!options_.recursive || !git_.in.fs.Stat(submodules_.Top(module) + "/.gitmodules")) continue;
      std::vector<std::string> words = {"submodule", "status", "--recursive"};
      if (options_.cached) words.push_back("--cached");
      if (const auto inner = submodules_.Ask(module, words)) PrintBelow(*inner, module);
    }
    return 0;
  }

  Result<ExitStatus> Foreach() {
    if (operands_.empty()) {
      git_.Say(kUsage);
      return 1;
    }
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List({}));
    return ForeachIn(modules);
  }

  Result<ExitStatus> Sync() {
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List(operands_));
    for (const Submodule& module : modules) {
      if (!submodules_.IsActive(module)) continue;
      const std::string url = submodules_.ResolveUrl(module.url, false);
      if (!options_.quiet) git_.Print("Synchronizing submodule url for '" + git_.Shown(module.path) + "'\n");
      PADDOCK_TRY(EditConfigFile(git_, "submodule." + module.name + ".url", url));
      if (submodules_.IsBehindLink(module)) return 128;
      if (!submodules_.IsPopulated(module)) continue;
      submodules_.Ask(module, {"config", "remote.origin.url", url});
      if (!options_.recursive) continue;
      std::vector<std::string> words = {"submodule", "sync", "--recursive"};
      if (options_.quiet) words.push_back("--quiet");
      submodules_.Run(module, words);
    }
    return 0;
  }

  Result<ExitStatus> Deinit() {
    if (options_.all && !operands_.empty()) return Error(Code::kInvalid, "pathspec and --all are incompatible");
    if (!options_.all && operands_.empty()) return Error(Code::kInvalid, "Use '--all' if you really want to deinitialize all submodules");
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List(operands_));
    for (const Submodule& module : modules) {
      if (submodules_.IsBehindLink(module)) return 128;
      PADDOCK_TRY(DeinitOne(module));
    }
    return 0;
  }

  Result<ExitStatus> SetUrl() {
    if (operands_.size() != 2) {
      git_.Say("usage: git submodule set-url [--quiet] <path> <newurl>\n\n");
      return 129;
    }
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List({}));
    for (Submodule module : modules) {
      if (module.path != operands_[0] || module.name.empty()) continue;
      PADDOCK_TRY(submodules_.Edit("submodule." + module.name + ".url", operands_[1]));
      operands_.pop_back();
      return Sync();
    }
    return 0;
  }

  Result<ExitStatus> SetBranch() {
    if (operands_.size() != 1 || options_.branch.empty() == !options_.is_default) {
      if (options_.branch.empty() && !options_.is_default) return Error(Code::kInvalid, "--branch or --default required");
      if (!options_.branch.empty() && options_.is_default) return Error(Code::kInvalid, "options '--branch' and '--default' cannot be used together");
      git_.Say("usage: git submodule set-branch [-q|--quiet] (-d|--default) <path>\n   or: git submodule set-branch [-q|--quiet] (-b|--branch) <branch> <path>\n\n");
      return 129;
    }
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List({}));
    for (const Submodule& module : modules) {
      if (module.path != operands_[0] || module.name.empty()) continue;
      PADDOCK_TRY(submodules_.Edit("submodule." + module.name + ".branch", options_.is_default ? std::nullopt : std::optional<std::string_view>(options_.branch)));
      return 0;
    }
    return Error(Code::kNoEntry, "no submodule mapping found in .gitmodules for path '" + operands_[0] + "'");
  }

  // Repositories that lie in working trees go below .git/modules.
  Result<ExitStatus> Absorb() {
    PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules_.List(operands_));
    for (const Submodule& module : modules) {
      const std::string from = submodules_.Top(module) + "/.git", to = submodules_.GitDirectory(module.name);
      if (module.name.empty() || !IsGitDirectory(git_.in.fs, from)) continue;
      git_.Say("Migrating git directory of '" + module.path + "' from\n'" + from + "' to\n'" + to + "'\n");
      PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, vfs::DirectoryName(to)));
      PADDOCK_TRY(git_.in.fs.Rename(from, to, true));
      const auto linked = submodules_.Clone(module, "", {});
      if (!linked) return linked.error();
    }
    return 0;
  }

 private:
  // As describe names it: by a tag, else by any reference.
  std::optional<std::string> NameOf(const Submodule& module, const Oid& id) {
    const std::vector<std::string> ways[] = {{}, {"--tags"}, {"--contains"}, {"--all", "--always"}};
    for (std::vector<std::string> words : ways) {
      words.insert(words.begin(), "describe");
      words.push_back(id.Hex());
      if (auto name = submodules_.Ask(module, words)) return name;
    }
    return std::nullopt;
  }

  // Lines of a submodule's own, with its path before theirs.
  void PrintBelow(const std::string& text, const Submodule& module) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      at = end + 1;
      if (line.size() > 42) git_.Print(line.substr(0, 42) + git_.Shown(module.path) + "/" + line.substr(42) + "\n");
    }
  }

  Result<ExitStatus> ForeachIn(const std::vector<Submodule>& modules) {
    const std::string before(git_.in.env.Get("PADDOCK_SUBMODULE_PREFIX", ""));
    for (const Submodule& module : modules) {
      git_.in.budget.Step();
      if (module.name.empty()) return Error(Code::kNoEntry, "No url found for submodule path '" + module.path + "' in .gitmodules");
      if (submodules_.IsBehindLink(module)) return 128;
      if (!submodules_.IsPopulated(module)) continue;
      const std::string shown = before + git_.Shown(module.path);
      if (!options_.quiet) git_.Print("Entering '" + shown + "'\n");
      Environment environment = git_.in.env;
      for (const char* name : {"GIT_DIR", "GIT_WORK_TREE"}) environment.Unset(name);
      environment.Set("name", module.name);
      environment.Set("sm_path", module.path);
      environment.Set("path", module.path);
      environment.Set("displaypath", shown);
      environment.Set("sha1", module.id.Hex());
      environment.Set("toplevel", git_.work_tree);
      ChildSpec spec{.args = {"sh", "-c", operands_[0]}, .environment = &environment, .cwd = submodules_.Top(module)};
      if (operands_.size() > 1) {
        spec.args[2] += " \"$@\"";
        spec.args.insert(spec.args.end(), operands_.begin(), operands_.end());
      }
      git_.in.out.Flush();
      const auto status = git_.in.launcher.Run(git_.in.process, spec);
      if (!status || *status != 0) return Error(Code::kInvalid, "run_command returned non-zero status for " + shown + "\n.");
      if (!options_.recursive || !git_.in.fs.Stat(submodules_.Top(module) + "/.gitmodules")) continue;
      Environment below = git_.in.env;
      for (const char* name : {"GIT_DIR", "GIT_WORK_TREE"}) below.Unset(name);
      below.Set("PADDOCK_SUBMODULE_PREFIX", shown + "/");
      ChildSpec inner{.args = {"git", "submodule", "foreach", "--recursive"}, .environment = &below, .cwd = submodules_.Top(module)};
      if (options_.quiet) inner.args.push_back("--quiet");
      inner.args.push_back("--");
      inner.args.insert(inner.args.end(), operands_.begin(), operands_.end());
      const auto done = git_.in.launcher.Run(git_.in.process, inner);
      if (!done || *done != 0) return Error(Code::kInvalid, "run_command returned non-zero status while recursing in the nested submodules of " + shown + "\n.");
    }
    return 0;
  }

  Status DeinitOne(const Submodule& module) {
    const std::string top = submodules_.Top(module), shown = git_.Shown(module.path);
    if (module.name.empty()) return {};
    if (const auto facts = git_.in.fs.Stat(top); facts && facts->is_directory()) {
      if (const auto dot = git_.in.fs.Stat(top + "/.git"); dot && dot->is_directory()) return Error(Code::kInvalid, "Submodule work tree '" + shown + "' contains a .git directory (use 'rm -rf' if you really want to remove it including all of its history)");
      if (!options_.force && submodules_.IsPopulated(module)) {
        const auto changes = submodules_.Ask(module, {"status", "--porcelain"});
        if (changes && !changes->empty()) git_.Say("error: the following file has local modifications:\n    " + module.path + "\n(use --cached to keep the file, or -f to force removal)\n");
        if (!changes || !changes->empty() || submodules_.Head(module) != module.id) return Error(Code::kInvalid, "Submodule work tree '" + shown + "' contains local modifications; use '-f' to discard them");
      }
      if (const std::string config = submodules_.GitDirectory(module.name) + "/config"; git_.in.fs.Stat(config)) {
        const auto text = vfs::ReadFile(git_.in.fs, config, 4 << 20);
        const std::string edited = EditConfig(text ? *text : "", "core.worktree", std::nullopt, false);
        if (text && edited == *text) git_.Warn("Could not unset core.worktree setting in submodule '" + module.path + "'");
        else PADDOCK_TRY(vfs::WriteFile(git_.in.fs, config, edited));
      }
      PADDOCK_TRY(RemoveTree(git_.in, top));
      if (!options_.quiet) git_.Print("Cleared directory '" + shown + "'\n");
    }
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, top));
    const auto text = vfs::ReadFile(git_.in.fs, git_.GitPath("config"), 4 << 20);
    const auto edited = EditConfigSection(text ? *text : "", "submodule." + module.name, std::nullopt);
    if (!edited) return {};
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, git_.GitPath("config"), *edited));
    if (!options_.quiet) git_.Print("Submodule '" + module.name + "' (" + module.url + ") unregistered for path '" + shown + "'\n");
    return {};
  }

  Git& git_;
  const SubmoduleOptions& options_;
  std::vector<std::string> operands_;
  Submodules submodules_;
};

Result<ExitStatus> Dispatch(Git& git, const SubmoduleOptions& options, const std::string& verb, const std::vector<std::string>& operands) {
  Command command(git, options, operands);
  if (verb == "status") return command.Status_();
  if (verb == "foreach") return command.Foreach();
  if (verb == "sync") return command.Sync();
  if (verb == "deinit") return command.Deinit();
  if (verb == "set-url") return command.SetUrl();
  if (verb == "set-branch") return command.SetBranch();
  if (verb == "absorbgitdirs") return command.Absorb();
  if (verb == "add") return AddSubmodule(git, options, operands);
  if (verb == "update") return UpdateSubmodules(git, options, operands);
  if (verb == "summary") return SummarizeSubmodules(git, options, operands);
  if (verb == "init") {
    Submodules submodules(git);
    PADDOCK_ASSIGN(std::vector<Submodule> modules, submodules.List(operands));
    if (operands.empty() && !git.config.GetAll("submodule.active").empty()) std::erase_if(modules, [&submodules](const Submodule& module) { return !submodules.IsActive(module); });
    PADDOCK_TRY(InitSubmodules(git, options, modules));
    return 0;
  }
  git.Say(kUsage);
  return 1;
}

Result<ExitStatus> RunSubmodule(Git& git, SubmoduleOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  const std::string verb = operands.empty() ? "status" : operands[0];
  if (!operands.empty()) operands.erase(operands.begin());
  auto done = Dispatch(git, options, verb, operands);
  // What did not match was told already.
  if (!done && done.error().code == Code::kConflict && done.error().message.empty()) return 1;
  return done;
}

// What follows `foreach` is a command with options of its own.
std::vector<std::string> WithDashes(std::vector<std::string> args) {
  const auto is_option = [](const std::string& word) { return word == "-q" || word == "--quiet" || word == "--recursive" || word == "--cached"; };
  auto at = std::find_if_not(args.begin() + 1, args.end(), is_option);
  if (at == args.end() || *at != "foreach") return args;
  at = std::find_if_not(at + 1, args.end(), is_option);
  if (at != args.end() && !at->starts_with('-')) args.insert(at, "--");
  return args;
}

}  // namespace

Status InitSubmodules(Git& git, const SubmoduleOptions& options, const std::vector<Submodule>& modules) {
  Submodules submodules(git);
  for (const Submodule& module : modules) {
    git.in.budget.Step();
    if (module.name.empty()) return Error(Code::kNoEntry, "No url found for submodule path '" + module.path + "' in .gitmodules");
    const std::string section = "submodule." + module.name;
    if (!submodules.IsActive(module)) PADDOCK_TRY(EditConfigFile(git, section + ".active", "true"));
    if (!git.config.Get(section + ".url")) {
      if (module.url.empty()) return Error(Code::kNoEntry, "No url found for submodule path '" + module.path + "' in .gitmodules");
      const std::string url = submodules.ResolveUrl(module.url, true);
      PADDOCK_TRY(EditConfigFile(git, section + ".url", url));
      if (!options.quiet) git.Say("Submodule '" + module.name + "' (" + url + ") registered for path '" + git.Shown(module.path) + "'\n");
    }
    if (!module.update.empty() && !git.config.Get(section + ".update")) {
      if (module.update.starts_with('!')) return Error(Code::kInvalid, "invalid value for '" + section + ".update'");
      PADDOCK_TRY(EditConfigFile(git, section + ".update", module.update));
    }
  }
  PADDOCK_ASSIGN(git.config, ReadConfig(git.in, &git));
  return {};
}

namespace {

constexpr Subcommand kPlain = DefineSubcommand<SubmoduleOptions, RunSubmodule>({.name = "submodule", .summary = "repositories inside of a working tree", .synopsis = "[--quiet] [--cached]\n[--quiet] add [-b <branch>] [-f] [--name <name>] [--reference <repository>] [--] <repository> [<path>]\n[--quiet] status [--cached] [--recursive] [--] [<path>...]\n[--quiet] init [--] [<path>...]\n[--quiet] deinit [-f] (--all | [--] <path>...)\n[--quiet] update [--init] [--remote] [-N] [-f] [--checkout | --merge | --rebase] [--recursive] [--] [<path>...]\n[--quiet] set-branch (--default | --branch <branch>) [--] <path>\n[--quiet] set-url [--] <path> <newurl>\n[--quiet] summary [--cached | --files] [--summary-limit <n>] [commit] [--] [<path>...]\n[--quiet] foreach [--recursive] <command>\n[--quiet] sync [--recursive] [--] [<path>...]\n[--quiet] absorbgitdirs [--] [<path>...]", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});
constexpr Subcommand WithOwnWords(Subcommand subcommand) {
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) { return kPlain.run(in, self, git, WithDashes(std::move(args))); };
  return subcommand;
}

}  // namespace

extern const Subcommand kSubmodule;
const Subcommand kSubmodule = WithOwnWords(kPlain);

}  // namespace paddock::git
