#include "store/trees/capture.h"

#include <gtest/gtest.h>

#include "store/trees/directory.h"
#include "store/trees/memory_capture.h"
#include "store/trees/random_tree_for_test.h"
#include "store/trees/restore.h"
#include "store/trees/scratch_for_test.h"
#include "store/trees/tree_cache.h"
#include "vfs/view.h"

namespace paddock::trees {
namespace {

using vfs::FileType;
using vfs::MemoryVolume;
using vfs::NewNode;

std::shared_ptr<MemoryVolume> NewVolume() { return std::make_shared<MemoryVolume>(SystemClock(), vfs::Quota{}); }

ObjectId TreeOf(Store& store, vfs::Volume& volume) {
  Session session = store.Begin();
  const auto captured = Capture(session, volume);
  if (!captured) ADD_FAILURE() << captured.error().Text();
  return captured ? captured->tree : ObjectId{};
}

TEST(CaptureTest, RandomTreesComeBackTheSame) {
  const TemporaryDirectory scratch;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random(seed);
    auto store = OpenStore(scratch);
    auto volume = NewVolume();
    Disturb(*volume, random, 150);
    const ObjectId tree = TreeOf(*store, *volume);
    auto restored = RestoreMemory(*store, tree, SystemClock(), {});
    ASSERT_TRUE(restored) << restored.error().Text();
    ASSERT_EQ(Describe(**restored), Describe(*volume)) << "seed " << seed;
    EXPECT_EQ(TreeOf(*store, **restored), tree);
  }
}

TEST(CaptureTest, PathsOfAFileSystemMakeTheSameTreeAsTheVolume) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  for (unsigned seed = 100; seed < 110; ++seed) {
    std::mt19937 random(seed);
    auto volume = NewVolume();
    Disturb(*volume, random, 100);
    vfs::Namespace names(volume);
    vfs::View view(names, SystemClock(), {0, 0}, 022);
    const ObjectId tree = TreeOf(*store, *volume);
    Session session = store->Begin();
    const auto captured = Capture(session, view, "/");
    ASSERT_TRUE(captured) << captured.error().Text();
    EXPECT_EQ(captured->tree, tree) << "seed " << seed;

    auto target = NewVolume();
    vfs::Namespace target_names(target);
    vfs::View target_view(target_names, SystemClock(), {0, 0}, 022);
    const auto restored = Restore(*store, tree, target_view, "/copy");
    ASSERT_TRUE(restored) << restored.error().Text();
    EXPECT_EQ(restored->totals.entries, captured->totals.entries);
    const auto again = Capture(session, target_view, "/copy");
    ASSERT_TRUE(again) << again.error().Text();
    EXPECT_EQ(again->tree, tree) << "seed " << seed;
  }
}

TEST(MemoryCaptureTest, EveryLaterStateIsCapturedAsIfFromScratch) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    auto volume = NewVolume();
    MemoryCapture memory;
    for (int round = 0; round < 16; ++round) {
      Disturb(*volume, random, round == 0 ? 120 : 1 + static_cast<int>(random() % 30));
      Session session = store->Begin();
      const auto captured = memory.Capture(session, *volume);
      ASSERT_TRUE(captured) << captured.error().Text();
      MemoryCapture fresh;
      const auto expected = fresh.Capture(session, *volume);
      ASSERT_TRUE(expected) << expected.error().Text();
      auto restored = RestoreMemory(*store, captured->tree, SystemClock(), {});
      ASSERT_TRUE(restored) << restored.error().Text();
      ASSERT_EQ(Describe(**restored), Describe(*volume)) << "seed " << seed << " round " << round;
      ASSERT_EQ(captured->totals.entries, expected->totals.entries) << "seed " << seed << " round " << round;
      ASSERT_EQ(captured->totals.content_bytes, expected->totals.content_bytes);
      ASSERT_EQ(captured->tree, expected->tree) << "seed " << seed << " round " << round;
    }
  }
}

TEST(MemoryCaptureTest, MovedDirectoriesAndPartsOfRemovedOnesKeepWhatTheyHold) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  auto volume = NewVolume();
  const auto root = volume->root();
  const NewNode directory{.type = FileType::kDirectory, .mode = 0755};
  const auto a = *volume->Create(root, "a", directory);
  const auto b = *volume->Create(a, "b", directory);
  ASSERT_TRUE(volume->CreateFile(b, "file", 0644, "content"));
  MemoryCapture memory;
  Session session = store->Begin();
  ASSERT_TRUE(memory.Capture(session, *volume));
  const auto c = *volume->Create(root, "c", directory);
  ASSERT_TRUE(volume->Rename(a, "b", c, "moved", false));
  ASSERT_TRUE(volume->Remove(root, "a", true));
  ASSERT_TRUE(volume->Rename(root, "c", root, "a", false));
  const auto captured = memory.Capture(session, *volume);
  ASSERT_TRUE(captured) << captured.error().Text();
  auto restored = RestoreMemory(*store, captured->tree, SystemClock(), {});
  EXPECT_EQ(Describe(**restored), Describe(*volume));
  EXPECT_EQ(memory.Capture(session, *volume)->tree, captured->tree);
}

