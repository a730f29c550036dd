#include "git/assignment.h"

#include <limits>

namespace paddock::git {

// Rows come one by one; each looks for the cheapest chain of rows that make room for it (Kuhn and Munkres, with Dijkstra's search).
std::vector<size_t> CheapestAssignment(const std::vector<int64_t>& costs, size_t n, Budget& budget) {
  constexpr size_t kNone = std::numeric_limits<size_t>::max();
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;
  std::vector<int64_t> row_price(n, 0), column_price(n, 0);
  std::vector<size_t> row_of(n, kNone);
  for (size_t row = 0; row < n; ++row) {
    std::vector<int64_t> distance(n, kFar);
    std::vector<size_t> from(n, kNone);   // the column before, on the chain
    std::vector<bool> is_done(n, false);
    size_t at = row, last = kNone;
    int64_t so_far = 0;
    while (true) {
      budget.Step(1 + static_cast<int64_t>(n / 16));
      size_t next = kNone;
      for (size_t column = 0; column < n; ++column) {
        if (is_done[column]) continue;
        const int64_t way = so_far + costs[at * n + column] - row_price[at] - column_price[column];
        if (way < distance[column]) {
          distance[column] = way;
          from[column] = last;
        }
        if (next == kNone || distance[column] < distance[next]) next = column;
      }
      is_done[next] = true;
      so_far = distance[next];
      last = next;
      if (row_of[next] == kNone) break;
      at = row_of[next];
    }
    row_price[row] += so_far;
    for (size_t column = 0; column < n; ++column) {
      if (!is_done[column] || column == last) continue;
      column_price[column] -= so_far - distance[column];
      row_price[row_of[column]] += so_far - distance[column];
    }
    while (last != kNone) {
      const size_t before = from[last];
      row_of[last] = before == kNone ? row : row_of[before];
      last = before;
    }
  }
  std::vector<size_t> column_of(n, 0);
  for (size_t column = 0; column < n; ++column) column_of[row_of[column]] = column;
  return column_of;
}

}  // namespace paddock::git
