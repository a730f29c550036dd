#include "vfs/name_tree.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "vfs/radix_map.h"

namespace paddock::vfs {

size_t NameTree::ChildIndex(const Node& node, std::string_view name) {
  const auto above = std::upper_bound(node.bounds.begin(), node.bounds.end(), name);
  return static_cast<size_t>(above - node.bounds.begin());
}

std::vector<NameTree::Entry>::iterator NameTree::Position(Node& leaf, std::string_view name) {
  return std::lower_bound(
      leaf.entries.begin(), leaf.entries.end(), name,
      [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
}

NameTree::Node& NameTree::Unique(std::shared_ptr<Node>& node) {
  if (!IsUnique(node)) node = std::make_shared<Node>(*node);
  return *node;
}

const NameTree::Entry* NameTree::Find(std::string_view name) const {
  if (root_ == nullptr) return nullptr;
  Node* node = root_.get();
  while (!node->is_leaf()) node = node->children[ChildIndex(*node, name)].get();
  const auto it = Position(*node, name);
  return it != node->entries.end() && it->name == name ? &*it : nullptr;
}

void NameTree::Insert(Entry entry) {
  if (root_ == nullptr) root_ = std::make_shared<Node>();
  Split split = InsertBelow(root_, std::move(entry));
  ++size_;
  if (split.right == nullptr) return;
  auto above = std::make_shared<Node>();
  above->children.push_back(std::move(root_));
  above->children.push_back(std::move(split.right));
  above->bounds.push_back(std::move(split.bound));
  root_ = std::move(above);
}

NameTree::Split NameTree::InsertBelow(std::shared_ptr<Node>& slot, Entry&& entry) {
  Node& node = Unique(slot);
  if (node.is_leaf()) {
    // Names that arrive in order would leave half-empty leaves behind; split such a leaf at its
    // end.
    const bool is_appended = node.entries.empty() || node.entries.back().name < entry.name;
    if (is_appended && node.entries.size() >= kLeafEntries) {
      auto right = std::make_shared<Node>();
      std::string bound = entry.name;
      right->entries.push_back(std::move(entry));
      return {std::move(bound), std::move(right)};
    }
    node.entries.insert(Position(node, entry.name), std::move(entry));
    return node.entries.size() > kLeafEntries ? SplitLeaf(node) : Split{};
  }
  const size_t index = ChildIndex(node, entry.name);
  Split split = InsertBelow(node.children[index], std::move(entry));
  if (split.right == nullptr) return {};
  const auto offset = static_cast<std::ptrdiff_t>(index);
  node.bounds.insert(node.bounds.begin() + offset, std::move(split.bound));
  node.children.insert(node.children.begin() + offset + 1, std::move(split.right));
  return node.children.size() > kChildren ? SplitInner(node) : Split{};
}

NameTree::Split NameTree::SplitLeaf(Node& leaf) {
  auto right = std::make_shared<Node>();
  const auto middle = leaf.entries.begin() + static_cast<std::ptrdiff_t>(leaf.entries.size() / 2);
  right->entries.assign(std::make_move_iterator(middle),
                        std::make_move_iterator(leaf.entries.end()));
  leaf.entries.erase(middle, leaf.entries.end());
  std::string bound = right->entries.front().name;
  return {std::move(bound), std::move(right)};
}

NameTree::Split NameTree::SplitInner(Node& inner) {
  auto right = std::make_shared<Node>();
  const size_t middle = inner.children.size() / 2;
  const auto child = inner.children.begin() + static_cast<std::ptrdiff_t>(middle);
  const auto bound = inner.bounds.begin() + static_cast<std::ptrdiff_t>(middle) - 1;
  std::string middle_bound = std::move(*bound);
  right->children.assign(std::make_move_iterator(child),
                         std::make_move_iterator(inner.children.end()));
  right->bounds.assign(std::make_move_iterator(bound + 1),
                       std::make_move_iterator(inner.bounds.end()));
  inner.children.erase(child, inner.children.end());
  inner.bounds.erase(bound, inner.bounds.end());
  return {std::move(middle_bound), std::move(right)};
}

void NameTree::Replace(std::string_view name, uint64_t inode, FileType type) {
  std::shared_ptr<Node>* slot = &root_;
  while (true) {
    Node& node = Unique(*slot);
    if (node.is_leaf()) {
      const auto it = Position(node, name);
      it->inode = inode;
      it->type = type;
      return;
    }
    slot = &node.children[ChildIndex(node, name)];
  }
}

bool NameTree::Erase(std::string_view name) {
  if (Find(name) == nullptr) return false;
  EraseBelow(root_, name);
  --size_;
  // The moves keep a node alive while the slot that owned it is overwritten.
  while (root_ != nullptr && root_->children.size() == 1) {
    std::shared_ptr<Node> only = root_->children.front();
    root_ = std::move(only);
  }
  return true;
}

void NameTree::EraseBelow(std::shared_ptr<Node>& slot, std::string_view name) {
  Node& node = Unique(slot);
  if (node.is_leaf()) {
    node.entries.erase(Position(node, name));
    if (node.entries.empty()) slot.reset();
    return;
  }
  const size_t index = ChildIndex(node, name);
  EraseBelow(node.children[index], name);
  if (node.children[index] != nullptr) return;
  const auto offset = static_cast<std::ptrdiff_t>(index);
  node.children.erase(node.children.begin() + offset);
  if (node.children.empty()) {
    slot.reset();
    return;
  }
  const auto bound = static_cast<std::ptrdiff_t>(index == 0 ? 0 : index - 1);
  node.bounds.erase(node.bounds.begin() + bound);
}

// Goes over a tree in order and stands before a subtree, which it can pass over or enter, or before an entry.
class NameTree::Cursor {
 public:
  struct Place {
    const Node* subtree = nullptr;
    const Entry* entry = nullptr;
    unsigned height = 0;   // of the subtree; a leaf has 1
  };

  explicit Cursor(const NameTree& tree) {
    if (tree.root_ == nullptr) return;
    unsigned height = 1;
    for (const Node* node = tree.root_.get(); !node->is_leaf(); node = node->children.front().get()) ++height;
    pending_.push_back({.subtree = tree.root_.get(), .height = height});
  }
  const Place* place() const { return pending_.empty() ? nullptr : &pending_.back(); }
  void Pass() { pending_.pop_back(); }
  void Enter() {
    const Place place = pending_.back();
    pending_.pop_back();
    const Node& node = *place.subtree;
    for (auto entry = node.entries.rbegin(); entry != node.entries.rend(); ++entry) {
      pending_.push_back({.entry = &*entry});
    }
    for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
      pending_.push_back({.subtree = child->get(), .height = place.height - 1});
    }
  }

 private:
  std::vector<Place> pending_;   // the next one last
};

void NameTree::ForEachDifference(const NameTree& before, const NameTree& after, const VisitDifference& visit) {
  if (before.root_ == after.root_) return;
  Cursor old(before);
  Cursor now(after);
  while (old.place() != nullptr || now.place() != nullptr) {
    const Cursor::Place a = old.place() != nullptr ? *old.place() : Cursor::Place{};
    const Cursor::Place b = now.place() != nullptr ? *now.place() : Cursor::Place{};
    if (a.subtree != nullptr && a.subtree == b.subtree) {
      old.Pass();
      now.Pass();
    } else if (a.subtree != nullptr || b.subtree != nullptr) {
      if (a.subtree != nullptr && a.height >= b.height) old.Enter();
      if (b.subtree != nullptr && b.height >= a.height) now.Enter();
    } else {
      const int order = a.entry == nullptr ? 1 : b.entry == nullptr ? -1 : a.entry->name.compare(b.entry->name);
      const bool is_same = order == 0 && a.entry->inode == b.entry->inode && a.entry->type == b.entry->type;
      if (!is_same) visit(order <= 0 ? a.entry : nullptr, order >= 0 ? b.entry : nullptr);
      if (order <= 0) old.Pass();
      if (order >= 0) now.Pass();
    }
  }
}

}  // namespace paddock::vfs
