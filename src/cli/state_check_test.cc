#include "cli/state_check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace paddock::cli {
namespace {

using sandbox::Check;

class StateCheckTest : public testing::Test {
 protected:
  StateCheckTest() {
    std::string pattern = testing::TempDir() + "state-XXXXXX";
    base_ = mkdtemp(pattern.data()) == nullptr ? "" : pattern;
  }
  ~StateCheckTest() override {
    chmod(base_.c_str(), 0700);
    std::filesystem::remove_all(base_);
  }
  void Make(mode_t mode) {
    std::filesystem::create_directory(base_ + "/paddock");
    chmod((base_ + "/paddock").c_str(), mode);
  }
  Check Look() const { return CheckStateDirectory(base_, geteuid()); }
  std::string base_;
};

TEST_F(StateCheckTest, AnOwnDirectoryWorksAndIsLeftAsItWas) {
  Make(0700);
  const Check check = Look();
  EXPECT_EQ(check.state, Check::State::kWorks);
  EXPECT_EQ(check.detail, base_ + "/paddock (mode 0700)");
  EXPECT_TRUE(std::filesystem::is_empty(base_ + "/paddock"));
}

TEST_F(StateCheckTest, OneThatIsNotThereYetIsFineWhereItCanBeMade) {
  EXPECT_EQ(Look().state, Check::State::kWorks);
  EXPECT_EQ(CheckStateDirectory(base_ + "/a/b", geteuid()).state, Check::State::kWorks);
  EXPECT_TRUE(std::filesystem::is_empty(base_));
  std::ofstream(base_ + "/file") << "x";
  const Check below = CheckStateDirectory(base_ + "/file", geteuid());
  EXPECT_EQ(below.state, Check::State::kLimited);
  EXPECT_NE(below.detail.find("cannot be made"), std::string::npos);
}

TEST_F(StateCheckTest, OthersMustNotWriteThere) {
  Make(0770);
  EXPECT_EQ(Look().state, Check::State::kLimited);
  EXPECT_EQ(Look().remedy, "chmod go-w " + base_ + "/paddock");
}

TEST_F(StateCheckTest, SomebodyElsesIsNamedWithTheRemedy) {
  Make(0700);
  const Check check = CheckStateDirectory(base_, geteuid() + 1);
  EXPECT_EQ(check.state, Check::State::kLimited);
  EXPECT_NE(check.remedy.find("chown -R " + std::to_string(geteuid() + 1)), std::string::npos);
}

TEST_F(StateCheckTest, WhatCannotBeWrittenIsTold) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  Make(0500);
  EXPECT_EQ(Look().state, Check::State::kLimited);
  EXPECT_NE(Look().detail.find("cannot be written"), std::string::npos);
}

TEST_F(StateCheckTest, WithoutAHomeThereIsNone) {
  const Check check = CheckStateDirectory("", geteuid());
  EXPECT_EQ(check.state, Check::State::kLimited);
  EXPECT_NE(check.remedy.find("XDG_STATE_HOME"), std::string::npos);
}

}  // namespace
}  // namespace paddock::cli
