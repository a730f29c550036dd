#include "drivers/process/cgroup_trees.h"

#include <gtest/gtest.h>
#include <sys/xattr.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace paddock::process_wall {
namespace {

namespace fs = std::filesystem;

// Plain directories with the files of cgroup v2: they show what is chosen and written. What the kernel makes of it was tried on
// Debian 12 (docs/process-wall.md). A switch that is a directory stands for the kernel's refusal.
class CgroupTreesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/var/tmp/paddock-groups-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    top_ = pattern;
  }
  void TearDown() override { fs::remove_all(top_); }

  std::string Add(const std::string& below, const std::string& controllers, bool has_processes) {
    const std::string group = top_ + below;
    fs::create_directories(group);
    std::ofstream(group + "/cgroup.controllers") << controllers << '\n';
    std::ofstream(group + "/cgroup.procs") << "";
    if (has_processes) fs::create_directory(group + "/cgroup.subtree_control");
    else std::ofstream(group + "/cgroup.subtree_control") << "";
    return group;
  }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string top_;
};

TEST_F(CgroupTreesTest, TheOwnGroupWhereItGivesControllers) {
  Add("", "cpu io memory pids", false);
  const std::string own = Add("/service", "cpu memory pids", false);
  EXPECT_EQ(SettleInTree(top_, own), own);
  EXPECT_EQ(Read(own + "/cgroup.subtree_control"), "+memory +pids +cpu");
  EXPECT_EQ(Read(top_ + "/cgroup.subtree_control"), "");
}

TEST_F(CgroupTreesTest, TheSliceAboveAGroupWithProcesses) {
  Add("", "cpu io memory pids", false);
  const std::string slice = Add("/user.slice", "memory pids", false);
  const std::string own = Add("/user.slice/session-1.scope", "memory pids", true);
  EXPECT_EQ(SettleInTree(top_, own), slice);
  EXPECT_EQ(Read(slice + "/cgroup.subtree_control"), "+memory +pids");
  EXPECT_FALSE(fs::exists(own + "/paddock-members"));
}

TEST_F(CgroupTreesTest, NotBelowAGroupWithoutMemoryAndPids) {
  Add("", "cpu memory pids", false);
  Add("/odd.slice", "cpu", false);
  EXPECT_EQ(SettleInTree(top_, Add("/odd.slice/own", "cpu", false)), top_);
}

TEST_F(CgroupTreesTest, MembersOfADelegatedGroupMoveDown) {
  Add("", "memory pids", false);
  const std::string own = Add("/delegated.scope", "memory pids", true);
  if (setxattr(own.c_str(), "user.delegate", "1", 1, 0) != 0) GTEST_SKIP() << "no user attributes below /var/tmp";
  std::ofstream(own + "/cgroup.procs") << "17\n";
  fs::create_directory(own + "/paddock-members");
  std::ofstream(own + "/paddock-members/cgroup.procs") << "";
  SettleInTree(top_, own);
  EXPECT_EQ(Read(own + "/paddock-members/cgroup.procs"), "17");
}

TEST_F(CgroupTreesTest, NothingIsDoneWhereV1HasTheControllers) {
  Add("", "", false);
  const std::string own = Add("/session", "", true);
  EXPECT_EQ(SettleInTree(top_, own), own);
  EXPECT_EQ(Read(top_ + "/cgroup.subtree_control"), "");
  EXPECT_FALSE(fs::exists(own + "/paddock-members"));
}

}  // namespace
}  // namespace paddock::process_wall
