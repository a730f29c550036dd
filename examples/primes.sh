#!/bin/bash
# The first primes, in plain Bash: primes.sh [COUNT]
count=${1:-50}
primes=(2)
for ((n = 3; ${#primes[@]} < count; n += 2)); do
  for p in "${primes[@]}"; do
    ((p * p > n)) && break
    ((n % p == 0)) && continue 2
  done
  primes+=("$n")
done
printf '%4d %4d %4d %4d %4d %4d %4d %4d %4d %4d\n' "${primes[@]}"
