#include "text/diff/diff.h"

#include <algorithm>
#include <limits>

#include "base/budget.h"

namespace paddock {
namespace {

using Flags = std::vector<char>;

// What is to become of a line before the comparison proper.
enum class Fate : char {
  kKept,
  kDropped,       // its like is not in the other file
  kProvisional,   // its like is so frequent there that it says little; dropped among dropped ones
};

// Sorts out the lines of one file that the search can do without.
class Sieve {
 public:
  Sieve(const std::vector<uint32_t>& lines, const std::vector<size_t>& other_counts) : fates_(lines.size(), Fate::kKept) {
    size_t many = 5;
    for (size_t rest = lines.size() / 64 / 4; rest > 0; rest /= 4) many *= 2;
    for (size_t i = 0; i < lines.size(); ++i) {
      const size_t matches = other_counts[lines[i]];
      if (matches == 0) fates_[i] = Fate::kDropped;
      else if (matches > many) fates_[i] = Fate::kProvisional;
    }
    SettleProvisional();
  }

  bool Keeps(size_t i) const { return fates_[i] == Fate::kKept; }

 private:
  // Provisional lines go only within runs that begin and end with dropped ones.
  void SettleProvisional() {
    const size_t size = fates_.size();
    for (size_t begin = 0; begin < size;) {
      if (fates_[begin] != Fate::kDropped) {
        fates_[begin++] = Fate::kKept;
        continue;
      }
      size_t end = begin;
      size_t provisional = 0;
      for (; end < size && fates_[end] != Fate::kKept; ++end) provisional += fates_[end] == Fate::kProvisional;
      const size_t run_end = end;
      for (; end > begin && fates_[end - 1] == Fate::kProvisional; --provisional) fates_[--end] = Fate::kKept;
      SettleRun(begin, end, provisional);
      begin = std::max(run_end, begin + 1);
    }
  }

  void SettleRun(size_t begin, size_t end, size_t provisional) {
    const size_t length = end - begin;
    if (provisional * 4 > length) {
      KeepProvisional(begin, end);
      return;
    }
    // Of the provisional lines, those in sub-runs of about the root of a quarter of the length stay.
    size_t too_long = 1;
    for (size_t rest = length / 4 / 4; rest > 0; rest /= 4) too_long *= 2;
    ++too_long;
    for (size_t i = begin; i < end;) {
      size_t stop = i;
      while (stop < end && fates_[stop] == Fate::kProvisional) ++stop;
      if (stop - i >= too_long) KeepProvisional(i, stop);
      i = std::max(stop, i + 1);
    }
    KeepNearEdge(begin, length, 1);
    KeepNearEdge(end - 1, length, -1);
  }

  void KeepProvisional(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (fates_[i] == Fate::kProvisional) fates_[i] = Fate::kKept;
    }
  }

  // From an edge inwards, provisional lines stay until three dropped ones follow each other, or until the
  // first dropped one at least eight lines in.
  void KeepNearEdge(size_t edge, size_t length, int direction) {
    size_t consecutive = 0;
    for (size_t i = 0; i < length && consecutive < 3; ++i) {
      Fate& fate = fates_[direction > 0 ? edge + i : edge - i];
      if (i >= 8 && fate == Fate::kDropped) return;
      consecutive = fate == Fate::kDropped ? consecutive + 1 : 0;
      if (fate == Fate::kProvisional) fate = Fate::kKept;
    }
  }

  std::vector<Fate> fates_;
};

// The middle-snake search. Positions are in the sieved sequences.
class Comparison {
 public:
  using Index = int64_t;

