#include "overlay/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "overlay/scratch_for_test.h"

namespace paddock::overlay {
namespace {

class BeneathTest : public testing::Test {
 protected:
  Scratch scratch_;
  Descriptor top_{open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
};

TEST_F(BeneathTest, LinksAreNeverFollowed) {
  scratch_.Write("real/file", "x");
  std::filesystem::create_symlink("real", scratch_.At("link"));
  std::filesystem::create_symlink("/etc/passwd", scratch_.At("out"));
  EXPECT_FALSE(OpenBeneath(top_.get(), "link/file", O_RDONLY));
  EXPECT_FALSE(OpenBeneath(top_.get(), "out", O_RDONLY));
  EXPECT_FALSE(OpenBeneath(top_.get(), "../x", O_RDONLY));
  const auto facts = FactsAt(top_.get(), "out");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->type, FileFacts::Type::kSymlink);
  const auto behind = FactsAt(top_.get(), "link/file");
  ASSERT_TRUE(behind);
  EXPECT_FALSE(behind->exists());
}

TEST_F(BeneathTest, ADirectoryThatIsNoneHasNoNames) {
  scratch_.Write("file", "x");
  EXPECT_FALSE(NamesIn(top_.get(), "file", 10));
}

TEST_F(BeneathTest, TooManyNamesAreAnError) {
  for (int i = 0; i < 5; ++i) scratch_.Write("d/" + std::to_string(i), "");
  EXPECT_TRUE(NamesIn(top_.get(), "d", 5));
  const auto names = NamesIn(top_.get(), "d", 4);
  ASSERT_FALSE(names);
  EXPECT_EQ(names.error().code, Code::kLimit);
}

TEST_F(BeneathTest, NamesThatCouldMisleadAreShownQuoted) {
  EXPECT_EQ(Shown("src/näme.cc"), "src/näme.cc");
  EXPECT_EQ(Shown("a\nb"), "\"a\\nb\"");
  EXPECT_EQ(Shown("a\x1b[2J"), "\"a\\033[2J\"");
  EXPECT_EQ(Shown("say \"x\""), "\"say \\\"x\\\"\"");
  EXPECT_EQ(Shown("\xff"), "\"\\377\"");
  EXPECT_EQ(Shown("txt\xe2\x80\xaegpj.exe"), "\"txt\\342\\200\\256gpj.exe\"");
}

}  // namespace
}  // namespace paddock::overlay
