#include "cli/srt_command.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

Result<SrtCommand> Parse(std::initializer_list<std::string> words) {
  const std::vector<std::string> list(words);
  return ParseSrtCommand(list);
}

TEST(SrtCommand, WordsStandForThemselves) {
  const auto command = Parse({"printf", "%s", "a b", "it's", "*", "", "&&"});
  ASSERT_TRUE(command);
  EXPECT_EQ(command->script, R"(printf %s 'a b' 'it'\''s' '*' '' '&&')");
}

TEST(SrtCommand, AssignmentInFrontStaysOne) { EXPECT_EQ(Parse({"A=1", "env"})->script, "A=1 env"); }

TEST(SrtCommand, OptionsAreFoundBehindTheCommandUntilTwoDashes) {
  const auto found = Parse({"ls", "-l", "-d", "--settings=x", "dir"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->script, "ls -l dir");
  EXPECT_TRUE(found->tells);
  EXPECT_EQ(found->settings, "x");
  const auto kept = Parse({"--", "ls", "-d", "-s", "x"});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->script, "ls -d -s x");
  EXPECT_FALSE(kept->tells);
}

TEST(SrtCommand, StringTakesThePlaceOfWords) {
  EXPECT_EQ(Parse({"-c", "echo $0; exit 3", "left", "out"})->script, "echo $0; exit 3");
  EXPECT_EQ(Parse({"-cfirst", "-c", "last"})->script, "last");
}

TEST(SrtCommand, ShortOptionsJoin) {
  const auto command = Parse({"-ds", "file", "true"});
  ASSERT_TRUE(command);
  EXPECT_TRUE(command->tells);
  EXPECT_EQ(command->settings, "file");
}

TEST(SrtCommand, MissingAndBadArgumentsAreErrors) {
  EXPECT_EQ(Parse({"-s"}).error().code, Code::kInvalid);
  EXPECT_EQ(Parse({"echo", "-c"}).error().code, Code::kInvalid);
  for (const char* bad : {"2", "x", "", "3x", "-4", "99999999999"}) EXPECT_EQ(Parse({"--control-fd", bad, "true"}).error().code, Code::kInvalid) << bad;
  EXPECT_EQ(Parse({"--control-fd=7", "true"})->control, 7);
}

TEST(SrtCommand, UnknownOptionInFrontIsAnError) {
  EXPECT_EQ(Parse({"--bogus", "x"}).error().code, Code::kSyntax);
  EXPECT_EQ(Parse({"--debug=1", "x"}).error().code, Code::kSyntax);
  EXPECT_TRUE(Parse({"cmd", "--bogus"}));
}

TEST(SrtCommand, WindowsSetUpIsRefused) { EXPECT_FALSE(Parse({"windows-install"})); }

}  // namespace
}  // namespace paddock::cli
