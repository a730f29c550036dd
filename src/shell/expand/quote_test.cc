#include <gtest/gtest.h>

#include "shell/expand/expander.h"

namespace paddock::shell {
namespace {

TEST(Quote, ReuseFormIsSingleQuotedUnlessControlsAreInside) {
  EXPECT_EQ(QuoteForReuse("a b"), "'a b'");
  EXPECT_EQ(QuoteForReuse(""), "''");
  EXPECT_EQ(QuoteForReuse("it's"), "'it'\\''s'");
  EXPECT_EQ(QuoteForReuse("'"), "\\'");
  EXPECT_EQ(QuoteForReuse("\t\x01\\'"), "$'\\t\\001\\\\\\''");
  EXPECT_EQ(QuoteForReuse("é"), "'é'");
  EXPECT_EQ(QuoteForReuse("é", false), "$'\\303\\251'");
}

TEST(Quote, BackslashFormEscapesWhatTheShellReads) {
  EXPECT_EQ(QuoteBackslash(""), "''");
  EXPECT_EQ(QuoteBackslash("a b;c"), "a\\ b\\;c");
  EXPECT_EQ(QuoteBackslash("~a~b=~:~"), "\\~a~b=\\~:\\~");
  EXPECT_EQ(QuoteBackslash("#a#"), "\\#a#");
  EXPECT_EQ(QuoteBackslash("a\nb"), "$'a\\nb'");
  EXPECT_EQ(QuoteBackslash("\xff"), "$'\\377'");
}

TEST(Quote, DoubleFormKeepsSingleQuotes) {
  EXPECT_EQ(QuoteDouble("a'b$`\\\"!"), "\"a'b\\$\\`\\\\\\\"!\"");
  EXPECT_EQ(QuoteDouble("a\tb"), "$'a\\tb'");
}

using Fields = std::vector<std::string>;

TEST(SplitFields, BlanksJoinAndOtherSeparatorsCount) {
  EXPECT_EQ(SplitFields("  a  b ", " \t\n"), (Fields{"a", "b"}));
  EXPECT_EQ(SplitFields("a::b:", ":"), (Fields{"a", "", "b"}));
  EXPECT_EQ(SplitFields(":a", ":"), (Fields{"", "a"}));
  EXPECT_EQ(SplitFields("a : b::c  d:", ": "), (Fields{"a", "b", "", "c", "d"}));
  EXPECT_EQ(SplitFields(" : a", ": "), (Fields{"", "a"}));
  EXPECT_EQ(SplitFields("a b", ""), (Fields{"a b"}));
  EXPECT_EQ(SplitFields("", " "), Fields{});
}

}  // namespace
}  // namespace paddock::shell
