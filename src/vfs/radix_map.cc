#include "vfs/radix_map.h"

#include <algorithm>

namespace paddock::vfs {

bool RadixTree::Node::empty() const {
  return std::all_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot == nullptr; });
}

RadixTree::Node& RadixTree::UniqueNode(Slot& slot) {
  if (slot == nullptr) {
    slot = std::make_shared<Node>();
  } else if (!IsUnique(slot)) {
    slot = std::make_shared<Node>(NodeOf(slot));
  }
  return NodeOf(slot);
}

const RadixTree::Slot* RadixTree::Find(uint64_t key) const {
  if (root_ == nullptr || !Covers(key)) return nullptr;
  const Slot* slot = &root_;
  for (unsigned level = height_; level > 0; --level) {
    slot = &NodeOf(*slot).slots[Digit(key, level)];
    if (*slot == nullptr) return nullptr;
  }
  return slot;
}

RadixTree::Slot& RadixTree::Reach(uint64_t key) {
  while (!Covers(key)) {
    if (root_ != nullptr) {
      auto above = std::make_shared<Node>();
      above->slots[0] = std::move(root_);
      root_ = std::move(above);
    }
    ++height_;
  }
  Slot* slot = &root_;
  for (unsigned level = height_; level > 0; --level) {
    slot = &UniqueNode(*slot).slots[Digit(key, level)];
  }
  return *slot;
}

void RadixTree::EraseBelow(Slot& slot, unsigned level, uint64_t key) {
  if (level == 0) {
    slot.reset();
    return;
  }
  Node& node = UniqueNode(slot);
  EraseBelow(node.slots[Digit(key, level)], level - 1, key);
  if (node.empty()) slot.reset();
}

bool RadixTree::Erase(uint64_t key) {
  if (Find(key) == nullptr) return false;
  EraseBelow(root_, height_, key);
  return true;
}

}  // namespace paddock::vfs
