#include "store/trees/lookup.h"

#include <string>
#include <vector>

#include "store/trees/directory.h"
#include "store/trees/restore.h"

namespace paddock::trees {
namespace {

constexpr size_t kMostLinks = 40;
constexpr size_t kLongestPath = 4096;

// What is left to walk, the next name last.
void Push(std::vector<std::string>& names, std::string_view path) {
  std::vector<std::string> found;
  for (size_t at = 0; at < path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at && path.substr(at, slash - at) != ".") found.emplace_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  names.insert(names.end(), std::make_move_iterator(found.rbegin()), std::make_move_iterator(found.rend()));
}

}  // namespace

Result<std::optional<Entry>> FindByPath(Store& store, const ObjectId& tree, std::string_view path) {
  PADDOCK_ASSIGN(const TreeNode node, ReadTree(store, tree));
  Entry root;
  root.type = vfs::FileType::kDirectory;
  root.mode = node.mode;
  root.uid = node.uid;
  root.gid = node.gid;
  root.modify_time = node.modify_time;
  root.directory = node.directory;
  std::vector<Entry> way{std::move(root)};   // from the root to where the walk is
  std::vector<std::string> names;
  size_t links = 0;
  if (path.size() > kLongestPath) return std::optional<Entry>();
  Push(names, path);
  while (!names.empty()) {
    const std::string name = std::move(names.back());
    names.pop_back();
    if (way.back().type != vfs::FileType::kDirectory) return std::optional<Entry>();
    if (name == "..") {
      if (way.size() > 1) way.pop_back();
      continue;
    }
    PADDOCK_ASSIGN(std::optional<Entry> entry, FindEntry(store, way.back().directory, name));
    if (!entry) return std::optional<Entry>();
    if (entry->type != vfs::FileType::kSymlink) {
      way.push_back(std::move(*entry));
      continue;
    }
    if (++links > kMostLinks || entry->target.empty() || entry->target.size() > kLongestPath) return std::optional<Entry>();
    if (entry->target.starts_with('/')) way.resize(1);
    Push(names, entry->target);
  }
  return std::optional(std::move(way.back()));
}

}  // namespace paddock::trees
