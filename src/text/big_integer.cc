#include "text/big_integer.h"

#include <algorithm>

#include "base/budget.h"

namespace paddock {
namespace {

constexpr uint32_t kBase = 1'000'000'000;
constexpr size_t kLimbDigits = 9;

}  // namespace

BigInteger::BigInteger(bool is_negative, Limbs limbs) : limbs_(std::move(limbs)) {
  Trim(limbs_);
  is_negative_ = is_negative && !limbs_.empty();
}

void BigInteger::Trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

std::optional<BigInteger> BigInteger::Parse(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  Limbs limbs;
  while (!text.empty()) {
    const size_t length = std::min(text.size(), kLimbDigits);
    uint32_t limb = 0;
    for (const char digit : text.substr(text.size() - length)) limb = limb * 10 + static_cast<uint32_t>(digit - '0');
    limbs.push_back(limb);
    text.remove_suffix(length);
  }
  return BigInteger(is_negative, std::move(limbs));
}

std::string BigInteger::ToString() const {
  if (limbs_.empty()) return "0";
  std::string text = (is_negative_ ? "-" : "") + std::to_string(limbs_.back());
  for (size_t i = limbs_.size() - 1; i-- > 0;) {
    const std::string digits = std::to_string(limbs_[i]);
    text.append(kLimbDigits - digits.size(), '0').append(digits);
  }
  return text;
}

int BigInteger::CompareSizes(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

int BigInteger::Compare(const BigInteger& a, const BigInteger& b) {
  if (a.is_negative_ != b.is_negative_) return a.is_negative_ ? -1 : 1;
  const int order = CompareSizes(a.limbs_, b.limbs_);
  return a.is_negative_ ? -order : order;
}

BigInteger::Limbs BigInteger::AddSizes(const Limbs& a, const Limbs& b) {
  const Limbs& longer = a.size() < b.size() ? b : a;
  const Limbs& shorter = a.size() < b.size() ? a : b;
  Limbs sum = longer;
  uint32_t carry = 0;
  for (size_t i = 0; i < sum.size() && (carry != 0 || i < shorter.size()); ++i) {
    sum[i] += carry + (i < shorter.size() ? shorter[i] : 0);
    carry = sum[i] >= kBase ? 1 : 0;
    if (carry != 0) sum[i] -= kBase;
  }
  if (carry != 0) sum.push_back(carry);
  return sum;
}

BigInteger::Limbs BigInteger::SubtractSizes(const Limbs& a, const Limbs& b) {
  Limbs difference = a;
  uint32_t borrow = 0;
  for (size_t i = 0; i < difference.size() && (borrow != 0 || i < b.size()); ++i) {
    const uint32_t taken = borrow + (i < b.size() ? b[i] : 0);
    borrow = difference[i] < taken ? 1 : 0;
    difference[i] += (borrow != 0 ? kBase : 0) - taken;
  }
  Trim(difference);
  return difference;
}

BigInteger BigInteger::Add(const BigInteger& a, const BigInteger& b) {
  if (a.is_negative_ == b.is_negative_) return {a.is_negative_, AddSizes(a.limbs_, b.limbs_)};
  if (CompareSizes(a.limbs_, b.limbs_) >= 0) return {a.is_negative_, SubtractSizes(a.limbs_, b.limbs_)};
  return {b.is_negative_, SubtractSizes(b.limbs_, a.limbs_)};
}

BigInteger BigInteger::Subtract(const BigInteger& a, BigInteger b) {
  b.is_negative_ = !b.is_negative_ && !b.is_zero();
  return Add(a, b);
}

BigInteger BigInteger::Multiply(const BigInteger& a, const BigInteger& b, Budget& budget) {
  Limbs product(a.limbs_.size() + b.limbs_.size());
  for (size_t i = 0; i < a.limbs_.size(); ++i) {
    budget.Step(static_cast<int64_t>(b.limbs_.size() / 16) + 1);
    uint64_t carry = 0;
    for (size_t j = 0; j < b.limbs_.size() || carry != 0; ++j) {
      const uint64_t factor = j < b.limbs_.size() ? b.limbs_[j] : 0;
      const uint64_t value = product[i + j] + carry + a.limbs_[i] * factor;
      product[i + j] = static_cast<uint32_t>(value % kBase);
      carry = value / kBase;
    }
  }
  return {a.is_negative_ != b.is_negative_, std::move(product)};
}

uint32_t BigInteger::DivideBySmall(Limbs& limbs, uint32_t divisor) {
  uint64_t remainder = 0;
  for (size_t i = limbs.size(); i-- > 0;) {
    const uint64_t value = remainder * kBase + limbs[i];
    limbs[i] = static_cast<uint32_t>(value / divisor);
    remainder = value % divisor;
  }
  Trim(limbs);
  return static_cast<uint32_t>(remainder);
}

BigInteger::Limbs BigInteger::MultiplyBySmall(const Limbs& limbs, uint32_t factor) {
  Limbs product;
  product.reserve(limbs.size() + 1);
  uint64_t carry = 0;
  for (const uint32_t limb : limbs) {
    carry += static_cast<uint64_t>(limb) * factor;
    product.push_back(static_cast<uint32_t>(carry % kBase));
    carry /= kBase;
  }
  if (carry != 0) product.push_back(static_cast<uint32_t>(carry));
  Trim(product);
  return product;
}

// Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D. The remainder grows by one limb of the
// dividend at a time, so that each digit of the quotient comes out of its two top limbs.
BigInteger::Division BigInteger::Divide(const BigInteger& dividend, const BigInteger& divisor, Budget& budget) {
  const bool is_negative = dividend.is_negative_ != divisor.is_negative_;
  const uint32_t scale = kBase / (divisor.limbs_.back() + 1);
  const Limbs by = MultiplyBySmall(divisor.limbs_, scale);
  const Limbs of = MultiplyBySmall(dividend.limbs_, scale);
  Limbs quotient(of.size());
  Limbs rest;
  for (size_t i = of.size(); i-- > 0;) {
    budget.Step(static_cast<int64_t>(by.size() / 16) + 1);
    rest.insert(rest.begin(), of[i]);
    Trim(rest);
    const uint64_t high = rest.size() > by.size() ? rest[by.size()] : 0;
    const uint64_t low = rest.size() >= by.size() ? rest[by.size() - 1] : 0;
    auto digit = static_cast<uint32_t>(std::min<uint64_t>((high * kBase + low) / by.back(), kBase - 1));
    Limbs taken = MultiplyBySmall(by, digit);
    while (CompareSizes(taken, rest) > 0) {   // twice at most
      --digit;
      taken = SubtractSizes(taken, by);
    }
    rest = SubtractSizes(rest, taken);
    quotient[i] = digit;
  }
  DivideBySmall(rest, scale);
  return {BigInteger(is_negative, std::move(quotient)), BigInteger(dividend.is_negative_, std::move(rest))};
}

}  // namespace paddock
