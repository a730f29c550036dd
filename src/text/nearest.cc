#include "text/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace paddock {
namespace {

constexpr size_t kLongestWord = 64;

// How many letters have to be added, removed or replaced.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view NearestWord(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kLongestWord) return {};
  std::string_view nearest;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const size_t distance = EditDistance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  if (nearest.empty() && word.size() >= 3) {
    for (const std::string_view candidate : candidates) {
      if (candidate.starts_with(word) || word.starts_with(candidate)) return candidate;
    }
  }
  return nearest;
}

}  // namespace paddock
