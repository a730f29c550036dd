// PersistentMap: numbers to values, with copies that cost O(1) and share what neither side has
// changed.
//
// A radix tree whose nodes are counted. A node that only one tree holds is changed in place; a
// shared one is copied on the way down, so a change after a copy costs a few nodes and the value
// itself. Copies may live on different threads: what is shared is never written. Empty nodes go
// away at once, so keys that only grow (inode numbers) leave nothing behind.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace paddock::vfs {

// True when `slot` is the only owner, so that what it holds may be changed in place.
template <class T>
bool IsUnique(const std::shared_ptr<T>& slot) {
  if (slot.use_count() != 1) return false;
  // The count was read relaxed; this orders our writes behind the last use by the thread that let
  // go.
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

// The tree without the type of its values.
class RadixTree {
 public:
  using Slot = std::shared_ptr<void>;

  // Null when absent.
  const Slot* Find(uint64_t key) const;
  // The slot of `key`, present or not, on a path that this tree alone holds.
  Slot& Reach(uint64_t key);
  // True if it was present.
  bool Erase(uint64_t key);
  // Erases every key that is at least `first`; calls visit(slot) for each.
  template <class Visit>
  void EraseFrom(uint64_t first, Visit visit) {
    if (root_) EraseFrom(root_, height_, 0, first, visit);
  }
  bool empty() const { return root_ == nullptr; }
  // Calls visit(key, before, after) for every key whose slot differs, ascending; null where absent. Passes over what
  // both share: costs what has changed.
  template <class Visit>
  static void ForEachDifference(const RadixTree& before, const RadixTree& after, Visit visit) {
    Compare(before.root_, before.height_, after.root_, after.height_, 0, visit);
  }

 private:
  static constexpr unsigned kBits = 4;
  static constexpr unsigned kFanOut = 1u << kBits;
  static constexpr unsigned kMaxHeight = 64 / kBits;
  struct Node {
    std::array<Slot, kFanOut> slots;
    bool empty() const;
  };
  static Node& NodeOf(const Slot& slot) { return *static_cast<Node*>(slot.get()); }
  static Node& UniqueNode(Slot& slot);
  bool Covers(uint64_t key) const {
    return height_ >= kMaxHeight || (key >> (kBits * height_)) == 0;
  }
  static unsigned Digit(uint64_t key, unsigned level) {
    return static_cast<unsigned>(key >> (kBits * (level - 1))) & (kFanOut - 1);
  }
  static void EraseBelow(Slot& slot, unsigned level, uint64_t key);

  template <class Visit>
  static void EraseFrom(Slot& slot, unsigned level, uint64_t base, uint64_t first, Visit& visit) {
    if (level == 0) {
      if (base >= first) {
        visit(std::as_const(slot));
        slot.reset();
      }
      return;
    }
    const uint64_t width = uint64_t{1} << (kBits * (level - 1));
    Node& node = UniqueNode(slot);
    for (unsigned digit = 0; digit < kFanOut; ++digit) {
      const uint64_t low = base + digit * width;
      if (node.slots[digit] == nullptr || low + (width - 1) < first) continue;
      EraseFrom(node.slots[digit], level - 1, low, first, visit);
    }
    if (node.empty()) slot.reset();
  }

  // `height` of a slot: 0 for a value, else that of its node. The lower of two trees lies at the other's lowest keys.
  template <class Visit>
  static void Compare(const Slot& before, unsigned before_height, const Slot& after, unsigned after_height,
                      uint64_t base, Visit& visit) {
    static const Slot kAbsent;
    if (before == after) return;
    const unsigned level = std::max(before_height, after_height);
    if (level == 0) {
      visit(base, before == nullptr ? nullptr : &before, after == nullptr ? nullptr : &after);
      return;
    }
    const uint64_t width = uint64_t{1} << (kBits * (level - 1));
    for (unsigned digit = 0; digit < kFanOut; ++digit) {
      const auto below = [&](const Slot& slot, unsigned height) -> const Slot& {
        if (height < level) return digit == 0 ? slot : kAbsent;
        return slot == nullptr ? kAbsent : NodeOf(slot).slots[digit];
      };
      Compare(below(before, before_height), std::min(before_height, level - 1), below(after, after_height),
              std::min(after_height, level - 1), base + digit * width, visit);
    }
  }

  Slot root_;            // a value when height_ is 0, else a Node
  unsigned height_ = 0;  // covers keys below 16^height_
};

template <class T>
class PersistentMap {
 public:
  // Null when absent. Valid until the next change of this map.
  const T* Find(uint64_t key) const {
    const RadixTree::Slot* slot = tree_.Find(key);
    return slot == nullptr ? nullptr : static_cast<const T*>(slot->get());
  }
  // A value that this map alone holds, copied if it was shared; null when absent.
  T* Change(uint64_t key) {
    if (tree_.Find(key) == nullptr) return nullptr;
    RadixTree::Slot& slot = tree_.Reach(key);
    if (!IsUnique(slot)) slot = std::make_shared<T>(*static_cast<const T*>(slot.get()));
    return static_cast<T*>(slot.get());
  }
  void Set(uint64_t key, std::shared_ptr<T> value) { tree_.Reach(key) = std::move(value); }
  // The owner of the value: keeps it, and makes the next Change() copy it.
  std::shared_ptr<const void> Share(uint64_t key) const {
    const RadixTree::Slot* slot = tree_.Find(key);
    return slot == nullptr ? nullptr : *slot;
  }
  bool Erase(uint64_t key) { return tree_.Erase(key); }
  template <class Visit>
  void EraseFrom(uint64_t first, Visit visit) {
    tree_.EraseFrom(first, [&visit](const RadixTree::Slot& slot) {
      visit(*static_cast<const T*>(slot.get()));
    });
  }
  bool empty() const { return tree_.empty(); }
  // As of RadixTree, with pointers to the values.
  template <class Visit>
  static void ForEachDifference(const PersistentMap& before, const PersistentMap& after, Visit visit) {
    const auto value = [](const RadixTree::Slot* slot) {
      return slot == nullptr ? nullptr : static_cast<const T*>(slot->get());
    };
    RadixTree::ForEachDifference(before.tree_, after.tree_,
                                 [&](uint64_t key, const RadixTree::Slot* old, const RadixTree::Slot* now) {
                                   visit(key, value(old), value(now));
                                 });
  }

 private:
  RadixTree tree_;
};

}  // namespace paddock::vfs
