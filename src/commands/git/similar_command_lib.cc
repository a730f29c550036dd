#include "commands/git/similar_command.h"

#include <algorithm>
#include <array>

#include "base/budget.h"

namespace paddock::git {
namespace {

constexpr size_t kLongestWord = 64;   // longer ones are no slips
constexpr int kFarthest = 7;          // a distance from here on is no likeness

// Those that git shows to beginners: one of them that begins with the word is what was meant.
constexpr std::string_view kCommon[] = {"add", "bisect", "branch", "clone", "commit", "diff", "fetch", "grep", "init", "log", "merge",
                                        "mv", "pull", "push", "rebase", "reset", "restore", "rm", "show", "status", "switch", "tag"};

// What it takes to make `to` of `from`: letters in the wrong order cost nothing, missing ones 1, wrong ones 2 and extra ones 3.
int Distance(std::string_view from, std::string_view to) {
  constexpr int kMissing = 1, kWrong = 2, kExtra = 3;
  using Row = std::array<int, kLongestWord + 1>;
  std::array<Row, 3> rows{};
  Row *before = &rows[0], *last = &rows[1], *now = &rows[2];
  for (size_t j = 0; j <= to.size(); ++j) (*last)[j] = static_cast<int>(j) * kMissing;
  for (size_t i = 0; i < from.size(); ++i) {
    (*now)[0] = static_cast<int>(i + 1) * kExtra;
    for (size_t j = 0; j < to.size(); ++j) {
      int best = (*last)[j] + (from[i] == to[j] ? 0 : kWrong);
      if (i > 0 && j > 0 && from[i - 1] == to[j] && from[i] == to[j - 1]) best = std::min(best, (*before)[j - 1]);
      best = std::min({best, (*last)[j + 1] + kExtra, (*now)[j] + kMissing});
      (*now)[j + 1] = best;
    }
    Row* const free = before;
    before = last;
    last = now;
    now = free;
  }
  return (*last)[to.size()];
}

}  // namespace

std::vector<std::string> SimilarCommands(std::string_view word, const std::vector<std::string>& known, Budget& budget) {
  if (word.size() > kLongestWord) return {};
  std::vector<std::string> begun, nearest;
  int least = kFarthest;
  for (const std::string& name : known) {
    budget.Step(static_cast<int64_t>(word.size() * name.size() + 1));
    if (name.size() > kLongestWord) continue;
    if (name.starts_with(word) && std::find(std::begin(kCommon), std::end(kCommon), name) != std::end(kCommon)) {
      begun.push_back(name);
      continue;
    }
    const int distance = Distance(word, name) + 1;
    if (distance > least || distance >= kFarthest) continue;
    if (distance < least) nearest.clear();
    least = distance;
    nearest.push_back(name);
  }
  if (nearest.empty()) return {};
  std::sort(begun.begin(), begun.end());
  std::sort(nearest.begin(), nearest.end());
  begun.insert(begun.end(), nearest.begin(), nearest.end());
  return begun;
}

}  // namespace paddock::git
