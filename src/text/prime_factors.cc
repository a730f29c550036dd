#include "text/prime_factors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>

#include "base/budget.h"

namespace paddock {
namespace {

// Trial divisors; the first of them are the bases of Miller–Rabin, of which twelve prove primes below 2^64.
constexpr uint16_t kSmallPrimes[] = {
    2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,  43,  47,  53,  59,  61,
    67,  71,  73,  79,  83,  89,  97,  101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151,
    157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239, 241, 251};
constexpr unsigned kLargestSmallPrime = 251;
constexpr size_t kProvingBases = 12;
constexpr size_t kWideBases = 40;

// The first bases that prove primes below a number. Source: G. Jaeschke, "On strong pseudoprimes to several bases" (1993).
struct FewBases {
  uint64_t below;
  size_t count;
};
constexpr FewBases kFewBases[] = {{2'047, 1}, {1'373'653, 2}, {25'326'001, 3}, {3'215'031'751, 4}, {2'152'302'898'747, 5}, {3'474'749'660'383, 6}, {341'550'071'728'321, 7}};

// For odd primes: what n·inverse modulo 2^64 is at most when the prime divides n. That costs a product where a remainder costs a division.
struct Divisor {
  uint64_t inverse = 1;
  uint64_t most = 0;
};
constexpr std::array<Divisor, std::size(kSmallPrimes)> MakeDivisors() {
  std::array<Divisor, std::size(kSmallPrimes)> divisors{};
  for (size_t i = 1; i < divisors.size(); ++i) {
    const uint64_t prime = kSmallPrimes[i];
    uint64_t inverse = prime;
    for (int bits = 3; bits < 64; bits *= 2) inverse *= 2 - prime * inverse;
    divisors[i] = {inverse, ~uint64_t{0} / prime};
  }
  return divisors;
}
constexpr std::array<Divisor, std::size(kSmallPrimes)> kDivisors = MakeDivisors();

struct Product {
  WideNumber high;
  WideNumber low;
};

Product Multiply(WideNumber a, WideNumber b) {
  const auto a_low = static_cast<uint64_t>(a);
  const auto a_high = static_cast<uint64_t>(a >> 64);
  const auto b_low = static_cast<uint64_t>(b);
  const auto b_high = static_cast<uint64_t>(b >> 64);
  const WideNumber low = WideNumber{a_low} * b_low;
  const WideNumber first = WideNumber{a_high} * b_low;
  const WideNumber second = WideNumber{a_low} * b_high;
  const WideNumber middle = (low >> 64) + static_cast<uint64_t>(first) + static_cast<uint64_t>(second);
  return {WideNumber{a_high} * b_high + (first >> 64) + (second >> 64) + (middle >> 64),
          (middle << 64) | static_cast<uint64_t>(low)};
}

// The part of a product that a Montgomery reduction keeps: (high : low) / R modulo n.
uint64_t Reduce(WideNumber product, uint64_t n, uint64_t inverse) {
  const auto high = static_cast<uint64_t>(product >> 64);
  const uint64_t quotient = static_cast<uint64_t>(product) * inverse;
  const auto taken = static_cast<uint64_t>((WideNumber{quotient} * n) >> 64);
  return high >= taken ? high - taken : high - taken + n;
}
uint64_t MultiplyReduced(uint64_t a, uint64_t b, uint64_t n, uint64_t inverse) {
  return Reduce(WideNumber{a} * b, n, inverse);
}
WideNumber MultiplyReduced(WideNumber a, WideNumber b, WideNumber n, WideNumber inverse) {
  const Product product = Multiply(a, b);
  const WideNumber taken = Multiply(product.low * inverse, n).high;
  return product.high >= taken ? product.high - taken : product.high - taken + n;
}

// Arithmetic modulo an odd number, on residues multiplied by R = 2^(bits of Word).
template <class Word>
class Residues {
 public:
  explicit Residues(Word n) : n_(n), inverse_(n) {
    for (int bits = 3; bits < static_cast<int>(sizeof(Word) * 8); bits *= 2) inverse_ *= 2 - n * inverse_;
    one_ = static_cast<Word>((Word{0} - n) % n);
  }

  Word n() const { return n_; }
  Word one() const { return one_; }
  Word Add(Word a, Word b) const { return a >= n_ - b ? a - (n_ - b) : a + b; }
  Word Multiply(Word a, Word b) const { return MultiplyReduced(a, b, n_, inverse_); }
  Word Of(unsigned small) const {
    Word sum = 0;
    for (int bit = 15; bit >= 0; --bit) {
      sum = Add(sum, sum);
      if (((small >> bit) & 1) != 0) sum = Add(sum, one_);
    }
    return sum;
  }