  // `x_map` and `y_map` give the places of the kept lines, where changes are marked.
  Comparison(const std::vector<uint32_t>& x, const std::vector<uint32_t>& y, const std::vector<size_t>& x_map,
             const std::vector<size_t>& y_map, Flags& x_changed, Flags& y_changed, bool minimal, Budget& budget)
      : x_(x), y_(y), x_map_(x_map), y_map_(y_map), x_changed_(x_changed), y_changed_(y_changed),
        is_minimal_(minimal), budget_(budget) {
    const size_t diagonals = x.size() + y.size() + 3;
    budget.WillAllocate(2 * diagonals * sizeof(Index));
    forward_.resize(diagonals);
    backward_.resize(diagonals);
    origin_ = static_cast<Index>(y.size()) + 1;
    for (size_t rest = diagonals; rest != 0; rest >>= 2) cost_limit_ <<= 1;
    cost_limit_ = std::max<Index>(cost_limit_, 4096);
  }

  void Run() { Compare({0, static_cast<Index>(x_.size()), 0, static_cast<Index>(y_.size())}, is_minimal_); }

 private:
  struct Box {
    Index x_begin, x_end, y_begin, y_end;
  };
  // Where to cut a box, and whether the parts have to be searched to the end.
  struct Cut {
    Index x, y;
    bool low_minimal, high_minimal;
  };

  bool Equal(Index x, Index y) const { return x_[static_cast<size_t>(x)] == y_[static_cast<size_t>(y)]; }
  Index& Forward(Index diagonal) { return forward_[static_cast<size_t>(diagonal + origin_)]; }
  Index& Backward(Index diagonal) { return backward_[static_cast<size_t>(diagonal + origin_)]; }

  void Compare(Box box, bool minimal) {
    while (true) {
      budget_.CheckStack();
      const Index before = box.x_begin + (box.x_end - box.x_begin);
      while (box.x_begin < box.x_end && box.y_begin < box.y_end && Equal(box.x_begin, box.y_begin)) {
        ++box.x_begin;
        ++box.y_begin;
      }
      while (box.x_begin < box.x_end && box.y_begin < box.y_end && Equal(box.x_end - 1, box.y_end - 1)) {
        --box.x_end;
        --box.y_end;
      }
      budget_.Step(1 + (before - box.x_end) / 8);
      if (box.x_begin == box.x_end) {
        for (Index y = box.y_begin; y < box.y_end; ++y) Mark(y_changed_, y_map_, y);
        return;
      }
      if (box.y_begin == box.y_end) {
        for (Index x = box.x_begin; x < box.x_end; ++x) Mark(x_changed_, x_map_, x);
        return;
      }
      const Cut cut = FindCut(box, minimal);
      Compare({box.x_begin, cut.x, box.y_begin, cut.y}, cut.low_minimal);
      box.x_begin = cut.x;
      box.y_begin = cut.y;
      minimal = cut.high_minimal;
    }
  }

  static void Mark(Flags& changed, const std::vector<size_t>& map, Index i) {
    changed[map[static_cast<size_t>(i)]] = 1;
  }

  // Searches from both corners at once until the paths meet on a diagonal.
  Cut FindCut(const Box& box, bool minimal) {
    constexpr Index kFarLeft = -1;
    constexpr Index kFarRight = std::numeric_limits<Index>::max();
    const Index lowest = box.x_begin - box.y_end;
    const Index highest = box.x_end - box.y_begin;
    const Index forward_middle = box.x_begin - box.y_begin;
    const Index backward_middle = box.x_end - box.y_end;
    const bool is_odd = ((forward_middle - backward_middle) & 1) != 0;
    Index f_low = forward_middle, f_high = forward_middle;
    Index b_low = backward_middle, b_high = backward_middle;
    Forward(forward_middle) = box.x_begin;
    Backward(backward_middle) = box.x_end;
    for (Index cost = 1;; ++cost) {
      budget_.Step(1 + (f_high - f_low + b_high - b_low) / 8);
      if (f_low > lowest) Forward(--f_low - 1) = kFarLeft;
      else ++f_low;
      if (f_high < highest) Forward(++f_high + 1) = kFarLeft;
      else --f_high;
      for (Index d = f_high; d >= f_low; d -= 2) {
        const Index below = Forward(d - 1);
        const Index above = Forward(d + 1);
        Index x = below < above ? above : below + 1;
        Index y = x - d;
        while (x < box.x_end && y < box.y_end && Equal(x, y)) ++x, ++y;
        Forward(d) = x;
        if (is_odd && b_low <= d && d <= b_high && Backward(d) <= x) return {x, y, true, true};
      }
      if (b_low > lowest) Backward(--b_low - 1) = kFarRight;
      else ++b_low;
      if (b_high < highest) Backward(++b_high + 1) = kFarRight;
      else --b_high;
      for (Index d = b_high; d >= b_low; d -= 2) {
        const Index below = Backward(d - 1);
        const Index above = Backward(d + 1);
        Index x = below < above ? below : above - 1;
        Index y = x - d;
        while (box.x_begin < x && box.y_begin < y && Equal(x - 1, y - 1)) --x, --y;
        Backward(d) = x;
        if (!is_odd && f_low <= d && d <= f_high && x <= Forward(d)) return {x, y, true, true};
      }
      if (!minimal && cost >= cost_limit_) return GiveUp(box, f_low, f_high, b_low, b_high);
    }
  }

