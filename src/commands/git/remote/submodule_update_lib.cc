// git submodule add, update and summary.
#include <algorithm>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/remote/submodule.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

Submodules::CloneRequest RequestOf(const SubmoduleOptions& options) {
  return {.quiet = options.quiet, .progress = options.progress, .dissociate = options.dissociate, .single_branch = options.single_branch, .depth = options.depth, .references = options.references};
}

std::string NameOfUrl(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/.git")) url.resize(url.size() - 5);
  else if (url.ends_with(".git")) url.resize(url.size() - 4);
  return url.substr(url.find_last_of("/:") + 1);
}

class Updating {
 public:
  Updating(Git& git, const SubmoduleOptions& options) : git_(git), options_(options), submodules_(git) {}

  Result<ExitStatus> Run(const std::vector<std::string>& operands) {
    PADDOCK_ASSIGN(std::vector<Submodule> modules, submodules_.List(operands));
    if (options_.init || options_.requires_init) {
      std::vector<Submodule> begun = modules;
      if (operands.empty() && !git_.config.GetAll("submodule.active").empty()) std::erase_if(begun, [this](const Submodule& module) { return !submodules_.IsActive(module); });
      PADDOCK_TRY(InitSubmodules(git_, options_, begun));
    }
    std::vector<std::pair<Submodule, bool>> todo;   // and whether it is new
    for (const Submodule& module : modules) {
      const std::string shown = git_.Shown(module.path);
      if (module.is_unmerged) {
        git_.Say("Skipping unmerged submodule " + shown + "\n");
        continue;
      }
      if (module.name.empty() || !submodules_.IsActive(module)) {
        if (!operands.empty()) git_.Say("Submodule path '" + shown + "' not initialized\nMaybe you want to use 'update --init'?\n");
        continue;
      }
      if (options_.update == SubmoduleOptions::Update::kConfigured && Mode(module) == "none") {
        git_.Say("Skipping submodule '" + shown + "'\n");
        continue;
      }
      if (submodules_.IsBehindLink(module)) {
        git_.Say("Failed to clone '" + module.path + "'. Retry scheduled\n");
        static_cast<void>(submodules_.IsBehindLink(module));
        git_.Say("Failed to clone '" + module.path + "' a second time, aborting\n");
        return 1;
      }
      const bool is_new = !submodules_.IsPopulated(module);
      if (is_new) {
        const std::string url = git_.config.Get("submodule." + module.name + ".url", submodules_.ResolveUrl(module.url, false));
        PADDOCK_ASSIGN(const bool cloned, submodules_.Clone(module, url, RequestOf(options_)));
        if (!cloned) {
          git_.Say("fatal: clone of '" + url + "' into submodule path '" + submodules_.Top(module) + "' failed\nFailed to clone '" + module.path + "'. Retry scheduled\n");
          return 1;
        }
      }
      todo.emplace_back(module, is_new);
    }
    ExitStatus worst = 0;
    for (const auto& [module, is_new] : todo) {
      PADDOCK_ASSIGN(const ExitStatus status, UpdateOne(module, is_new));
      worst = std::max(worst, status);
    }
    return worst;
  }

 private:
  std::string Mode(const Submodule& module) {
    using Update = SubmoduleOptions::Update;
    if (options_.update == Update::kCheckout) return "checkout";
    if (options_.update == Update::kMerge) return "merge";
    if (options_.update == Update::kRebase) return "rebase";
    return git_.config.Get("submodule." + module.name + ".update", module.update.empty() ? "checkout" : module.update);
  }

