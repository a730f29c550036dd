#include "overlay/store.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "overlay/scratch_for_test.h"

namespace paddock::overlay {
namespace {

class StoreTest : public testing::Test {
 protected:
  Store Open() {
    auto store = Store::Open(scratch_.path());
    EXPECT_TRUE(store) << store.error().Text();
    return std::move(*store);
  }
  Scratch scratch_;
  std::string workspace_ = scratch_.MakeDirectory("work");
};

TEST_F(StoreTest, ARunGoesOnInTheSameOverlay) {
  const Store store = Open();
  std::string tree;
  {
    auto first = store.Begin(workspace_, kDefaultName);
    ASSERT_TRUE(first) << first.error().Text();
    tree = first->tree_path();
    EXPECT_TRUE(first->BeginRun("agent", {".x y"}, std::chrono::nanoseconds(7)));
  }
  auto second = store.Begin(workspace_, kDefaultName);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->tree_path(), tree);
  EXPECT_EQ(second->info().policy, "agent");
  EXPECT_EQ(second->info().run_began.count(), 7);
  EXPECT_EQ(second->info().protected_names, std::vector<std::string>{".x y"});
}

TEST_F(StoreTest, TwoRunsDoNotShareAnOverlay) {
  const Store store = Open();
  const auto first = store.Begin(workspace_, kDefaultName);
  ASSERT_TRUE(first);
  const auto second = store.Begin(workspace_, kDefaultName);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kBusy);
  EXPECT_NE(second.error().Text().find(std::to_string(getpid())), std::string::npos) << second.error().Text();
  EXPECT_TRUE(store.Begin(workspace_, "other"));
}

TEST_F(StoreTest, LookingNeedsNoLock) {
  const Store store = Open();
  const auto held = store.Begin(workspace_, kDefaultName);
  ASSERT_TRUE(held);
  const auto seen = store.Find(workspace_, kDefaultName, Store::Access::kLook);
  ASSERT_TRUE(seen && seen->has_value());
  EXPECT_FALSE((*seen)->is_locked());
}

TEST_F(StoreTest, ARemovedOverlayIsGoneWithAllInIt) {
  const Store store = Open();
  auto overlay = store.Begin(workspace_, kDefaultName);
  ASSERT_TRUE(overlay);
  const std::string tree = overlay->tree_path();
  std::filesystem::create_directories(tree + "/upper/shut/inner");
  chmod((tree + "/upper/shut/inner").c_str(), 0);
  chmod((tree + "/upper/shut").c_str(), 0);
  ASSERT_TRUE(store.Remove(std::move(*overlay)));
  EXPECT_FALSE(std::filesystem::exists(tree));
  EXPECT_TRUE(std::filesystem::is_empty(store.path()));
}

TEST_F(StoreTest, ATreeDeeperThanAnyPathCanBeRemoved) {
  const Store store = Open();
  auto overlay = store.Begin(workspace_, kDefaultName);
  ASSERT_TRUE(overlay);
  int at = open((overlay->tree_path() + "/upper").c_str(), O_RDONLY | O_DIRECTORY);
  const std::string name(200, 'n');
  for (int depth = 0; depth < 100; ++depth) {
    ASSERT_EQ(mkdirat(at, name.c_str(), 0700), 0);
    const int next = openat(at, name.c_str(), O_RDONLY | O_DIRECTORY);
    close(at);
    at = next;
  }
  close(at);
  EXPECT_TRUE(store.Remove(std::move(*overlay)));
  EXPECT_TRUE(std::filesystem::is_empty(store.path()));
}

TEST_F(StoreTest, AWorkspaceThatHoldsTheStoreIsRefused) {
  const Store store = Open();
  const auto overlay = store.Begin(scratch_.path(), kDefaultName);
  ASSERT_FALSE(overlay);
  EXPECT_EQ(overlay.error().code, Code::kInvalid);
}

TEST_F(StoreTest, AnotherDirectoryInTheWorkspacesPlaceIsRefused) {
  const Store store = Open();
  { ASSERT_TRUE(store.Begin(workspace_, kDefaultName)); }
  std::filesystem::rename(workspace_, scratch_.At("moved"));
  std::filesystem::create_directories(workspace_);
  const auto overlay = store.Begin(workspace_, kDefaultName);
  ASSERT_FALSE(overlay);
  EXPECT_EQ(overlay.error().code, Code::kInvalid);
}

TEST_F(StoreTest, AStoreThatOthersCanWriteToIsRefused) {
  { Open(); }
  chmod(scratch_.At("paddock/overlays").c_str(), 0777);
  EXPECT_FALSE(Store::Open(scratch_.path()));
}

TEST_F(StoreTest, NamesAreShortAndPlain) {
  EXPECT_TRUE(CheckName("try-2.b_C"));
  for (const char* name : {"", ".x", "a/b", "a b", "ä"}) EXPECT_FALSE(CheckName(name)) << name;
  EXPECT_FALSE(CheckName(std::string(65, 'x')));
}

TEST_F(StoreTest, ADamagedRecordIsAnErrorNotAnEmptyOverlay) {
  const Store store = Open();
  std::string tree;
  {
    const auto overlay = store.Begin(workspace_, kDefaultName);
    ASSERT_TRUE(overlay);
    tree = overlay->tree_path();
  }
  std::ofstream(tree + "/../about") << "paddock-overlay 1\nworkspace %4\n";
  EXPECT_FALSE(store.Find(workspace_, kDefaultName, Store::Access::kLook));
}

}  // namespace
}  // namespace paddock::overlay
