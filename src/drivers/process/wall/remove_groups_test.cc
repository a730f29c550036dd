#include "drivers/process/wall/remove_groups.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace paddock::process_wall {
namespace {

namespace fs = std::filesystem;

class RemoveGroupsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/paddock-groups-XXXXXX";
    base_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(base_); }
  void Make(const std::string& name, bool is_old) {
    fs::create_directory(base_ + "/" + name);
    const timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 0}, {.tv_sec = 1000, .tv_nsec = 0}};
    if (is_old) {
      ASSERT_EQ(utimensat(AT_FDCWD, (base_ + "/" + name).c_str(), times, 0), 0);
    }
  }
  bool Has(const std::string& name) const { return fs::exists(base_ + "/" + name); }

  std::string base_;
  const WipedPages buffer_{1024};
};

TEST_F(RemoveGroupsTest, OldEmptyOnesOfOursGoAndNothingElse) {
  for (int i = 0; i < 120; ++i) Make("paddock-" + std::to_string(i), true);   // more than one read of the buffer
  Make("paddock-new", false);
  Make("paddock-used", false);
  Make("paddock-used/below", false);
  Make("paddock-used", true);
  Make("other", true);
  RemoveOrphanGroups(base_ + "/paddock-own", buffer_);
  EXPECT_FALSE(Has("paddock-0"));
  EXPECT_FALSE(Has("paddock-119"));
  EXPECT_TRUE(Has("paddock-new"));
  EXPECT_TRUE(Has("paddock-used"));
  EXPECT_TRUE(Has("other"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base_), {}), 3);
}

TEST_F(RemoveGroupsTest, APlaceThatIsNotThereIsLeftAlone) {
  RemoveOrphanGroups(base_ + "/absent/paddock-own", buffer_);
  RemoveGroups({base_ + "/absent"});
  EXPECT_TRUE(fs::exists(base_));
}

}  // namespace
}  // namespace paddock::process_wall
