#include "text/regex.h"

#include <gtest/gtest.h>
#include <locale.h>
#include <regex.h>

#include <chrono>

#include "base/budget.h"

namespace paddock {
namespace {

std::string Show(const std::vector<RegexGroup>& groups) {
  std::string shown;
  for (const RegexGroup& group : groups) {
    shown += group.is_set() ? std::to_string(group.begin) + "-" + std::to_string(group.end) + " " : "- ";
  }
  return shown;
}

class RegexTest : public testing::Test {
 protected:
  // The ranges of a match, "no", or the error.
  std::string Find(std::string_view pattern, std::string_view text, const RegexFlags& flags = {}, size_t from = 0,
                   bool is_line_start = true) {
    auto regex = Regex::Compile(pattern, flags);
    if (!regex) return std::string(regex.error().Text());
    std::vector<RegexGroup> groups(regex->group_count() + 1);
    const auto found = regex->Search(text, from, &groups, budget_, is_line_start);
    if (!found) return std::string(found.error().Text());
    const auto answer = regex->Search(text, from, nullptr, budget_, is_line_start);
    EXPECT_TRUE(answer && *answer == *found) << pattern << " on " << text;
    return *found ? Show(groups) : "no";
  }
  Budget budget_{Limits{}, SystemClock()};
};

// Compares with the C library's own matcher, which is what bash, sed and expr use.
TEST_F(RegexTest, GroupsAreThoseOfTheCLibrary) {
  const char* const kPatterns[] = {
      "a",          "^a",         "a$",          "^$",           "a|ab",       "(a|ab)(c|bcd)(d*)",
      "(a*)(ab)*(b*)", "(a*)*",   "(a*)+",       "(a|b)*c",      "(a|b*)+c",   "(a*){1,2}",
      "(a*){,2}",   "(.(b*)+){2}", "((a)|b)*",   "(a)?(b)?c",    "([^,]*),?",  "(([^,]*),?)*",
      "x*",         "(a|)(b|)",   "a{2,3}",      "(ab){2}",      "[^a-c]+",    "[[:alpha:]]+[[:digit:]]*",
      "(a)(b)(c)\\1", "(a*)\\1",  "(.)\\1",      "^(.*),\\1$",   "(a|ab)(bc|c)?", "[]a]+",
      "\\.",        "a.c",        "()",          "(^a)",         "(a$)",       "b||c",
      "((a?)(b?))*", "(a+|b+)*c", "[a-c]{2}(b|c)+", "\\bab\\b",  "\\<a",       "c\\>",
      "(foo|foobar)(bar)?", "(.*)(.*)", "(.*),(.*)", "([a-z]+)([0-9]+)?", "a**", "(a){0}b"};
  const char* const kTexts[] = {"",     "a",      "ab",    "abc",   "abcd",  "aaa", "b",   "ba",        "aabbc",
                                "a,b,c", "ab ab", "abab",  "foobar", "aa,aa", "x.y", "c",  "abcabc",    "a1",
                                "]a",   "bbb",    "cc",    "abb",    "ac",    "aXc", "a c", "abc123def"};
  for (const char* pattern : kPatterns) {
    regex_t theirs;
    ASSERT_EQ(regcomp(&theirs, pattern, REG_EXTENDED), 0) << pattern;
    for (const char* text : kTexts) {
      regmatch_t match[10];
      std::string wanted = "no";
      if (regexec(&theirs, text, 10, match, 0) == 0) {
        std::vector<RegexGroup> groups(theirs.re_nsub + 1);
        for (size_t i = 0; i < groups.size(); ++i) {
          if (match[i].rm_so >= 0) {
            groups[i] = {static_cast<size_t>(match[i].rm_so), static_cast<size_t>(match[i].rm_eo)};
          }
        }
        wanted = Show(groups);
      }
      EXPECT_EQ(Find(pattern, text), wanted) << pattern << " on " << text;
    }
    regfree(&theirs);
  }
}

TEST_F(RegexTest, ErrorsHaveTheCLibrarysWording) {
  const RegexFlags sed_basic{.dialect = RegexDialect::kBasic};
  const RegexFlags sed_extended{.dialect = RegexDialect::kSedExtended};
  const struct {
    RegexFlags flags;
    const char* pattern;
    const char* message;
  } kCases[] = {
      {sed_basic, "\\(a", "Unmatched ( or \\("},
      {sed_basic, "a\\)", "Unmatched ) or \\)"},
      {sed_basic, "a\\{1", "Unmatched \\{"},
      {sed_basic, "a\\{x\\}", "Invalid content of \\{\\}"},
      {sed_basic, "a\\{2,1\\}", "Invalid content of \\{\\}"},
      {sed_basic, "a\\{40000\\}", "Regular expression too big"},
      {sed_basic, "\\{1\\}", "Invalid preceding regular expression"},
      {sed_basic, "a**", "Invalid preceding regular expression"},
      {sed_basic, "[b-a]", "Invalid range end"},
      {sed_basic, "[a-c-e]", "Invalid range end"},
      {sed_basic, "[[:foo:]]", "Invalid character class name"},
      {sed_basic, "[[.xx.]]", "Invalid collation character"},
      {sed_basic, "[a", "Unmatched [, [^, [:, [., or [="},
      {sed_basic, "\\1", "Invalid back reference"},
      {sed_basic, "\\(a\\1\\)", "Invalid back reference"},
      {sed_basic, "\\(a\\)\\|\\1", "Invalid back reference"},
      {sed_basic, "a\\", "Trailing backslash"},
      {sed_basic, "[:alpha:]", "character class syntax is [[:space:]], not [:space:]"},
      {sed_extended, "*a", "Invalid preceding regular expression"},
      {sed_extended, "a)", "Unmatched ) or \\)"},
      {sed_extended, "a{1a", "Unmatched \\{"},
      {{}, "^*", "Invalid preceding regular expression"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Find(c.pattern, "a", c.flags), c.message) << c.pattern;
  EXPECT_EQ(Find("((((a{1000}){1000}){1000}){1000}){1000}", "a"), "Regular expression too big");
}

TEST_F(RegexTest, DialectsReadOperatorsDifferently) {
  const RegexFlags basic{.dialect = RegexDialect::kBasic};
  const RegexFlags grep_basic{.dialect = RegexDialect::kGrepBasic};
  const RegexFlags grep_extended{.dialect = RegexDialect::kGrepExtended};
  const RegexFlags awk{.dialect = RegexDialect::kAwk};
  const RegexFlags emacs{.dialect = RegexDialect::kEmacs};
  EXPECT_EQ(Find("*a", "x*a", basic), "1-3 ");
  EXPECT_EQ(Find("\\(*a\\)", "*a", basic), "0-2 0-2 ");
  EXPECT_EQ(Find("^*a", "*a", basic), "0-2 ");
  EXPECT_EQ(Find("a+(b)|c", "a+(b)|c", basic), "0-7 ");
  EXPECT_EQ(Find("a\\+\\|b", "xaa", basic), "1-3 ");
  EXPECT_EQ(Find("a^b$c", "a^b$c", basic), "0-5 ");
  EXPECT_EQ(Find("a**", "aa", grep_basic), "0-2 ");
  EXPECT_EQ(Find("a)", "a)"), "0-2 ");
  EXPECT_EQ(Find("*a", "ba", grep_extended), "1-2 ");
  EXPECT_EQ(Find("a{1", "xa{1", grep_extended), "1-4 ");
  EXPECT_EQ(Find("a{,2}", "aaa"), "0-2 ");
  EXPECT_EQ(Find("a^b", "a^b"), "no");
  EXPECT_EQ(Find("+a", "x+a", awk), "1-3 ");
  EXPECT_EQ(Find("a\\tb\\/\\\"", "a\tb/\"", awk), "0-5 ");
  EXPECT_EQ(Find("[\\]x]+\\y", "a]x ", awk), "1-3 ");
  EXPECT_EQ(Find("\\(a\\|b\\)+{1}", "abab{1}", emacs), "0-7 3-4 ");
  EXPECT_EQ(Find("(?<=a)b+?", "abbb", {.dialect = RegexDialect::kPerl}), "1-2 ");
}

TEST_F(RegexTest, FlagsChangeWhatMatches) {
  EXPECT_EQ(Find("\xC3\x89t", "\xC3\xA9T", {.ignore_case = true}), "0-3 ");
  EXPECT_EQ(Find("[a-c]+", "xABC", {.ignore_case = true}), "1-4 ");
  EXPECT_EQ(Find("^b$", "a\nb\nc"), "no");
  EXPECT_EQ(Find("^b$", "a\nb\nc", {.multiline = true}), "2-3 ");
  EXPECT_EQ(Find("\\`b", "a\nb", {.multiline = true}), "no");
  EXPECT_EQ(Find("a.c", "a\nc"), "0-3 ");
  EXPECT_EQ(Find("a[^x]c", "a\nc", {.newline_is_text = false}), "no");
  EXPECT_EQ(Find("a.c", "a.c abc", {.is_literal = true}), "0-3 ");
  EXPECT_EQ(Find("a", "aa", {}, 1), "1-2 ");
  EXPECT_EQ(Find("^a", "aa", {}, 1), "no");
  EXPECT_EQ(Find("^a", "aa", {}, 0, false), "no");
  EXPECT_EQ(Find("^a|b", "ab", {}, 0, false), "1-2 ");
  EXPECT_EQ(Find("foo", "afoo foo", {.extent = RegexExtent::kWholeWords}), "5-8 ");
  EXPECT_EQ(Find("fo*|-", "foox fo -", {.extent = RegexExtent::kWholeWords}), "5-7 ");
  EXPECT_EQ(Find("a|ab", "ab", {.extent = RegexExtent::kWholeLine}), "0-2 ");
}

TEST_F(RegexTest, CharactersAreThoseOfTheLocale) {
  const RegexFlags c_locale{.is_utf8 = false};
  EXPECT_EQ(Find("^.$", "\xC3\xA9"), "0-2 ");
  EXPECT_EQ(Find("^.$", "\xC3\xA9", c_locale), "no");
  EXPECT_EQ(Find("^..$", "\xC3\xA9", c_locale), "0-2 ");
  EXPECT_EQ(Find("[\xC3\xA0-\xC3\xAA]", "x\xC3\xA8"), "1-3 ");
  EXPECT_EQ(Find("[^x]", "x\xC3\xA8"), "1-3 ");
  EXPECT_EQ(Find("[[:alpha:]]+", "1\xC3\xA9z"), "1-4 ");
  EXPECT_EQ(Find("[[:alpha:]]+", "1\xC3\xA9z", c_locale), "3-4 ");
  EXPECT_EQ(Find("\\w+", "-\xD0\xB6\xD0\xB6-"), "1-5 ");
  EXPECT_EQ(Find("\xC3\xA9*x", "\xC3\xA9\xC3\xA9x"), "0-5 ");
  EXPECT_EQ(Find("n\\b", "n\xC3\xA9 n"), "4-5 ");
  EXPECT_EQ(Find("\\<.", "\xC3\xA9t"), "0-2 ");
  // Malformed bytes are no characters, but stand for themselves.
  EXPECT_EQ(Find("a.b", "a\xFF" "b"), "no");
  EXPECT_EQ(Find("a\xFF" "b", "a\xFF" "b"), "0-3 ");
  EXPECT_EQ(Find("a.*b", "a\xFF" "b a-b"), "4-7 ");
  EXPECT_EQ(Find("[^x]", "\xFF"), "no");
  EXPECT_EQ(Find("a.b", "a\xFF" "b", c_locale), "0-3 ");
}

TEST_F(RegexTest, LongTextMatchesAsShortTextDoes) {
  const std::string padding(10000, '-');
  for (const char* pattern : {"\\bfoo\\b", "\\<foo", "foo\\>", "[[:alpha:]]{3}", "f.o", "(f)o+"}) {
    const std::string text = padding + " foo " + padding;
    auto regex = Regex::Compile(pattern, {});
    ASSERT_TRUE(regex.has_value());
    std::vector<RegexGroup> groups(1);
    for (const size_t from : {0, 5000}) {
      const auto found = regex->Search(text, from, &groups, budget_);
      ASSERT_TRUE(found && *found) << pattern;
      EXPECT_EQ(groups[0].begin, 10001u) << pattern;
      EXPECT_EQ(groups[0].end, 10004u) << pattern;
    }
  }
}

TEST_F(RegexTest, LargeCountsAreExact) {
  EXPECT_EQ(Find("^a{2000}$", std::string(2000, 'a')), "0-2000 ");
  EXPECT_EQ(Find("^a{2000}$", std::string(1999, 'a')), "no");
  EXPECT_EQ(Find("a{32767}", std::string(32767, 'a')), "0-32767 ");
}

TEST_F(RegexTest, HostilePatternsEndSoon) {
  const std::string text = std::string(3000, 'a') + "b";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Find("^(a+)+$", text), "no");
  EXPECT_EQ(Find("(a*)*c", text), "no");
  EXPECT_EQ(Find("(x+x+)+y", std::string(5000, 'x')), "no");
  EXPECT_NE(Find("^(a*)*(a*)*\\2\\1b$", text.substr(2900)), "");
  EXPECT_NE(Find("(a+)+$", text, {.dialect = RegexDialect::kPerl}), "");
  Find(std::string(100000, '(') + std::string(100000, ')'), "a");
  Find(std::string(100000, '['), "a");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(RegexTest, PerlFindsAllInLongTextOfEveryKind) {
  constexpr size_t kTimes = 200'000;
  auto regex = Regex::Compile("(?<=[. ])(\\w)b", {.dialect = RegexDialect::kPerl});
  ASSERT_TRUE(regex);
  for (const char* const unit : {"x ab.", "é ab.", "\xff ab."}) {
    const bool is_malformed = unit[0] == '\xff';
    std::string text;
    for (size_t i = 0; i < (is_malformed ? kTimes / 100 : kTimes); ++i) text += unit;
    const RegexText kind = ExamineText(text);
    EXPECT_EQ(kind, is_malformed ? RegexText::kUnknown : unit[0] == 'x' ? RegexText::kAscii : RegexText::kUtf8);
    std::vector<RegexGroup> groups(2);
    size_t count = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (size_t from = 0; regex->Search(text, from, &groups, budget_, true, kind).value(); from = groups[0].end) {
      ++count;
      ASSERT_EQ(text.substr(groups[0].begin, groups[0].end - groups[0].begin), "ab");
      ASSERT_EQ(groups[1].end, groups[0].begin + 1);
    }
    EXPECT_EQ(count, text.size() / std::string_view(unit).size());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  }
}

// A search may begin inside a character of text that is known to be well-formed.
TEST_F(RegexTest, PerlSearchesFromInsideACharacter) {
  auto regex = Regex::Compile(".b", {.dialect = RegexDialect::kPerl});
  ASSERT_TRUE(regex);
  const std::string text = "\u00e9b" + std::string(8192, 'x') + "\u00e9b";
  std::vector<RegexGroup> groups(1);
  ASSERT_TRUE(regex->Search(text, 1, &groups, budget_, true, RegexText::kUtf8).value());
  EXPECT_EQ(groups[0].begin, 3u + 8192u);
}

TEST_F(RegexTest, EscapedTextMatchesItself) {
  const std::string text = "a.b*[c]{2}(d)|e\\f^g$+?";
  EXPECT_EQ(Find(EscapeRegex(text), "x" + text), "1-" + std::to_string(text.size() + 1) + " ");
}

TEST_F(RegexTest, RequiredLiteralIsInEveryMatch) {
  const auto literal = [](const char* pattern) {
    auto regex = Regex::Compile(pattern, {});
    return std::string(regex->required_literal());
  };
  EXPECT_EQ(literal("a[0-9]foo(bar)?"), "foo");
  EXPECT_EQ(literal("(foo)+x"), "foo");
  EXPECT_EQ(literal("foo|bar"), "");
  EXPECT_EQ(literal("^(ab)c$"), "abc");
}

}  // namespace
}  // namespace paddock
