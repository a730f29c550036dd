#include "commands/git/history/bisect.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "commands/git/diff/diff.h"

namespace paddock::git {
namespace {

constexpr size_t kUnknown = SIZE_MAX;

struct Candidate {
  Oid id;
  std::vector<size_t> parents;   // among the candidates
  bool counts = true;            // it changes what is looked at
  size_t weight = kUnknown;      // how many that count it leads to, itself included
};

class Search {
 public:
  Search(Git& git, History& history, Pathspec& paths, bool first_parent) : git_(git), history_(history), paths_(paths), first_parent_(first_parent) {}

  Status Load(const BisectMarks& marks) {
    Selection selection;
    selection.included = {*marks.bad};
    selection.excluded = marks.good;
    WalkOptions walk;
    walk.first_parent = first_parent_;
    PADDOCK_ASSIGN(std::vector<Oid> commits, WalkHistory(git_, history_, selection, walk));
    std::reverse(commits.begin(), commits.end());
    std::map<Oid, size_t> places;
    git_.in.budget.WillAllocate(commits.size() * sizeof(Candidate));
    for (const Oid& id : commits) {
      places[id] = all_.size();
      all_.push_back({id, {}, true, kUnknown});
    }
    for (Candidate& one : all_) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(one.id));
      const std::vector<Oid> parents = node->commit.parents;
      for (const Oid& parent : parents) {
        if (const auto found = places.find(parent); found != places.end()) one.parents.push_back(found->second);
        if (first_parent_) break;
      }
      if (paths_.empty()) continue;
      PADDOCK_ASSIGN(one.counts, Changes(one.id, parents));
    }
    for (const Candidate& one : all_) count_ += one.counts ? 1 : 0;
    return {};
  }
  size_t count() const { return count_; }
  const std::vector<Candidate>& all() const { return all_; }

  // The first that lies in the middle, or kUnknown; all weights are known then. `takes_middle`: stops there.
  size_t Weigh(bool takes_middle) {
    for (Candidate& one : all_) {
      if (one.parents.empty()) one.weight = one.counts ? 1 : 0;
    }
    for (size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].parents.size() < 2) continue;
      all_[i].weight = Reach(i);
      if (takes_middle && IsMiddle(all_[i])) return i;
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (size_t i = 0; i < all_.size(); ++i) {
        git_.in.budget.Step();
        Candidate& one = all_[i];
        if (one.weight != kUnknown) continue;
        const size_t below = all_[one.parents[0]].weight;
        if (below == kUnknown) {
          goes_on = true;
          continue;
        }
        one.weight = below + (one.counts ? 1 : 0);
        if (takes_middle && IsMiddle(one)) return i;
      }
    }
    return kUnknown;
  }

  size_t Distance(const Candidate& one) const { return std::min(one.weight, count_ - one.weight); }

 private:
  Result<bool> Changes(const Oid& id, const std::vector<Oid>& parents) {
    PADDOCK_ASSIGN(const FlatTree after, git_.FlattenCommit(id));
    FlatTree before;
    if (!parents.empty()) {
      PADDOCK_ASSIGN(before, git_.FlattenCommit(parents[0]));
    }
    for (const FileDiff& file : CompareTrees(before, after)) {
      if (paths_.Matches(file.new_path, git_.in.budget)) return true;
    }
    return false;
  }

  // How many that count `from` leads to.
  size_t Reach(size_t from) {
    std::vector<bool> seen(all_.size());
    std::vector<size_t> todo = {from};
    size_t found = 0;
    while (!todo.empty()) {
      git_.in.budget.Step();
      const size_t at = todo.back();
      todo.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      found += all_[at].counts ? 1 : 0;
      todo.insert(todo.end(), all_[at].parents.begin(), all_[at].parents.end());
    }
    return found;
  }

  bool IsMiddle(const Candidate& one) const {
    if (!one.counts) return false;
    const size_t twice = 2 * one.weight, off = twice > count_ ? twice - count_ : count_ - twice;
    return off <= 1 || off < count_ / 1024;
  }

  Git& git_;
  History& history_;
  Pathspec& paths_;
  bool first_parent_;
  std::vector<Candidate> all_;
  size_t count_ = 0;
};

// Which of `count` candidates is taken when the best one is skipped: not its neighbour, and the same every time.
size_t StepAside(size_t count) {
  constexpr uint32_t kRange = 32768;
  const uint32_t mixed = static_cast<uint32_t>(count) * 1103515245u + 12345u;
  const size_t random = mixed / 65536 % kRange;
  const auto root = [](size_t value) { return static_cast<size_t>(std::sqrt(static_cast<double>(value))); };
  return count * random / kRange * root(random) / root(kRange);
}

}  // namespace

Result<BisectChoice> ChooseBisection(Git& git, History& history, const BisectMarks& marks, Pathspec& paths, bool first_parent) {
  Search search(git, history, paths, first_parent);
  PADDOCK_TRY(search.Load(marks));
  BisectChoice choice;
  choice.count = search.count();
  const auto take = [&](const Candidate& one) {
    choice.next = one.id;
    choice.reached = one.weight;
  };
  if (marks.skipped.empty()) {
    const size_t middle = search.Weigh(true);
    if (middle != kUnknown) {
      take(search.all()[middle]);
      return choice;
    }
    const Candidate* best = nullptr;
    for (const Candidate& one : search.all()) {
      if (one.counts && (best == nullptr || search.Distance(one) > search.Distance(*best))) best = &one;
    }
    if (best != nullptr) take(*best);
    return choice;
  }
  search.Weigh(false);
  std::vector<const Candidate*> ranked;
  for (const Candidate& one : search.all()) {
    if (one.counts) ranked.push_back(&one);
  }
  std::sort(ranked.begin(), ranked.end(), [&search](const Candidate* a, const Candidate* b) {
    const size_t left = search.Distance(*a), right = search.Distance(*b);
    return left != right ? left > right : a->id < b->id;
  });
  const auto is_skipped = [&marks](const Oid& id) { return std::find(marks.skipped.begin(), marks.skipped.end(), id) != marks.skipped.end(); };
  if (ranked.empty()) return choice;
  if (!is_skipped(ranked[0]->id)) {
    take(*ranked[0]);
    return choice;
  }
  std::vector<const Candidate*> left;
  for (const Candidate* one : ranked) {
    if (is_skipped(one->id)) choice.skipped.push_back(one->id);
    else left.push_back(one);
  }
  if (left.empty()) return choice;
  size_t at = std::min(StepAside(left.size()), left.size());
  if (at == left.size()) at = 0;
  if (left[at]->id == marks.bad && at > 0) --at;
  choice.next = left[at]->id;
  choice.reached = ranked[0]->weight;   // of the best one, as git counts
  return choice;
}

size_t BisectSteps(size_t count) {
  if (count < 3) return 0;
  const size_t whole = static_cast<size_t>(std::bit_width(count)) - 1, power = size_t{1} << whole;
  return power < 3 * (count - power) ? whole : whole - 1;
}

}  // namespace paddock::git
