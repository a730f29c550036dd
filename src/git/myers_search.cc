// Myers' O(ND) search from both ends, with the short cuts that git takes in long and costly comparisons.
#include <algorithm>
#include <limits>

#include "git/edit_search.h"

namespace paddock::git {
namespace {

using Place = int64_t;

constexpr Place kSnakeLength = 20;       // a run of common elements that is worth a cut
constexpr Place kCostOfHeuristics = 256;
constexpr Place kLeastCostLimit = 256;
constexpr Place kHeuristicFactor = 4;
constexpr size_t kMostEqual = 1024;
constexpr Place kScanWindow = 100;

// A power of two near the square root.
Place RoughRoot(size_t n) {
  Place root = 1;
  for (; n > 0; n >>= 2) root <<= 1;
  return root;
}

enum class Fate : char { kNowhere, kKept, kFrequent };

// Whether a frequent element stands among so many that are nowhere else that it says nothing.
bool IsLostAmongOthers(const std::vector<Fate>& fates, Place at, Place begin, Place end) {
  begin = std::max(begin, at - kScanWindow);
  end = std::min(end, at + kScanWindow);
  Place nowhere = 0, frequent = 0;
  for (const Place step : {Place{-1}, Place{1}}) {
    Place alone = 0;
    ++frequent;
    for (Place i = at + step; i >= begin && i <= end; i += step) {
      const Fate fate = fates[static_cast<size_t>(i)];
      if (fate == Fate::kKept) break;
      if (fate == Fate::kNowhere) ++alone;
      else ++frequent;
    }
    if (alone == 0) return false;
    nowhere += alone;
  }
  return frequent * 4 < frequent + nowhere;
}

struct Kept {
  std::vector<uint32_t> numbers;
  std::vector<size_t> places;
};

class Search {
 public:
  Search(const Kept& a, const Kept& b, std::vector<char>& a_changed, std::vector<char>& b_changed, Budget& budget)
      : a_(a), b_(b), a_changed_(a_changed), b_changed_(b_changed), budget_(budget) {
    const size_t diagonals = a.numbers.size() + b.numbers.size() + 3;
    budget.WillAllocate(2 * (diagonals + 1) * sizeof(Place));
    forward_.resize(diagonals + 1);
    backward_.resize(diagonals + 1);
    zero_ = static_cast<Place>(b.numbers.size()) + 1;
    cost_limit_ = std::max(RoughRoot(diagonals), kLeastCostLimit);
  }

  void Run(bool minimal) { Compare({0, Size(a_), 0, Size(b_)}, minimal); }

 private:
  struct Box {
    Place a_begin, a_end, b_begin, b_end;
  };
  struct Cut {
    Place a, b;
    bool first_minimal, second_minimal;
  };

  static Place Size(const Kept& side) { return static_cast<Place>(side.numbers.size()); }
  bool Equal(Place a, Place b) const { return a_.numbers[static_cast<size_t>(a)] == b_.numbers[static_cast<size_t>(b)]; }
  Place& Forward(Place diagonal) { return forward_[static_cast<size_t>(diagonal + zero_)]; }
  Place& Backward(Place diagonal) { return backward_[static_cast<size_t>(diagonal + zero_)]; }

  void Compare(Box box, bool minimal) {
    while (true) {
      budget_.CheckStack();
      const Place size = box.a_end - box.a_begin;
      while (box.a_begin < box.a_end && box.b_begin < box.b_end && Equal(box.a_begin, box.b_begin)) ++box.a_begin, ++box.b_begin;
      while (box.a_begin < box.a_end && box.b_begin < box.b_end && Equal(box.a_end - 1, box.b_end - 1)) --box.a_end, --box.b_end;
      budget_.Step(1 + (size - (box.a_end - box.a_begin)) / 8);
      if (box.a_begin == box.a_end || box.b_begin == box.b_end) {
        for (Place i = box.a_begin; i < box.a_end; ++i) a_changed_[a_.places[static_cast<size_t>(i)]] = 1;
        for (Place i = box.b_begin; i < box.b_end; ++i) b_changed_[b_.places[static_cast<size_t>(i)]] = 1;
        return;
      }
      const Cut cut = FindCut(box, minimal);
      Compare({box.a_begin, cut.a, box.b_begin, cut.b}, cut.first_minimal);
      box.a_begin = cut.a;
      box.b_begin = cut.b;
      minimal = cut.second_minimal;
    }
  }

