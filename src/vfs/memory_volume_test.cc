#include "vfs/memory_volume.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/memory_meter.h"
#include "vfs/test_clock.h"

namespace paddock::vfs {
namespace {

NewNode Of(FileType type) {
  NewNode node;
  node.type = type;
  return node;
}

class MemoryVolumeTest : public ::testing::Test {
 protected:
  NodeId Make(std::string_view name, FileType type = FileType::kFile, NodeId in = 0) {
    return *volume.Create(in == 0 ? volume.root() : in, name, Of(type));
  }
  void Put(NodeId node, std::string_view text) {
    EXPECT_TRUE((*volume.Open(node, {.write = true}))->Write(text).has_value());
  }
  static std::string Get(Volume& from, NodeId node) {
    auto file = *from.Open(node, OpenFlags::Read());
    std::string all;
    for (auto block = file->ReadBlock(1 << 20); !block->bytes.empty();
         block = file->ReadBlock(1 << 20)) {
      all += block->bytes;
    }
    return all;
  }

  TestClock clock;
  MemoryVolume volume{clock, {}};
};

TEST_F(MemoryVolumeTest, DirectoryLinkCountIsTwoPlusSubdirectories) {
  const NodeId a = Make("a", FileType::kDirectory);
  Make("b", FileType::kDirectory, a);
  Make("f", FileType::kFile, a);
  EXPECT_EQ(volume.GetAttributes(a)->links, 3u);
  ASSERT_TRUE(volume.Remove(a, "b", true).has_value());
  EXPECT_EQ(volume.GetAttributes(a)->links, 2u);
  EXPECT_EQ(volume.GetAttributes(a)->size, 4096u);
}

TEST_F(MemoryVolumeTest, HardLinkedFileLivesUntilLastNameAndLastOpen) {
  const NodeId f = Make("f");
  ASSERT_TRUE(volume.Link(volume.root(), "g", f).has_value());
  EXPECT_EQ(volume.GetAttributes(f)->links, 2u);
  Put(f, "text");
  ASSERT_TRUE(volume.Remove(volume.root(), "f", false).has_value());
  auto file = *volume.Open(f, {.read = true, .write = true});
  ASSERT_TRUE(volume.Remove(volume.root(), "g", false).has_value());
  EXPECT_EQ(file->GetAttributes()->links, 0u);
  EXPECT_EQ(file->ReadBlock(10)->bytes, "text");
  EXPECT_EQ(volume.Space().used_inodes, 2u);
  file.reset();
  EXPECT_EQ(volume.Space().used_inodes, 1u);
  EXPECT_EQ(volume.Space().used_bytes, 0u);
  EXPECT_EQ(volume.GetAttributes(f).error().code, Code::kNoEntry);
}

TEST_F(MemoryVolumeTest, ForkDropsFilesThatOnlyTheOriginalHasOpen) {
  const NodeId f = Make("f");
  auto file = *volume.Open(f, {.write = true});
  ASSERT_TRUE(file->Write("text").has_value());
  ASSERT_TRUE(volume.Remove(volume.root(), "f", false).has_value());
  const auto fork = volume.Fork();
  EXPECT_EQ(fork->Space().used_inodes, 1u);
  EXPECT_EQ(fork->Space().used_bytes, 0u);
}

TEST_F(MemoryVolumeTest, RenameFollowsRename2) {
  const NodeId root = volume.root();
  const NodeId a = Make("a", FileType::kDirectory);
  const NodeId b = Make("b", FileType::kDirectory, a);
  Make("f");
  EXPECT_EQ(volume.Rename(root, "a", b, "c", false).error().code, Code::kInvalid);
  EXPECT_EQ(volume.Rename(root, "a", a, "c", false).error().code, Code::kInvalid);
  EXPECT_EQ(volume.Rename(root, "f", root, "a", false).error().code, Code::kIsDirectory);
  EXPECT_EQ(volume.Rename(root, "a", root, "f", false).error().code, Code::kNotDirectory);
  EXPECT_EQ(volume.Rename(root, "nx", root, "f", false).error().code, Code::kNoEntry);
  EXPECT_EQ(volume.Rename(root, "f", root, "a", true).error().code, Code::kExists);
  const NodeId d = Make("d", FileType::kDirectory);
  EXPECT_EQ(volume.Rename(root, "d", root, "a", false).error().code, Code::kNotEmpty);
  EXPECT_TRUE(volume.Rename(root, "d", a, "b", false).has_value());
  EXPECT_EQ(*volume.Lookup(a, "b"), d);
  EXPECT_EQ(*volume.Parent(d), a);
  EXPECT_EQ(*volume.Name(d), "b");
  EXPECT_EQ(volume.GetAttributes(a)->links, 3u);
  EXPECT_EQ(volume.GetAttributes(root)->links, 3u);
  EXPECT_EQ(volume.GetAttributes(b).error().code, Code::kNoEntry);
}

TEST_F(MemoryVolumeTest, RenameOntoOwnLinkDoesNothing) {
  const NodeId f = Make("f");
  ASSERT_TRUE(volume.Link(volume.root(), "g", f).has_value());
  EXPECT_TRUE(volume.Rename(volume.root(), "f", volume.root(), "g", false).has_value());
  EXPECT_EQ(volume.List(volume.root())->size(), 2u);
}

TEST_F(MemoryVolumeTest, ForksChangeOnTheirOwn) {
  const NodeId d = Make("d", FileType::kDirectory);
  const NodeId f = Make("f", FileType::kFile, d);
  Put(f, std::string(200'000, 'a'));
  const auto fork = volume.Fork();
  ASSERT_TRUE((*fork->Open(f, {.write = true, .append = true}))->Write("b").has_value());
  ASSERT_TRUE(fork->Create(d, "only", Of(FileType::kFile)).has_value());
  ASSERT_TRUE(volume.Remove(d, "f", false).has_value());
  EXPECT_EQ(Get(*fork, f), std::string(200'000, 'a') + "b");
  EXPECT_EQ(fork->List(d)->size(), 2u);
  EXPECT_EQ(volume.List(d)->size(), 0u);
}

TEST_F(MemoryVolumeTest, IdleForkIsSmall) {
  for (int i = 0; i < 300; ++i) Put(Make(std::to_string(i)), "some content of this file");
  std::vector<std::shared_ptr<MemoryVolume>> forks(100'000);
  const int64_t before = MemoryMeter::LiveBytes();
  for (auto& fork : forks) fork = volume.Fork();
  const int64_t each = (MemoryMeter::LiveBytes() - before) / static_cast<int64_t>(forks.size());
  EXPECT_LT(each, 600);
  auto& first = forks[0];
  EXPECT_EQ(Get(*first, *first->Lookup(first->root(), "7")), "some content of this file");
}

TEST_F(MemoryVolumeTest, ForksOnThreadsDoNotMeet) {
  for (int i = 0; i < 50; ++i) Put(Make(std::to_string(i)), "0");
  const auto work = [](std::shared_ptr<MemoryVolume> fork) {
    for (int round = 0; round < 300; ++round) {
      const auto own = fork->Fork();
      const auto entries = own->List(own->root());
      for (const DirectoryEntry& entry : *entries) {
        EXPECT_TRUE((*own->Open(entry.inode, {.write = true}))->Write("12345").has_value());
        EXPECT_EQ(Get(*fork, entry.inode), "0");
      }
      EXPECT_TRUE(own->Remove(own->root(), "7", false).has_value());
    }
  };
  std::thread one(work, volume.Fork());
  std::thread two(work, volume.Fork());
  one.join();
  two.join();
  EXPECT_EQ(volume.List(volume.root())->size(), 50u);
}

TEST_F(MemoryVolumeTest, QuotasAreTyped) {
  volume.set_quota({.bytes = 100'000, .inodes = 3, .file_bytes = 1'000'000});
  const NodeId f = Make("f");
  auto file = *volume.Open(f, {.write = true});
  EXPECT_EQ(file->Write(std::string(200'000, 'x')).error().code, Code::kNoSpace);
  // As a full disk takes the front of a write.
  EXPECT_GT(file->GetAttributes()->size, 99'000u);
  EXPECT_LE(volume.Space().used_bytes, 100'000u);
  EXPECT_EQ(file->Write("x").error().code, Code::kNoSpace);
  ASSERT_TRUE(file->Truncate(0).has_value());
  ASSERT_TRUE(file->Seek(999'998, Whence::kStart).has_value());
  EXPECT_EQ(file->Write("abc").error().code, Code::kFileTooBig);
  EXPECT_EQ(file->GetAttributes()->size, 1'000'000u);
  EXPECT_EQ(file->Truncate(1'000'001).error().code, Code::kFileTooBig);
  Make("g");
  EXPECT_EQ(volume.Create(volume.root(), "h", Of(FileType::kFile)).error().code, Code::kNoSpace);
}

TEST_F(MemoryVolumeTest, EverythingRemovedLeavesNoCharge) {
  for (int i = 0; i < 200; ++i) Put(Make("file" + std::to_string(i)), std::string(1000, 'x'));
  NewNode link = Of(FileType::kSymlink);
  link.target = "/somewhere";
  ASSERT_TRUE(volume.Create(volume.root(), "link", link).has_value());
  ASSERT_TRUE(
      volume.Rename(volume.root(), "link", volume.root(), "longer-name", false).has_value());
  ASSERT_TRUE(volume.Rename(volume.root(), "file1", volume.root(), "file2", false).has_value());
  const auto entries = volume.List(volume.root());
  for (const DirectoryEntry& entry : *entries) {
    ASSERT_TRUE(volume.Remove(volume.root(), entry.name, false).has_value());
  }
  EXPECT_EQ(volume.Space().used_bytes, 0u);
  EXPECT_EQ(volume.Space().used_inodes, 1u);
}

TEST_F(MemoryVolumeTest, TimesFollowTheClock) {
  const NodeId f = Make("f");
  const Nanoseconds created = clock.now;
  clock.Advance(std::chrono::seconds(1));
  Get(volume, f);
  EXPECT_EQ(volume.GetAttributes(f)->access_time, created);
  Put(f, "x");
  EXPECT_EQ(volume.GetAttributes(f)->modify_time, clock.now);
  EXPECT_EQ(volume.GetAttributes(f)->access_time, created);
  clock.Advance(std::chrono::seconds(1));
  Get(volume, f);
  EXPECT_EQ(volume.GetAttributes(f)->access_time, clock.now);
  clock.Advance(std::chrono::seconds(1));
  AttributeChange change;
  change.mode = 0600;
  ASSERT_TRUE(volume.SetAttributes(f, change).has_value());
  EXPECT_EQ(volume.GetAttributes(f)->change_time, clock.now);
  EXPECT_LT(volume.GetAttributes(f)->modify_time, clock.now);
}

TEST_F(MemoryVolumeTest, HugeDirectoryIsFast) {
  for (int i = 0; i < 100'000; ++i) Make("entry" + std::to_string(i));
  EXPECT_EQ(volume.List(volume.root())->size(), 100'000u);
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(volume.Lookup(volume.root(), "entry" + std::to_string(i)).has_value());
  }
}

TEST_F(MemoryVolumeTest, ManySmallAppendsAreCheap) {
  auto file = *volume.Open(Make("f"), {.write = true, .append = true});
  for (int i = 0; i < 1'000'000; ++i) ASSERT_TRUE(file->Write("0123456789\n").has_value());
  EXPECT_EQ(file->GetAttributes()->size, 11'000'000u);
}

TEST_F(MemoryVolumeTest, NumbersThatCameAndWentLeaveNoMemory) {
  Make("warm");
  const int64_t before = MemoryMeter::LiveBytes();
  for (int i = 0; i < 100'000; ++i) {
    Make("f");
    ASSERT_TRUE(volume.Remove(volume.root(), "f", false).has_value());
  }
  EXPECT_LT(MemoryMeter::LiveBytes() - before, 10'000);
}

TEST_F(MemoryVolumeTest, NothingIsMadeInRemovedDirectory) {
  const NodeId d = Make("d", FileType::kDirectory);
  const auto hold = volume.Hold(d);
  ASSERT_TRUE(volume.Remove(volume.root(), "d", true).has_value());
  EXPECT_EQ(volume.GetAttributes(d)->links, 0u);
  EXPECT_EQ(volume.Create(d, "x", Of(FileType::kFile)).error().code, Code::kNoEntry);
  EXPECT_EQ(volume.Name(d).error().code, Code::kNoEntry);
}

TEST_F(MemoryVolumeTest, TheWayOutOfRemovedDirectoriesStays) {
  const NodeId a = Make("a", FileType::kDirectory);
  const NodeId b = *volume.Create(a, "b", Of(FileType::kDirectory));
  const NodeId c = *volume.Create(b, "c", Of(FileType::kDirectory));
  const uint64_t used = volume.Space().used_inodes;
  {
    const auto hold = volume.Hold(c);
    ASSERT_TRUE(volume.Remove(b, "c", true).has_value());
    ASSERT_TRUE(volume.Remove(a, "b", true).has_value());
    ASSERT_TRUE(volume.Remove(volume.root(), "a", true).has_value());
    EXPECT_EQ(*volume.Parent(c), b);
    EXPECT_EQ(*volume.Parent(b), a);
    EXPECT_EQ(*volume.Parent(a), volume.root());
    EXPECT_EQ(volume.Space().used_inodes, used);
  }
  EXPECT_EQ(volume.Parent(c).error().code, Code::kNoEntry);
  EXPECT_EQ(volume.Space().used_inodes, used - 3);
}

}  // namespace
}  // namespace paddock::vfs
