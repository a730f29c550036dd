#include "text/numbers.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

uint64_t Value(std::string_view text) {
  const SizeNumber number = ParseSize(text, kSizeSuffixes);
  EXPECT_EQ(number.state, NumberState::kOk) << text;
  return number.value;
}
NumberState StateOf(std::string_view text) { return ParseSize(text, kSizeSuffixes).state; }

TEST(Numbers, SuffixesMultiply) {
  EXPECT_EQ(Value("12"), 12u);
  EXPECT_EQ(Value("+3"), 3u);
  EXPECT_EQ(Value("1b"), 512u);
  EXPECT_EQ(Value("2K"), 2048u);
  EXPECT_EQ(Value("2KiB"), 2048u);
  EXPECT_EQ(Value("2kB"), 2000u);
  EXPECT_EQ(Value("M"), 1048576u);
}

TEST(Numbers, TellsWhatIsWrong) {
  EXPECT_EQ(StateOf(""), NumberState::kInvalid);
  EXPECT_EQ(StateOf("x"), NumberState::kInvalid);
  EXPECT_EQ(StateOf("-1"), NumberState::kInvalid);
  EXPECT_EQ(StateOf("1x"), NumberState::kBadSuffix);
  EXPECT_EQ(StateOf("1KK"), NumberState::kBadSuffix);
  EXPECT_EQ(StateOf("99999999999999999999"), NumberState::kOverflow);
  EXPECT_EQ(StateOf("1Y"), NumberState::kOverflow);
  EXPECT_EQ(StateOf("0Y"), NumberState::kOk);
}

TEST(Numbers, BoundsAreErrorsOfTheirOwn) {
  EXPECT_EQ(ParseSizeBetween("0", 1, 9, "").error().code, Code::kRange);
  EXPECT_EQ(ParseSizeBetween("5000000000", 1, 9, "").error().code, Code::kOverflow);
  EXPECT_EQ(*ParseSizeBetween("9", 1, 9, ""), 9u);
}

TEST(Numbers, HumanSizesRoundUp) {
  EXPECT_EQ(HumanSize(0), "0");
  EXPECT_EQ(HumanSize(1023), "1023");
  EXPECT_EQ(HumanSize(1024), "1.0K");
  EXPECT_EQ(HumanSize(1025), "1.1K");
  EXPECT_EQ(HumanSize(10240), "10K");
  EXPECT_EQ(HumanSize(10241), "11K");
  EXPECT_EQ(HumanSize(1024 * 1024 - 1), "1.0M");
  EXPECT_EQ(HumanSize(1500, true), "1.5k");
}

}  // namespace
}  // namespace paddock
