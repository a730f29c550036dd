#include "cli/present.h"

#include <gtest/gtest.h>

namespace paddock::cli {
namespace {

TEST(PresentTest, TableAlignsByCharactersAndEndsLinesWithoutSpaces) {
  EXPECT_EQ(Table({"name", "state"}, {{"é", "running"}, {"long-name", ""}}),
            "name       state\n"
            "é          running\n"
            "long-name\n");
}

TEST(PresentTest, WhatASandboxSaysDoesNotReachTheTerminalAsControls) {
  EXPECT_EQ(Harmless("a\x1b]0;x\x07 b"), "a\\x1b]0;x\\x07 b");
  EXPECT_EQ(Harmless("\xc2\x9b" "31m"), "\\x9b31m");
  EXPECT_EQ(Harmless("ä…"), "ä…");
  EXPECT_NE(Table({"x"}, {{"\x1b[2J"}}).find("\\x1b[2J"), std::string::npos);
}

TEST(PresentTest, MembersAsText) {
  const json::object object{{"a", "x"}, {"b", 3}, {"c", nullptr}};
  EXPECT_EQ(TextOf(object, "a"), "x");
  EXPECT_EQ(TextOf(object, "b"), "3");
  EXPECT_EQ(TextOf(object, "c"), "");
  EXPECT_EQ(TextOf(object, "d"), "");
}

TEST(PresentTest, IndentedJson) {
  EXPECT_EQ(Indented({{"a", json::array{1, 2}}, {"b", json::object()}}), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}\n");
}

TEST(PresentTest, AgoOfWhatIsNoTimeStaysAsItIs) {
  EXPECT_EQ(Ago("never"), "never");
  EXPECT_EQ(Ago("1970-01-02T00:00:00.000Z").find(" days ago") != std::string::npos, true);
}

}  // namespace
}  // namespace paddock::cli
