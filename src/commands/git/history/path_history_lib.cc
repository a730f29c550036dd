#include "commands/git/history/path_history.h"

#include <algorithm>

#include "commands/git/work/commit_changes.h"

namespace paddock::git {

Result<bool> PathHistory::IsSameAs(const Commit& commit, size_t parent) {
  PADDOCK_ASSIGN(const History::Node* node, history_.Get(commit.parents[parent]));
  PADDOCK_ASSIGN(const bool differs, DiffersWithin(git_, &node->commit.tree, &commit.tree, paths_));
  return !differs;
}

Result<bool> PathHistory::IsEmpty(const Oid& id) {
  PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
  PADDOCK_ASSIGN(const bool differs, DiffersWithin(git_, nullptr, &node->commit.tree, paths_));
  return !differs;
}

void PathHistory::Judge(Step& step) const {
  bool has_relevant = false, relevant_change = false, other_change = false;
  for (size_t i = 0; i < step.parents.size(); ++i) {
    const bool is_relevant = IsRelevant(step.parents[i]);
    has_relevant |= is_relevant;
    if (!step.same[i]) (is_relevant ? relevant_change : other_change) = true;
  }
  step.is_same = has_relevant ? !relevant_change : !other_change;
}

Result<const PathHistory::Step*> PathHistory::Get(const Oid& id) {
  const auto known = steps_.find(id);
  if (known != steps_.end()) return &known->second;
  git_.in.budget.Step(8);
  git_.in.budget.WillAllocate(160);
  PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
  const Commit& commit = node->commit;
  Step step;
  step.parents = cut_.contains(id) ? std::vector<Oid>() : commit.parents;
  if (options_.first_parent && step.parents.size() > 1) step.parents.resize(1);
  const bool is_full = options_.full_history || options_.simplify_merges || decorated_;
  if (step.parents.empty()) {
    PADDOCK_ASSIGN(step.is_same, IsEmpty(id));
  } else if (options_.sparse && step.parents.size() == 1) {
    step.same = {false};
  } else {
    for (size_t i = 0; i < step.parents.size(); ++i) {
      bool is_same = decorated_ && paths_.empty();
      if (decorated_ && decorated_->contains(id)) is_same = false;
      else if (!is_same) {
        PADDOCK_ASSIGN(is_same, IsSameAs(commit, i));
      }
      step.same.push_back(is_same);
      if (is_same && i > 0 && !step.same[0]) step.pulls = true;
      if (is_same && !is_full && IsRelevant(step.parents[i])) {
        // Nothing of what the other parents have came through.
        step.parents = {step.parents[i]};
        step.same = {true};
        step.is_same = !options_.show_pulls || i == 0;
        return &steps_.emplace(id, std::move(step)).first->second;
      }
      if (!is_same && options_.remove_empty) {
        PADDOCK_ASSIGN(const bool begins, IsEmpty(step.parents[i]));
        if (begins) cut_.insert(step.parents[i]);
      }
    }
    Judge(step);
  }
  return &steps_.emplace(id, std::move(step)).first->second;
}

std::optional<Oid> PathHistory::OneParent(const Step& step) const {
  if (step.parents.empty()) return std::nullopt;
  if (step.parents.size() == 1 || options_.first_parent) return step.parents[0];
  std::optional<Oid> only;
  for (const Oid& parent : step.parents) {
    if (!IsRelevant(parent)) continue;
    if (only) return std::nullopt;
    only = parent;
  }
  return only;
}

Result<std::vector<Oid>> PathHistory::SimplifyMerges(const std::vector<Oid>& order) {
  std::map<Oid, Oid> becomes;
  const auto simplified = [&becomes](const Oid& id) {
    const auto found = becomes.find(id);
    return found == becomes.end() ? id : found->second;
  };
  for (size_t i = order.size(); i-- > 0;) {
    git_.in.budget.Step(4);
    PADDOCK_TRY(Get(order[i]));
    Step& step = steps_.at(order[i]);
    std::vector<Oid> parents;
    std::vector<bool> same;
    for (size_t at = 0; at < step.parents.size(); ++at) {
      const Oid parent = simplified(step.parents[at]);
      const auto found = std::find(parents.begin(), parents.end(), parent);
      if (found == parents.end()) {
        parents.push_back(parent);
        same.push_back(step.same[at]);
      } else if (step.same[at]) {
        same[static_cast<size_t>(found - parents.begin())] = true;
      }
    }
    if (parents.size() > 1) {
      // What another parent leads to, too, and roots that have nothing of it.
      std::vector<bool> drops(parents.size(), false);
      for (size_t a = 0; a < parents.size(); ++a) {
        for (size_t b = 0; b < parents.size() && !drops[a]; ++b) {
          if (a == b || drops[b]) continue;
          PADDOCK_ASSIGN(const bool leads, history_.IsAncestor(parents[a], parents[b]));
          drops[a] = leads;
        }
        const auto known = steps_.find(parents[a]);
        if (known != steps_.end() && known->second.parents.empty() && known->second.is_same) drops[a] = true;
      }
      bool keeps_same = false;
      std::optional<size_t> dropped_same;
      for (size_t a = 0; a < parents.size(); ++a) {
        if (same[a] && !drops[a]) keeps_same = true;
        if (same[a] && drops[a] && !dropped_same) dropped_same = a;
      }
      if (!keeps_same && dropped_same) drops[*dropped_same] = false;
      std::vector<Oid> left;
      std::vector<bool> left_same;
      for (size_t a = 0; a < parents.size(); ++a) {
        if (drops[a]) continue;
        left.push_back(parents[a]);
        left_same.push_back(same[a]);
      }
      parents = std::move(left);
      same = std::move(left_same);
    }
    const bool is_root = step.parents.empty();
    step.parents = std::move(parents);
    step.same = std::move(same);
    if (!is_root) Judge(step);
    const auto only = OneParent(step);
    const bool stays = step.parents.empty() || !step.is_same || !only || (options_.show_pulls && step.pulls);
    becomes.emplace(order[i], stays ? order[i] : simplified(*only));
  }
  std::vector<Oid> kept;
  for (const Oid& id : order) {
    if (becomes.at(id) == id) kept.push_back(id);
  }
  return kept;
}

Result<bool> PathHistory::Shows(const Oid& id, bool keeps_shape) {
  PADDOCK_ASSIGN(const Step* step, Get(id));
  if (!step->is_same || options_.sparse) return true;
  if (options_.show_pulls && step->pulls) return true;
  return keeps_shape && std::count_if(step->parents.begin(), step->parents.end(), [this](const Oid& parent) { return IsRelevant(parent); }) >= 2;
}

Result<std::vector<Oid>> PathHistory::RewrittenParents(const Oid& id) {
  PADDOCK_ASSIGN(const Step* step, Get(id));
  const std::vector<Oid> parents = step->parents;
  std::vector<Oid> rewritten;
  for (Oid at : parents) {
    bool is_there = true;
    while (IsRelevant(at)) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const Step* next, Get(at));
      if (!next->is_same || options_.sparse) break;
      const auto only = OneParent(*next);
      is_there = !next->parents.empty();
      if (!only) break;
      at = *only;
    }
    if (is_there && std::find(rewritten.begin(), rewritten.end(), at) == rewritten.end()) rewritten.push_back(at);
  }
  return rewritten;
}

}  // namespace paddock::git
