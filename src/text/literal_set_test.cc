#include "text/literal_set.h"

#include <gtest/gtest.h>

#include <random>

#include "base/budget.h"

namespace paddock {
namespace {

class LiteralSetTest : public testing::Test {
 protected:
  Budget budget_{Limits{}, SystemClock()};
};

TEST_F(LiteralSetTest, FindsTheLeftmostLongest) {
  const std::vector<std::string> strings = {"he", "she", "his", "hers", "x"};
  const auto set = LiteralSet::Make(strings, false);
  const auto found = set->FindLeftmost("ushers x", 0, nullptr, budget_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 1u);
  EXPECT_EQ(found->end, 4u);
  EXPECT_EQ(set->FindLeftmost("ushers x", 2, nullptr, budget_)->end, 6u);
  EXPECT_FALSE(set->FindLeftmost("HE", 0, nullptr, budget_));
  EXPECT_TRUE(LiteralSet::Make(strings, true)->FindLeftmost("aHE", 0, nullptr, budget_));
}

TEST_F(LiteralSetTest, FilterSeesEveryOccurrence) {
  const std::vector<std::string> strings = {"abc", "bc", "c"};
  const auto set = LiteralSet::Make(strings, false);
  const auto found = set->FindAny("xabc", 0, [](size_t begin, size_t) { return begin == 2; }, budget_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, 4u);
}

TEST_F(LiteralSetTest, AgreesWithSearchingEachString) {
  std::mt19937 random(7);
  const auto word = [&](size_t longest) {
    std::string text;
    for (size_t n = 1 + random() % longest; n > 0; --n) text.push_back(static_cast<char>('a' + random() % 3));
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> strings;
    for (size_t n = 1 + random() % 6; n > 0; --n) strings.push_back(word(4));
    const std::string text = word(30);
    size_t begin = std::string::npos;
    size_t length = 0;
    for (const std::string& string : strings) {
      const size_t at = text.find(string);
      if (at < begin || (at == begin && at != std::string::npos && string.size() > length)) {
        begin = at;
        length = string.size();
      }
    }
    const auto set = LiteralSet::Make(strings, false);
    const auto found = set->FindLeftmost(text, 0, nullptr, budget_);
    ASSERT_EQ(found.has_value(), begin != std::string::npos) << text;
    ASSERT_EQ(set->FindAny(text, 0, nullptr, budget_).has_value(), found.has_value());
    if (!found) continue;
    EXPECT_EQ(found->begin, begin) << text;
    EXPECT_EQ(found->end - found->begin, length) << text;
  }
}

TEST_F(LiteralSetTest, TooLargeATableIsRefused) {
  const std::vector<std::string> strings = {std::string(1000, 'a')};
  EXPECT_FALSE(LiteralSet::Make(strings, false, 1000));
}

}  // namespace
}  // namespace paddock
