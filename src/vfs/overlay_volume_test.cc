#include "vfs/overlay_volume.h"

#include <gtest/gtest.h>

#include "vfs/random_operations.h"
#include "vfs/test_clock.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

template <class T>
Code Failure(const Result<T>& result) {
  return result.has_value() ? Code::kOk : result.error().code;
}

struct Tree {
  Tree(VolumePtr volume, const Clock& clock)
      : names(std::move(volume)), view(names, clock, {0, 0}, 022) {}
  Namespace names;
  View view;
};

class OverlayTest : public ::testing::Test {
 protected:
  void Prepare() {
    View& view = below.view;
    EXPECT_TRUE(MakeDirectories(view, "/d/sub/deep").has_value());
    EXPECT_TRUE(WriteFile(view, "/f", "lower", 0640).has_value());
    EXPECT_TRUE(WriteFile(view, "/d/g", "lower g").has_value());
    EXPECT_TRUE(WriteFile(view, "/d/sub/h", "lower h").has_value());
    EXPECT_TRUE(view.MakeSymlink("f", "/link").has_value());
    EXPECT_TRUE(view.SetOwner("/f", 5, 6).has_value());
    before = Dump(view, "/");
    clock.Advance(std::chrono::hours(1));
    overlay = MakeOverlayVolume(lower, upper);
    tree = std::make_unique<Tree>(overlay, clock);
  }
  void TearDown() override { EXPECT_EQ(Dump(below.view, "/"), before); }
  std::string ChangesText() {
    std::string text;
    const auto changes = overlay->Changes();
    for (const OverlayChange& change : *changes) {
      text += "AMR"[static_cast<int>(change.kind)] + (" " + change.path + "\n");
    }
    return text;
  }

  TestClock clock;
  std::shared_ptr<MemoryVolume> lower = std::make_shared<MemoryVolume>(clock, Quota{});
  std::shared_ptr<MemoryVolume> upper = std::make_shared<MemoryVolume>(clock, Quota{});
  Tree below{lower, clock};
  std::shared_ptr<OverlayVolume> overlay;
  std::unique_ptr<Tree> tree;
  std::string before;
};

TEST_F(OverlayTest, ShowsTheLowerVolume) {
  Prepare();
  EXPECT_EQ(Dump(tree->view, "/"), before);
  EXPECT_EQ(upper->Space().used_inodes, 1u);
}

TEST_F(OverlayTest, WriteCopiesUpWithOwnerModeAndNumber) {
  Prepare();
  View& view = tree->view;
  const Attributes old = *view.Stat("/f");
  auto file = *view.Open("/f", OpenFlags::Append());
  EXPECT_TRUE(file->Write("!").has_value());
  EXPECT_EQ(*ReadFile(view, "/f"), "lower!");
  const Attributes now = *view.Stat("/f");
  EXPECT_EQ(now.mode, 0640u);
  EXPECT_EQ(now.uid, 5u);
  EXPECT_EQ(now.inode, old.inode);
  EXPECT_EQ(file->GetAttributes()->inode, old.inode);
  EXPECT_EQ(file->GetAttributes()->device, now.device);
  EXPECT_EQ(now.modify_time, clock.now);
  EXPECT_EQ(ChangesText(), "M f\n");
}

TEST_F(OverlayTest, CopyUpKeepsTimes) {
  Prepare();
  View& view = tree->view;
  const Attributes directory = *view.Stat("/d/sub");
  const Attributes file = *view.Stat("/d/sub/h");
  ASSERT_TRUE(view.SetMode("/d/sub/h", 0600).has_value());
  EXPECT_EQ(view.Stat("/d/sub/h")->modify_time, file.modify_time);
  EXPECT_EQ(view.Stat("/d/sub")->modify_time, directory.modify_time);
  EXPECT_EQ(view.Stat("/d/sub")->inode, directory.inode);
  EXPECT_EQ(view.Stat("/d/sub")->links, 3u);
  EXPECT_EQ(ChangesText(), "M d/sub/h\n");
}

TEST_F(OverlayTest, DeletedLowerFileStaysHidden) {
  Prepare();
  View& view = tree->view;
  ASSERT_TRUE(view.RemoveFile("/f").has_value());
  EXPECT_EQ(Failure(view.Stat("/f")), Code::kNoEntry);
  EXPECT_EQ(view.List("/")->size(), 2u);
  EXPECT_EQ(ChangesText(), "R f\n");
  ASSERT_TRUE(WriteFile(view, "/f", "new").has_value());
  EXPECT_EQ(*ReadFile(view, "/f"), "new");
  EXPECT_EQ(ChangesText(), "M f\n");
}

TEST_F(OverlayTest, RemadeDirectoryIsEmpty) {
  Prepare();
  View& view = tree->view;
  EXPECT_EQ(Failure(view.RemoveDirectory("/d")), Code::kNotEmpty);
  for (const char* path : {"/d/g", "/d/sub/h"}) ASSERT_TRUE(view.RemoveFile(path).has_value());
  for (const char* path : {"/d/sub/deep", "/d/sub", "/d"}) {
    ASSERT_TRUE(view.RemoveDirectory(path).has_value());
  }
  ASSERT_TRUE(view.MakeDirectory("/d").has_value());
  EXPECT_TRUE(view.List("/d")->empty());
  ASSERT_TRUE(WriteFile(view, "/d/new", "x").has_value());
  EXPECT_EQ(ChangesText(), "R d/g\nA d/new\nR d/sub\n");
}

