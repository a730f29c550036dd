#include "vfs/name_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace paddock::vfs {
namespace {

std::vector<std::string> Names(const NameTree& tree) {
  std::vector<std::string> names;
  tree.ForEach([&names](const NameTree::Entry& entry) { names.push_back(entry.name); });
  return names;
}

TEST(NameTree, ListsInByteOrder) {
  NameTree tree;
  for (const char* name : {"b", "a\xff", "a", "B", "a\x01"})
    tree.Insert({name, 1, FileType::kFile});
  EXPECT_EQ(Names(tree), (std::vector<std::string>{"B", "a", "a\x01", "a\xff", "b"}));
}

TEST(NameTree, CopyKeepsItsEntries) {
  NameTree tree;
  for (int i = 0; i < 500; ++i) tree.Insert({std::to_string(i), 1, FileType::kFile});
  const NameTree copy = tree;
  tree.Erase("17");
  tree.Replace("18", 99, FileType::kSymlink);
  EXPECT_EQ(copy.size(), 500u);
  ASSERT_NE(copy.Find("17"), nullptr);
  EXPECT_EQ(copy.Find("18")->inode, 1u);
  EXPECT_EQ(tree.Find("17"), nullptr);
  EXPECT_EQ(tree.Find("18")->inode, 99u);
}

TEST(NameTree, AgreesWithMapUnderRandomChanges) {
  std::mt19937 random(7);
  NameTree tree;
  std::map<std::string, uint64_t> model;
  for (uint64_t step = 0; step < 60000; ++step) {
    // Phases of growth and of shrinking.
    const bool grows = step / 10000 % 2 == 0;
    const std::string name = std::to_string(random() % 5000);
    if (random() % 4 < (grows ? 3u : 1u)) {
      if (model.emplace(name, step).second) tree.Insert({name, step, FileType::kFile});
    } else {
      EXPECT_EQ(tree.Erase(name), model.erase(name) == 1);
    }
    if (step % 5000 == 0) {
      std::vector<std::string> expected;
      for (const auto& [key, value] : model) expected.push_back(key);
      ASSERT_EQ(Names(tree), expected);
      ASSERT_EQ(tree.size(), model.size());
    }
  }
  for (const auto& [name, inode] : model) {
    ASSERT_NE(tree.Find(name), nullptr);
    EXPECT_EQ(tree.Find(name)->inode, inode);
  }
}

}  // namespace
}  // namespace paddock::vfs
