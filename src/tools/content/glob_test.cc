#include "tools/content/glob.h"

#include <gtest/gtest.h>

#include "base/budget.h"

namespace paddock::tools {
namespace {

bool Matches(std::string_view pattern, std::string_view path) {
  Budget budget(Limits{}, SystemClock());
  const auto glob = Glob::Parse(pattern);
  return glob && glob->Matches(path, budget);
}

TEST(Glob, WithoutASlashMatchesNamesAtAnyDepth) {
  EXPECT_TRUE(Matches("*.py", "a.py"));
  EXPECT_TRUE(Matches("*.py", "x/y/a.py"));
  EXPECT_FALSE(Matches("*.py", "a.pyc"));
  EXPECT_TRUE(Matches("test_?.cc", "deep/down/test_1.cc"));
}

TEST(Glob, WithASlashMatchesPathsAndStarsStayInOneName) {
  EXPECT_TRUE(Matches("src/*.cc", "src/a.cc"));
  EXPECT_FALSE(Matches("src/*.cc", "src/x/a.cc"));
  EXPECT_FALSE(Matches("src/*.cc", "lib/src/a.cc"));
  EXPECT_TRUE(Matches("/src/*.cc", "src/a.cc"));
}

TEST(Glob, TwoStarsStandForAnyNumberOfDirectories) {
  EXPECT_TRUE(Matches("src/**/a.cc", "src/a.cc"));
  EXPECT_TRUE(Matches("src/**/a.cc", "src/x/y/a.cc"));
  EXPECT_TRUE(Matches("**", "x/y"));
  EXPECT_TRUE(Matches("src/**", "src/x/y"));
  EXPECT_FALSE(Matches("src/**", "lib/x"));
}

TEST(Glob, BracesMeanEither) {
  EXPECT_TRUE(Matches("*.{cc,h}", "a/b.h"));
  EXPECT_TRUE(Matches("{src,lib}/{a,b}.cc", "lib/b.cc"));
  EXPECT_FALSE(Matches("*.{cc,h}", "a.hpp"));
  EXPECT_TRUE(Matches("a{b", "a{b"));
}

TEST(Glob, HiddenNamesNeedADot) {
  EXPECT_FALSE(Matches("*", ".git"));
  EXPECT_FALSE(Matches("**/*.txt", ".git/a.txt"));
  EXPECT_TRUE(Matches(".*", ".git"));
}

TEST(Glob, HostilePatternsEnd) {
  EXPECT_FALSE(Glob::Parse("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"));
  EXPECT_FALSE(Glob::Parse(std::string(2000, '*')));
  EXPECT_FALSE(Glob::Parse(""));
  std::string many;
  for (int i = 0; i < 60; ++i) many += "**/";
  std::string path = "a";
  for (int i = 0; i < 500; ++i) path += "/a";
  EXPECT_FALSE(Matches(many + "b", path));
}

}  // namespace
}  // namespace paddock::tools
