#include "text/fields.h"

#include <gtest/gtest.h>

#include <string>

namespace paddock {
namespace {

std::string Parse(std::string_view list, const FieldListRules& rules = {}) {
  auto ranges = ParseFieldList(list, rules);
  if (!ranges) return std::string(ranges.error().Text());
  std::string text;
  for (const FieldRange& range : *ranges) {
    text += std::to_string(range.first) + "-" + (range.last == kLastField ? "" : std::to_string(range.last)) + " ";
  }
  return text;
}

TEST(Fields, SortsAndMergesOverlaps) {
  EXPECT_EQ(Parse("3,1"), "1-1 3-3 ");
  EXPECT_EQ(Parse("1-3,2-5"), "1-5 ");
  EXPECT_EQ(Parse("1-2,3-4"), "1-2 3-4 ");
  EXPECT_EQ(Parse("-2 4-"), "1-2 4- ");
}

TEST(Fields, ComplementTakesTheRest) {
  EXPECT_EQ(Parse("2,4-5", {.complement = true}), "1-1 3-3 6- ");
  EXPECT_EQ(Parse("1-", {.complement = true}), "");
}

TEST(Fields, ErrorsHaveTheToolsWording) {
  EXPECT_EQ(Parse(""), "fields are numbered from 1");
  EXPECT_EQ(Parse("-"), "invalid range with no endpoint: -");
  EXPECT_EQ(Parse("-", {.allows_dash = true}), "1- ");
  EXPECT_EQ(Parse("2-1"), "invalid decreasing range");
  EXPECT_EQ(Parse("1-2-3"), "invalid field range");
  EXPECT_EQ(Parse("1x"), "invalid field value 'x'");
  EXPECT_EQ(Parse("18446744073709551615", {.is_positions = true}),
            "byte/character offset '18446744073709551615' is too large");
}

TEST(Fields, CursorWalksAlong) {
  const auto ranges = *ParseFieldList("2-3,5-", {});
  FieldCursor cursor(ranges);
  EXPECT_FALSE(cursor.Selects(1));
  EXPECT_TRUE(cursor.Selects(2));
  EXPECT_TRUE(cursor.Selects(3));
  EXPECT_FALSE(cursor.Selects(4));
  EXPECT_TRUE(cursor.Selects(9));
  EXPECT_TRUE(cursor.takes_rest());
}

}  // namespace
}  // namespace paddock
