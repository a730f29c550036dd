#include "text/path_glob.h"

#include <gtest/gtest.h>

#include "base/budget.h"

namespace paddock {
namespace {

class PathGlobTest : public testing::Test {
 protected:
  bool Matches(std::string_view pattern, std::string_view path, const PathGlobFlags& flags = {}) {
    return PathGlob(pattern, flags).Matches(path, budget_);
  }
  Budget budget_{Limits{}, SystemClock()};
};

TEST_F(PathGlobTest, StarsStopAtSlashes) {
  EXPECT_TRUE(Matches("a*c", "abbc"));
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_FALSE(Matches("a*c", "ab/c"));
  EXPECT_FALSE(Matches("*", "a/b"));
  EXPECT_TRUE(Matches("*/*", "a/b"));
}

TEST_F(PathGlobTest, TwoStarsStandForDirectories) {
  EXPECT_TRUE(Matches("**/x", "x"));
  EXPECT_TRUE(Matches("**/x", "a/b/x"));
  EXPECT_FALSE(Matches("**/x", "a/bx"));
  EXPECT_TRUE(Matches("a/**/x", "a/x"));
  EXPECT_TRUE(Matches("a/**/x", "a/b/c/x"));
  EXPECT_FALSE(Matches("a/**/x", "ab/x"));
  EXPECT_TRUE(Matches("a/**/b/**/c", "a/1/b/b/2/c"));
  EXPECT_TRUE(Matches("a/**", "a/b/c"));
  EXPECT_FALSE(Matches("a/**", "a"));
  EXPECT_TRUE(Matches("**", "a/b"));
}

TEST_F(PathGlobTest, TwoStarsInsideAWordAreOne) {
  EXPECT_TRUE(Matches("a**b", "axxb"));
  EXPECT_FALSE(Matches("a**b", "a/b"));
  EXPECT_FALSE(Matches("a/**b", "a/x/b"));
}

TEST_F(PathGlobTest, SetsAndQuotes) {
  EXPECT_TRUE(Matches("[a-c]x", "bx"));
  EXPECT_FALSE(Matches("[!a-c]x", "bx"));
  EXPECT_TRUE(Matches("[^a-c]x", "dx"));
  EXPECT_TRUE(Matches("\\*", "*"));
  EXPECT_FALSE(Matches("\\*", "a"));
  EXPECT_TRUE(Matches("[\\]]", "]"));
  EXPECT_FALSE(Matches("[!a]", "/"));
  EXPECT_FALSE(Matches("?", "/"));
  EXPECT_TRUE(Matches("?", "/", {.any_matches_slash = true}));
  EXPECT_TRUE(Matches("[!a]", "!", {.bang_negates = false}));
}

TEST_F(PathGlobTest, MalformedOnesMatchNothing) {
  for (const char* pattern : {"[", "[a", "[a-", "[a-]", "x\\"}) {
    EXPECT_FALSE(Matches(pattern, pattern)) << pattern;
    EXPECT_FALSE(Matches(pattern, "x")) << pattern;
  }
}

TEST_F(PathGlobTest, CaseCanBeIgnored) {
  EXPECT_TRUE(Matches("Ab[X-Z]", "aBy", {.ignore_case = true}));
  EXPECT_FALSE(Matches("Ab", "ab"));
}

TEST_F(PathGlobTest, HostilePatternsTakeLinearTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a**/";
  EXPECT_FALSE(Matches(pattern, std::string(20000, 'a')));
}

}  // namespace
}  // namespace paddock
