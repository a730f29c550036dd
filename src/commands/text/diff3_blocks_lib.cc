#include <algorithm>

#include "base/budget.h"
#include "commands/text/diff3_blocks.h"

namespace paddock {
namespace {

class Grouper {
 public:
  Grouper(const std::array<const DiffText*, 3>& texts, size_t common, const std::array<const DiffPair*, 2>& pairs,
          bool ignores_newline, Budget& budget)
      : texts_(texts), common_(common), sides_{0, 3 - common}, ignores_newline_(ignores_newline), budget_(budget) {
    for (size_t i = 0; i < 2; ++i) edits_[i] = &pairs[i]->edits();
  }

  std::vector<Diff3Block> Group() {
    std::vector<Diff3Block> blocks;
    while (next_[0] < edits_[0]->size() || next_[1] < edits_[1]->size()) {
      budget_.Step();
      blocks.push_back(TakeBlock());
    }
    return blocks;
  }

 private:
  bool HasMore(size_t side) const { return next_[side] < edits_[side]->size(); }
  const DiffEdit& Next(size_t side) const { return (*edits_[side])[next_[side]]; }

  Diff3Block TakeBlock() {
    const std::array<size_t, 2> begin = next_;
    const size_t side = !HasMore(0) ? 1 : !HasMore(1) ? 0 : Next(0).b_begin > Next(1).b_begin ? 1 : 0;
    const size_t common_first = Next(side).b_begin;
    size_t common_last = Next(side).b_end();
    ++next_[side];
    for (bool grows = true; grows;) {
      grows = false;
      for (size_t i = 0; i < 2; ++i) {
        while (HasMore(i) && Next(i).b_begin <= common_last) {
          common_last = std::max(common_last, Next(i).b_end());
          ++next_[i];
          grows = true;
          budget_.Step();
        }
      }
    }
    Diff3Block block;
    block.first[common_] = common_first;
    block.last[common_] = common_last;
    for (size_t i = 0; i < 2; ++i) {
      const size_t file = sides_[i];
      // Before an edit both texts run side by side from the end of the one before it.
      const size_t begin_a = begin[i] == 0 ? 0 : (*edits_[i])[begin[i] - 1].a_end();
      const size_t begin_b = begin[i] == 0 ? 0 : (*edits_[i])[begin[i] - 1].b_end();
      const size_t end_a = next_[i] == 0 ? 0 : (*edits_[i])[next_[i] - 1].a_end();
      const size_t end_b = next_[i] == 0 ? 0 : (*edits_[i])[next_[i] - 1].b_end();
      block.first[file] = begin_a + (common_first - begin_b);
      block.last[file] = end_a + (common_last - end_b);
    }
    block.odd = OddOne(block, next_[0] > begin[0], next_[1] > begin[1]);
    return block;
  }

  int OddOne(const Diff3Block& block, bool has_first, bool has_second) {
    if (!has_second) return static_cast<int>(sides_[0]);
    if (!has_first) return static_cast<int>(sides_[1]);
    const size_t a = sides_[0];
    const size_t b = sides_[1];
    if (block.count(a) != block.count(b)) return 3;
    for (size_t i = 0; i < block.count(a); ++i) {
      budget_.Step();
      const size_t x = block.first[a] + i;
      const size_t y = block.first[b] + i;
      if (texts_[a]->line(x) != texts_[b]->line(y)) return 3;
      if (!ignores_newline_ && texts_[a]->is_terminated(x) != texts_[b]->is_terminated(y)) return 3;
    }
    return static_cast<int>(common_);
  }

  const std::array<const DiffText*, 3>& texts_;
  const size_t common_;
  const std::array<size_t, 2> sides_;
  const bool ignores_newline_;
  Budget& budget_;
  std::array<const std::vector<DiffEdit>*, 2> edits_;
  std::array<size_t, 2> next_{};
};

}  // namespace

std::vector<Diff3Block> FindDiff3Blocks(const std::array<const DiffText*, 3>& texts, size_t common,
                                        const std::array<const DiffPair*, 2>& pairs, bool ignores_newline,
                                        Budget& budget) {
  return Grouper(texts, common, pairs, ignores_newline, budget).Group();
}

}  // namespace paddock
