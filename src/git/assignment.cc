#include "git/assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace paddock::git {
namespace {

constexpr size_t kNone = std::numeric_limits<size_t>::max();

// The way of Jonker and Volgenant (1987). Where several assignments cost the same, the order of the steps decides which one comes out.
// "Takers" are the columns of the costs, each of which is given one of the "goods", the rows.
class JonkerVolgenant {
 public:
  JonkerVolgenant(const std::vector<int64_t>& costs, size_t n, Budget& budget) : costs_(costs), n_(n), budget_(budget), price_(n, 0), good_of_(n, kNone), taker_of_(n, kNone) {}

  // The taker of each good.
  std::vector<size_t> Solve() {
    if (n_ < 2) return std::vector<size_t>(n_, 0);
    LetGoodsChoose();
    for (int round = 0; round < 2 && !free_.empty(); ++round) LetFreeTakersBid();
    for (const size_t taker : free_) FindChain(taker);
    return std::move(taker_of_);
  }

 private:
  int64_t Cost(size_t good, size_t taker) const { return costs_[good * n_ + taker]; }
  int64_t Reduced(size_t good, size_t taker) const { return Cost(good, taker) - price_[good]; }
  void Step() { budget_.Step(1 + static_cast<int64_t>(n_ / 16)); }

  // Each good, the last one first, goes to the taker that it costs least, if nobody was there before. A taker that is wanted once may have it for less.
  void LetGoodsChoose() {
    std::vector<bool> is_wanted_again(n_, false);
    for (size_t good = n_; good-- > 0;) {
      Step();
      size_t best = 0;
      for (size_t taker = 1; taker < n_; ++taker) {
        if (Cost(good, taker) < Cost(good, best)) best = taker;
      }
      price_[good] = Cost(good, best);
      if (good_of_[best] == kNone) {
        good_of_[best] = good;
        taker_of_[good] = best;
      } else {
        is_wanted_again[best] = true;
      }
    }
    for (size_t taker = 0; taker < n_; ++taker) {
      Step();
      const size_t own = good_of_[taker];
      if (own == kNone) {
        free_.push_back(taker);
      } else if (!is_wanted_again[taker]) {
        int64_t least = std::numeric_limits<int64_t>::max();
        for (size_t good = 0; good < n_; ++good) {
          if (good != own) least = std::min(least, Reduced(good, taker));
        }
        price_[own] -= least;
      }
    }
  }

  // Free takers take what is the cheapest for them, and make it as dear for others as the second cheapest is for them. Who had it is free again.
  void LetFreeTakersBid() {
    std::vector<size_t> left;
    for (size_t at = 0; at < free_.size();) {
      Step();
      const size_t taker = free_[at++];
      size_t first = 0, second = kNone;
      int64_t least = Reduced(0, taker), next = std::numeric_limits<int64_t>::max();
      for (size_t good = 1; good < n_; ++good) {
        const int64_t cost = Reduced(good, taker);
        if (cost >= next) continue;
        if (cost > least) {
          next = cost;
          second = good;
        } else {
          next = least;
          second = first;
          least = cost;
          first = good;
        }
      }
      const bool is_cheaper = least < next;
      size_t loser = taker_of_[first];
      if (is_cheaper) {
        price_[first] -= next - least;
      } else if (loser != kNone) {
        first = second;
        loser = taker_of_[first];
      }
      if (loser != kNone) {
        if (is_cheaper) free_[--at] = loser;   // its turn is now
        else left.push_back(loser);
      }
      good_of_[taker] = first;
      taker_of_[first] = taker;
    }
    free_ = std::move(left);
  }

  // The cheapest chain of exchanges that ends at a good that nobody has (Dijkstra's search). In `goods` come those that are done, then
  // those that are as near as can be, then the others.
  void FindChain(size_t start) {
    std::vector<int64_t> distance(n_);
    std::vector<size_t> from(n_, start), goods(n_);
    std::iota(goods.begin(), goods.end(), size_t{0});
    for (size_t good = 0; good < n_; ++good) distance[good] = Reduced(good, start);
    size_t low = 0, up = 0, done = 0, end = kNone;
    int64_t least = 0;
    while (end == kNone) {
      Step();
      if (low == up) {
        done = low;
        least = distance[goods[up++]];
        for (size_t k = up; k < n_; ++k) {
          const int64_t far = distance[goods[k]];
          if (far > least) continue;
          if (far < least) {
            up = low;
            least = far;
          }
          std::swap(goods[k], goods[up++]);
        }
        const auto open = std::find_if(goods.begin() + static_cast<ptrdiff_t>(low), goods.begin() + static_cast<ptrdiff_t>(up), [this](size_t good) { return taker_of_[good] == kNone; });
        if (open != goods.begin() + static_cast<ptrdiff_t>(up)) {
          end = *open;
          break;
        }
      }
      const size_t near = goods[low++], taker = taker_of_[near];
      const int64_t base = Reduced(near, taker) - least;
      for (size_t k = up; k < n_; ++k) {
        const size_t good = goods[k];
        const int64_t far = Reduced(good, taker) - base;
        if (far >= distance[good]) continue;
        distance[good] = far;
        from[good] = taker;
        if (far != least) continue;
        if (taker_of_[good] == kNone) {
          end = good;
          break;
        }
        std::swap(goods[k], goods[up++]);
      }
    }
    for (size_t k = 0; k < done; ++k) price_[goods[k]] += distance[goods[k]] - least;
    for (size_t taker = kNone; taker != start;) {
      taker = from[end];
      taker_of_[end] = taker;
      std::swap(end, good_of_[taker]);
    }
  }

  const std::vector<int64_t>& costs_;
  size_t n_;
  Budget& budget_;
  std::vector<int64_t> price_;   // of goods
  std::vector<size_t> good_of_, taker_of_, free_ /* takers that have nothing */;
};

}  // namespace

std::vector<size_t> CheapestAssignment(const std::vector<int64_t>& costs, size_t n, Budget& budget) { return JonkerVolgenant(costs, n, budget).Solve(); }

}  // namespace paddock::git
