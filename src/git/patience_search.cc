// The searches that begin with what is rare: patience and histogram.
#include <algorithm>
#include <optional>

#include "git/edit_search.h"

namespace paddock::git {
namespace {

// What is there once on both sides, in order on both.
struct Common {
  size_t a, b;
};

class Patience {
 public:
  Patience(EditSides& sides, const std::function<bool(size_t)>& is_anchor, bool minimal, Budget& budget)
      : sides_(sides), is_anchor_(is_anchor), minimal_(minimal), budget_(budget), firsts_(sides.class_count), a_counts_(sides.class_count, 0), b_counts_(sides.class_count, 0) {}

  void Run(const EditRange& range) {
    budget_.CheckStack();
    budget_.Step(static_cast<int64_t>(range.a_end - range.a_begin + range.b_end - range.b_begin) / 4 + 1);
    if (range.a_begin == range.a_end || range.b_begin == range.b_end) {
      sides_.MarkAll(range);
      return;
    }
    bool has_common = false;
    const auto unique = FindUnique(range, has_common);
    if (!has_common) {
      sides_.MarkAll(range);
      return;
    }
    const std::vector<Common> sequence = LongestSequence(unique);
    if (sequence.empty()) SearchByMyers(sides_, range, minimal_, budget_);
    else Walk(range, sequence);
  }

 private:
  std::vector<Common> FindUnique(const EditRange& range, bool& has_common) {
    for (size_t i = range.a_begin; i < range.a_end; ++i) ++a_counts_[sides_.a[i]];
    for (size_t i = range.b_begin; i < range.b_end; ++i) {
      const uint32_t number = sides_.b[i];
      has_common |= a_counts_[number] > 0;
      ++b_counts_[number];
      firsts_[number] = i;
    }
    std::vector<Common> unique;
    for (size_t i = range.a_begin; i < range.a_end; ++i) {
      const uint32_t number = sides_.a[i];
      if (a_counts_[number] == 1 && b_counts_[number] == 1) unique.push_back({i, firsts_[number]});
    }
    for (size_t i = range.a_begin; i < range.a_end; ++i) a_counts_[sides_.a[i]] = 0;
    for (size_t i = range.b_begin; i < range.b_end; ++i) b_counts_[sides_.b[i]] = 0;
    return unique;
  }

  // Patience sorting. What is anchored is never taken off its pile again.
  std::vector<Common> LongestSequence(const std::vector<Common>& unique) {
    constexpr size_t kNone = static_cast<size_t>(-1);
    std::vector<size_t> tops, below(unique.size(), kNone);
    size_t anchored = 0, length = 0;   // piles that an anchor keeps; piles that count
    for (size_t k = 0; k < unique.size(); ++k) {
      const auto place = std::lower_bound(tops.begin(), tops.begin() + static_cast<std::ptrdiff_t>(length), k, [&](size_t top, size_t other) { return unique[top].b < unique[other].b; });
      const size_t pile = static_cast<size_t>(place - tops.begin());
      below[k] = pile == 0 ? kNone : tops[pile - 1];
      if (pile < anchored) continue;
      if (pile == tops.size()) tops.push_back(k);
      else tops[pile] = k;
      if (is_anchor_ && is_anchor_(unique[k].a)) length = anchored = pile + 1;
      else if (pile == length) ++length;
    }
    std::vector<Common> sequence;
    for (size_t k = length == 0 ? kNone : tops[length - 1]; k != kNone; k = below[k]) sequence.push_back(unique[k]);
    std::reverse(sequence.begin(), sequence.end());
    return sequence;
  }

  void Walk(const EditRange& range, const std::vector<Common>& sequence) {
    size_t a = range.a_begin, b = range.b_begin;
    for (size_t k = 0;; ++k) {
      budget_.Step();
      const bool is_last = k == sequence.size();
      size_t a_next = is_last ? range.a_end : sequence[k].a, b_next = is_last ? range.b_end : sequence[k].b;
      if (!is_last) {
        while (a_next > a && b_next > b && sides_.a[a_next - 1] == sides_.b[b_next - 1]) --a_next, --b_next;
      }
      while (a < a_next && b < b_next && sides_.a[a] == sides_.b[b]) ++a, ++b;
      if (a_next > a || b_next > b) Run({a, a_next, b, b_next});
      if (is_last) return;
      while (k + 1 < sequence.size() && sequence[k + 1].a == sequence[k].a + 1 && sequence[k + 1].b == sequence[k].b + 1) ++k;
      a = sequence[k].a + 1;
      b = sequence[k].b + 1;
    }
  }

