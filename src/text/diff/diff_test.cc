#include "text/diff/diff.h"

#include <gtest/gtest.h>

#include <string>

#include "base/budget.h"

namespace paddock {
namespace {

std::string Edits(const std::string& a, const std::string& b, bool minimal = false) {
  Budget budget({}, SystemClock());
  const std::vector<uint32_t> x(a.begin(), a.end());
  const std::vector<uint32_t> y(b.begin(), b.end());
  std::string text;
  for (const DiffEdit& edit : FindDiff(x, y, 128, minimal, budget)) {
    text += std::to_string(edit.a_begin) + "+" + std::to_string(edit.a_count) + ">" +
            std::to_string(edit.b_begin) + "+" + std::to_string(edit.b_count) + " ";
  }
  return text;
}

TEST(Diff, EqualSequencesHaveNoEdits) {
  EXPECT_EQ(Edits("", ""), "");
  EXPECT_EQ(Edits("abc", "abc"), "");
}

TEST(Diff, EmptySequencesAreReplacedWhole) {
  EXPECT_EQ(Edits("", "ab"), "0+0>0+2 ");
  EXPECT_EQ(Edits("ab", ""), "0+2>0+0 ");
}

TEST(Diff, FindsChangesInTheMiddle) {
  EXPECT_EQ(Edits("abcd", "axcd"), "1+1>1+1 ");
  EXPECT_EQ(Edits("abcabba", "cbabac", true), "0+2>0+0 3+1>1+0 5+0>2+1 7+0>5+1 ");
}

TEST(Diff, RunsSlideToTheEnd) {
  EXPECT_EQ(Edits("abbc", "abbbc"), "3+0>3+1 ");
  EXPECT_EQ(Edits("abab", "ababab"), "4+0>4+2 ");
}

}  // namespace
}  // namespace paddock
