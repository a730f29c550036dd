#include "text/component_glob.h"

#include <gtest/gtest.h>

#include <string>

#include "base/budget.h"

namespace paddock {
namespace {

bool Matches(std::string_view pattern, std::string_view path, const ComponentGlobRules& rules = {}) {
  Budget budget(Limits{}, SystemClock());
  return ComponentGlob(pattern, rules).Matches(PathNames(path), budget);
}

TEST(ComponentGlob, NamesAreThoseBetweenSlashes) {
  EXPECT_EQ(PathNames("/a//b/"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_TRUE(PathNames("").empty());
  EXPECT_TRUE(Matches("/a/b", "a//b/"));
}

TEST(ComponentGlob, StarsStayInOneName) {
  EXPECT_TRUE(Matches("src/*.cc", "src/a.cc"));
  EXPECT_FALSE(Matches("src/*.cc", "src/x/a.cc"));
  EXPECT_FALSE(Matches("src/*.cc", "lib/src/a.cc"));
  EXPECT_FALSE(Matches("a?b", "a/b"));
}

TEST(ComponentGlob, TwoStarsStandForAnyNumberOfDirectories) {
  EXPECT_TRUE(Matches("a/**/c", "a/c"));
  EXPECT_TRUE(Matches("a/**/c", "a/b/b/c"));
  EXPECT_TRUE(Matches("**/c/**/d", "c/c/d"));
  EXPECT_FALSE(Matches("a/**/c", "a/bc"));
  EXPECT_TRUE(Matches("a/**", "a/b/c"));
  EXPECT_TRUE(Matches("a/**", "a"));
  EXPECT_FALSE(Matches("a/**", "a", {.last_stars_need_a_name = true}));
  EXPECT_TRUE(Matches("a/**", "a/b", {.last_stars_need_a_name = true}));
  EXPECT_TRUE(Matches("a/**/b", "a/b", {.last_stars_need_a_name = true}));
}

TEST(ComponentGlob, OneNameIsForAnyDepth) {
  EXPECT_FALSE(Matches("*.py", "x/a.py"));
  EXPECT_TRUE(Matches("*.py", "x/y/a.py", {.is_for_any_depth = true}));
  EXPECT_FALSE(Matches("/*.py", "x/a.py", {.is_for_any_depth = true}));
}

TEST(ComponentGlob, HiddenNamesNeedADot) {
  EXPECT_TRUE(Matches("*", ".git"));
  EXPECT_FALSE(Matches("*", ".git", {.hides_dots = true}));
  EXPECT_FALSE(Matches("**/a", ".git/a", {.hides_dots = true}));
  EXPECT_FALSE(Matches("**", "a/.b", {.hides_dots = true}));
  EXPECT_TRUE(Matches(".*/a", ".git/a", {.hides_dots = true}));
  EXPECT_FALSE(Matches("a", ".git/a", {.is_for_any_depth = true, .hides_dots = true}));
}

TEST(ComponentGlob, HostilePatternsEnd) {
  std::string pattern, path = "a";
  for (int i = 0; i < 100; ++i) pattern += "**/a*a*a*/";
  for (int i = 0; i < 1000; ++i) path += "/aaaaaaaa";
  EXPECT_FALSE(Matches(pattern + "b", path));
}

}  // namespace
}  // namespace paddock
