// Prime factors of whole numbers below 2^128: trial division, Miller–Rabin and Pollard's rho (Brent's form)
// on Montgomery residues.
#pragma once

#include <vector>

namespace paddock {

class Budget;

__extension__ typedef unsigned __int128 WideNumber;

// The prime factors of `number` in ascending order, each as often as it divides; none for 0 and 1. A product
// of two primes near 2^64 takes some 2^32 steps of rho, which the budget sees.
std::vector<WideNumber> PrimeFactors(WideNumber number, Budget& budget);

}  // namespace paddock
