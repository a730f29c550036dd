// The head of an object in a pack. Not an interface of the folder.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "git/object.h"

namespace paddock::git {

inline constexpr size_t kMostEntryHead = 64;   // bytes; git's longest has 10 of size and 20 of a name
inline constexpr uint64_t kMostObject = 1ull << 30;

struct EntryHead {
  int kind = 0;              // 1 to 4 as ObjectType; 6 and 7 are differences
  uint64_t size = 0;         // of what the compressed bytes make
  size_t length = 0;         // of the head itself; the compressed bytes follow
  uint64_t base_offset = 0;  // kind 6
  Oid base_id;               // kind 7

  bool is_difference() const { return kind >= 6; }
};

// Of the object at `offset`, whose first bytes are `bytes`. Errors: kCorrupt.
Result<EntryHead> ReadEntryHead(std::string_view bytes, uint64_t offset);

}  // namespace paddock::git
