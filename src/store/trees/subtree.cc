#include "store/trees/subtree.h"

#include <algorithm>
#include <string>

#include "store/trees/content.h"
#include "store/trees/lookup.h"
#include "store/trees/restore.h"

namespace paddock::trees {
namespace {

constexpr uint64_t kMostLinkBytes = 64 << 20;

}  // namespace

Result<std::optional<ObjectId>> Subtree(Session& session, const ObjectId& tree, std::string_view path) {
  Store& store = session.store();
  PADDOCK_ASSIGN(const std::optional<Entry> entry, FindByPath(store, tree, path));
  if (!entry || entry->type != vfs::FileType::kDirectory) return std::optional<ObjectId>();
  PADDOCK_ASSIGN(const Block body, store.Get(ObjectKind::kDirectory, entry->directory));
  PADDOCK_ASSIGN(const DirectoryNode directory, DecodeDirectory(body.bytes));
  if (directory.entries.empty() && directory.children.empty()) return std::optional<ObjectId>();
  PADDOCK_ASSIGN(const TreeNode whole, ReadTree(store, tree));
  PADDOCK_ASSIGN(const std::string encoded, ReadWhole(store, whole.links, kMostLinkBytes));
  PADDOCK_ASSIGN(const LinkGroups all, DecodeLinks(encoded));
  const std::string prefix = std::string(path) + "/";
  LinkGroups links;   // in the order that they had
  for (const std::vector<std::string>& group : all) {
    std::vector<std::string> within;
    for (const std::string& one : group) {
      if (one.starts_with(prefix)) within.push_back(one.substr(prefix.size()));
    }
    if (within.size() > 1) links.push_back(std::move(within));
  }
  std::sort(links.begin(), links.end());
  TreeNode node{.mode = entry->mode, .uid = entry->uid, .gid = entry->gid, .modify_time = entry->modify_time, .directory = entry->directory, .links = {}};
  ContentWriter writer(session, false);
  PADDOCK_TRY(writer.Write(EncodeLinks(links)));
  PADDOCK_ASSIGN(node.links, writer.Finish());
  PADDOCK_ASSIGN(const ObjectId made, session.Put(ObjectKind::kTree, Encode(node)));
  return std::optional(made);
}

}  // namespace paddock::trees