 private:
  Word n_;
  Word inverse_;   // of n modulo R
  Word one_;
};

template <class Word>
int TrailingZeros(Word value) {
  const auto low = static_cast<uint64_t>(value);
  if constexpr (sizeof(Word) == 8) {
    return std::countr_zero(low);
  } else {
    return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<uint64_t>(value >> 64));
  }
}

// `n` is odd and has no factor among the small primes.
template <class Word>
bool IsPrime(Word n, Budget& budget) {
  if (n <= Word{kLargestSmallPrime} * kLargestSmallPrime) return true;
  const Residues<Word> residues(n);
  const Word minus_one = n - residues.one();
  const int twos = TrailingZeros<Word>(n - 1);
  const Word odd = (n - 1) >> twos;
  int top_bit = static_cast<int>(sizeof(Word) * 8) - 1;
  while (((odd >> top_bit) & 1) == 0) --top_bit;
  size_t bases = sizeof(Word) == 8 ? kProvingBases : kWideBases;
  const auto few = std::find_if(std::begin(kFewBases), std::end(kFewBases), [n](const FewBases& known) { return n < known.below; });
  if (few != std::end(kFewBases)) bases = few->count;
  for (size_t i = 0; i < bases; ++i) {
    budget.Step(sizeof(Word) == 8 ? 16 : 64);
    const Word base = residues.Of(kSmallPrimes[i]);
    Word power = residues.one();
    for (int bit = top_bit; bit >= 0; --bit) {
      power = residues.Multiply(power, power);
      if (((odd >> bit) & 1) != 0) power = residues.Multiply(power, base);
    }
    if (power == residues.one() || power == minus_one) continue;
    bool is_witness = true;
    for (int square = 1; square < twos && is_witness; ++square) {
      power = residues.Multiply(power, power);
      if (power == minus_one) is_witness = false;
    }
    if (is_witness) return false;
  }
  return true;
}

template <class Word>
Word CommonDivisor(Word a, Word b) {
  while (b != 0) {
    const Word rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// One sequence x → x² + c, looked at in powers of two; a proper divisor of n, or n when it found none.
template <class Word>
Word TryRho(const Residues<Word>& residues, unsigned increment, Budget& budget) {
  constexpr uint64_t kBatch = 128;
  const Word n = residues.n();
  const Word c = residues.Of(increment);
  const auto next = [&](Word x) { return residues.Add(residues.Multiply(x, x), c); };
  const auto distance = [](Word a, Word b) { return a > b ? a - b : b - a; };
  Word tortoise = 0;
  Word hare = residues.Of(2);
  for (uint64_t length = 1;; length *= 2) {
    tortoise = hare;
    for (uint64_t i = 0; i < length; ++i) {
      if (i % kBatch == 0) budget.Step(kBatch / 4);
      hare = next(hare);
    }
    for (uint64_t done = 0; done < length; done += kBatch) {
      budget.Step(kBatch / 2);
      const Word start = hare;
      Word product = residues.one();
      for (uint64_t i = 0; i < std::min(kBatch, length - done); ++i) {
        hare = next(hare);
        product = residues.Multiply(product, distance(tortoise, hare));
      }
      Word divisor = CommonDivisor(n, product);
      if (divisor == 1) continue;
      if (divisor != n) return divisor;
      hare = start;
      do {
        budget.Step();
        hare = next(hare);
        divisor = CommonDivisor(n, distance(tortoise, hare));
      } while (divisor == 1);
      return divisor;
    }
  }
}

// Splits a number without small factors.
void Split(WideNumber number, std::vector<WideNumber>& factors, Budget& budget) {
  std::vector<WideNumber> pending = {number};
  while (!pending.empty()) {
    const WideNumber n = pending.back();
    pending.pop_back();
    if (n == 1) continue;
    const bool is_narrow = n >> 64 == 0;
    const auto narrow = static_cast<uint64_t>(n);
    if (is_narrow ? IsPrime(narrow, budget) : IsPrime(n, budget)) {
      factors.push_back(n);
      continue;
    }
    WideNumber divisor = n;
    for (unsigned increment = 1; divisor == n; ++increment) {
      divisor = is_narrow ? TryRho(Residues<uint64_t>(narrow), increment, budget)
                          : TryRho(Residues<WideNumber>(n), increment, budget);
    }
    pending.push_back(divisor);
    pending.push_back(n / divisor);
  }
}

}  // namespace

std::vector<WideNumber> PrimeFactors(WideNumber number, Budget& budget) {
  std::vector<WideNumber> factors;
  if (number == 0) return factors;
  for (size_t i = 0; i < std::size(kSmallPrimes) && number >> 64 != 0; ++i) {
    for (; number % kSmallPrimes[i] == 0; number /= kSmallPrimes[i]) factors.push_back(kSmallPrimes[i]);
  }
  if (number >> 64 == 0) {
    auto narrow = static_cast<uint64_t>(number);
    for (; narrow % 2 == 0; narrow /= 2) factors.push_back(2);
    for (size_t i = 1; i < std::size(kSmallPrimes); ++i) {
      const uint64_t prime = kSmallPrimes[i];
      if (prime * prime > narrow) break;
      for (uint64_t quotient; (quotient = narrow * kDivisors[i].inverse) <= kDivisors[i].most; narrow = quotient) factors.push_back(prime);
    }
    number = narrow;
  }
  budget.Step(4);
  if (number > 1) Split(number, factors, budget);
  std::sort(factors.begin(), factors.end());
  return factors;
}

}  // namespace paddock
