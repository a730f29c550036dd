#include "net/shares.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace paddock::net {
namespace {

TEST(SharesTest, NobodyGetsMoreThanTheMostAndOthersTheirs) {
  Shares shares(2, "streams");
  auto first = shares.Take("ann"), second = shares.Take("ann");
  ASSERT_TRUE(first && second);
  const auto third = shares.Take("ann");
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::kLimit);
  EXPECT_NE(third.error().Text().find("2 streams"), std::string::npos) << third.error().Text();
  EXPECT_TRUE(shares.Take("bob"));
  first->reset();
  EXPECT_TRUE(shares.Take("ann"));   // given back at once
  EXPECT_TRUE(shares.Take("ann"));
}

TEST(SharesTest, APlaceMayOutliveThem) {
  auto shares = std::make_optional<Shares>(1, "streams");
  auto place = shares->Take("ann");
  shares.reset();
  place->reset();
}

TEST(SharesTest, ManyThreadsGetNoMoreThanThereAre) {
  Shares shares(3, "requests");
  std::atomic<int> now = 0, most = 0, refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        const auto place = shares.Take("ann");
        if (!place) {
          ++refused;
          continue;
        }
        const int held = ++now;
        for (int seen = most; held > seen && !most.compare_exchange_weak(seen, held);) {}
        --now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, 3);
  const auto all = {shares.Take("ann"), shares.Take("ann"), shares.Take("ann")};   // all were given back
  for (const auto& one : all) EXPECT_TRUE(one);
}

}  // namespace
}  // namespace paddock::net
