#include "text/mode.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

uint32_t Change(const char* text, uint32_t mode, bool is_directory = false, uint32_t umask = 022) {
  auto change = ModeChange::Parse(text);
  EXPECT_TRUE(change.has_value()) << text;
  return change ? change->Apply(mode, is_directory, umask) : 0;
}

TEST(Mode, StringShowsSetIdAndSticky) {
  EXPECT_EQ(ModeString('-', 0644), "-rw-r--r--");
  EXPECT_EQ(ModeString('d', 01777), "drwxrwxrwt");
  EXPECT_EQ(ModeString('-', 06755), "-rwsr-sr-x");
  EXPECT_EQ(ModeString('-', 07644), "-rwSr-Sr-T");
}

TEST(Mode, OctalReplaces) {
  EXPECT_EQ(Change("755", 0644), 0755u);
  EXPECT_EQ(Change("0", 0644), 0u);
}

TEST(Mode, ShortOctalKeepsSetIdOfDirectories) {
  EXPECT_EQ(Change("755", 02700, true), 02755u);
  EXPECT_EQ(Change("00755", 02700, true), 0755u);
  EXPECT_EQ(Change("755", 02700, false), 0755u);
}

TEST(Mode, SymbolicClauses) {
  EXPECT_EQ(Change("u+x,go-r", 0644), 0700u);
  EXPECT_EQ(Change("a=rw", 0), 0666u);
  EXPECT_EQ(Change("g=u", 0640), 0660u);
  EXPECT_EQ(Change("u=rwx,g+w-r", 0644), 0724u);
  EXPECT_EQ(Change("+t", 0755), 01755u);
  EXPECT_EQ(Change("u+s", 0755), 04755u);
  EXPECT_EQ(Change("+6000", 0755), 06755u);
}

TEST(Mode, WithoutWhoTheUmaskIsLeftOut) {
  EXPECT_EQ(Change("+w", 0444), 0644u);
  EXPECT_EQ(Change("=rwx", 0), 0755u);
}

TEST(Mode, CapitalXNeedsADirectoryOrAnExecutable) {
  EXPECT_EQ(Change("a+X", 0644), 0644u);
  EXPECT_EQ(Change("a+X", 0744), 0755u);
  EXPECT_EQ(Change("a+X", 0644, true), 0755u);
}

TEST(Mode, BadTextIsRefused) {
  for (const char* text : {"", "888", "zz", "u+q", "u", "777777", "u+x,", "u+4000", "+77x"}) {
    EXPECT_FALSE(ModeChange::Parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace paddock