  // What the remote branch is at: --remote.
  Result<Oid> RemoteTip(const Submodule& module) {
    std::string branch = git_.config.Get("submodule." + module.name + ".branch", module.branch);
    if (branch == ".") {
      const auto current = git_.HeadBranch();
      if (!current) return Error(Code::kInvalid, "Submodule (" + module.name + ") branch configured to inherit branch from superproject, but the superproject is not on any branch");
      branch = ShortRef(*current);
    }
    if (branch.empty()) branch = "HEAD";
    if (!options_.no_fetch) {
      std::vector<std::string> words = {"fetch"};
      if (options_.quiet) words.push_back("--quiet");
      if (options_.depth) words.push_back("--depth=" + std::to_string(*options_.depth));
      if (submodules_.Run(module, words) != 0) return Error(Code::kUnavailable, "Unable to fetch in submodule path '" + module.path + "'");
    }
    const auto text = submodules_.Ask(module, {"rev-parse", "--verify", "-q", "refs/remotes/origin/" + branch});
    const auto id = text ? Oid::FromHex(*text) : std::nullopt;
    if (!id) return Error(Code::kNoEntry, "Unable to find refs/remotes/origin/" + branch + " revision in submodule path '" + git_.Shown(module.path) + "'");
    return *id;
  }

  Result<ExitStatus> UpdateOne(const Submodule& module, bool is_new) {
    const std::string shown = git_.Shown(module.path);
    Oid target = module.id;
    if (options_.remote) {
      PADDOCK_ASSIGN(target, RemoteTip(module));
    }
    const std::optional<Oid> head = is_new ? std::nullopt : submodules_.Head(module);
    if (head != target || options_.force) {
      const auto has = [&] { return submodules_.Ask(module, {"cat-file", "-e", target.Hex() + "^{commit}"}).has_value(); };
      if (!options_.no_fetch && !has()) {
        submodules_.Run(module, options_.quiet ? std::vector<std::string>{"fetch", "--quiet"} : std::vector<std::string>{"fetch"});
        if (!has() && submodules_.Run(module, {"fetch", "-q", "origin", target.Hex()}) != 0) {
          return Error(Code::kNoEntry, "Fetched in submodule path '" + shown + "', but it did not contain " + target.Hex() + ". Direct fetching of that commit failed.");
        }
      }
      // A new one has no branch to merge into.
      const std::string mode = is_new ? "checkout" : Mode(module);
      if (mode != "checkout" && mode != "merge" && mode != "rebase") return Error(Code::kNotSupported, "Invalid update mode '" + mode + "' configured for submodule path '" + module.path + "'");
      std::vector<std::string> words = {mode};
      if (options_.quiet || mode == "checkout") words.push_back("-q");
      if (mode == "checkout" && (options_.force || is_new)) words.push_back("-f");
      words.push_back(target.Hex());
      if (submodules_.Run(module, words) != 0) {
        const std::string what = mode == "checkout" ? "Unable to checkout '" : mode == "merge" ? "Unable to merge '" : "Unable to rebase '";
        git_.Say("fatal: " + what + target.Hex() + "' in submodule path '" + shown + "'\n");
        return mode == "checkout" ? 1 : 128;
      }
      const std::string done = mode == "checkout" ? "checked out '" : mode == "merge" ? "merged in '" : "rebased into '";
      if (!options_.quiet) git_.Print("Submodule path '" + shown + "': " + done + target.Hex() + "'\n");
    }
    if (!options_.recursive || !git_.in.fs.Stat(submodules_.Top(module) + "/.gitmodules")) return 0;
    std::vector<std::string> words = {"submodule", "update", "--recursive"};
    if (options_.init || options_.requires_init) words.push_back("--init");
    if (options_.quiet) words.push_back("--quiet");
    if (options_.remote) words.push_back("--remote");
    if (options_.no_fetch) words.push_back("--no-fetch");
    if (options_.force) words.push_back("--force");
    if (options_.depth) words.push_back("--depth=" + std::to_string(*options_.depth));
    return submodules_.Run(module, words);
  }

  Git& git_;
  const SubmoduleOptions& options_;
  Submodules submodules_;
};

// Its head as an entry of the index.
Result<IndexEntry> EntryOf(Git& git, Submodules& submodules, const Submodule& module) {
  const auto head = submodules.Head(module);
  if (!head) return Error(Code::kNoEntry, "'" + module.path + "' does not have a commit checked out");
  IndexEntry entry;
  entry.path = module.path;
  entry.mode = kModeCommit;
  entry.id = *head;
  if (const auto facts = git.in.fs.Stat(submodules.Top(module))) entry.TakeStat(*facts);
  return entry;
}

}  // namespace