  Cut FindCut(const Box& box, bool minimal) {
    const Place lowest = box.a_begin - box.b_end, highest = box.a_end - box.b_begin;
    const Place forward_start = box.a_begin - box.b_begin, backward_start = box.a_end - box.b_end;
    const bool is_odd = ((forward_start - backward_start) & 1) != 0;
    Place f_low = forward_start, f_high = forward_start, b_low = backward_start, b_high = backward_start;
    Forward(forward_start) = box.a_begin;
    Backward(backward_start) = box.a_end;
    for (Place cost = 1;; ++cost) {
      budget_.Step(1 + (f_high - f_low + b_high - b_low) / 8);
      bool has_snake = false;
      if (f_low > lowest) Forward(--f_low - 1) = -1;
      else ++f_low;
      if (f_high < highest) Forward(++f_high + 1) = -1;
      else --f_high;
      for (Place d = f_high; d >= f_low; d -= 2) {
        Place a = std::max(Forward(d - 1) + 1, Forward(d + 1));
        const Place from = a;
        Place b = a - d;
        while (a < box.a_end && b < box.b_end && Equal(a, b)) ++a, ++b;
        has_snake |= a - from > kSnakeLength;
        Forward(d) = a;
        if (is_odd && b_low <= d && d <= b_high && Backward(d) <= a) return {a, b, true, true};
      }
      constexpr Place kFar = std::numeric_limits<Place>::max() / 2;
      if (b_low > lowest) Backward(--b_low - 1) = kFar;
      else ++b_low;
      if (b_high < highest) Backward(++b_high + 1) = kFar;
      else --b_high;
      for (Place d = b_high; d >= b_low; d -= 2) {
        Place a = std::min(Backward(d - 1), Backward(d + 1) - 1);
        const Place from = a;
        Place b = a - d;
        while (a > box.a_begin && b > box.b_begin && Equal(a - 1, b - 1)) --a, --b;
        has_snake |= from - a > kSnakeLength;
        Backward(d) = a;
        if (!is_odd && f_low <= d && d <= f_high && a <= Forward(d)) return {a, b, true, true};
      }
      if (minimal) continue;
      if (has_snake && cost > kCostOfHeuristics) {
        Cut cut{};
        if (FindForwardSnake(box, f_low, f_high, forward_start, cost, cut)) return cut;
        if (FindBackwardSnake(box, b_low, b_high, backward_start, cost, cut)) return cut;
      }
      if (cost >= cost_limit_) return GiveUp(box, f_low, f_high, b_low, b_high);
    }
  }

  // The diagonal that got furthest, if it ends with a run of common elements.
  bool FindForwardSnake(const Box& box, Place low, Place high, Place start, Place cost, Cut& cut) {
    Place best = 0;
    for (Place d = high; d >= low; d -= 2) {
      const Place a = Forward(d), b = a - d;
      const Place gain = (a - box.a_begin) + (b - box.b_begin) - std::abs(d - start);
      if (gain <= kHeuristicFactor * cost || gain <= best || box.a_begin + kSnakeLength > a || a >= box.a_end || box.b_begin + kSnakeLength > b || b >= box.b_end) continue;
      Place length = 0;
      while (length < kSnakeLength && Equal(a - length - 1, b - length - 1)) ++length;
      if (length < kSnakeLength) continue;
      best = gain;
      cut = {a, b, true, false};
    }
    return best > 0;
  }
  bool FindBackwardSnake(const Box& box, Place low, Place high, Place start, Place cost, Cut& cut) {
    Place best = 0;
    for (Place d = high; d >= low; d -= 2) {
      const Place a = Backward(d), b = a - d;
      const Place gain = (box.a_end - a) + (box.b_end - b) - std::abs(d - start);
      if (gain <= kHeuristicFactor * cost || gain <= best || box.a_begin >= a || a > box.a_end - kSnakeLength || box.b_begin >= b || b > box.b_end - kSnakeLength) continue;
      Place length = 0;
      while (length < kSnakeLength && Equal(a + length, b + length)) ++length;
      if (length < kSnakeLength) continue;
      best = gain;
      cut = {a, b, false, true};
    }
    return best > 0;
  }

