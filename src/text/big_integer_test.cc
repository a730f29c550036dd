#include "text/big_integer.h"

#include <gtest/gtest.h>

#include "base/budget.h"
#include "base/clock.h"

namespace paddock {
namespace {

BigInteger Big(std::string_view text) { return *BigInteger::Parse(text); }

TEST(BigInteger, ReadsAndWritesDecimalText) {
  EXPECT_EQ(Big("-000123456789012345678901234567890").ToString(), "-123456789012345678901234567890");
  EXPECT_EQ(Big("-0").ToString(), "0");
  EXPECT_EQ(Big("1000000000").ToString(), "1000000000");
  for (const char* text : {"", "-", "+1", "1a", " 1", "1.5"}) EXPECT_FALSE(BigInteger::Parse(text)) << text;
}

TEST(BigInteger, AddsAndSubtractsAcrossLimbsAndSigns) {
  EXPECT_EQ(BigInteger::Add(Big("999999999999999999"), Big("1")).ToString(), "1000000000000000000");
  EXPECT_EQ(BigInteger::Subtract(Big("1000000000000000000"), Big("1")).ToString(), "999999999999999999");
  EXPECT_EQ(BigInteger::Subtract(Big("5"), Big("-7")).ToString(), "12");
  EXPECT_EQ(BigInteger::Add(Big("5"), Big("-5")).ToString(), "0");
  EXPECT_LT(BigInteger::Compare(Big("-10000000000"), Big("-1")), 0);
}

TEST(BigInteger, QuotientTimesDivisorPlusRemainderIsTheDividend) {
  Budget budget({}, SystemClock());
  const char* kNumbers[] = {"1", "-7", "999999999", "1000000000", "123456789012345678901234567890",
                            "-999999999999999999999999999", "500000000000000000000000001", "2000000001"};
  for (const char* a : kNumbers) {
    for (const char* b : kNumbers) {
      const auto division = BigInteger::Divide(Big(a), Big(b), budget);
      const BigInteger product = BigInteger::Multiply(division.quotient, Big(b), budget);
      EXPECT_EQ(BigInteger::Add(product, division.remainder).ToString(), a) << a << " / " << b;
    }
  }
  EXPECT_EQ(BigInteger::Divide(Big("-7"), Big("2"), budget).quotient.ToString(), "-3");
  EXPECT_EQ(BigInteger::Divide(Big("-7"), Big("2"), budget).remainder.ToString(), "-1");
}

}  // namespace
}  // namespace paddock
