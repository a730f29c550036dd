// The search for an implicit rule that makes a file.
#include <algorithm>

#include "lang/make/updater.h"

namespace paddock::make {
namespace {
constexpr int kLongestChain = 24;
}  // namespace

struct Updater::Candidate {
  PatternRule* rule;
  size_t target;        // which of its patterns matches
  std::string stem;     // without the directory
  std::string directory;
  bool is_anything;
};

bool Updater::TryRule(File& file, Candidate& candidate, bool may_chain, int depth) {
  PatternRule& rule = *candidate.rule;
  std::vector<std::pair<std::string, bool>> names;
  const auto add = [&](const std::string& pattern, bool is_order_only) {
    const PercentPattern compiled(pattern);
    if (!compiled.has_percent()) return names.emplace_back(compiled.prefix(), is_order_only), void();
    names.emplace_back(candidate.directory + compiled.Fill(candidate.stem), is_order_only);
  };
  if (!rule.late_deps.empty()) {
    file.stem = candidate.directory + candidate.stem;
    graph_.PrepareScope(file);
    SetAutomatic(file);
    Scope* const before = session_.scope();
    session_.set_scope(&file.scope);
    const std::string text = session_.Expand(ReplaceAll(rule.late_deps, "%", candidate.directory + candidate.stem, budget_));
    session_.set_scope(before);
    const size_t bar = text.find('|');
    for (std::string& name : SplitNames(std::string_view(text).substr(0, bar), budget_)) names.emplace_back(std::move(name), false);
    if (bar != std::string::npos) {
      for (std::string& name : SplitNames(std::string_view(text).substr(bar + 1), budget_)) names.emplace_back(std::move(name), true);
    }
  } else {
    for (size_t i = 0; i < rule.deps.size(); ++i) add(rule.deps[i], i >= rule.order_only);
  }
  std::vector<Dep> deps;
  std::vector<std::unique_ptr<File>> made_now;
  for (const auto& [name, is_order_only] : names) {
    budget_.Step();
    if (session_.is_over()) return false;
    File* known = graph_.Find(name);
    bool exists = (known != nullptr && (known->is_mentioned || known->is_target)) || session_.host().ModifyTime(name).has_value();
    bool is_intermediate = false;
    if (!exists) {
      File probe;
      probe.name = probe.path = name;
      exists = FindInVpath(probe);
    }
    if (!exists && may_chain && depth < kLongestChain && !rule.is_terminal) {
      File* const middle = graph_.Enter(name);
      if (middle->recipe != nullptr || (!middle->is_updating && SearchImplicit(*middle, depth + 1))) {
        middle->tried_implicit = true;
        is_intermediate = !middle->is_mentioned;
        exists = true;
      }
    }
    if (!exists) return false;
    File* const dep = graph_.Enter(name);
    if (is_intermediate) dep->is_intermediate = true;
    deps.push_back({.file = dep, .is_order_only = is_order_only});
  }
  file.recipe = rule.recipe;
  file.stem = candidate.directory + candidate.stem;
  file.deps.insert(file.deps.begin(), deps.begin(), deps.end());
  for (size_t i = 0; i < rule.targets.size(); ++i) {
    if (i == candidate.target) continue;
    const PercentPattern pattern(rule.targets[i]);
    File* const other = graph_.Enter(candidate.directory + pattern.Fill(candidate.stem));
    if (other->recipe == nullptr) {
      other->recipe = rule.recipe;
      other->deps = file.deps;
      other->stem = file.stem;
      other->tried_implicit = true;
      other->also_made.push_back(&file);
    }
    file.also_made.push_back(other);
  }
  return true;
}

bool Updater::SearchImplicit(File& file, int depth) {
  budget_.CheckStack();
  const std::string_view directory = DirectoryPart(file.name);
  const std::string_view base = std::string_view(file.name).substr(directory.size());
  std::vector<Candidate> candidates;
  bool has_specific = false;
  for (PatternRule& rule : graph_.pattern_rules) {
    budget_.Step();
    if (rule.in_use) continue;
    for (size_t i = 0; i < rule.targets.size(); ++i) {
      const std::string& target = rule.targets[i];
      const PercentPattern pattern(target);
      const bool has_slash = target.find('/') != std::string::npos;
      const auto stem = pattern.Match(has_slash ? std::string_view(file.name) : base);
      if (!stem || stem->empty()) continue;
      const bool is_anything = target == "%";
      if (rule.recipe == nullptr && !rule.deps.empty()) continue;
      if (!is_anything) has_specific = true;
      if (rule.recipe == nullptr) continue;
      if (is_anything && depth > 0 && !rule.is_terminal) continue;
      candidates.push_back({&rule, i, std::string(*stem), has_slash ? "" : std::string(directory), is_anything});
    }
  }
  if (has_specific) std::erase_if(candidates, [](const Candidate& c) { return c.is_anything && !c.rule->is_terminal; });
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.stem.size() < b.stem.size(); });
  for (const bool may_chain : {false, true}) {
    for (Candidate& candidate : candidates) {
      if (candidate.rule->recipe == nullptr || session_.is_over()) continue;
      budget_.Step();
      candidate.rule->in_use = true;
      const bool is_found = TryRule(file, candidate, may_chain, depth);
      candidate.rule->in_use = false;
      if (is_found) return true;
    }
  }
  return false;
}

}  // namespace paddock::make
