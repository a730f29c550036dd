#include "git/tree_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/clock.h"

namespace paddock::git {
namespace {

class TreeReaderTest : public ::testing::Test {
 protected:
  // An entry as trees have it; its id is twenty times `id`.
  static std::string Entry(std::string_view mode, std::string_view name, char id) {
    std::string text(mode);
    text += ' ';
    text += name;
    text.push_back('\0');
    return text + std::string(20, id);
  }
  // "name" where both have it, "-name" and "+name" where one has it; "!TEXT" where it is damaged.
  std::vector<std::string> Differences(std::string_view before, std::string_view after) {
    std::vector<std::string> told;
    for (TreeDifferences differences(before, after);;) {
      const auto is_there = differences.Next(budget_);
      if (!is_there) told.push_back("!" + std::string(is_there.error().Text()));
      if (!is_there || !*is_there) return told;
      const TreeReader* either = differences.before() != nullptr ? differences.before() : differences.after();
      told.push_back((differences.after() == nullptr ? "-" : differences.before() == nullptr ? "+" : "") + std::string(either->name()) + (either->is_tree() ? "/" : ""));
    }
  }

  Budget budget_{{}, SystemClock()};
};

using Names = std::vector<std::string>;

TEST_F(TreeReaderTest, WhatIsTheSameIsPassedOver) {
  const std::string a = Entry("100644", "a", 1), b = Entry("100644", "b", 2), c = Entry("40000", "c", 3), d = Entry("100644", "d", 4);
  EXPECT_EQ(Differences(a + b + c + d, a + b + c + d), Names{});
  EXPECT_EQ(Differences("", ""), Names{});
  EXPECT_EQ(Differences(a + b + c + d, a + Entry("100644", "b", 9) + c + d), Names{"b"});
  EXPECT_EQ(Differences(a + b + c, a + b + Entry("40000", "c", 9) + d), (Names{"c/", "+d"}));
  EXPECT_EQ(Differences(a + b + c + d, c + d), (Names{"-a", "-b"}));
  EXPECT_EQ(Differences(c, a + b + c + d), (Names{"+a", "+b", "+d"}));
  EXPECT_EQ(Differences(a + b, ""), (Names{"-a", "-b"}));
  // Bytes of an id that look like an entry's end.
  EXPECT_EQ(Differences(Entry("100644", "a", 0) + b, Entry("100644", "a", 0) + Entry("100755", "b", 2)), Names{"b"});
}

TEST_F(TreeReaderTest, FileAndDirectoryOfOneNameAreTwo) {
  // "x" sorts before "x.c", the directory "x" behind it.
  const std::string file = Entry("100644", "x", 1), between = Entry("100644", "x.c", 2), directory = Entry("40000", "x", 3);
  EXPECT_EQ(Differences(file + between, between + directory), (Names{"-x", "+x/"}));
}

TEST_F(TreeReaderTest, DamageAndDisorderAreMet) {
  const std::string a = Entry("100644", "a", 1), b = Entry("100644", "b", 2);
  EXPECT_EQ(Differences(b + a, a + b).size(), 2u);
  EXPECT_EQ(Differences(a, a + "100644 b"), Names{"!truncated tree entry"});
  EXPECT_EQ(Differences(a, a + std::string("100644 b\0x", 10)), Names{"!truncated tree entry"});
  EXPECT_EQ(Differences(a + "9 b", a), Names{"!malformed mode in tree entry"});
}

TEST_F(TreeReaderTest, OneNameIsFoundAmongOthers) {
  const std::string text = Entry("100644", "a", 1) + Entry("40000", "b", 2) + "junk";
  const auto found = FindInTree(text, "b", budget_);
  ASSERT_TRUE(found.has_value() && found->has_value());
  EXPECT_TRUE((*found)->is_tree());
  EXPECT_EQ((*found)->id, Oid::FromBytes(std::string(20, 2)));
  EXPECT_FALSE(FindInTree(text, "c", budget_).has_value());
  EXPECT_FALSE(FindInTree(text.substr(0, text.size() - 4), "c", budget_)->has_value());
}

}  // namespace
}  // namespace paddock::git
