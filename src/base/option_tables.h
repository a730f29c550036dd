// Option tables that are made of several: what relatives have in common stands in one place.
#pragma once

#include <array>
#include <cstddef>

#include "base/options.h"

namespace paddock {

template <size_t A, size_t B>
constexpr std::array<Option, A + B> JoinTables(const std::array<Option, A>& a, const std::array<Option, B>& b) {
  std::array<Option, A + B> all{};
  for (size_t i = 0; i < A; ++i) all[i] = a[i];
  for (size_t i = 0; i < B; ++i) all[A + i] = b[i];
  return all;
}

}  // namespace paddock
