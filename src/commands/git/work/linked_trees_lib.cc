#include "commands/git/work/linked_trees.h"

#include <algorithm>

namespace paddock::git {
namespace {

std::string Line(Git& git, const std::string& path) {
  const auto text = vfs::ReadFile(git.in.fs, path, 64 << 10);
  if (!text) return {};
  std::string line = *text;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.pop_back();
  return line;
}

void ReadHead(Git& git, LinkedTree& tree) {
  Refs refs(git.in.fs, tree.git_dir, git.common_dir, git.in.budget);
  tree.head = refs.Read("HEAD");
  tree.branch = refs.ReadSymbolic("HEAD");
}

}  // namespace

Result<std::vector<LinkedTree>> LinkedTrees(Git& git) {
  std::vector<LinkedTree> trees(1);
  LinkedTree& first = trees[0];
  first.git_dir = git.common_dir;
  first.path = git.common_dir.ends_with("/.git") ? vfs::DirectoryName(git.common_dir) : git.common_dir;
  if (git.git_dir == git.common_dir && !git.work_tree.empty() && !git.common_dir.ends_with("/.git")) first.path = git.work_tree;
  first.is_bare = git.config.GetBool("core.bare", false) || (git.git_dir == git.common_dir && git.is_bare);
  ReadHead(git, first);
  const std::string folder = git.common_dir + "/worktrees";
  if (const auto list = git.in.fs.List(folder)) {
    for (const vfs::DirectoryEntry& entry : *list) {
      git.in.budget.Step(16);
      if (entry.type != vfs::FileType::kDirectory) continue;
      LinkedTree tree;
      tree.id = entry.name;
      tree.git_dir = folder + "/" + entry.name;
      const std::string file = Line(git, tree.git_dir + "/gitdir");
      if (!git.in.fs.Stat(tree.git_dir + "/gitdir")) tree.prune_reason = "gitdir file does not exist";
      else if (file.empty()) tree.prune_reason = "invalid gitdir file";
      else if (!git.in.fs.Stat(file)) tree.prune_reason = "gitdir file points to non-existent location";
      tree.path = file.ends_with("/.git") ? file.substr(0, file.size() - 5) : file;
      if (git.in.fs.Stat(tree.git_dir + "/locked")) {
        tree.lock_reason = Line(git, tree.git_dir + "/locked");
        tree.prune_reason.clear();
      }
      ReadHead(git, tree);
      git.in.budget.WillAllocate(sizeof(LinkedTree) + 3 * tree.path.size());
      trees.push_back(std::move(tree));
    }
  }
  std::sort(trees.begin() + 1, trees.end(), [](const LinkedTree& a, const LinkedTree& b) { return a.path < b.path; });
  return trees;
}

std::vector<std::string> OwnRefNames(Refs& refs) {
  std::vector<std::string> names = {"HEAD"};
  for (const auto& [name, id] : refs.List("refs/")) {
    if (!IsSharedPath(name)) names.push_back(name);
  }
  return names;
}

std::optional<std::string> OtherTreeOf(Git& git, std::string_view branch_ref) {
  // The usual case costs one look.
  if (git.git_dir == git.common_dir && !git.in.fs.Stat(git.common_dir + "/worktrees")) return std::nullopt;
  const auto trees = LinkedTrees(git);
  if (!trees) return std::nullopt;
  for (const LinkedTree& tree : *trees) {
    if (tree.git_dir != git.git_dir && !tree.is_bare && tree.branch == branch_ref) return tree.path;
  }
  return std::nullopt;
}

}  // namespace paddock::git
