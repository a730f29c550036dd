#include <algorithm>

#include "commands/child_output.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/remote/submodule.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

Environment WithoutRepository(const Environment& from) {
  Environment environment = from;
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX", "GIT_INDEX_FILE"}) environment.Unset(name);
  return environment;
}

std::string UpFrom(const std::string& from, const std::string& to) {
  // Both are absolute: up to what they share, then down.
  size_t shared = 0;
  for (size_t i = 0; i <= from.size() && i <= to.size(); ++i) {
    const bool ends_from = i == from.size() || from[i] == '/', ends_to = i == to.size() || to[i] == '/';
    if (ends_from && ends_to) shared = i;
    if (i == from.size() || i == to.size() || from[i] != to[i]) break;
  }
  std::string text;
  for (size_t i = shared; i < from.size(); ++i) {
    if (from[i] == '/' && i + 1 < from.size()) text += "../";
  }
  return text + (shared < to.size() ? to.substr(shared + 1) : "");
}

}  // namespace

ExitStatus RunGitIn(Git& git, const std::string& directory, std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  const Environment environment = WithoutRepository(git.in.env);
  ChildSpec spec{.args = std::move(words), .environment = &environment, .cwd = directory};
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 128;
}

Result<std::vector<Submodule>> Submodules::List(const std::vector<std::string>& operands) {
  std::vector<Submodule> known;
  if (const auto text = vfs::ReadFile(git_.in.fs, git_.FilePath(".gitmodules"), 4 << 20)) {
    PADDOCK_ASSIGN(const std::vector<ConfigEntry> entries, ParseConfig(*text, git_.in.budget));
    for (const ConfigEntry& entry : entries) {
      git_.in.budget.Step();
      const size_t dot = entry.key.rfind('.');
      if (!entry.key.starts_with("submodule.") || dot <= 10) continue;
      const std::string name = entry.key.substr(10, dot - 10), what = entry.key.substr(dot + 1);
      // A name that leads out of .git/modules is none.
      if (name.find("..") != std::string::npos || name.starts_with('/')) continue;
      auto found = std::find_if(known.begin(), known.end(), [&name](const Submodule& module) { return module.name == name; });
      if (found == known.end()) {
        known.push_back({.name = name});
        found = known.end() - 1;
      }
      const std::string value = entry.value.value_or("");
      if (value.starts_with('-')) continue;
      if (what == "path") found->path = value;
      else if (what == "url") found->url = value;
      else if (what == "branch") found->branch = value;
      else if (what == "update") found->update = value;
    }
  }
  PADDOCK_ASSIGN(Pathspec paths, git_.ParsePaths(operands));
  PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
  std::vector<Submodule> modules;
  for (const IndexEntry& entry : index.entries()) {
    git_.in.budget.Step();
    if (!paths.empty() && !paths.Matches(entry.path, git_.in.budget)) continue;
    if (entry.mode != kModeCommit || (!modules.empty() && modules.back().path == entry.path)) continue;
    const auto found = std::find_if(known.begin(), known.end(), [&entry](const Submodule& module) { return module.path == entry.path; });
    Submodule module;
    if (found != known.end()) module = *found;
    module.path = entry.path;
    module.id = entry.id;
    module.is_unmerged = entry.stage != 0;
    modules.push_back(std::move(module));
  }
  for (const std::string& operand : paths.Unmatched()) {
    git_.Complain("pathspec '" + operand + "' did not match any file(s) known to git");
    return Error(Code::kConflict);
  }
  return modules;
}

bool Submodules::IsActive(const Submodule& module) {
  if (module.name.empty()) return false;
  if (const auto value = git_.config.Get("submodule." + module.name + ".active")) return ParseConfigBool(*value).value_or(true);
  if (const std::vector<std::string> patterns = git_.config.GetAll("submodule.active"); !patterns.empty()) {
    auto paths = Pathspec::Parse(patterns, "", git_.work_tree);
    return paths && paths->Matches(module.path, git_.in.budget);
  }
  return git_.config.Get("submodule." + module.name + ".url").has_value();
}

bool Submodules::IsBehindLink(const Submodule& module) {
  for (size_t end = module.path.find('/');; end = module.path.find('/', end + 1)) {
    git_.in.budget.Step();
    const std::string part = module.path.substr(0, end);
    const auto facts = git_.in.fs.Stat(git_.FilePath(part), vfs::Follow::kNo);
    if (facts && facts->is_symlink()) {
      git_.Complain(part == module.path ? "expected submodule path '" + part + "' not to be a symbolic link" : "expected '" + part + "' in submodule path '" + module.path + "' not to be a symbolic link");
      return true;
    }
    if (end == std::string::npos) return false;
  }
}

bool Submodules::IsPopulated(const Submodule& module) {
  const std::string dot_git = Top(module) + "/.git";
  if (IsGitDirectory(git_.in.fs, dot_git)) return true;
  const auto followed = FollowGitFile(git_.in, dot_git);
  return followed && IsGitDirectory(git_.in.fs, *followed);
}

std::optional<Oid> Submodules::Head(const Submodule& module) {
  return GitlinkHead(git_, module.path);
}

