// Compared with ls --quoting-style and printf %q of coreutils 9.1.
#include "text/quote.h"

#include <gtest/gtest.h>

#include "text/choice.h"

namespace paddock {
namespace {

TEST(Quote, ShellStylesQuoteOnlyWhereNeeded) {
  EXPECT_EQ(QuoteText("plain", QuotingStyle::kShellEscape, true), "plain");
  EXPECT_EQ(QuoteText("a b", QuotingStyle::kShellEscape, true), "'a b'");
  EXPECT_EQ(QuoteText("it's", QuotingStyle::kShellEscape, true), "\"it's\"");
  EXPECT_EQ(QuoteText("it's!", QuotingStyle::kShellEscape, true), "'it'\\''s!'");
  EXPECT_EQ(QuoteText("a\nb", QuotingStyle::kShellEscape, true), "'a'$'\\n''b'");
  EXPECT_EQ(QuoteText("\xff", QuotingStyle::kShellEscape, true), "''$'\\377'");
  EXPECT_EQ(QuoteText("", QuotingStyle::kShellEscape, true), "''");
  EXPECT_EQ(QuoteText("~a", QuotingStyle::kShell, true), "'~a'");
  EXPECT_EQ(QuoteText("a~", QuotingStyle::kShell, true), "a~");
}

TEST(Quote, EscapesOfC) {
  EXPECT_EQ(QuoteText("a\n\"\x01", QuotingStyle::kC, true), "\"a\\n\\\"\\001\"");
  EXPECT_EQ(QuoteText("a b", QuotingStyle::kEscape, true, " "), "a\\ b");
  EXPECT_EQ(QuoteText("é", QuotingStyle::kC, false), "\"\\303\\251\"");
}

TEST(Quote, MessagesFollowTheLocale) {
  EXPECT_EQ(Quote("x", true), "‘x’");
  EXPECT_EQ(Quote("x", false), "'x'");
  EXPECT_EQ(QuoteFile("x", true), "'x'");
  EXPECT_EQ(QuoteSubject("a:b", true), "'a:b'");
}

TEST(Choice, AbbreviationsMayNameSynonyms) {
  constexpr Choice kChoices[] = {{"always", 1}, {"yes", 1}, {"atime", 2}, {"access", 2}};
  EXPECT_EQ(FindChoice("--x", "y", kChoices, true).value_or(0), 1);
  EXPECT_EQ(FindChoice("--x", "at", kChoices, true).value_or(0), 2);
  EXPECT_EQ(FindChoice("--x", "a", kChoices, true).error().message,
            "ambiguous argument ‘a’ for ‘--x’\nValid arguments are:\n  - ‘always’, ‘yes’\n  - ‘atime’, ‘access’");
}

}  // namespace
}  // namespace paddock