  // The furthest that either side got.
  Cut GiveUp(const Box& box, Index f_low, Index f_high, Index b_low, Index b_high) {
    Index forward_sum = -1, forward_x = 0;
    for (Index d = f_high; d >= f_low; d -= 2) {
      Index x = std::min(Forward(d), box.x_end);
      Index y = x - d;
      if (box.y_end < y) {
        x = box.y_end + d;
        y = box.y_end;
      }
      if (forward_sum < x + y) {
        forward_sum = x + y;
        forward_x = x;
      }
    }
    Index backward_sum = std::numeric_limits<Index>::max(), backward_x = 0;
    for (Index d = b_high; d >= b_low; d -= 2) {
      Index x = std::max(box.x_begin, Backward(d));
      Index y = x - d;
      if (y < box.y_begin) {
        x = box.y_begin + d;
        y = box.y_begin;
      }
      if (x + y < backward_sum) {
        backward_sum = x + y;
        backward_x = x;
      }
    }
    if (box.x_end + box.y_end - backward_sum < forward_sum - (box.x_begin + box.y_begin)) {
      return {forward_x, forward_sum - forward_x, true, false};
    }
    return {backward_x, backward_sum - backward_x, false, true};
  }

  const std::vector<uint32_t>& x_;
  const std::vector<uint32_t>& y_;
  const std::vector<size_t>& x_map_;
  const std::vector<size_t>& y_map_;
  Flags& x_changed_;
  Flags& y_changed_;
  const bool is_minimal_;
  Budget& budget_;
  std::vector<Index> forward_;    // by diagonal x - y, furthest x reached
  std::vector<Index> backward_;
  Index origin_ = 0;
  Index cost_limit_ = 1;
};

// Change flags of one file with an unchanged line before the first and after the last.
class FlagView {
 public:
  explicit FlagView(Flags& flags) : flags_(flags) {}
  bool operator[](int64_t i) const {
    return i >= 0 && i < static_cast<int64_t>(flags_.size()) && flags_[static_cast<size_t>(i)] != 0;
  }
  void Set(int64_t i, bool is_changed) { flags_[static_cast<size_t>(i)] = is_changed ? 1 : 0; }

 private:
  Flags& flags_;
};

// Slides runs of changed lines of one file: together where they can meet, then as far down as they go, but
// back to a run in the other file if there is one to stand beside.
class Slider {
 public:
  Slider(const std::vector<uint32_t>& lines, Flags& changed, Flags& other_changed, Budget& budget)
      : lines_(lines), changed_(changed), other_(other_changed), budget_(budget) {}

