// The cheapest way to give each of n rows one of n columns.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.h"

namespace paddock::git {

// `costs`: n rows of n. The column of each row; of several ways that cost the same, the one that git takes. Takes time in n^3, which the
// budget counts.
std::vector<size_t> CheapestAssignment(const std::vector<int64_t>& costs, size_t n, Budget& budget);

}  // namespace paddock::git