std::string Submodules::ResolveUrl(const std::string& url, bool warns) {
  if (!url.starts_with("./") && !url.starts_with("../")) return url;
  const std::string key = "remote." + DefaultRemote(git_) + ".url";
  auto base = git_.config.Get(key);
  if (!base && warns) git_.Warn("could not look up configuration '" + key + "'. Assuming this repository is its own authoritative upstream.");
  if (!base) base = git_.work_tree;
  std::string at = *base;
  while (at.ends_with('/')) at.pop_back();
  const bool is_relative = !at.starts_with('/') && !IsUrl(at) && !at.starts_with("file://");
  if (is_relative && !at.starts_with("./") && !at.starts_with("../")) at.insert(0, "./");
  std::string rest = url;
  while (true) {
    git_.in.budget.Step();
    if (rest.starts_with("../")) {
      rest = rest.substr(3);
      const size_t cut = at.find_last_of("/:");
      if (cut == std::string::npos) break;
      at.resize(cut);
    } else if (rest.starts_with("./")) {
      rest = rest.substr(2);
    } else {
      break;
    }
  }
  std::string all = at + "/" + rest;
  while (all.ends_with('/')) all.pop_back();
  return all.starts_with("./") && is_relative ? all.substr(2) : all;
}

ExitStatus Submodules::Run(const Submodule& module, std::vector<std::string> words) { return RunGitIn(git_, Top(module), std::move(words)); }

std::optional<std::string> Submodules::Ask(const Submodule& module, std::vector<std::string> words) {
  words.insert(words.begin(), "git");
  std::string text, complaints;
  const Environment environment = WithoutRepository(git_.in.env);
  ChildSpec spec{.args = std::move(words), .environment = &environment, .cwd = Top(module), .out = TextSink(git_.in.budget, text), .err = TextSink(git_.in.budget, complaints)};
  git_.in.out.Flush();
  const auto status = git_.in.launcher.Run(git_.in.process, spec);
  if (!status || *status != 0) return std::nullopt;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Status Submodules::Edit(const std::string& key, std::optional<std::string_view> value) {
  const std::string path = git_.FilePath(".gitmodules");
  const auto text = vfs::ReadFile(git_.in.fs, path, 4 << 20);
  return vfs::WriteFile(git_.in.fs, path, EditConfig(text ? *text : "", key, value, false));
}

Result<bool> Submodules::Clone(const Submodule& module, const std::string& url, const CloneRequest& request) {
  const std::string top = Top(module), directory = GitDirectory(module.name);
  // A name may have slashes, but what it names may not lie in the repository of another submodule, say in its hooks.
  for (size_t end = module.name.find('/'); end != std::string::npos; end = module.name.find('/', end + 1)) {
    if (IsGitDirectory(git_.in.fs, GitDirectory(module.name.substr(0, end)))) return Error(Code::kInvalid, "refusing to create/use '" + directory + "' in another submodule's git dir");
  }
  if (!IsGitDirectory(git_.in.fs, directory)) {
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, vfs::DirectoryName(directory)));
    std::vector<std::string> words = {"clone", "--no-checkout"};
    if (request.quiet) words.push_back("--quiet");
    if (request.progress) words.push_back("--progress");
    if (request.depth) words.push_back("--depth=" + std::to_string(*request.depth));
    for (const std::string& reference : request.references) words.insert(words.end(), {"--reference", reference});
    if (request.dissociate) words.push_back("--dissociate");
    if (request.single_branch) words.push_back(*request.single_branch ? "--single-branch" : "--no-single-branch");
    words.insert(words.end(), {"--separate-git-dir", directory, "--", url, top});
    if (RunGitIn(git_, git_.work_tree, words) != 0) return false;
  }
  PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, top));
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, top + "/.git", "gitdir: " + UpFrom(top + "/", directory) + "\n"));
  const auto text = vfs::ReadFile(git_.in.fs, directory + "/config", 4 << 20);
  PADDOCK_TRY(vfs::WriteFile(git_.in.fs, directory + "/config", EditConfig(text ? *text : "", "core.worktree", UpFrom(directory + "/", top), false)));
  return true;
}

Status FetchSubmodules(Git& git, const FetchOptions& options) {
  if (git.work_tree.empty() || !git.in.fs.Stat(git.FilePath(".gitmodules"))) return {};
  Submodules submodules(git);
  const auto modules = submodules.List({});
  if (!modules) return modules.error();
  const auto configured = git.config.Get("fetch.recursesubmodules");
  const bool takes_all = options.recurses == true ? !options.is_on_demand : !options.recurses && configured && ParseConfigBool(*configured) == true;
  if (!options.recurses && configured && ParseConfigBool(*configured) == false) return {};
  for (const Submodule& module : *modules) {
    git.in.budget.Step();
    if (!submodules.IsPopulated(module) || module.name.empty()) continue;
    bool is_needed = takes_all;
    if (!is_needed) {
      // Commits that what was fetched names, and that are not there.
      Git inner(git.in, submodules.GitDirectory(module.name), "", true);
      for (const auto& [ref, id] : git.refs.List("refs/remotes/")) {
        const auto files = git.FlattenCommit(id);
        if (!files) continue;
        const auto found = files->find(module.path);
        is_needed = is_needed || (found != files->end() && found->second.mode == kModeCommit && !inner.objects.Has(found->second.id));
      }
    }
    if (!is_needed) continue;
    if (!options.quiet) git.Say("Fetching submodule " + module.path + "\n");
    std::vector<std::string> words = {"fetch"};
    if (options.quiet) words.push_back("--quiet");
    if (options.prune) words.push_back("--prune");
    if (options.dry_run) words.push_back("--dry-run");
    if (options.recurses == true) words.push_back(options.is_on_demand ? "--recurse-submodules=on-demand" : "--recurse-submodules");
    submodules.Run(module, words);
  }
  return {};
}

}  // namespace paddock::git
