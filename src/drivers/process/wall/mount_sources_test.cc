#include "drivers/process/wall/mount_sources.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "drivers/process/wall/launch_channel.h"

namespace paddock::process_wall {
namespace {

class MountSourcesTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    driver_.Reset(ends[0]);
    wall_.Reset(ends[1]);
  }

  Descriptor driver_, wall_;
};

TEST_F(MountSourcesTest, StepsThatShowNothingOfTheHostHaveNone) {
  WallPlan plan;
  for (int i = 0; i < 100; ++i) plan.mounts.push_back({.kind = MountStep::Kind::kDirectory, .target = "/x"});
  ASSERT_TRUE(SendSources(driver_.get(), plan, {}));
  const auto sources = ReceiveSources(wall_.get(), plan.mounts.size());
  ASSERT_TRUE(sources) << sources.error().Text();
  ASSERT_EQ(sources->size(), 100u);
  for (const MountSource& source : *sources) EXPECT_FALSE(source.mount || source.upper);
}

TEST_F(MountSourcesTest, WhatDoesNotFitThePlanIsRefused) {
  ASSERT_TRUE(SendBytes(driver_.get(), std::string(3, '\0')));
  EXPECT_FALSE(ReceiveSources(wall_.get(), 2));
  ASSERT_TRUE(SendBytes(driver_.get(), ""));
  EXPECT_FALSE(ReceiveSources(wall_.get(), 2));
}

TEST_F(MountSourcesTest, ADriverThatEndsInBetweenIsAnError) {
  ASSERT_TRUE(SendBytes(driver_.get(), std::string(1, '\1')));   // has a mount
  driver_.Reset();
  EXPECT_FALSE(ReceiveSources(wall_.get(), 2));
}

// Only root may take mounts of the host outside a namespace of its own.
TEST_F(MountSourcesTest, ManyArriveInTheOrderOfTheSteps) {
  if (geteuid() != 0) GTEST_SKIP() << "takes root";
  WallPlan plan;
  for (int i = 0; i < 50; ++i) {
    const bool is_file = i % 3 == 0;
    plan.mounts.push_back({.kind = MountStep::Kind::kBind, .target = "/x", .source = is_file ? "/etc/passwd" : i % 3 == 1 ? "/etc" : "/absent", .optional = true});
  }
  if (const Status sent = SendSources(driver_.get(), plan, [](std::string_view) {}); !sent) GTEST_SKIP() << sent.error().Text();
  const auto sources = ReceiveSources(wall_.get(), plan.mounts.size());
  ASSERT_TRUE(sources) << sources.error().Text();
  ASSERT_EQ(sources->size(), 50u);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(bool((*sources)[i].mount), i % 3 != 2) << i;
    EXPECT_TRUE(!(*sources)[i].mount || (*sources)[i].is_directory == (i % 3 == 1)) << i;
  }
}

}  // namespace
}  // namespace paddock::process_wall
