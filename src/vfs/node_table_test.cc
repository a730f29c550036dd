#include "vfs/node_table.h"

#include <gtest/gtest.h>

namespace paddock::vfs {
namespace {

using Table = NodeTable<int>;

TEST(NodeTable, ForgetsWhatIsOldButNotWhatIsHeld) {
  Table table(100);
  const NodeId held = table.Intern(Table::kRoot, "held");
  table.Hold(held);
  const NodeId old = table.Intern(Table::kRoot, "old");
  for (int i = 0; i < 10'000; ++i) {
    const NodeId directory = table.Intern(Table::kRoot, std::to_string(i % 500));
    const NodeId file = table.Intern(directory, std::to_string(i));
    EXPECT_EQ(table.PathOf(file), std::to_string(i % 500) + "/" + std::to_string(i));
  }
  EXPECT_LE(table.size(), 101u);
  EXPECT_EQ(table.PathOf(held), "held");
  EXPECT_EQ(table.PathOf(old), std::nullopt);
  table.Forget(Table::kRoot, "held");
  EXPECT_EQ(table.PathOf(held), std::nullopt);
  table.Release(held);
}

TEST(NodeTable, WhatIsHeldKeepsWhatIsAbove) {
  Table table(100);
  const NodeId a = table.Intern(Table::kRoot, "a");
  const NodeId b = table.Intern(a, "b");
  const NodeId c = table.Intern(b, "c");
  table.Hold(c);
  table.Forget(b, "c");    // one by one …
  table.Forget(a, "b");
  EXPECT_EQ(table.ParentOf(c), b);
  EXPECT_EQ(table.ParentOf(b), a);
  EXPECT_EQ(table.PathOf(a), "a");
  table.Release(c);
  EXPECT_EQ(table.ParentOf(c), std::nullopt);
  EXPECT_EQ(table.ParentOf(b), std::nullopt);

  const NodeId d = table.Intern(table.Intern(a, "b"), "d");
  table.Hold(d);
  table.Forget(Table::kRoot, "a");   // … and all at once
  EXPECT_EQ(table.ParentOf(*table.ParentOf(*table.ParentOf(d))), Table::kRoot);
  EXPECT_EQ(table.PathOf(d), std::nullopt);
  table.Release(d);
  EXPECT_EQ(table.size(), 1u);
}

TEST(NodeTable, MovedDirectoryTakesItsContentAlong) {
  Table table(100);
  const NodeId a = table.Intern(Table::kRoot, "a");
  const NodeId f = table.Intern(a, "f");
  const NodeId b = table.Intern(Table::kRoot, "b");
  const NodeId replaced = table.Intern(b, "c");
  *table.Find(f) = 7;
  table.Move(Table::kRoot, "a", b, "c");
  EXPECT_EQ(table.PathOf(f), "b/c/f");
  EXPECT_EQ(*table.Find(f), 7);
  EXPECT_EQ(table.PathOf(replaced), std::nullopt);
  EXPECT_TRUE(table.IsWithin(f, b));
  EXPECT_FALSE(table.IsWithin(b, a));
  EXPECT_EQ(table.Intern(replaced, "x"), 0u);
}

}  // namespace
}  // namespace paddock::vfs