Result<ExitStatus> UpdateSubmodules(Git& git, const SubmoduleOptions& options, const std::vector<std::string>& operands) {
  if (!options.filter.empty()) {
    if (!IsFilter(options.filter)) return Error(Code::kInvalid, "invalid filter-spec '" + options.filter + "'");
    if (!options.init && !options.requires_init) return Error(Code::kInvalid, "usage: --filter needs --init");
    git.Warn("filtering not recognized by server, ignoring");
  }
  return Updating(git, options).Run(operands);
}

Result<ExitStatus> AddSubmodule(Git& git, const SubmoduleOptions& options, std::vector<std::string> operands) {
  if (operands.empty() || operands.size() > 2) {
    git.Say("usage: git submodule add [<options>] [--] <repository> [<path>]\n\n");
    return 129;
  }
  Submodules submodules(git);
  Submodule module;
  PADDOCK_ASSIGN(module.path, git.RepositoryPath(operands.size() == 2 ? operands[1] : NameOfUrl(operands[0])));
  while (module.path.ends_with('/')) module.path.pop_back();
  module.url = operands[0];
  const bool is_relative = module.url.starts_with("./") || module.url.starts_with("../");
  if (is_relative && !git.prefix.empty()) return Error(Code::kInvalid, "Relative path can only be used from the toplevel of the working tree");
  if (!is_relative && !module.url.starts_with('/') && !IsUrl(module.url) && !module.url.starts_with("file://")) return Error(Code::kInvalid, "repo URL: '" + module.url + "' must be absolute or begin with ./|../");
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  const IndexEntry* known = index.Find(module.path);
  if (known != nullptr && !options.force) return Error(Code::kExists, "'" + module.path + "' already exists in the index");
  if (known != nullptr && known->mode != kModeCommit) return Error(Code::kExists, "'" + module.path + "' already exists in the index and is not a submodule");
  if (!options.force && IsIgnored(git, module.path, true)) {
    git.Say("The following paths are ignored by one of your .gitignore files:\n" + module.path + "\nhint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: \"git config advice.addIgnoredFile false\"\n");
    return 1;
  }
  module.name = options.name.empty() ? module.path : options.name;
  if (module.name.find("..") != std::string::npos || module.name.starts_with('/')) return Error(Code::kInvalid, "'" + module.name + "' is not a valid submodule name");
  const std::string url = submodules.ResolveUrl(module.url, false), top = submodules.Top(module);
  const auto list = git.in.fs.List(top);
  if (list && !list->empty()) {
    if (!submodules.IsPopulated(module)) return Error(Code::kExists, "'" + module.path + "' already exists and is not a valid git repo");
    if (!options.quiet) git.Print("Adding existing repo at '" + module.path + "' to the index\n");
  } else {
    if (IsGitDirectory(git.in.fs, submodules.GitDirectory(module.name)) && !options.force) {
      std::string text = "A git directory for '" + module.name + "' is found locally with remote(s):\n";
      Git inner(git.in, submodules.GitDirectory(module.name), "", true);
      PADDOCK_ASSIGN(inner.config, ReadConfig(git.in, &inner));
      for (const std::string& name : RemoteNames(inner)) text += "  " + name + "\t" + inner.config.Get("remote." + name + ".url", "") + "\n";
      text += "If you want to reuse this local git directory instead of cloning again from\n  " + url + "\nuse the '--force' option. If the local git directory is not the correct repo\nor you are unsure what this means choose another name with the '--name' option.";
      return Error(Code::kExists, std::move(text));
    }
    PADDOCK_ASSIGN(const std::vector<Submodule> others, submodules.List({}));
    for (const Submodule& other : others) {
      if (other.name == module.name && other.path != module.path) return Error(Code::kExists, "submodule name '" + module.name + "' already used for path '" + other.path + "'");
    }
    PADDOCK_ASSIGN(const bool cloned, submodules.Clone(module, url, RequestOf(options)));
    if (!cloned) return Error(Code::kUnavailable, "clone of '" + url + "' into submodule path '" + top + "' failed");
    std::vector<std::string> words = {"checkout", "-f", "-q"};
    if (!options.branch.empty()) words.insert(words.end(), {"-B", options.branch, "origin/" + options.branch});
    if (submodules.Run(module, words) != 0) return Error(Code::kInvalid, "unable to checkout submodule '" + module.path + "'");
  }
  PADDOCK_TRY(EditConfigFile(git, "submodule." + module.name + ".url", url));
  PADDOCK_ASSIGN(IndexEntry entry, EntryOf(git, submodules, module));
  index.Put(std::move(entry));
  PADDOCK_TRY(submodules.Edit("submodule." + module.name + ".path", module.path));
  PADDOCK_TRY(submodules.Edit("submodule." + module.name + ".url", module.url));
  if (!options.branch.empty()) PADDOCK_TRY(submodules.Edit("submodule." + module.name + ".branch", options.branch));
  PADDOCK_ASSIGN(const std::optional<IndexEntry> listed, StageFile(git, ".gitmodules", true));
  if (listed) index.Put(*listed);
  PADDOCK_TRY(git.WriteIndex(index));
  const bool is_covered = !git.config.GetAll("submodule.active").empty() && submodules.IsActive(module);
  if (!is_covered) PADDOCK_TRY(EditConfigFile(git, "submodule." + module.name + ".active", "true"));
  return 0;
}

