#include "drivers/docker/disk_meter.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

using namespace std::chrono_literals;
constexpr uint64_t kMiB = 1 << 20;

class DiskMeterTest : public testing::Test {
 protected:
  Result<uint64_t> Measure() {
    ++measurements_;
    now_ += cost_;
    if (is_broken_) return Error(Code::kUnavailable, "it is gone");
    return used_;
  }
  void Write(uint64_t bytes) {
    used_ += bytes;
    free_ -= bytes;
  }

  uint64_t used_ = 0, free_ = 10'000 * kMiB;
  bool is_broken_ = false;
  int measurements_ = 0;
  DiskMeter::Clock::time_point now_{1h};
  DiskMeter::Clock::duration cost_ = 5ms;
  DiskMeter meter_{{.limit = 100 * kMiB, .used = [this] { return Measure(); }, .free = [this]() -> Result<uint64_t> { return free_; }, .now = [this] { return now_; }}};
};

TEST_F(DiskMeterTest, BelowTheLimitNothingIsSaid) {
  Write(99 * kMiB);
  EXPECT_FALSE(meter_.Look(0));
  EXPECT_EQ(meter_.last_used(), 99 * kMiB);
}

TEST_F(DiskMeterTest, AboveTheLimitTheExcessNamesIt) {
  EXPECT_FALSE(meter_.Look(0));
  Write(101 * kMiB);
  now_ += 100ms;
  const auto excess = meter_.Look(0);
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->reason, sandbox::Termination::Reason::kDisk);
  EXPECT_EQ(excess->limit, "disk");
  EXPECT_EQ(excess->peak, 101 * kMiB);
}

TEST_F(DiskMeterTest, TheEngineIsAskedWhenMuchWasWrittenOrTimeWentBy) {
  EXPECT_FALSE(meter_.Look(0));
  for (int i = 0; i < 10; ++i) {
    now_ += 100ms;
    EXPECT_FALSE(meter_.Look(0));
  }
  EXPECT_EQ(measurements_, 1) << "nothing was written";
  Write(60 * kMiB);
  now_ += 100ms;
  EXPECT_FALSE(meter_.Look(0));
  EXPECT_EQ(measurements_, 2);
  now_ += 2s;
  EXPECT_FALSE(meter_.Look(0));
  EXPECT_EQ(measurements_, 3);
}

TEST_F(DiskMeterTest, ASlowEngineIsAskedSeldom) {
  cost_ = 1s;
  EXPECT_FALSE(meter_.Look(0));
  now_ += 10s;
  EXPECT_FALSE(meter_.Look(0));
  EXPECT_EQ(measurements_, 1);
  now_ += 10s;
  EXPECT_FALSE(meter_.Look(0));
  EXPECT_EQ(measurements_, 2);
}

TEST_F(DiskMeterTest, WhatCleansUpMayRun) {
  Write(150 * kMiB);
  EXPECT_TRUE(meter_.Look(0));
  Write(20 * kMiB);   // until it was ended
  const uint64_t allowed = meter_.UsedNow();
  EXPECT_EQ(allowed, 170 * kMiB);
  now_ += 3s;
  EXPECT_FALSE(meter_.Look(allowed)) << "it has written nothing";
  Write(1 * kMiB);
  now_ += 3s;
  EXPECT_TRUE(meter_.Look(allowed));
}

TEST_F(DiskMeterTest, AnEngineThatDoesNotTellIsAnExcessInTheEnd) {
  is_broken_ = true;
  EXPECT_FALSE(meter_.Look(0));
  now_ += 30s;
  EXPECT_FALSE(meter_.Look(0));
  now_ += 31s;
  const auto excess = meter_.Look(0);
  ASSERT_TRUE(excess);
  EXPECT_NE(excess->limit.find("it is gone"), std::string::npos);
  is_broken_ = false;
  now_ += 1s;
  EXPECT_FALSE(meter_.Look(0));
}

}  // namespace
}  // namespace paddock::docker
