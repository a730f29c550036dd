#include "git/import_tree.h"

namespace paddock::git {
namespace {

// Each part of a path is a level of the tree here, and all of them lie on the stack when it goes.
constexpr size_t kLongest = 4096;
Status CheckDepth(std::string_view path) { return path.size() > kLongest ? Status(Error(Code::kNameTooLong, "path is too long")) : Status(); }

}  // namespace

void ImportTree::Reset(const Oid& tree) {
  root_ = Node{.mode = kModeTree, .id = tree};
}

Status ImportTree::Load(Node& node) {
  if (node.is_loaded) return {};
  PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, objects_->ReadTree(node.id));
  for (const TreeEntry& entry : entries) {
    budget_->WillAllocate(sizeof(Node) + entry.name.size() + 64);
    node.children.emplace(entry.name, Node{.mode = entry.mode, .id = entry.id});
  }
  node.is_loaded = true;
  return {};
}

Result<std::optional<ImportTree::Item>> ImportTree::Find(std::string_view path) {
  PADDOCK_TRY(CheckDepth(path));
  Node* node = &root_;
  while (!path.empty()) {
    budget_->Step();
    if (node->mode != kModeTree) return std::optional<Item>();
    PADDOCK_TRY(Load(*node));
    const size_t slash = path.find('/');
    const auto found = node->children.find(path.substr(0, slash));
    if (found == node->children.end()) return std::optional<Item>();
    node = &found->second;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  if (node->mode == kModeTree) {
    PADDOCK_TRY(WriteNode(*node));
    if (node != &root_ && node->is_loaded && node->children.empty()) return std::optional<Item>();
  }
  return std::optional(Item{node->mode, node->id});
}

Status ImportTree::Put(std::string_view path, const Item& item) {
  if (path.empty() && item.mode == kModeTree) {
    Reset(item.id);
    return {};
  }
  PADDOCK_TRY(CheckDepth(path));
  if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + std::string(path) + "'");
  Node* node = &root_;
  while (true) {
    budget_->Step();
    // What was a file becomes a directory.
    if (node->mode != kModeTree) *node = Node{.mode = kModeTree, .is_loaded = true};
    PADDOCK_TRY(Load(*node));
    node->is_changed = true;
    const size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    auto found = node->children.find(name);
    if (found == node->children.end()) {
      budget_->WillAllocate(sizeof(Node) + name.size() + 64);
      found = node->children.emplace(std::string(name), Node{.mode = kModeTree, .is_loaded = true}).first;
    }
    node = &found->second;
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  *node = Node{.mode = item.mode, .id = item.id};
  return {};
}

Status ImportTree::Remove(std::string_view path) {
  if (path.empty()) {
    Clear();
    return {};
  }
  PADDOCK_ASSIGN(const auto item, Find(path));
  if (!item) return {};
  Node* node = &root_;
  while (true) {
    budget_->Step();
    PADDOCK_TRY(Load(*node));
    node->is_changed = true;
    const size_t slash = path.find('/');
    const auto found = node->children.find(path.substr(0, slash));
    if (found == node->children.end()) return {};
    if (slash == std::string_view::npos) {
      node->children.erase(found);
      return {};
    }
    node = &found->second;
    path.remove_prefix(slash + 1);
  }
}

// Directories without files are in no tree.
Status ImportTree::WriteNode(Node& node) {
  budget_->CheckStack();
  if (!node.is_loaded || !node.is_changed) return {};
  std::vector<TreeEntry> entries;
  for (auto& [name, child] : node.children) {
    budget_->Step(4);
    if (child.mode == kModeTree) {
      PADDOCK_TRY(WriteNode(child));
      if (child.is_loaded && child.children.empty()) continue;
    }
    entries.push_back({child.mode, name, child.id});
  }
  std::erase_if(node.children, [](const auto& one) { return one.second.mode == kModeTree && one.second.is_loaded && one.second.children.empty(); });
  if (entries.empty() && &node != &root_) return {};
  PADDOCK_ASSIGN(node.id, objects_->Write(ObjectType::kTree, TreeText(std::move(entries))));
  node.is_changed = false;
  return {};
}

Result<Oid> ImportTree::Write() {
  PADDOCK_TRY(WriteNode(root_));
  return root_.id;
}

}  // namespace paddock::git
