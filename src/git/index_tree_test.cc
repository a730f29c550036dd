#include "git/index_tree.h"

#include <gtest/gtest.h>

#include <string>

#include "git/big_endian.h"
#include "git/index_file.h"

namespace paddock::git {
namespace {

// An index of two files with this content in its extension TREE, behind another extension.
std::string WithTrees(const std::string& trees) {
  Index index;
  index.Put({.path = "d/f"});
  index.Put({.path = "intended", .is_intended = true});
  std::string text = index.Text();
  text.resize(text.size() - 20);
  for (const auto& [name, content] : {std::pair<std::string, std::string>("REUC", "abc"), {"TREE", trees}}) {
    text += name;
    Append32(text, static_cast<uint32_t>(content.size()));
    text += content;
  }
  return text + std::string(20, 'x');
}
std::string Top(const std::string& counts, size_t id_bytes = 20) { return '\0' + counts + '\n' + std::string(id_bytes, '\7'); }

TEST(TreeOfIndex, IsWhatTheExtensionSaysOfAllEntries) {
  const auto tree = TreeOfIndex(WithTrees(Top("2 1")));
  ASSERT_TRUE(tree.has_value());
  EXPECT_EQ(*tree, Oid::FromBytes(std::string(20, '\7')));
}

TEST(TreeOfIndex, WhatDoesNotFitIsNoTree) {
  for (const std::string& trees : {std::string(), Top("-1 1"), Top("1 1"), Top("2"), Top("2 1", 19), "d" + Top("2 1")}) EXPECT_FALSE(TreeOfIndex(WithTrees(trees)).has_value());
  const std::string whole = WithTrees(Top("2 1"));
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(TreeOfIndex(whole.substr(0, size)).has_value()) << size;
  EXPECT_FALSE(TreeOfIndex(Index().Text()).has_value());
}

}  // namespace
}  // namespace paddock::git
