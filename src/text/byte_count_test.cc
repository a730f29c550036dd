#include "text/byte_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace paddock {
namespace {

TEST(CountByte, AgreesWithALoopAtEveryLengthAndOffset) {
  std::string text;
  for (size_t i = 0; i < 70'000; ++i) text += static_cast<char>(i * i % 7 == 3 ? '\n' : i % 251);
  for (const size_t begin : {size_t{0}, size_t{1}, size_t{17}}) {
    for (const size_t length : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{63}, size_t{64}, size_t{65},
                                size_t{16'320}, size_t{16'400}, size_t{65'536}}) {
      const std::string_view part = std::string_view(text).substr(begin, length);
      const auto expected = static_cast<uint64_t>(std::count(part.begin(), part.end(), '\n'));
      EXPECT_EQ(CountByte(part, '\n'), expected) << begin << " " << length;
    }
  }
}

// A lane's sum would overflow after 255 rounds.
TEST(CountByte, CountsWhereEveryByteIsTheOne) {
  EXPECT_EQ(CountByte(std::string(1'000'003, 'x'), 'x'), 1'000'003u);
}

}  // namespace
}  // namespace paddock
