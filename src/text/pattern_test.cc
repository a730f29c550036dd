#include "text/pattern.h"

#include <gtest/gtest.h>

#include "base/budget.h"

namespace paddock {
namespace {

constexpr size_t kNone = std::string_view::npos;

class PatternTest : public testing::Test {
 protected:
  bool Matches(std::string_view pattern, std::string_view text, const PatternFlags& flags = {}) {
    return Pattern(pattern, flags).Matches(text, budget_);
  }
  Budget budget_{Limits{}, SystemClock()};
};

struct Case {
  const char* text;
  const char* pattern;
  bool matches;
};

// What bash 5.2 answers to [[ text == pattern ]].
constexpr Case kCases[] = {
    {"a.txt", "*.txt", true}, {".txt", "*.txt", true}, {"a.txt~", "*.txt", false},
    {"foobar", "foo*", true}, {"fo", "foo*", false}, {"a/", "*/", true}, {"", "*", true}, {"", "?", false},
    {"xaby", "*ab*", true}, {"xay", "*ab*", false}, {"aXbXc", "a*b*c", true}, {"aXbX", "a*b*c", false},
    {"ab", "ab*ab", false}, {"abab", "ab*ab", true}, {"a", "[!z-a]", true}, {"a", "[z-a]", false},
    {"a", "[[:foo:]a]", true}, {"[", "[", true}, {"[a", "[a", true}, {"[]", "[]", true}, {"]", "[]]", true},
    {"-", "[a\\-z]", true}, {"b", "[a\\-z]", false}, {"b", "[[.a.]-c]", true}, {"-", "[[.hyphen.]]", true},
    {"a]", "[a]]", true}, {"[:", "[[:alpha:]", true}, {"a\\", "a\\", true}, {"*", "\\*", true},
    {"x", "\\*", false}, {"ab", "a\\b", true}, {"\n", "?", true},
    {"\xC3\xA9", "?", true}, {"\xC3\xA8", "[\xC3\xA0-\xC3\xAA]", true}, {"\xC3\x89", "[[:upper:]]", true},
    {"\xC3\xA9\xFF", "??", false}, {"\xC3\xA9\xFF", "???", true},
    {"ab", "+(a|b)", true}, {"", "*(a)", true}, {"", "!(a)", true}, {"a", "!(a)", false}, {"aa", "!(a)", true},
    {"foobar", "foo!(bar)", false}, {"foo", "foo!(bar)", true}, {"a/b", "!(*/*)", false},
    {"a|b", "@(a\\|b)", true}, {"+(a", "+(a", true}, {"@()", "@()", false}, {"", "@()", true},
    {"a)b", "a@([)])b", true}, {"aab", "*(a)b", true}, {"aXXb", "a@(X|XX)b", true}, {"abc", "?(a)b?(c|d)", true},
    {"abcabd", "*(ab@(c|d))", true}, {"x.tar.gz", "*.@(tar.gz|tgz)", true},
};

TEST_F(PatternTest, AgreesWithBash) {
  for (const Case& c : kCases) EXPECT_EQ(Matches(c.pattern, c.text), c.matches) << c.text << " == " << c.pattern;
}

TEST_F(PatternTest, PrefixAndSuffixHaveShortestAndLongestForms) {
  const auto prefix = [&](const char* pattern, const char* text, bool longest) {
    return Pattern(pattern).MatchPrefix(text, longest, budget_);
  };
  const auto suffix = [&](const char* pattern, const char* text, bool longest) {
    return Pattern(pattern).MatchSuffix(text, longest, budget_);
  };
  EXPECT_EQ(prefix("*/", "a/b/c", false), 2u);
  EXPECT_EQ(prefix("*/", "a/b/c", true), 4u);
  EXPECT_EQ(prefix("x*", "a/b/c", true), kNone);
  EXPECT_EQ(suffix(".*", "a.tar.gz", false), 5u);
  EXPECT_EQ(suffix(".*", "a.tar.gz", true), 1u);
  EXPECT_EQ(suffix("*([[:space:]])", "a b  ", true), 3u);
  EXPECT_EQ(prefix("*([[:space:]])", "  a b", true), 2u);
  EXPECT_EQ(suffix("b?", "ab\xC3\xA9", false), 1u);
}

TEST_F(PatternTest, FindIsLeftmostLongest) {
  const auto find = [&](const char* pattern, const char* text, size_t from) {
    const auto found = Pattern(pattern).Find(text, from, budget_);
    return std::pair(found.begin, found.length);
  };
  EXPECT_EQ(find("o", "foo", 0), std::pair(size_t{1}, size_t{1}));
  EXPECT_EQ(find("o*", "foobar", 0), std::pair(size_t{1}, size_t{5}));
  EXPECT_EQ(find("+([0-9])", "ab123c4", 0), std::pair(size_t{2}, size_t{3}));
  EXPECT_EQ(find("+([0-9])", "ab123c4", 5), std::pair(size_t{6}, size_t{1}));
  EXPECT_EQ(find("a*z", "xxabc", 0).first, kNone);
}

TEST_F(PatternTest, FlagsNarrowWhatWildcardsTake) {
  const PatternFlags glob{.leading_dot_special = true};
  EXPECT_FALSE(Matches("*", ".profile", glob));
  EXPECT_FALSE(Matches("?profile", ".profile", glob));
  EXPECT_FALSE(Matches("!(x)", ".profile", glob));
  EXPECT_TRUE(Matches(".*", ".profile", glob));
  const PatternFlags path{.is_path = true, .leading_dot_special = true};
  EXPECT_FALSE(Matches("*.c", "a/b.c", path));
  EXPECT_TRUE(Matches("*/*.c", "a/b.c", path));
  EXPECT_FALSE(Matches("a/*", "a/.b", path));
  EXPECT_TRUE(Matches("A*", "abc", {.ignore_case = true}));
  EXPECT_TRUE(Matches("[a-c]X", "Bx", {.ignore_case = true}));
  EXPECT_FALSE(Matches("@(a)", "a", {.extglob = false}));
}

TEST_F(PatternTest, HostilePatternsStayCheap) {
  const std::string text(2000, 'a');
  EXPECT_FALSE(Matches("*a*a*a*a*a*a*a*a*a*b", text));
  EXPECT_FALSE(Matches("+(a|aa|+(a))b", text));
  EXPECT_FALSE(Matches("*([!b]*([!b]*([!b])))b", text));
  EXPECT_FALSE(Matches(std::string(100000, '['), text));
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "@(";
  EXPECT_FALSE(Matches(nested + std::string(10, ')'), text));
}

TEST_F(PatternTest, QuotedTextIsLiteral) {
  const std::string text = "a*b?[c]\\+(d|e)!";
  EXPECT_TRUE(HasPatternCharacters(text, true));
  EXPECT_FALSE(HasPatternCharacters(QuotePattern(text), true));
  EXPECT_TRUE(Pattern(QuotePattern(text)).is_literal());
  EXPECT_EQ(Pattern(QuotePattern(text)).literal(), text);
  EXPECT_FALSE(HasPatternCharacters("a[b", true));
  EXPECT_FALSE(HasPatternCharacters("+(a)", false));
}

}  // namespace
}  // namespace paddock
