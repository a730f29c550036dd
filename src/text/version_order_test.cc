#include "text/version_order.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

TEST(VersionOrder, NumbersCountAsNumbers) {
  EXPECT_LT(CompareVersionNames("a2", "a10"), 0);
  EXPECT_LT(CompareVersionNames("1.9", "1.10"), 0);
  EXPECT_EQ(CompareVersionNames("a0", "a00"), 0);
}

TEST(VersionOrder, HiddenNamesComeFirst) {
  EXPECT_LT(CompareVersionNames("", "."), 0);
  EXPECT_LT(CompareVersionNames(".", ".."), 0);
  EXPECT_LT(CompareVersionNames("..", ".a"), 0);
  EXPECT_LT(CompareVersionNames(".z", "a"), 0);
}

TEST(VersionOrder, SuffixCountsLast) {
  EXPECT_LT(CompareVersionNames("a-1.tar.gz", "a-1.0.tar.gz"), 0);
  EXPECT_GT(CompareVersionNames("a.c", "a.c~"), 0);
  EXPECT_LT(CompareVersionNames("1.0~rc1", "1.0"), 0);
}

}  // namespace
}  // namespace paddock
