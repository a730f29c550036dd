// Which line of an older text a changed line most likely was, by the pairs of characters that both have.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace paddock::git {

// A run of lines of the old text that became a run of the new one.
struct ChangedLines {
  size_t old_begin, old_count, new_begin, new_count;
};

class LineGuesser {
 public:
  LineGuesser(const std::vector<std::string_view>& old_lines, const std::vector<std::string_view>& new_lines, Budget& budget);
  // For each new line of the run a line of the old text. Lines in order within the run are looked for first, then lines anywhere; what
  // was matched counts for less in later calls.
  std::vector<std::optional<size_t>> Guess(const ChangedLines& run);

 private:
  // Pairs of characters with how often each is there, in order.
  using Print = std::vector<std::pair<uint16_t, uint32_t>>;
  static Print PrintOf(std::string_view line);
  int64_t Likeness(const Print& a, const Print& b);
  static void Subtract(Print& from, const Print& what);
  std::optional<size_t> FindAnywhere(size_t new_line);

  // What is known of a line of the run.
  struct Match {
    enum class State { kUnknown, kNothing, kFound } state = State::kUnknown;
    int64_t certainty = 0;
    size_t best = 0, second = 0;
  };
  void Look(const ChangedLines& whole, const ChangedLines& part, size_t new_line, Match& match);
  void MatchInOrder(const ChangedLines& whole, std::vector<Match>& matches);

  Budget& budget_;
  std::vector<Print> old_, new_;
};

}  // namespace paddock::git
