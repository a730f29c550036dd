#include "git/unpack_state.h"

#include <gtest/gtest.h>

namespace paddock::git {
namespace {

ObjectPtr Blob(size_t size) { return std::make_shared<Object>(ObjectType::kBlob, std::string(size, 'x')); }

TEST(DeltaBases, TheOnesThatWereUsedLastStay) {
  DeltaBases bases(10'000);
  for (uint64_t i = 0; i < 5; ++i) bases.Put(0, i, Blob(1500));
  ASSERT_NE(bases.Find(0, 0), nullptr);
  bases.Put(0, 5, Blob(1500));   // one has to go: 1, which was used least lately
  EXPECT_NE(bases.Find(0, 0), nullptr);
  EXPECT_EQ(bases.Find(0, 1), nullptr);
  EXPECT_NE(bases.Find(0, 2), nullptr);
  EXPECT_NE(bases.Find(0, 5), nullptr);
}

TEST(DeltaBases, PacksDoNotShareOffsets) {
  DeltaBases bases(10'000);
  const uint64_t first = bases.AddPack(), second = bases.AddPack();
  bases.Put(first, 12, Blob(1));
  EXPECT_NE(bases.Find(first, 12), nullptr);
  EXPECT_EQ(bases.Find(second, 12), nullptr);
}

TEST(DeltaBases, LargeOnesAreNotKept) {
  DeltaBases bases(10'000);
  bases.Put(0, 1, Blob(100));
  bases.Put(0, 2, Blob(9'000));
  EXPECT_NE(bases.Find(0, 1), nullptr);
  EXPECT_EQ(bases.Find(0, 2), nullptr);
}

TEST(UnpackState, DecoderGoesOnBehindDamage) {
  Budget budget({}, SystemClock());
  UnpackState state(budget);
  const auto read = [&](const std::string& packed, uint64_t size) {
    return state.streams.Read([&packed](size_t taken) -> Result<std::string_view> { return std::string_view(packed).substr(taken); }, size, true);
  };
  const std::string good = Deflate("hello", budget);
  std::string bad = good;
  bad[3] ^= 0x55;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(read(bad, 5).has_value());
    EXPECT_FALSE(read(good.substr(0, 4), 5).has_value());
    EXPECT_FALSE(read(good, 4).has_value());
    const auto text = read(good + "behind it", 5);
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(text->data, "hello");
    EXPECT_EQ(text->taken, good.size());
  }
}

}  // namespace
}  // namespace paddock::git
