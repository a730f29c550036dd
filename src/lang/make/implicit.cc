// The search for an implicit rule that makes a file.
#include <algorithm>

#include "lang/make/updater.h"

namespace paddock::make {
namespace {
constexpr int kLongestChain = 24;

// The first word, which is taken off `text`; white space in $(…) and ${…} is part of it.
std::string_view TakeReferenceWord(std::string_view& text) {
  text = TrimFront(text);
  size_t end = 0;
  for (; end < text.size() && !IsSpace(text[end]); ++end) {
    if (text[end] == '$') end = ReferenceEnd(text, end);
  }
  end = std::min(end, text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}
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
  const auto add_name = [&](std::string name, bool is_order_only) {
    std::vector<std::string> found;
    if (HasWildcard(name)) found = Glob(session_, name);
    if (found.empty()) found.push_back(std::move(name));
    for (std::string& each : found) names.emplace_back(std::move(each), is_order_only);
  };
  const auto add = [&](const std::string& pattern, bool is_order_only) {
    const PercentPattern compiled(pattern);
    if (!compiled.has_percent()) return names.emplace_back(compiled.prefix(), is_order_only), void();
    add_name(candidate.directory + compiled.Fill(candidate.stem), is_order_only);
  };
  if (!rule.late_deps.empty()) {
    file.stem = candidate.directory + candidate.stem;
    graph_.PrepareScope(file);
    SetAutomatic(file);
    Scope* const before = session_.scope();
    session_.set_scope(&file.scope);
    // A word with a % stands for the stem without the directory, which goes before each name that comes of it.
    bool is_order_only = false;
    for (std::string_view rest = rule.late_deps; !session_.is_over();) {
      const std::string_view word = TakeReferenceWord(rest);
      if (word.empty()) break;
      const size_t percent = word.find('%');
      const std::string filled = percent == std::string_view::npos
                                     ? std::string(word)
                                     : std::string(word.substr(0, percent)) + "$(*F)" + std::string(word.substr(percent + 1));
      const std::string text = session_.Expand(filled);
      const size_t bar = is_order_only ? std::string::npos : text.find('|');
      const std::string directory = percent == std::string_view::npos ? "" : candidate.directory;
      for (std::string& name : SplitNames(std::string_view(text).substr(0, bar), budget_)) add_name(directory + name, is_order_only);
      if (bar == std::string::npos) continue;
      is_order_only = true;
      for (std::string& name : SplitNames(std::string_view(text).substr(bar + 1), budget_)) add_name(directory + name, true);
    }
    session_.set_scope(before);
  } else {
    for (size_t i = 0; i < rule.deps.size(); ++i) add(rule.deps[i], i >= rule.order_only);
  }
  std::vector<Dep> deps;
  std::vector<std::unique_ptr<File>> made_now;
  for (const auto& [name, is_order_only] : names) {
    budget_.Step();
    if (session_.is_over()) return false;
    File* known = graph_.Find(name);
    bool exists = (known != nullptr && (known->is_mentioned || known->is_target)) || session_.TimeOfName(name).has_value();
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
  if (const File* const precious = graph_.Find(".PRECIOUS")) {
    for (const Dep& dep : precious->deps) file.is_precious = file.is_precious || dep.file->name == rule.targets[candidate.target];
  }
  file.recipe = rule.recipe;
  file.stem = candidate.directory + candidate.stem;
  file.deps.insert(file.deps.begin(), deps.begin(), deps.end());
  if (!file.is_target && !file.scope.variables.contains(".EXTRA_PREREQS")) graph_.AddExtra(file, graph_.extra);
  for (size_t i = 0; i < rule.targets.size(); ++i) {
    if (i == candidate.target) continue;
    const PercentPattern pattern(rule.targets[i]);
    File* const other = graph_.Enter(candidate.directory + pattern.Fill(candidate.stem));
    if (other->recipe == nullptr) {
      other->recipe = rule.recipe;
      other->deps.insert(other->deps.begin(), deps.begin(), deps.end());
      other->stem = file.stem;
      other->tried_implicit = true;
      other->also_made.push_back(&file);
    }
    file.also_made.push_back(other);
  }
  return true;
}

bool Updater::SearchImplicit(File& file, int depth) {
  if (SearchImplicit(file, file.name, depth)) return true;
  // For a member of an archive, rules for "(%)" and the like come next.
  return AsMember(file.name) && SearchImplicit(file, std::string_view(file.name).substr(file.name.find('(')), depth);
}

// `name`: of the file, or its part in parentheses.
bool Updater::SearchImplicit(File& file, std::string_view name, int depth) {
  budget_.CheckStack();
  const bool is_member = name.size() != file.name.size();
  const std::string_view directory = is_member ? std::string_view() : DirectoryPart(name);
  const std::string_view base = name.substr(directory.size());
  std::vector<Candidate> candidates;
  bool has_specific = false;
  for (PatternRule& rule : graph_.pattern_rules) {
    budget_.Step();
    if (rule.in_use) continue;
    for (size_t i = 0; i < rule.targets.size(); ++i) {
      const std::string& target = rule.targets[i];
      const PercentPattern pattern(target);
      const bool has_slash = target.find('/') != std::string::npos;
      const auto stem = pattern.Match(has_slash ? name : base);
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
