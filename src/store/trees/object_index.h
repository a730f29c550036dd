// ObjectIndex: where each object of a store is. Not an interface of the folder.
//
// An open table of 56-byte records, at most three quarters full: about 90 bytes of memory an object.
// Not safe for threads; Store holds a lock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "store/trees/object_id.h"

namespace paddock::trees {

struct ObjectRecord {
  static constexpr uint32_t kPending = UINT32_MAX;  // a block that is still in memory

  ObjectId id;
  uint64_t pack = 0;
  uint32_t block = 0;    // offset in the pack, or kPending
  uint32_t start = 0;    // offset of the body in the block
  uint32_t length = 0;
  uint32_t touched = 0;  // seconds since the store was opened
  ObjectKind kind = ObjectKind::kChunk;
  uint8_t mark = 0;      // of the last collection that found it in use
  bool is_met = false;   // stored or met again since the collection that runs began
  bool is_damaged = false;
  bool is_used = false;  // of the table
};

class ObjectIndex {
 public:
  ObjectRecord* Find(const ObjectId& id) {
    if (slots_.empty()) return nullptr;
    ObjectRecord& slot = slots_[SlotOf(id)];
    return slot.is_used ? &slot : nullptr;
  }
  // Adds, or replaces the record of that id. Pointers to records are void afterwards.
  void Set(ObjectRecord record) {
    if ((count_ + 1) * 4 > slots_.size() * 3) Grow();
    ObjectRecord& slot = slots_[SlotOf(record.id)];
    if (!slot.is_used) ++count_;
    slot = record;
    slot.is_used = true;
  }
  // Takes away every record for which `is_gone` is true.
  void EraseIf(const std::function<bool(const ObjectRecord&)>& is_gone) {
    std::vector<ObjectRecord> old = std::move(slots_);
    slots_.assign(old.size(), {});
    count_ = 0;
    for (const ObjectRecord& record : old) {
      if (record.is_used && !is_gone(record)) Set(record);
    }
  }
  template <class Visit>
  void ForEach(Visit visit) {
    for (ObjectRecord& record : slots_) {
      if (record.is_used) visit(record);
    }
  }
  size_t size() const { return count_; }

 private:
  size_t SlotOf(const ObjectId& id) const {
    const size_t mask = slots_.size() - 1;
    size_t at = ObjectIdHash()(id) & mask;
    while (slots_[at].is_used && slots_[at].id != id) at = (at + 1) & mask;
    return at;
  }
  void Grow() {
    std::vector<ObjectRecord> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, {});
    count_ = 0;
    for (const ObjectRecord& record : old) {
      if (record.is_used) Set(record);
    }
  }

  std::vector<ObjectRecord> slots_;  // a power of two
  size_t count_ = 0;
};

}  // namespace paddock::trees
