#include "text/text_finder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace paddock {
namespace {

TEST(TextFinder, AgreesWithTheStandardLibraryAtEveryPlaceAndLength) {
  std::string text;
  uint32_t state = 1;
  for (size_t i = 0; i < 300; ++i) {
    state = state * 1664525 + 1013904223;
    text += static_cast<char>('a' + (state >> 24) % 3);
  }
  for (size_t length = 0; length < 9; ++length) {
    for (size_t at = 0; at + length <= text.size(); at += 7) {
      const std::string wanted = text.substr(at, length);
      const TextFinder finder(wanted);
      for (size_t from = 0; from <= text.size(); from += 3) {
        ASSERT_EQ(finder.Find(text, from), text.find(wanted, from)) << wanted << " from " << from;
      }
    }
  }
  EXPECT_EQ(TextFinder("abcd").Find("abc"), std::string::npos);
  EXPECT_EQ(TextFinder("").Find("abc", 4), std::string::npos);
}

TEST(TextFinder, FindsTheLastBytesOfTextOfAnyLength) {
  for (size_t before = 0; before < 130; ++before) {
    const std::string text = std::string(before, 'x') + "needle";
    EXPECT_EQ(TextFinder("needle").Find(text), before);
    EXPECT_EQ(TextFinder("needle").Find(std::string_view(text).substr(0, text.size() - 1)), std::string::npos);
  }
}

// Text that holds the rare bytes of what is wanted everywhere: every position would be compared to its end.
TEST(TextFinder, TextMadeAgainstItTakesLinearTime) {
  const std::string text(4 << 20, 'a');
  const std::string wanted = std::string(100'000, 'a') + "b" + std::string(100'000, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(TextFinder(wanted).Find(text), std::string::npos);
  EXPECT_EQ(TextFinder(std::string(200'000, 'a') + "b").Find(text), std::string::npos);
  EXPECT_EQ(TextFinder("b" + std::string(200'000, 'a')).Find(text), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace paddock
