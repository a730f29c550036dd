#include "overlay/bases.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/time.h>

#include <ctime>

#include "overlay/scratch_for_test.h"

namespace paddock::overlay {
namespace {

using std::chrono::nanoseconds;

class BasesTest : public testing::Test {
 protected:
  BasesTest() {
    scratch_.MakeDirectory("work");
    auto store = Store::Open(scratch_.path());
    EXPECT_TRUE(store);
    auto overlay = store->Begin(scratch_.At("work"), kDefaultName);
    EXPECT_TRUE(overlay);
    overlay_ = std::make_unique<Overlay>(std::move(*overlay));
    workspace_ = std::move(*overlay_->OpenWorkspace());
  }
  // A run that begins now.
  void Begin() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    ASSERT_TRUE(overlay_->BeginRun("test", {}, std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec)));
    // The file system's clock is behind the other one by up to a tick.
    timespec coarse{};
    do {
      clock_gettime(CLOCK_REALTIME_COARSE, &coarse);
    } while (coarse.tv_sec < now.tv_sec || (coarse.tv_sec == now.tv_sec && coarse.tv_nsec <= now.tv_nsec));
  }
  void Inside(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(overlay_->tree_path() + "/upper/" + name).parent_path());
    std::ofstream(overlay_->tree_path() + "/upper/" + name) << content;
  }
  void Whiteout(const std::string& name) { ASSERT_EQ(mknod((overlay_->tree_path() + "/upper/" + name).c_str(), S_IFCHR, 0), 0); }
  std::string Conflict(const std::string& path) {
    const auto bases = Bases::Load(*overlay_);
    EXPECT_TRUE(bases) << bases.error().Text();
    return bases->ConflictAt(workspace_.get(), path, *FactsAt(workspace_.get(), path));
  }

  Scratch scratch_;
  std::unique_ptr<Overlay> overlay_;
  Descriptor workspace_;
};

TEST_F(BasesTest, WhatTheWorkspaceLeftAloneIsNoConflict) {
  scratch_.Write("work/a", "x");
  scratch_.Write("work/d/f", "x");
  Begin();
  Inside("a", "y");
  Inside("new", "y");
  Whiteout("d");
  ASSERT_TRUE(Settle(*overlay_));
  EXPECT_EQ(Conflict("a"), "");
  EXPECT_EQ(Conflict("new"), "");
  EXPECT_EQ(Conflict("d"), "");
  EXPECT_EQ(Conflict("d/f"), "");
}

TEST_F(BasesTest, WhatChangesAfterwardsIsAConflict) {
  scratch_.Write("work/a", "x");
  scratch_.Write("work/gone", "x");
  scratch_.Write("work/d/f", "x");
  Begin();
  for (const char* name : {"a", "gone", "new"}) Inside(name, "y");
  Whiteout("d");
  ASSERT_TRUE(Settle(*overlay_));
  scratch_.Write("work/a", "edited");
  scratch_.Write("work/new", "also here");
  scratch_.Write("work/d/g", "new below");
  std::filesystem::remove(scratch_.At("work/gone"));
  for (const char* path : {"a", "gone", "new", "d/g"}) EXPECT_NE(Conflict(path), "") << path;
  EXPECT_EQ(Conflict("d/f"), "");
}

TEST_F(BasesTest, ATouchedFileWithTheSameContentIsNoConflict) {
  scratch_.Write("work/a", "x");
  Begin();
  Inside("a", "y");
  ASSERT_TRUE(Settle(*overlay_));
  scratch_.Write("work/a", "x");
  EXPECT_EQ(Conflict("a"), "");
  chmod(scratch_.At("work/a").c_str(), 0600);
  EXPECT_NE(Conflict("a"), "");
}

TEST_F(BasesTest, WhatChangesDuringTheRunIsAConflict) {
  scratch_.Write("work/a", "x");
  Begin();
  Inside("a", "y");
  scratch_.Write("work/a", "edited");
  EXPECT_NE(Conflict("a"), "");   // while it runs, too
  ASSERT_TRUE(Settle(*overlay_));
  EXPECT_NE(Conflict("a"), "");
}

TEST_F(BasesTest, ALaterRunKeepsTheFirstBase) {
  scratch_.Write("work/a", "x");
  Begin();
  Inside("a", "y");
  ASSERT_TRUE(Settle(*overlay_));
  scratch_.Write("work/a", "edited");
  Begin();
  Inside("a", "z");
  ASSERT_TRUE(Settle(*overlay_));
  EXPECT_NE(Conflict("a"), "");
}

TEST_F(BasesTest, AKilledRunIsSettledLater) {
  scratch_.Write("work/a", "x");
  scratch_.Write("work/b", "x");
  Begin();
  Inside("a", "y");
  Inside("b", "y");
  // Nobody settles; the host goes on.
  scratch_.Write("work/b", "edited");
  ASSERT_TRUE(Settle(*overlay_));
  EXPECT_EQ(Conflict("a"), "");
  EXPECT_NE(Conflict("b"), "");
}

TEST_F(BasesTest, NamesOfAnyBytesAreKept) {
  const std::string name = "a b%\n\xff";
  scratch_.Write("work/" + name, "x");
  Begin();
  Inside(name, "y");
  ASSERT_TRUE(Settle(*overlay_));
  EXPECT_EQ(Conflict(name), "");
  scratch_.Write("work/" + name, "edited");
  EXPECT_NE(Conflict(name), "");
}

TEST_F(BasesTest, ADamagedRecordIsAnError) {
  std::ofstream(overlay_->tree_path() + "/../bases") << "f 420 12 sure\n";
  EXPECT_FALSE(Bases::Load(*overlay_));
}

}  // namespace
}  // namespace paddock::overlay
