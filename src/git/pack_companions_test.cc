#include "git/pack_companions.h"

#include <gtest/gtest.h>

#include "git/big_endian.h"

namespace paddock::git {
namespace {

Oid IdOf(uint8_t first) {
  Oid id;
  id.bytes[0] = first;
  return id;
}

// The words of the compressed bits at `at`, which moves behind them.
BitWords Expand(std::string_view text, size_t& at) {
  const size_t bits = Read32(text, at), count = Read32(text, at + 4);
  const auto word = [&](size_t i) { return uint64_t{Read32(text, at + 8 + i * 8)} << 32 | Read32(text, at + 12 + i * 8); };
  BitWords words;
  size_t marker = 0;
  for (size_t i = 0; i < count;) {
    marker = i;
    const uint64_t head = word(i++);
    words.insert(words.end(), head >> 1 & 0xffffffff, (head & 1) != 0 ? ~uint64_t{0} : 0);
    for (uint64_t literals = head >> 33; literals > 0; --literals) words.push_back(word(i++));
  }
  EXPECT_EQ(Read32(text, at + 8 + count * 8), marker);
  EXPECT_EQ((bits + 63) / 64, words.size());
  at += 8 + count * 8 + 4;
  return words;
}

TEST(BitmapIndexText, BitsComeBackFromRunsAndLiterals) {
  BitWords mixed(5, 0);
  mixed[1] = mixed[2] = ~uint64_t{0};
  mixed[3] = 0x8001;
  mixed[4] = 1;
  const BitWords ones(3, ~uint64_t{0}), one(1, 1);
  const std::string text = BitmapIndexText(std::string(20, 's'), {mixed, ones, one, {}}, {{7, mixed}});
  EXPECT_EQ(Read32(text, 8), 1u);
  size_t at = 32;
  EXPECT_EQ(Expand(text, at), mixed);
  EXPECT_EQ(Expand(text, at), ones);
  EXPECT_EQ(Expand(text, at), one);
  EXPECT_EQ(Expand(text, at), BitWords());
  EXPECT_EQ(Read32(text, at), 7u);
  at += 6;
  EXPECT_EQ(Expand(text, at), mixed);
  EXPECT_EQ(at + 20, text.size());
}

TEST(Mtimes, AreReadForAsManyObjectsAlone) {
  const std::string text = MtimesText({1, 2, 0xffffffff}, std::string(20, 's'));
  EXPECT_EQ(ParseMtimes(text, 3), (std::vector<uint32_t>{1, 2, 0xffffffff}));
  EXPECT_TRUE(ParseMtimes(text, 2).empty());
  EXPECT_TRUE(ParseMtimes("junk", 0).empty());
}

TEST(MultiPackIndex, ComesBackWithLargeOffsets) {
  Budget budget(Limits{}, SystemClock());
  const std::vector<MultiPackEntry> entries = {{IdOf(1), 0, 12}, {IdOf(2), 1, uint64_t{5} << 32}, {IdOf(9), 1, 0x80000000u}};
  const std::string text = MultiPackIndexText({"pack-a.idx", "pack-b.idx"}, entries, budget);
  const auto index = ParseMultiPackIndex(text, budget);
  ASSERT_TRUE(index);
  EXPECT_EQ(index->names, (std::vector<std::string>{"pack-a.idx", "pack-b.idx"}));
  ASSERT_EQ(index->entries.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(index->entries[i].id, entries[i].id);
    EXPECT_EQ(index->entries[i].pack, entries[i].pack);
    EXPECT_EQ(index->entries[i].offset, entries[i].offset);
  }
}

TEST(MultiPackIndex, DamagedOnesAreRefused) {
  Budget budget(Limits{}, SystemClock());
  const std::string text = MultiPackIndexText({"pack-a.idx"}, {{IdOf(1), 0, 12}}, budget);
  for (size_t size = 0; size + 20 < text.size(); ++size) EXPECT_FALSE(ParseMultiPackIndex(text.substr(0, size), budget));
  std::string wrong = text;
  wrong[wrong.size() - 20 - 8 + 3] = 4;   // a pack that is not there
  EXPECT_FALSE(ParseMultiPackIndex(wrong, budget));
}

}  // namespace
}  // namespace paddock::git
