// What holds whatever is done to a memory volume: forks do not see each other, the books balance,
// quotas hold, and no call crashes.

#include <gtest/gtest.h>

#include "vfs/memory_volume.h"
#include "vfs/random_operations.h"
#include "vfs/test_clock.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

struct Tree {
  Tree(std::shared_ptr<MemoryVolume> root, const Clock& clock)
      : volume(std::move(root)), names(volume), view(names, clock, {0, 0}, 022) {}
  std::shared_ptr<MemoryVolume> volume;
  Namespace names;
  View view;
};

void RemoveAll(FileSystem& fs, const std::string& path) {
  const auto entries = fs.List(path);
  for (const DirectoryEntry& entry : *entries) {
    const std::string child = JoinPath(path, entry.name);
    if (entry.type != FileType::kDirectory) {
      ASSERT_TRUE(fs.RemoveFile(child).has_value());
      continue;
    }
    RemoveAll(fs, child);
    ASSERT_TRUE(fs.RemoveDirectory(child).has_value());
  }
}

TEST(RandomTree, ForksKeepWhatTheyWere) {
  TestClock clock;
  RandomOperations operations(11);
  std::vector<std::unique_ptr<Tree>> trees;
  std::vector<std::string> dumps;
  trees.push_back(std::make_unique<Tree>(std::make_shared<MemoryVolume>(clock, Quota{}), clock));
  dumps.emplace_back();
  for (int round = 0; round < 200; ++round) {
    // Any fork, old or new, is worked on or forked again; all others stay.
    const uint32_t which = operations.Below(static_cast<uint32_t>(trees.size()));
    if (trees.size() < 12) {
      trees.push_back(std::make_unique<Tree>(trees[which]->volume->Fork(), clock));
      dumps.push_back(dumps[which]);
    }
    for (int i = 0; i < 100; ++i) Perform(trees[which]->view, operations.Next());
    dumps[which] = Dump(trees[which]->view, "/");
    for (size_t i = 0; i < trees.size(); ++i)
      ASSERT_EQ(Dump(trees[i]->view, "/"), dumps[i]) << round;
  }
  for (auto& tree : trees) {
    RemoveAll(tree->view, "/");
    EXPECT_EQ(tree->volume->Space().used_bytes, 0u);
    EXPECT_EQ(tree->volume->Space().used_inodes, 1u);
  }
}

TEST(RandomTree, QuotasHold) {
  TestClock clock;
  RandomOperations operations(12);
  const Quota quota{.bytes = 300'000, .inodes = 40, .file_bytes = 150'000};
  Tree tree(std::make_shared<MemoryVolume>(clock, quota), clock);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string answer = Perform(tree.view, operations.Next());
    refused += answer.find("No space") != std::string::npos ? 1 : 0;
    const SpaceInfo space = tree.volume->Space();
    ASSERT_LE(space.used_bytes, quota.bytes);
    ASSERT_LE(space.used_inodes, quota.inodes);
  }
  EXPECT_GT(refused, 100);
  RemoveAll(tree.view, "/");
  EXPECT_EQ(tree.volume->Space().used_bytes, 0u);
}

// Paths of arbitrary bytes: every call answers.
TEST(RandomTree, GarbagePathsAreAnswered) {
  TestClock clock;
  Tree tree(std::make_shared<MemoryVolume>(clock, Quota{}), clock);
  RandomOperations operations(13);
  const auto garbage = [&operations] {
    std::string path;
    const uint32_t size = operations.Below(operations.Below(20) == 0 ? 9000 : 12);
    static constexpr char kBytes[] = {'/', '/', '.', '.', 'a', '\0', '\xff', '\n', ' ', '-'};
    for (uint32_t i = 0; i < size; ++i)
      path += kBytes[operations.Below(operations.Below(9) == 0 ? 10 : 5)];
    return path;
  };
  for (int i = 0; i < 20'000; ++i) {
    Operation operation = operations.Next();
    operation.path = garbage();
    operation.other = garbage();
    Perform(tree.view, operation);
    static_cast<void>(tree.view.Canonical(operation.path, FileSystem::MustExist::kNone));
    static_cast<void>(MakeDirectories(tree.view, operation.other));
    const std::string normal = NormalizePath(operation.path);
    ASSERT_EQ(NormalizePath(normal), normal);
    BaseName(operation.path);
    DirectoryName(operation.path);
  }
  RemoveAll(tree.view, "/");
  EXPECT_EQ(tree.volume->Space().used_inodes, 1u);
}

// 100,000 directories deep by one step at a time: no recursion, no crash, paths refused beyond
// PATH_MAX.
TEST(RandomTree, VeryDeepTreesAreHarmless) {
  TestClock clock;
  auto tree = std::make_unique<Tree>(std::make_shared<MemoryVolume>(clock, Quota{}), clock);
  View& view = tree->view;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(view.MakeDirectory("d").has_value());
    ASSERT_TRUE(view.ChangeDirectory("d", "/somewhere").has_value());
  }
  EXPECT_EQ(view.PhysicalCwd()->size(), 200'000u);
  EXPECT_EQ(view.Rename("/d", "x").error().code, Code::kInvalid);
  const auto fork = tree->volume->Fork();
  tree.reset();
}

}  // namespace
}  // namespace paddock::vfs
