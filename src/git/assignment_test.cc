#include "git/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "base/budget.h"
#include "base/clock.h"

namespace paddock::git {
namespace {

int64_t PriceOf(const std::vector<int64_t>& costs, const std::vector<size_t>& columns) {
  int64_t sum = 0;
  for (size_t row = 0; row < columns.size(); ++row) sum += costs[row * columns.size() + columns[row]];
  return sum;
}

TEST(Assignment, NoOrderOfColumnsIsCheaper) {
  Budget budget({}, SystemClock());
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const size_t n = 1 + random() % 6;
    std::vector<int64_t> costs(n * n);
    for (int64_t& cost : costs) cost = random() % 4 == 0 ? 65536 : static_cast<int64_t>(random() % 20);
    const std::vector<size_t> found = CheapestAssignment(costs, n, budget);
    std::vector<size_t> order(n), sorted = found;
    std::sort(sorted.begin(), sorted.end());
    std::iota(order.begin(), order.end(), 0);
    ASSERT_EQ(sorted, order);
    int64_t best = PriceOf(costs, order);
    while (std::next_permutation(order.begin(), order.end())) best = std::min(best, PriceOf(costs, order));
    EXPECT_EQ(PriceOf(costs, found), best);
  }
}

TEST(Assignment, OfNothing) {
  Budget budget({}, SystemClock());
  EXPECT_TRUE(CheapestAssignment({}, 0, budget).empty());
}

}  // namespace
}  // namespace paddock::git