Result<ExitStatus> SummarizeSubmodules(Git& git, const SubmoduleOptions& options, std::vector<std::string> operands) {
  if (options.cached && options.files) return Error(Code::kInvalid, "options '--cached' and '--files' cannot be used together");
  FlatTree before;
  std::string start = "HEAD";
  if (!operands.empty() && ResolveObject(git, operands[0])) {
    if (options.files) return Error(Code::kInvalid, "--files takes no commit");
    start = operands[0];
    operands.erase(operands.begin());
  }
  Submodules submodules(git);
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(const std::vector<Submodule> modules, submodules.List({}));
  if (git.Head() || start != "HEAD") {
    PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, start));
    PADDOCK_ASSIGN(before, git.FlattenCommit(commit));
  }
  for (const Submodule& module : modules) {
    git.in.budget.Step();
    if (!paths.empty() && !paths.Matches(module.path, git.in.budget)) continue;
    const bool is_populated = submodules.IsPopulated(module);
    const auto old = before.find(module.path);
    Oid from = options.files ? module.id : old != before.end() && old->second.mode == kModeCommit ? old->second.id : Oid{};
    const Oid to = options.cached || !is_populated ? module.id : submodules.Head(module).value_or(module.id);
    if (from == to || !is_populated || options.limit == 0) continue;
    const auto shortened = [&](const Oid& id) { return id.is_null() ? std::string("0000000") : submodules.Ask(module, {"rev-parse", "--short", id.Hex()}).value_or(id.Hex().substr(0, 7)); };
    // What was added, then what is gone.
    std::string lines;
    int64_t count = 0;
    bool is_known = true;
    const auto list = [&](const std::string& range, const char* format) {
      int64_t one = 0;
      const auto number = submodules.Ask(module, {"rev-list", "--first-parent", "--count", range});
      const auto told = submodules.Ask(module, {"log", "--first-parent", format, range});
      if (!number || !told || !ParseOptionValue(*number, one)) is_known = false;
      else count += one;
      if (told && !told->empty()) lines += *told + "\n";
    };
    list(from.is_null() ? to.Hex() : from.Hex() + ".." + to.Hex(), "--pretty=  > %s");
    if (!from.is_null()) list(to.Hex() + ".." + from.Hex(), "--pretty=  < %s");
    std::string text = "* " + git.Shown(module.path) + " " + shortened(from) + "..." + shortened(to);
    if (!is_known) {
      git.Print(text + ":\n  Warn: " + module.path + " doesn't contain commit " + (from.is_null() ? to : from).Hex() + "\n\n");
      continue;
    }
    git.Print(text + " (" + std::to_string(count) + "):\n");
    const int64_t most = from.is_null() ? 1 : options.limit.value_or(-1);
    size_t at = 0;
    for (int64_t i = 0; i != most && at < lines.size(); ++i) at = lines.find('\n', at) + 1;
    git.Print(lines.substr(0, at));
    git.Print("\n");
  }
  return 0;
}

}  // namespace paddock::git
