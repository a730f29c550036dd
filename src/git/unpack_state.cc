#include "git/unpack_state.h"

#include <algorithm>

namespace paddock::git {
namespace {

constexpr uint64_t kMostBaseBytes = 16 << 20;
constexpr uint64_t kBaseOverhead = 200;   // of one, in bytes

}  // namespace

ObjectPtr DeltaBases::Find(uint64_t pack, uint64_t offset) {
  const auto found = places_.find({pack, offset});
  if (found == places_.end()) return nullptr;
  bases_.splice(bases_.begin(), bases_, found->second);
  return found->second->object;
}

void DeltaBases::Put(uint64_t pack, uint64_t offset, ObjectPtr object) {
  const uint64_t size = object->data.size() + kBaseOverhead;
  if (size > most_bytes_ / 4) return;
  const auto [place, is_new] = places_.try_emplace({pack, offset});
  if (!is_new) return;
  bytes_ += size;
  bases_.push_front({place->first, std::move(object)});
  place->second = bases_.begin();
  while (bytes_ > most_bytes_) {
    bytes_ -= bases_.back().object->data.size() + kBaseOverhead;
    places_.erase(bases_.back().key);
    bases_.pop_back();
  }
}

// A small part of what the sandbox may hold.
UnpackState::UnpackState(Budget& budget) : streams(budget), bases(std::min<uint64_t>(kMostBaseBytes, budget.limits().memory_bytes / 32)) {}

}  // namespace paddock::git
