#include "overlay/usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "overlay/scratch_for_test.h"

namespace paddock::overlay {
namespace {

class UsageTest : public testing::Test {
 protected:
  TreeUsage Measure(uint64_t enough = 1ull << 40) {
    const Descriptor top(open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return MeasureTree(top.get(), enough);
  }
  Scratch scratch_;
};

TEST_F(UsageTest, FilesCountAtAnyDepth) {
  scratch_.Write("a/b/c/file", std::string(1 << 20, 'x'));
  EXPECT_GE(Measure().bytes, 1u << 20);
  EXPECT_LT(Measure().bytes, 2u << 20);
  EXPECT_TRUE(Measure().is_complete);
}

TEST_F(UsageTest, EmptyFilesAreNotFree) {
  for (int i = 0; i < 100; ++i) scratch_.Write("d/" + std::to_string(i), "");
  EXPECT_GE(Measure().bytes, 100 * kBytesPerEntry);
}

TEST_F(UsageTest, NamesOfOneFileShareItsBlocks) {
  scratch_.Write("a", std::string(1 << 20, 'x'));
  for (int i = 0; i < 9; ++i) std::filesystem::create_hard_link(scratch_.At("a"), scratch_.At("l" + std::to_string(i)));
  EXPECT_LT(Measure().bytes, 2u << 20);
  EXPECT_GE(Measure().bytes, 1u << 20);
}

TEST_F(UsageTest, HolesTakeNoRoom) {
  scratch_.Write("a", "x");
  std::filesystem::resize_file(scratch_.At("a"), 1ull << 36);
  EXPECT_LT(Measure().bytes, 1u << 20);
}

TEST_F(UsageTest, LinksAreNotFollowed) {
  std::filesystem::create_directory_symlink("/usr", scratch_.At("usr"));
  EXPECT_LT(Measure().bytes, 1u << 16);
}

TEST_F(UsageTest, ADirectoryThatIsShutIsToldOf) {
  if (geteuid() == 0) GTEST_SKIP() << "root looks into every directory";
  scratch_.Write("shut/file", std::string(1 << 20, 'x'));
  chmod(scratch_.At("shut").c_str(), 0);
  EXPECT_FALSE(Measure().is_complete);
  chmod(scratch_.At("shut").c_str(), 0700);
}

TEST_F(UsageTest, MeasuringStopsWhenThereIsEnough) {
  for (int i = 0; i < 50; ++i) scratch_.Write("d" + std::to_string(i) + "/f", std::string(100'000, 'x'));
  EXPECT_LT(Measure(200'000).bytes, 500'000u);
}

}  // namespace
}  // namespace paddock::overlay
