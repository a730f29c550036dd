#include "tools/content/replace_text.h"

#include <gtest/gtest.h>

#include "tools/content/numbered_lines.h"

namespace paddock::tools {
namespace {

constexpr std::string_view kText = "def f():\n    return 1\n\ndef g():\n    return 1\n";

std::string Replace(std::string_view text, std::string_view wanted, std::string_view with, bool all = false) {
  const auto replaced = ReplaceText(text, wanted, with, all);
  return replaced ? replaced->text : "ERROR: " + replaced.error().message;
}

TEST(ReplaceText, TheTextMustOccurOnce) {
  EXPECT_EQ(Replace(kText, "def g():\n    return 1", "def g():\n    return 2"), "def f():\n    return 1\n\ndef g():\n    return 2\n");
  EXPECT_EQ(Replace(kText, "return 1", "return 2"), "ERROR: the text to replace occurs 2 times (lines 2, 5); add lines around it until it is unique, or replace all");
  EXPECT_EQ(Replace(kText, "return 1", "return 2", true), "def f():\n    return 2\n\ndef g():\n    return 2\n");
  EXPECT_TRUE(Replace(kText, "", "x").starts_with("ERROR: the text to replace is empty"));
  EXPECT_TRUE(Replace(kText, "x", "x").starts_with("ERROR: the text to replace and the new text are the same"));
}

TEST(ReplaceText, TellsTheLinesOfTheNewText) {
  const auto replaced = ReplaceText("a\nb\na\n", "a", "x\ny", true);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->lines, (std::vector<size_t>{1, 4}));
}

TEST(ReplaceText, AMissIsExplained) {
  EXPECT_EQ(Replace(kText, "def g():\n  return 1", "x"),
            "ERROR: the text to replace does not occur in the file; line 4 differs only in white space. There it is:\ndef g():\n    return 1\n");
  EXPECT_TRUE(Replace(kText, "1|def f():\n2|    return 1", "x").find("leave out the line numbers") != std::string::npos);
  EXPECT_TRUE(Replace("a\r\nb\r\n", "a\nb", "x").find("write \\r\\n in both texts") != std::string::npos);
  EXPECT_TRUE(Replace(kText, "DEF F():", "x").find("differs only in upper and lower case") != std::string::npos);
  EXPECT_TRUE(Replace(kText, "def g():\n    return 3\n", "x").find("around line 4 it reads:\ndef g():\n    return 1\n") != std::string::npos);
  EXPECT_TRUE(Replace(kText, "nothing like it", "x").find("read the file again") != std::string::npos);
}

TEST(ReplaceText, AMissInAHostileTextTakesBoundedTime) {
  std::string text, wanted;
  for (int i = 0; i < 300000; ++i) text += "aa\n";
  for (int i = 0; i < 10000; ++i) wanted += "aa\n";
  EXPECT_TRUE(Replace(text, wanted + "bb", "x").starts_with("ERROR: the text to replace does not occur"));
}

TEST(NumberLines, HasOffsetLimitAndACap) {
  EXPECT_EQ(NumberLines("a\nb\nc", 0, 10).text, "1|a\n2|b\n3|c\n");
  EXPECT_EQ(NumberLines("a\nb\nc", 0, 10).total_lines, 3u);
  const NumberedLines middle = NumberLines("a\nb\nc\nd\n", 1, 2);
  EXPECT_EQ(middle.text, "2|b\n3|c\n");
  EXPECT_TRUE(middle.is_truncated);
  EXPECT_EQ(middle.first, 2u);
  EXPECT_EQ(middle.last, 3u);
  EXPECT_EQ(NumberLines("a\n", 5, 2).first, 0u);
  EXPECT_EQ(NumberLines("", 0, 2).total_lines, 0u);
  const NumberedLines capped = NumberLines("aaaa\nbbbb\n", 0, 10, 8);
  EXPECT_EQ(capped.text, "1|aaaa\n");
  EXPECT_TRUE(capped.is_truncated);
  const std::string long_line(100'000, 'x');
  const NumberedLines cut = NumberLines(long_line, 0, 1);
  EXPECT_LE(cut.text.size(), kMaxShownBytes);
  EXPECT_TRUE(cut.is_truncated);
  EXPECT_NE(cut.text.find("the rest of this line is not shown"), std::string::npos);
}

}  // namespace
}  // namespace paddock::tools
