#include "shell/interactive/command_site.h"

#include <gtest/gtest.h>

namespace paddock::shell {
namespace {

CommandSite At(std::string_view line) { return FindSite(line, line.size()); }

TEST(CommandSite, FirstWordIsTheCommand) {
  for (const char* line : {"gr", "a=1 gr", "if gr", "x | gr", "x && gr", "(gr", "echo $(gr", "echo \"$(gr", "time gr", "x; gr"}) {
    const CommandSite site = At(line);
    EXPECT_TRUE(site.is_command) << line;
    EXPECT_EQ(site.text, "gr") << line;
    EXPECT_EQ(site.begin, std::string_view(line).size() - 2) << line;
  }
}

TEST(CommandSite, LaterWordsAreArguments) {
  const CommandSite site = At("x | grep -n 'a b' fi");
  EXPECT_FALSE(site.is_command);
  EXPECT_EQ(site.words, (std::vector<std::string>{"grep", "-n", "a b"}));
  EXPECT_EQ(site.text, "fi");
}

TEST(CommandSite, ClosedSubstitutionGivesTheOuterCommandBack) {
  const CommandSite site = At("echo $(ls -l; pwd) fi");
  EXPECT_EQ(site.words.front(), "echo");
  EXPECT_EQ(site.text, "fi");
}

TEST(CommandSite, TargetOfARedirection) {
  EXPECT_TRUE(At("sort < fi").is_target);
  EXPECT_TRUE(At("sort 2>fi").is_target);
  EXPECT_FALSE(At("sort < in fi").is_target);
}

TEST(CommandSite, OpenQuotes) {
  EXPECT_EQ(At("cat 'a b").quote, '\'');
  EXPECT_EQ(At("cat \"a b").text, "a b");
  EXPECT_EQ(At("cat a\\ b").text, "a b");
  EXPECT_EQ(At("cat 'a'b").quote, 0);
}

TEST(CommandSite, VariableAtTheCursor) {
  EXPECT_EQ(At("echo $HO").variable, 6u);
  EXPECT_EQ(At("echo ${HO").variable, 7u);
  EXPECT_TRUE(At("echo ${HO").has_brace);
  EXPECT_EQ(At("echo '$HO").variable, std::string::npos);
  EXPECT_EQ(At("echo \\$HO").variable, std::string::npos);
  EXPECT_EQ(At("echo $HOME/x").variable, std::string::npos);
}

TEST(CommandSite, AnyTextIsRead) {
  for (const char* line : {"", ")", "))", "'", "\"", "`", "\\", "<", "$(", "$(((", "a\n", "& ;|"}) At(line);
}

}  // namespace
}  // namespace paddock::shell
