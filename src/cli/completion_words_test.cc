#include "cli/completion_words.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

using Words = std::vector<std::string>;

TEST(CompletionWords, TheLastWordIsTheOneThatIsTyped) {
  EXPECT_EQ(WordsOfLine("paddock ls --j"), (Words{"paddock", "ls", "--j"}));
  EXPECT_EQ(WordsOfLine("paddock ls "), (Words{"paddock", "ls", ""}));
  EXPECT_EQ(WordsOfLine(""), (Words{""}));
}

TEST(CompletionWords, QuotesAndBackslashesAreTakenAway) {
  EXPECT_EQ(WordsOfLine(R"(paddock cp 'a b' c\ d "e f)"), (Words{"paddock", "cp", "a b", "c d", "e f"}));
}

TEST(CompletionWords, OnlyTheLastCommandOfALineCounts) { EXPECT_EQ(WordsOfLine("make && paddock c"), (Words{"paddock", "c"})); }

TEST(CompletionWords, WhatAShellWouldReadOtherwiseIsNotPlain) {
  EXPECT_TRUE(IsPlainWord("dev:/home/agent/a-b_c.d=1"));
  for (const char* word : {"", "a b", "$(x)", "`x`", "a;b", "~x", "*", "a\nb", "\x1b[2J", "'", "!x", "#x", "{a,b}"}) EXPECT_FALSE(IsPlainWord(word)) << word;
}

}  // namespace
}  // namespace paddock::cli
