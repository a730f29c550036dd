#include "registry/entry/denial_events.h"

#include <gtest/gtest.h>

#include <vector>

namespace paddock::registry {
namespace {

class DenialEventsTest : public testing::Test {
 protected:
  std::vector<std::pair<std::string, uint64_t>> told_;
  DenialEvents events_{[this](const std::string& text, uint64_t left_out) { told_.emplace_back(text, left_out); }};
  DenialEvents::Clock::time_point now_{std::chrono::hours(1)};
};

TEST_F(DenialEventsTest, SoManyAtOnceThenOneASecondAndTheRestIsCounted) {
  for (uint64_t i = 0; i < DenialEvents::kBurst + 7; ++i) events_.Tell("no", now_);
  EXPECT_EQ(told_.size(), DenialEvents::kBurst);
  EXPECT_TRUE(events_.owes());
  now_ += DenialEvents::kEvery;
  events_.Tell("one", now_);
  events_.Tell("two", now_);
  EXPECT_EQ(told_.back(), (std::pair<std::string, uint64_t>("one", 7)));
  EXPECT_EQ(told_.size(), DenialEvents::kBurst + 1);
}

TEST_F(DenialEventsTest, WhatWasLeftOutIsToldWhenNothingElseComes) {
  for (uint64_t i = 0; i < DenialEvents::kBurst + 7; ++i) events_.Tell("no", now_);
  events_.TellLeftOut(now_);   // no room
  EXPECT_EQ(told_.size(), DenialEvents::kBurst);
  events_.TellLeftOut(now_ + DenialEvents::kEvery);
  EXPECT_EQ(told_.back(), (std::pair<std::string, uint64_t>("7 more denials", 7)));
  EXPECT_FALSE(events_.owes());
  events_.TellLeftOut(now_ + 2 * DenialEvents::kEvery);
  EXPECT_EQ(told_.size(), DenialEvents::kBurst + 1);
}

TEST_F(DenialEventsTest, RoomComesBackOnlyUpToTheBurst) {
  for (uint64_t i = 0; i < DenialEvents::kBurst; ++i) events_.Tell("no", now_);
  now_ += std::chrono::hours(1);
  told_.clear();
  for (uint64_t i = 0; i < 2 * DenialEvents::kBurst; ++i) events_.Tell("no", now_);
  EXPECT_EQ(told_.size(), DenialEvents::kBurst);
}

TEST_F(DenialEventsTest, TextsAreBoundedAndHarmless) {
  events_.Tell(std::string(5000, 'x') + "\x1b", now_);
  events_.Tell("a\nb\x1b[2J", now_);
  EXPECT_LE(told_[0].first.size(), DenialEvents::kMostText);
  EXPECT_EQ(told_[1].first.find('\x1b'), std::string::npos);
  EXPECT_EQ(told_[1].first.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace paddock::registry
