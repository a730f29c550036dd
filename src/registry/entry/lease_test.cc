#include "registry/entry/lease.h"

#include <gtest/gtest.h>

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

constexpr Time At(Duration since) { return Time(since); }

TEST(Lease, NothingThatBoundsNeverExpires) {
  EXPECT_FALSE(NextExpiry(Lease{}, LeaseClock{.created = At(1h), .extended = At(1h), .last_active = At(1h)}));
}

TEST(Lease, TheEarliestBoundDecides) {
  const Lease lease{.ttl = 60min, .idle_ttl = 10min, .max_lifetime = 24h, .on_expiry = OnExpiry::kStop};
  LeaseClock clock{.created = At(0h), .extended = At(0h), .last_active = At(5min)};
  auto next = NextExpiry(lease, clock);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->at, At(15min));
  EXPECT_EQ(next->cause, Expiry::Cause::kIdle);
  EXPECT_EQ(next->action, OnExpiry::kStop);
  clock.last_active = At(59min);
  EXPECT_EQ(NextExpiry(lease, clock)->cause, Expiry::Cause::kTtl);
}

TEST(Lease, WhatIsBusyIsNotIdle) {
  const Lease lease{.ttl = {}, .idle_ttl = 1min, .max_lifetime = {}, .on_expiry = OnExpiry::kPause};
  LeaseClock clock{.created = At(0h), .extended = At(0h), .last_active = At(0h), .is_busy = true};
  EXPECT_FALSE(NextExpiry(lease, clock));
  clock.is_busy = false;
  EXPECT_EQ(NextExpiry(lease, clock)->at, At(1min));
}

TEST(Lease, ExtendingMovesTtlButNotTheLongestLife) {
  const Lease lease{.ttl = 1h, .idle_ttl = {}, .max_lifetime = 2h, .on_expiry = OnExpiry::kPause};
  LeaseClock clock{.created = At(0h), .extended = At(90min), .last_active = At(90min)};
  const auto next = NextExpiry(lease, clock);
  EXPECT_EQ(next->at, At(2h));
  EXPECT_EQ(next->cause, Expiry::Cause::kMaxLifetime);
  EXPECT_EQ(next->action, OnExpiry::kDelete);
}

TEST(Lease, WhatItsLeasePutToRestIsRemovedLater) {
  const Lease lease{.ttl = {}, .idle_ttl = 10min, .max_lifetime = {}, .on_expiry = OnExpiry::kStop, .remove_after = 20min};
  LeaseClock clock{.created = At(0h), .extended = At(0h), .last_active = At(0h), .is_awake = false};
  EXPECT_FALSE(NextExpiry(lease, clock)) << "somebody stopped it";
  clock.rested = At(10min);
  const auto next = NextExpiry(lease, clock);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->at, At(30min));
  EXPECT_EQ(next->cause, Expiry::Cause::kRemoval);
  EXPECT_EQ(next->action, OnExpiry::kDelete);
  clock.is_awake = true;
  clock.last_active = At(15min);
  EXPECT_EQ(NextExpiry(lease, clock)->cause, Expiry::Cause::kIdle) << "somebody woke it";
  EXPECT_FALSE(CheckLease({.remove_after = 1ms}));
}

TEST(Lease, WhatSleepsExpiresOnlyWhereThatDeletes) {
  Lease lease{.ttl = 1h, .idle_ttl = 1min, .max_lifetime = {}, .on_expiry = OnExpiry::kPause};
  const LeaseClock asleep{.created = At(0h), .extended = At(0h), .last_active = At(0h), .is_awake = false};
  EXPECT_FALSE(NextExpiry(lease, asleep));
  lease.on_expiry = OnExpiry::kDelete;
  EXPECT_EQ(NextExpiry(lease, asleep)->at, At(1min));
}

TEST(Lease, HugeTimesDoNotWrapAround) {
  const Lease lease{.ttl = Duration::max(), .idle_ttl = {}, .max_lifetime = {}, .on_expiry = OnExpiry::kPause};
  EXPECT_EQ(NextExpiry(lease, LeaseClock{.created = At(1h), .extended = At(1h), .last_active = At(1h)})->at, Time::max());
  EXPECT_FALSE(CheckLease(lease));
  EXPECT_FALSE(CheckLease(Lease{.ttl = 0ms, .idle_ttl = {}, .max_lifetime = {}, .on_expiry = OnExpiry::kPause}));
  EXPECT_TRUE(CheckLease(Lease{.ttl = 1s, .idle_ttl = {}, .max_lifetime = {}, .on_expiry = OnExpiry::kPause}));
}

TEST(Lease, ActionsHaveNames) {
  for (const OnExpiry action : {OnExpiry::kPause, OnExpiry::kStop, OnExpiry::kDelete}) EXPECT_EQ(*ParseOnExpiry(OnExpiryName(action)), action);
  EXPECT_EQ(ParseOnExpiry("kill").error().code, Code::kInvalid);
}

}  // namespace
}  // namespace paddock::registry
