// The files that go with packs beside their indexes: .bitmap, .mtimes and the multi-pack-index.
//
// Source: gitformat-pack(5), "bitmap-format" of git's technical documentation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "git/object.h"

namespace paddock::git {

// Bits by number, the lowest of the first word first.
using BitWords = std::vector<uint64_t>;
inline void SetBit(BitWords& words, size_t number) {
  if (words.size() <= number / 64) words.resize(number / 64 + 1, 0);
  words[number / 64] |= uint64_t{1} << (number % 64);
}
inline bool HasBit(const BitWords& words, size_t number) { return number / 64 < words.size() && (words[number / 64] >> (number % 64) & 1) != 0; }

// What a commit leads to: bits by the place of objects in the pack.
struct ReachBits {
  uint32_t index_number = 0;   // of the commit, by id
  BitWords words;
};
// The file .bitmap. `types`: commits, trees, blobs and tags, by their places; `pack_sum`: 20 bytes.
std::string BitmapIndexText(std::string_view pack_sum, const std::array<BitWords, 4>& types, const std::vector<ReachBits>& commits);

// The file .mtimes: when each object of a cruft pack was last of use, in order of the ids.
std::string MtimesText(const std::vector<uint32_t>& times, std::string_view pack_sum);
// The times in such a file; empty when it is not one for so many objects.
std::vector<uint32_t> ParseMtimes(std::string_view bytes, size_t count);

struct MultiPackEntry {
  Oid id;
  uint32_t pack = 0;
  uint64_t offset = 0;
};
// The file multi-pack-index. `names`: of the packs' indexes ("pack-….idx"), sorted; `entries`: sorted, each id once.
std::string MultiPackIndexText(const std::vector<std::string>& names, const std::vector<MultiPackEntry>& entries, Budget& budget);
// Errors: kCorrupt in git's words.
struct MultiPackIndex {
  std::vector<std::string> names;
  std::vector<MultiPackEntry> entries;
};
Result<MultiPackIndex> ParseMultiPackIndex(std::string_view bytes, Budget& budget);

}  // namespace paddock::git
