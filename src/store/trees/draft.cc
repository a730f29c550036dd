#include "store/trees/draft.h"

#include <algorithm>

#include "store/trees/content.h"
#include "store/trees/directory.h"

namespace paddock::trees {

namespace {
constexpr size_t kMaxLinkTable = 64 << 20;
}

DraftNode::~DraftNode() {
  std::vector<std::unique_ptr<DraftNode>> doomed;
  for (auto& [name, child] : children) doomed.push_back(std::move(child));
  while (!doomed.empty()) {
    const std::unique_ptr<DraftNode> last = std::move(doomed.back());
    doomed.pop_back();
    for (auto& [name, child] : last->children) doomed.push_back(std::move(child));
    last->children.clear();
  }
}

Draft::Draft() : root_(std::make_unique<DraftNode>()) {
  root_->entry.type = vfs::FileType::kDirectory;
  root_->entry.mode = 0755;
}

Draft::~Draft() = default;

std::string PathOf(const DraftNode& node) {
  std::vector<const DraftNode*> way;
  size_t length = 0;
  for (const DraftNode* at = &node; at->parent != nullptr; at = at->parent) {
    way.push_back(at);
    length += at->entry.name.size() + 1;
  }
  std::string path;
  path.reserve(length);
  for (auto it = way.rbegin(); it != way.rend(); ++it) {
    if (!path.empty()) path += '/';
    path += (*it)->entry.name;
  }
  return path;
}

std::unique_ptr<DraftNode> Draft::MakeDetached(Entry entry) {
  auto node = std::make_unique<DraftNode>();
  node->entry = std::move(entry);
  ++size_;
  return node;
}

DraftNode& Draft::Add(DraftNode& parent, Entry entry) {
  std::unique_ptr<DraftNode> node = MakeDetached(std::move(entry));
  DraftNode& added = *node;
  added.parent = &parent;
  parent.children.emplace_hint(parent.children.end(), std::string_view(added.entry.name), std::move(node));
  Changed(added);
  return added;
}

std::unique_ptr<DraftNode> Draft::Detach(DraftNode& node) {
  DraftNode& parent = *node.parent;
  MarkAbove(node);
  const auto it = parent.children.find(node.entry.name);
  std::unique_ptr<DraftNode> owned = std::move(it->second);
  parent.children.erase(it);
  owned->parent = nullptr;
  return owned;
}

DraftNode& Draft::Attach(DraftNode& parent, std::unique_ptr<DraftNode> node, std::string_view name) {
  DraftNode& attached = *node;
  attached.entry.name = name;
  attached.parent = &parent;
  parent.children.emplace(attached.entry.name, std::move(node));
  MarkAbove(attached);
  return attached;
}

void Draft::Changed(DraftNode& node) {
  node.is_encoded = false;
  MarkAbove(node);
}

void Draft::MarkAbove(DraftNode& node) {
  for (DraftNode* at = node.parent; at != nullptr && at->is_encoded; at = at->parent) at->is_encoded = false;
}

void Draft::SetLink(DraftNode& node, uint64_t link) {
  if (node.link == link) return;
  if (node.link != 0) {
    const auto it = links_.find(node.link);
    std::erase(it->second, &node);
    if (it->second.empty()) links_.erase(it);
  }
  node.link = link;
  if (link != 0) links_[link].push_back(&node);
}

const std::vector<DraftNode*>* Draft::Linked(uint64_t link) const {
  const auto it = links_.find(link);
  return it == links_.end() ? nullptr : &it->second;
}

void Draft::Discard(std::unique_ptr<DraftNode> node, const std::function<void(DraftNode&)>& visit) {
  std::vector<std::unique_ptr<DraftNode>> doomed;
  doomed.push_back(std::move(node));
  while (!doomed.empty()) {
    const std::unique_ptr<DraftNode> last = std::move(doomed.back());
    doomed.pop_back();
    for (auto& [name, child] : last->children) doomed.push_back(std::move(child));
    last->children.clear();
    SetLink(*last, 0);
    if (visit) visit(*last);
    --size_;
  }
}

void Draft::Remove(DraftNode& node) { Discard(Detach(node)); }

void Draft::RemoveChildren(DraftNode& directory) {
  while (!directory.children.empty()) Remove(*directory.children.begin()->second);
}

Status Draft::EncodeDirectories(Session& session) {
  // Directories in an order in which each comes behind those below it.
  std::vector<DraftNode*> order;
  if (!root_->is_encoded) order.push_back(root_.get());
  for (size_t i = 0; i < order.size(); ++i) {
    for (const auto& [name, child] : order[i]->children) {
      if (child->is_directory() && !child->is_encoded) order.push_back(child.get());
    }
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    DraftNode& directory = **it;
    DirectoryWriter writer(session);
    for (const auto& [name, child] : directory.children) PADDOCK_TRY(writer.Add(child->entry));
    PADDOCK_ASSIGN(directory.entry.directory, writer.Finish());
    directory.is_encoded = true;
  }
  return {};
}

Result<Content> Draft::EncodeLinkTable(Session& session) {
  LinkGroups groups;
  size_t bytes = 0;
  for (const auto& [link, nodes] : links_) {
    if (nodes.size() < 2) continue;
    std::vector<std::string> group;
    for (const DraftNode* node : nodes) {
      group.push_back(PathOf(*node));
      bytes += group.back().size() + 1;
      if (bytes > kMaxLinkTable) return Error(Code::kLimit, "the paths of hard links take more than 64 MiB");
    }
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end());
  ContentWriter writer(session, false);
  PADDOCK_TRY(writer.Write(EncodeLinks(groups)));
  return writer.Finish();
}

Result<ObjectId> Draft::Encode(Session& session) {
  PADDOCK_TRY(EncodeDirectories(session));
  TreeNode tree;
  tree.mode = root_->entry.mode;
  tree.uid = root_->entry.uid;
  tree.gid = root_->entry.gid;
  tree.modify_time = root_->entry.modify_time;
  tree.directory = root_->entry.directory;
  PADDOCK_ASSIGN(tree.links, EncodeLinkTable(session));
  return session.Put(ObjectKind::kTree, trees::Encode(tree));
}

}  // namespace paddock::trees