TEST_F(OverlayTest, RenamedLowerDirectoryMovesWhole) {
  Prepare();
  View& view = tree->view;
  ASSERT_TRUE(view.ChangeDirectory("/d/sub").has_value());
  ASSERT_TRUE(view.RemoveFile("/d/g").has_value());
  ASSERT_TRUE(view.Rename("/d", "/moved").has_value());
  EXPECT_EQ(*ReadFile(view, "/moved/sub/h"), "lower h");
  EXPECT_EQ(Failure(view.Stat("/d")), Code::kNoEntry);
  EXPECT_EQ(Failure(view.Stat("/moved/g")), Code::kNoEntry);
  // The working directory came along, and what is written there lands in the moved tree.
  EXPECT_EQ(*view.PhysicalCwd(), "/moved/sub");
  ASSERT_TRUE(WriteFile(view, "own", "x").has_value());
  EXPECT_EQ(*ReadFile(view, "/moved/sub/own"), "x");
  EXPECT_EQ(ChangesText(),
            "R d\nA moved\nA moved/sub\nA moved/sub/deep\nA moved/sub/h\nA moved/sub/own\n");
  // A new directory at the old place does not show the old content.
  ASSERT_TRUE(view.MakeDirectory("/d").has_value());
  EXPECT_TRUE(view.List("/d")->empty());
}

TEST_F(OverlayTest, ForkOfUpperIsForkOfOverlay) {
  Prepare();
  ASSERT_TRUE(tree->view.RemoveFile("/f").has_value());
  ASSERT_TRUE(tree->view.Rename("/d", "/e").has_value());
  Tree fork(MakeOverlayVolume(lower, upper->Fork()), clock);
  EXPECT_EQ(Dump(fork.view, "/"), Dump(tree->view, "/"));
  ASSERT_TRUE(WriteFile(fork.view, "/f", "fork").has_value());
  EXPECT_EQ(Failure(tree->view.Stat("/f")), Code::kNoEntry);
}

TEST_F(OverlayTest, FailedCopyUpLeavesNothing) {
  ASSERT_TRUE(WriteFile(below.view, "/big", std::string(100'000, 'x')).has_value());
  Prepare();
  upper->set_quota({.bytes = 50'000});
  EXPECT_EQ(Failure(tree->view.Open("/big", OpenFlags::Append())), Code::kNoSpace);
  EXPECT_EQ(*ReadFile(tree->view, "/big"), std::string(100'000, 'x'));
  EXPECT_EQ(ChangesText(), "");
  // Truncating needs no copy.
  EXPECT_TRUE(WriteFile(tree->view, "/big", "small").has_value());
}

TEST_F(OverlayTest, HolesStayHoles) {
  ASSERT_TRUE(WriteFile(below.view, "/sparse", "x").has_value());
  ASSERT_TRUE(below.view.Truncate("/sparse", 1 << 24).has_value());
  Prepare();
  ASSERT_TRUE(tree->view.SetMode("/sparse", 0600).has_value());
  EXPECT_EQ(tree->view.Stat("/sparse")->size, 1u << 24);
  EXPECT_LT(upper->Space().used_bytes, 200'000u);
}

TEST_F(OverlayTest, LowerHardLinksComeApart) {
  ASSERT_TRUE(WriteFile(below.view, "/one", "x").has_value());
  ASSERT_TRUE(below.view.MakeLink("/one", "/two").has_value());
  Prepare();
  ASSERT_TRUE(WriteFile(tree->view, "/one", "changed").has_value());
  EXPECT_EQ(*ReadFile(tree->view, "/two"), "x");
  EXPECT_NE(tree->view.Stat("/one")->inode, tree->view.Stat("/two")->inode);
}

TEST_F(OverlayTest, MarksCannotBeForged) {
  Prepare();
  EXPECT_EQ(Failure(tree->view.MakeNode("/x", FileType::kCharDevice, 0, uint64_t{1} << 62)),
            Code::kInvalid);
}

// The overlay answers like a plain copy of the lower volume, whatever is done to both.
TEST(OverlayModel, AgreesWithPlainVolume) {
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    TestClock clock;
    auto lower = std::make_shared<MemoryVolume>(clock, Quota{});
    Tree below(lower, clock);
    RandomOperations operations(seed);
    for (int i = 0; i < 300; ++i) {
      // Links within the lower volume come apart, which a plain copy does not do.
      const Operation operation = operations.Next();
      if (operation.kind != Operation::kMakeLink) Perform(below.view, operation);
    }
    const std::string before = Dump(below.view, "/");
    Tree plain(lower->Fork(), clock);
    auto upper = std::make_shared<MemoryVolume>(clock, Quota{});
    auto overlay = std::make_shared<Tree>(MakeOverlayVolume(lower, upper), clock);
    for (int i = 0; i < 1500; ++i) {
      const Operation operation = operations.Next();
      ASSERT_EQ(Perform(overlay->view, operation), Perform(plain.view, operation))
          << "seed " << seed << " step " << i << ": " << Describe(operation);
      if (i % 250 == 0) {
        ASSERT_EQ(Dump(overlay->view, "/"), Dump(plain.view, "/"))
            << "seed " << seed << " step " << i;
        upper = upper->Fork();
        overlay = std::make_shared<Tree>(MakeOverlayVolume(lower, upper), clock);
      }
    }
    ASSERT_EQ(Dump(overlay->view, "/"), Dump(plain.view, "/")) << "seed " << seed;
    ASSERT_EQ(Dump(below.view, "/"), before) << "seed " << seed;
  }
}

}  // namespace
}  // namespace paddock::vfs