  EditSides& sides_;
  const std::function<bool(size_t)>& is_anchor_;
  bool minimal_;
  Budget& budget_;
  std::vector<size_t> firsts_;
  std::vector<uint32_t> a_counts_, b_counts_;   // zero between ranges
};

class Histogram {
 public:
  Histogram(EditSides& sides, bool minimal, Budget& budget)
      : sides_(sides), minimal_(minimal), budget_(budget), counts_(sides.class_count, 0), first_(sides.class_count, 0), next_(sides.a.size() + 1, 0) {}

  void Run(EditRange range) {
    while (true) {
      budget_.CheckStack();
      budget_.Step(static_cast<int64_t>(range.a_end - range.a_begin + range.b_end - range.b_begin) / 4 + 1);
      if (range.a_begin == range.a_end || range.b_begin == range.b_end) {
        sides_.MarkAll(range);
        return;
      }
      bool is_too_frequent = false;
      const std::optional<EditRange> common = FindCommon(range, is_too_frequent);
      if (is_too_frequent) {
        SearchByMyers(sides_, range, minimal_, budget_);
        return;
      }
      if (!common) {
        sides_.MarkAll(range);
        return;
      }
      Run({range.a_begin, common->a_begin, range.b_begin, common->b_begin});
      range.a_begin = common->a_end;
      range.b_begin = common->b_end;
    }
  }

 private:
  static constexpr size_t kMostOccurrences = 64;

  // The longest common run with the rarest element.
  std::optional<EditRange> FindCommon(const EditRange& range, bool& is_too_frequent) {
    // Chains of the places of an element in a, from the first on; places are one more than indexes.
    for (size_t i = range.a_end; i-- > range.a_begin;) {
      const uint32_t number = sides_.a[i];
      next_[i + 1] = counts_[number] == 0 ? 0 : first_[number];
      first_[number] = i + 1;
      ++counts_[number];
    }
    size_t rarest = kMostOccurrences + 1;
    bool has_common = false;
    EditRange best{0, 0, 0, 0};
    for (size_t b = range.b_begin; b < range.b_end;) b = TryFrom(range, b, best, rarest, has_common);
    for (size_t i = range.a_begin; i < range.a_end; ++i) counts_[sides_.a[i]] = 0;
    is_too_frequent = has_common && rarest > kMostOccurrences;
    if (best.a_begin == best.a_end) return std::nullopt;
    return best;
  }

  size_t TryFrom(const EditRange& range, size_t b, EditRange& best, size_t& rarest, bool& has_common) {
    size_t next_b = b + 1;
    const uint32_t number = sides_.b[b];
    budget_.Step();
    if (counts_[number] == 0) return next_b;
    has_common = true;
    if (counts_[number] > rarest) return next_b;
    for (size_t place = first_[number]; place != 0;) {
      budget_.Step();
      size_t a_from = place - 1, b_from = b, a_to = place, b_to = b + 1, rare = counts_[number];
      while (a_from > range.a_begin && b_from > range.b_begin && sides_.a[a_from - 1] == sides_.b[b_from - 1]) {
        --a_from, --b_from;
        if (rare > 1) rare = std::min<size_t>(rare, counts_[sides_.a[a_from]]);
      }
      while (a_to < range.a_end && b_to < range.b_end && sides_.a[a_to] == sides_.b[b_to]) {
        if (rare > 1) rare = std::min<size_t>(rare, counts_[sides_.a[a_to]]);
        ++a_to, ++b_to;
      }
      budget_.Step(static_cast<int64_t>(a_to - a_from) / 8);
      next_b = std::max(next_b, b_to);
      // The length of a run of one element counts as none here.
      if (LengthOf(best) < a_to - a_from - 1 || rare < rarest) {
        best = {a_from, a_to, b_from, b_to};
        rarest = rare;
      }
      place = next_[place];
      while (place != 0 && place <= a_to) place = next_[place];
    }
    return next_b;
  }
  static size_t LengthOf(const EditRange& run) { return run.a_end == run.a_begin ? 0 : run.a_end - run.a_begin - 1; }

  EditSides& sides_;
  bool minimal_;
  Budget& budget_;
  std::vector<uint32_t> counts_;        // in the range of a; zero between ranges
  std::vector<size_t> first_, next_;
};

}  // namespace

void SearchByPatience(EditSides& sides, const EditRange& range, const std::function<bool(size_t)>& is_anchor, bool minimal, Budget& budget) {
  Patience(sides, is_anchor, minimal, budget).Run(range);
}

void SearchByHistogram(EditSides& sides, const EditRange& range, bool minimal, Budget& budget) {
  Histogram(sides, minimal, budget).Run(range);
}

}  // namespace paddock::git
