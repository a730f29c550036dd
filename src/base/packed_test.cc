#include "base/packed.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "base/crc32c.h"

namespace paddock {
namespace {

TEST(Packed, GivesBackWhatWasPutIn) {
  const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, 1ull << 32, std::numeric_limits<uint64_t>::max()};
  const int64_t signed_numbers[] = {0, -1, 1, -64, 64, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  std::string bytes;
  PackedWriter writer(bytes);
  for (const uint64_t number : numbers) writer.Number(number);
  for (const int64_t number : signed_numbers) writer.Signed(number);
  writer.Bool(true);
  writer.Bytes(std::string_view("a\0b", 3));
  writer.Bytes("");
  PackedReader reader(bytes);
  for (const uint64_t number : numbers) EXPECT_EQ(reader.Number(), number);
  for (const int64_t number : signed_numbers) EXPECT_EQ(reader.Signed(), number);
  EXPECT_TRUE(reader.Bool());
  EXPECT_EQ(reader.Bytes(), std::string_view("a\0b", 3));
  EXPECT_EQ(reader.Bytes(), "");
  EXPECT_TRUE(reader.IsDone());
}

TEST(Packed, ANumberHasOneForm) {
  for (const std::string_view bytes : {std::string_view("\x80\x00", 2), std::string_view("\xFF\x80\x00", 3)}) {
    PackedReader reader(bytes);
    EXPECT_EQ(reader.Number(), 0u);
    EXPECT_FALSE(reader.ok());
  }
}

TEST(Packed, WhatIsTooLongOrCutOffFailsForGood) {
  for (const std::string_view bytes :
       {std::string_view(""), std::string_view("\x80"), std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02"),
        std::string_view("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")}) {
    PackedReader reader(bytes);
    EXPECT_EQ(reader.Number(), 0u);
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.Bytes(), "");
    EXPECT_FALSE(reader.IsDone());
  }
  PackedReader text("\x05" "four");
  EXPECT_EQ(text.Bytes(), "");
  EXPECT_FALSE(text.ok());
  PackedReader count("\x03" "abcde");
  EXPECT_EQ(count.Count(2), 0u);
  EXPECT_FALSE(count.ok());
  PackedReader bounded("\x09");
  EXPECT_EQ(bounded.Number(8), 0u);
  EXPECT_FALSE(bounded.ok());
}

TEST(Crc32c, IsTheOneOfTheStandard) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
}

TEST(Crc32c, GoesOnWhereItWas) {
  std::mt19937 random(3);
  std::string bytes(1000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  const uint32_t whole = Crc32c(bytes);
  for (size_t cut = 0; cut <= bytes.size(); cut += 37) {
    EXPECT_EQ(Crc32c(std::string_view(bytes).substr(cut), Crc32c(std::string_view(bytes).substr(0, cut))), whole);
  }
}

}  // namespace
}  // namespace paddock
