#include "drivers/docker/plain/shell_text.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

TEST(ShellText, WordsAreQuotedWhateverTheyHold) {
  EXPECT_EQ(Quoted("a b$`\\\"*\n"), "'a b$`\\\"*\n'");
  EXPECT_EQ(Quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(Quoted(""), "''");
}

TEST(ShellText, FormatsPrintExactlyTheBytes) {
  EXPECT_EQ(PrintfFormat(std::string_view("a%\\'\0\xff\n", 7)), "'a\\045\\134\\047\\000\\377\\012'");
}

TEST(ShellText, MessagesOfToolsAreKnownByTheirEnds) {
  EXPECT_EQ(CodeOfMessage("stat: can't stat '/x': No such file or directory\n"), Code::kNoEntry);
  EXPECT_EQ(CodeOfMessage("sh: 1: cannot create /none/x: Directory nonexistent"), Code::kNoEntry);
  EXPECT_EQ(CodeOfMessage("sh: can't create /none/x: nonexistent directory"), Code::kNoEntry);
  EXPECT_EQ(CodeOfMessage("rmdir: failed to remove '/d': Directory not empty\n"), Code::kNotEmpty);
  EXPECT_EQ(CodeOfMessage("cat: x: Symbolic link loop"), Code::kLoop);
  EXPECT_EQ(CodeOfMessage("No such file or directory: x"), std::nullopt);
  EXPECT_EQ(CodeOfMessage(""), std::nullopt);
}

TEST(ShellText, OnlyTextWithoutNulIsCarried) {
  EXPECT_TRUE(IsCarried("a\n\xc3\xa9"));
  EXPECT_FALSE(IsCarried("\xff"));
  EXPECT_FALSE(IsCarried(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace paddock::docker
