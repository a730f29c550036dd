#include "api/rest/files/unpack.h"

#include <gtest/gtest.h>

#include "store/trees/tar_header.h"
#include "vfs/memory_volume.h"
#include "vfs/view.h"

namespace paddock::api {
namespace {

using trees::TarEntry;
using vfs::FileType;

class UnpackTest : public testing::Test {
 protected:
  UnpackTest() {
    EXPECT_TRUE(view_.MakeDirectory("/in"));
    EXPECT_TRUE(vfs::WriteFile(view_, "/outside", "safe"));
  }
  void Add(TarEntry entry, std::string_view content = {}) {
    entry.size = content.size();
    entry.mode = entry.mode == 0 ? 0644 : entry.mode;
    archive_ += trees::EncodeTarHeader(entry);
    archive_ += content;
    archive_.resize((archive_.size() + 511) / 512 * 512);
  }
  Result<Unpacked> Run(const UnpackLimits& limits = {}) {
    StringSource source(archive_);
    auto done = Unpack(source, view_, "/in", limits);
    EXPECT_EQ(*vfs::ReadFile(view_, "/outside"), "safe");
    return done;
  }

  vfs::Namespace names_{std::make_shared<vfs::MemoryVolume>(SystemClock(), vfs::Quota{})};
  vfs::View view_{names_, SystemClock(), vfs::Credentials{0, 0}, 022};
  std::string archive_;
};

TEST_F(UnpackTest, FilesDirectoriesAndLinksAreMade) {
  Add({.path = "./", .type = FileType::kDirectory, .mode = 0755});
  Add({.path = "a/", .type = FileType::kDirectory, .mode = 0555, .modify_time = std::chrono::seconds(5)});
  Add({.path = "a/f", .mode = 06755, .modify_time = std::chrono::seconds(7)}, "text");
  Add({.path = "a/l", .type = FileType::kSymlink, .target = "/outside"});
  Add({.path = "a/h", .is_hard_link = true, .target = "a/f"});
  Add({.path = "/deep/er/g"}, "g");
  Add({.path = "null", .type = FileType::kCharDevice, .special = 0x103});
  const auto done = Run();
  ASSERT_TRUE(done) << done.error().Text();
  EXPECT_EQ(done->files, 2u);
  EXPECT_EQ(done->links, 2u);
  EXPECT_EQ(done->skipped, 1u);
  EXPECT_EQ(*vfs::ReadFile(view_, "/in/a/h"), "text");
  EXPECT_EQ(view_.Stat("/in/a/f")->mode, 0755u);
  EXPECT_EQ(view_.Stat("/in/a/f")->modify_time, std::chrono::seconds(7));
  EXPECT_EQ(view_.Stat("/in/a")->mode, 0555u);
  EXPECT_EQ(view_.Stat("/in/a")->modify_time, std::chrono::seconds(5));
  EXPECT_EQ(*view_.ReadLink("/in/a/l"), "/outside");
  EXPECT_EQ(*vfs::ReadFile(view_, "/in/deep/er/g"), "g");
}

TEST_F(UnpackTest, NothingLandsOutside) {
  for (const char* path : {"../outside", "a/../../outside", "/../outside", ".."}) {
    archive_.clear();
    Add({.path = path}, "bad");
    EXPECT_EQ(Run().error().code, Code::kInvalid) << path;
  }
  archive_.clear();
  Add({.path = "link", .type = FileType::kSymlink, .target = "/"});
  Add({.path = "link/outside"}, "bad");
  EXPECT_EQ(Run().error().code, Code::kInvalid);
  archive_.clear();
  Add({.path = "link", .is_hard_link = true, .target = "../outside"});
  EXPECT_EQ(Run().error().code, Code::kInvalid);
  archive_.clear();
  Add({.path = "s", .type = FileType::kSymlink, .target = "/"});
  Add({.path = "h", .is_hard_link = true, .target = "s/outside"});
  EXPECT_EQ(Run().error().code, Code::kInvalid);
}

// What is written through must be replaced, not followed.
TEST_F(UnpackTest, LinksThatStandThereAreReplaced) {
  ASSERT_TRUE(view_.MakeSymlink("/outside", "/in/f"));
  ASSERT_TRUE(view_.MakeLink("/outside", "/in/g"));
  ASSERT_TRUE(view_.MakeSymlink("/", "/in/d"));
  Add({.path = "f"}, "new");
  Add({.path = "g"}, "new");
  Add({.path = "d/", .type = FileType::kDirectory, .mode = 0755});
  Add({.path = "d/outside"}, "new");
  ASSERT_TRUE(Run());
  EXPECT_EQ(*vfs::ReadFile(view_, "/in/f"), "new");
  EXPECT_EQ(*vfs::ReadFile(view_, "/in/d/outside"), "new");
}

TEST_F(UnpackTest, AFileDoesNotReplaceADirectory) {
  ASSERT_TRUE(view_.MakeDirectory("/in/d"));
  Add({.path = "d"}, "new");
  EXPECT_EQ(Run().error().code, Code::kIsDirectory);
}

TEST_F(UnpackTest, BoundsAreKept) {
  Add({.path = "a"}, "0123456789");
  Add({.path = "b"}, "0123456789");
  EXPECT_EQ(Run({.bytes = 15}).error().code, Code::kLimit);
  EXPECT_EQ(Run({.entries = 1}).error().code, Code::kLimit);
  EXPECT_TRUE(Run({.bytes = 20, .entries = 2}));
  archive_.clear();
  std::string deep;
  for (int i = 0; i < 101; ++i) deep += "d/";
  Add({.path = deep + "f"}, "x");
  EXPECT_EQ(Run().error().code, Code::kLimit);
  archive_ = std::string(10'000, 'x');
  EXPECT_FALSE(Run());
}

TEST_F(UnpackTest, AFileThatFailsIsGoneOrAsItWasWithADraft) {
  ASSERT_TRUE(vfs::WriteFile(view_, "/in/a", "old"));
  Add({.path = "a"}, std::string(2000, 'x'));
  archive_.resize(1000);
  EXPECT_FALSE(Run({.draft = ".draft"}));
  EXPECT_EQ(*vfs::ReadFile(view_, "/in/a"), "old");
  EXPECT_EQ(view_.List("/in")->size(), 1u);
  EXPECT_FALSE(Run());
  EXPECT_EQ(view_.List("/in")->size(), 0u);
}

TEST_F(UnpackTest, ADraftReplacesFilesAndLinksAndNoDirectory) {
  ASSERT_TRUE(view_.MakeSymlink("/outside", "/in/f"));
  ASSERT_TRUE(view_.MakeDirectory("/in/d"));
  Add({.path = "f", .mode = 0777}, "new");
  ASSERT_TRUE(Run({.mode_mask = 0750, .draft = ".draft"}));
  EXPECT_EQ(*vfs::ReadFile(view_, "/in/f"), "new");
  EXPECT_EQ(view_.Stat("/in/f", vfs::Follow::kNo)->mode, 0750u);
  archive_.clear();
  Add({.path = "d"}, "new");
  EXPECT_EQ(Run({.draft = ".draft"}).error().code, Code::kIsDirectory);
}

TEST_F(UnpackTest, ZerosBecomeHolesAndAreReadAsZeros) {
  for (const size_t size : {1ul, 4096ul, 10'000ul, 300'000ul}) {
    for (const size_t at : {0ul, size / 2, size - 1}) {
      std::string content(size, '\0');
      content[at] = 'x';
      archive_.clear();
      Add({.path = "f"}, content);
      Add({.path = "zeros"}, std::string(size, '\0'));
      ASSERT_TRUE(Run());
      EXPECT_EQ(*vfs::ReadFile(view_, "/in/f"), content);
      EXPECT_EQ(*vfs::ReadFile(view_, "/in/zeros"), std::string(size, '\0'));
    }
  }
}

}  // namespace
}  // namespace paddock::api