  Cut GiveUp(const Box& box, Place f_low, Place f_high, Place b_low, Place b_high) {
    Place forward_sum = -1, forward_a = -1;
    for (Place d = f_high; d >= f_low; d -= 2) {
      Place a = std::min(Forward(d), box.a_end);
      if (a - d > box.b_end) a = box.b_end + d;
      if (forward_sum >= 2 * a - d) continue;
      forward_sum = 2 * a - d;
      forward_a = a;
    }
    Place backward_sum = std::numeric_limits<Place>::max(), backward_a = 0;
    for (Place d = b_high; d >= b_low; d -= 2) {
      Place a = std::max(Backward(d), box.a_begin);
      if (a - d < box.b_begin) a = box.b_begin + d;
      if (2 * a - d >= backward_sum) continue;
      backward_sum = 2 * a - d;
      backward_a = a;
    }
    if (box.a_end + box.b_end - backward_sum < forward_sum - (box.a_begin + box.b_begin)) return {forward_a, forward_sum - forward_a, true, false};
    return {backward_a, backward_sum - backward_a, false, true};
  }

  const Kept& a_;
  const Kept& b_;
  std::vector<char>& a_changed_;
  std::vector<char>& b_changed_;
  Budget& budget_;
  std::vector<Place> forward_, backward_;   // by diagonal a - b: the furthest place in a
  Place zero_ = 0, cost_limit_ = 0;
};

}  // namespace

void SearchByMyers(EditSides& sides, const EditRange& range, bool minimal, Budget& budget) {
  size_t a_begin = range.a_begin, b_begin = range.b_begin, a_end = range.a_end, b_end = range.b_end;
  budget.Step(static_cast<int64_t>(a_end - a_begin + b_end - b_begin) / 4 + 1);
  while (a_begin < a_end && b_begin < b_end && sides.a[a_begin] == sides.b[b_begin]) ++a_begin, ++b_begin;
  while (a_begin < a_end && b_begin < b_end && sides.a[a_end - 1] == sides.b[b_end - 1]) --a_end, --b_end;
  if (a_begin == a_end || b_begin == b_end) {
    sides.MarkAll({a_begin, a_end, b_begin, b_end});
    return;
  }
  // Counts are those of the whole range.
  std::vector<size_t> a_counts(sides.class_count, 0), b_counts(sides.class_count, 0);
  for (size_t i = range.a_begin; i < range.a_end; ++i) ++a_counts[sides.a[i]];
  for (size_t i = range.b_begin; i < range.b_end; ++i) ++b_counts[sides.b[i]];
  const auto select = [minimal](const std::vector<uint32_t>& numbers, size_t begin, size_t end, size_t whole, const std::vector<size_t>& counts, std::vector<char>& changed) {
    const size_t many = std::min(static_cast<size_t>(RoughRoot(whole)), kMostEqual);
    std::vector<Fate> fates(end - begin);
    for (size_t i = begin; i < end; ++i) {
      const size_t count = counts[numbers[i]];
      fates[i - begin] = count == 0 ? Fate::kNowhere : count >= many && !minimal ? Fate::kFrequent : Fate::kKept;
    }
    Kept kept;
    for (size_t i = begin; i < end; ++i) {
      const Fate fate = fates[i - begin];
      if (fate == Fate::kKept || (fate == Fate::kFrequent && !IsLostAmongOthers(fates, static_cast<Place>(i - begin), 0, static_cast<Place>(end - begin) - 1))) {
        kept.numbers.push_back(numbers[i]);
        kept.places.push_back(i);
      } else {
        changed[i] = 1;
      }
    }
    return kept;
  };
  const Kept a = select(sides.a, a_begin, a_end, range.a_end - range.a_begin, b_counts, sides.a_changed);
  const Kept b = select(sides.b, b_begin, b_end, range.b_end - range.b_begin, a_counts, sides.b_changed);
  Search(a, b, sides.a_changed, sides.b_changed, budget).Run(minimal);
}

}  // namespace paddock::git