TEST(TreeCacheTest, EveryRestoreIsAVolumeOfItsOwn) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  std::mt19937 random(1);
  auto volume = NewVolume();
  Disturb(*volume, random, 100);
  const ObjectId tree = TreeOf(*store, *volume);
  TreeCache cache(1 << 30);
  for (int i = 0; i < 3; ++i) {
    auto restored = cache.Restore(*store, tree, {});
    ASSERT_TRUE(restored) << restored.error().Text();
    EXPECT_EQ(Describe(**restored), Describe(*volume));
    Disturb(**restored, random, 50);
  }
  EXPECT_EQ(cache.Restore(*store, tree, {.bytes = 10}).error().code, Code::kNoSpace);
  EXPECT_EQ(cache.Restore(*store, tree, {.bytes = 1 << 30, .inodes = 2}).error().code, Code::kNoSpace);
  ASSERT_TRUE(CollectBut(*store, {}, {.grace = Nanoseconds(0), .least_garbage = 0}));
  EXPECT_EQ(cache.Restore(*store, tree, {}).error().code, Code::kNoEntry);
}

TEST(CaptureTest, WhatIsMountedBelowIsNotPartOfTheTree) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  auto volume = NewVolume();
  const auto directory = *volume->Create(volume->root(), "mnt", {.type = FileType::kDirectory, .mode = 0755});
  const ObjectId empty = TreeOf(*store, *volume);
  auto mounted = NewVolume();
  ASSERT_TRUE(mounted->CreateFile(mounted->root(), "inside", 0644, "x"));
  ASSERT_TRUE(mounted->SetAttributes(mounted->root(), {.modify_time = volume->GetAttributes(directory)->modify_time}));
  vfs::Namespace names(volume);
  ASSERT_TRUE(names.Mount("/mnt", mounted));
  vfs::View view(names, SystemClock(), {0, 0}, 022);
  Session session = store->Begin();
  EXPECT_EQ(Capture(session, view, "/")->tree, empty);
  EXPECT_NE(Capture(session, view, "/", {.one_volume = false})->tree, empty);
}

TEST(CaptureTest, LimitsHold) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  auto volume = NewVolume();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(volume->CreateFile(volume->root(), std::to_string(i), 0644, std::string(1000, 'x')));
  Session session = store->Begin();
  EXPECT_TRUE(Capture(session, *volume, {.max_entries = 10, .max_bytes = 10'000}));
  EXPECT_EQ(Capture(session, *volume, {.max_entries = 9}).error().code, Code::kLimit);
  EXPECT_EQ(Capture(session, *volume, {.max_bytes = 9'999}).error().code, Code::kLimit);
}

TEST(CaptureTest, DeepTreesDoNotRunOutOfStack) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  auto volume = NewVolume();
  vfs::NodeId at = volume->root();
  for (int i = 0; i < 20'000; ++i) at = *volume->Create(at, "d", {.type = FileType::kDirectory, .mode = 0755});
  const ObjectId tree = TreeOf(*store, *volume);
  auto restored = RestoreMemory(*store, tree, SystemClock(), {});
  ASSERT_TRUE(restored) << restored.error().Text();
  EXPECT_EQ((*restored)->Space().used_inodes, 20'001u);
}

TEST(CaptureTest, LargeDirectoriesAreCutAndFoundByName) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  Session session = store->Begin();
  DirectoryWriter writer(session);
  std::vector<std::string> names;
  for (int i = 0; i < 50'000; ++i) names.push_back("file" + std::to_string(i));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    Entry entry;
    entry.name = name;
    entry.content.size = name.size();
    ASSERT_TRUE(writer.Add(entry));
  }
  const ObjectId id = *writer.Finish();
  DirectoryReader reader(*store, id);
  for (const std::string& name : names) {
    const auto entry = reader.Next();
    ASSERT_TRUE(entry) << entry.error().Text();
    ASSERT_TRUE(entry->has_value());
    ASSERT_EQ((*entry)->name, name);
  }
  EXPECT_FALSE(reader.Next()->has_value());
  EXPECT_EQ((*FindEntry(*store, id, "file777"))->content.size, 7u);
  EXPECT_FALSE(FindEntry(*store, id, "file")->has_value());
  EXPECT_FALSE(FindEntry(*store, id, "zzz")->has_value());

  // One more file changes few objects.
  const uint64_t before = store->usage().objects;
  DirectoryWriter changed(session);
  for (const std::string& name : names) {
    Entry entry;
    entry.name = name;
    entry.content.size = name == "file25000" ? 1 : name.size();
    ASSERT_TRUE(changed.Add(entry));
  }
  ASSERT_TRUE(changed.Finish());
  EXPECT_LE(store->usage().objects - before, 4u);
}

TEST(CaptureTest, HostileSparseSizesTakeNoRoom) {
  const TemporaryDirectory scratch;
  auto store = OpenStore(scratch);
  auto volume = NewVolume();
  const auto node = *volume->CreateFile(volume->root(), "sparse", 0644, "start");
  const auto file = *volume->Open(node, {.write = true});
  ASSERT_TRUE(file->Seek(int64_t{1} << 30, vfs::Whence::kStart));
  ASSERT_TRUE(file->Write("end"));
  const ObjectId tree = TreeOf(*store, *volume);
  auto restored = RestoreMemory(*store, tree, SystemClock(), {});
  ASSERT_TRUE(restored) << restored.error().Text();
  EXPECT_EQ((*restored)->GetAttributes(*(*restored)->Lookup((*restored)->root(), "sparse"))->size, (1u << 30) + 3);
  EXPECT_EQ((*restored)->GetAttributes(*(*restored)->Lookup((*restored)->root(), "sparse"))->blocks, 16u);
}

}  // namespace
}  // namespace paddock::trees