  void Run() {
    const auto size = static_cast<int64_t>(lines_.size());
    int64_t i = 0;
    int64_t j = 0;   // the place in the other file that belongs to i
    while (true) {
      while (i < size && !changed_[i]) {
        while (other_[j]) ++j;
        ++j;
        ++i;
      }
      if (i == size) return;
      begin_ = i;
      while (changed_[i]) ++i;
      while (other_[j]) ++j;
      end_ = i;
      partner_ = j;
      SlideRun(size);
      i = end_;
      j = partner_;
    }
  }

 private:
  bool SameAs(int64_t a, int64_t b) const { return lines_[static_cast<size_t>(a)] == lines_[static_cast<size_t>(b)]; }

  void MoveUp() {
    changed_.Set(--begin_, true);
    changed_.Set(--end_, false);
  }

  void SlideRun(int64_t size) {
    int64_t beside = size;   // the last end of the run at which the other file has one too
    int64_t length = 0;
    do {
      length = end_ - begin_;
      while (begin_ > 0 && SameAs(begin_ - 1, end_ - 1)) {
        budget_.Step();
        MoveUp();
        while (changed_[begin_ - 1]) --begin_;
        --partner_;
        while (other_[partner_]) --partner_;
      }
      beside = other_[partner_ - 1] ? end_ : size;
      while (end_ != size && SameAs(begin_, end_)) {
        budget_.Step();
        changed_.Set(begin_++, false);
        changed_.Set(end_++, true);
        while (changed_[end_]) ++end_;
        ++partner_;
        while (other_[partner_]) {
          beside = end_;
          ++partner_;
        }
      }
    } while (length != end_ - begin_);
    while (beside < end_) {
      MoveUp();
      --partner_;
      while (other_[partner_]) --partner_;
    }
  }

  const std::vector<uint32_t>& lines_;
  FlagView changed_;
  FlagView other_;
  Budget& budget_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  int64_t partner_ = 0;
};

// The lines of one file that take part in the search.
struct Kept {
  std::vector<uint32_t> lines;
  std::vector<size_t> places;
};

Kept Select(const std::vector<uint32_t>& lines, const std::vector<size_t>& other_counts, bool minimal,
            Flags& changed) {
  Kept kept;
  const Sieve sieve(lines, other_counts);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (minimal || sieve.Keeps(i)) {
      kept.lines.push_back(lines[i]);
      kept.places.push_back(i);
    } else {
      changed[i] = 1;
    }
  }
  return kept;
}

std::vector<size_t> CountClasses(const std::vector<uint32_t>& lines, uint32_t class_count) {
  std::vector<size_t> counts(class_count, 0);
  for (const uint32_t line : lines) ++counts[line];
  return counts;
}

std::vector<DiffEdit> CollectEdits(const Flags& a_changed, const Flags& b_changed) {
  std::vector<DiffEdit> edits;
  size_t i = 0;
  size_t j = 0;
  while (i < a_changed.size() || j < b_changed.size()) {
    const size_t i_begin = i;
    const size_t j_begin = j;
    while (i < a_changed.size() && a_changed[i] != 0) ++i;
    while (j < b_changed.size() && b_changed[j] != 0) ++j;
    if (i > i_begin || j > j_begin) edits.push_back({i_begin, i - i_begin, j_begin, j - j_begin});
    ++i;
    ++j;
  }
  return edits;
}

}  // namespace

std::vector<DiffEdit> FindDiff(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
                               uint32_t class_count, bool minimal, Budget& budget) {
  budget.Step(static_cast<int64_t>((a.size() + b.size()) / 4) + 1);
  Flags a_changed(a.size(), 0);
  Flags b_changed(b.size(), 0);
  const Kept x = Select(a, CountClasses(b, class_count), minimal, a_changed);
  const Kept y = Select(b, CountClasses(a, class_count), minimal, b_changed);
  Comparison(x.lines, y.lines, x.places, y.places, a_changed, b_changed, minimal, budget).Run();
  Slider(a, a_changed, b_changed, budget).Run();
  Slider(b, b_changed, a_changed, budget).Run();
  return CollectEdits(a_changed, b_changed);
}

}  // namespace paddock
