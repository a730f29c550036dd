#include "lang/make/graph.h"

#include <algorithm>

#include "lang/make/defaults.h"

namespace paddock::make {

File* Graph::Find(std::string_view name) {
  const auto found = files.find(name);
  return found == files.end() ? nullptr : found->second.get();
}

File* Graph::Enter(const std::string& name) {
  auto& file = files[name];
  if (file == nullptr) {
    session_.budget().Step(4);
    file = std::make_unique<File>();
    file->name = file->path = name;
  }
  return file.get();
}

void Graph::AddPatternRule(PatternRule rule) {
  for (auto it = pattern_rules.begin(); it != pattern_rules.end(); ++it) {
    session_.budget().Step();
    if (it->targets != rule.targets || it->deps != rule.deps || it->late_deps != rule.late_deps) continue;
    pattern_rules.erase(it);
    break;
  }
  pattern_rules.push_back(std::move(rule));
}

void Graph::ConvertSuffixRules() {
  const File* const list = Find(".SUFFIXES");
  if (list == nullptr) return;
  std::vector<std::string> suffixes;
  for (const Dep& dep : list->deps) suffixes.push_back(dep.file->name);
  const auto add = [&](std::string target, std::vector<std::string> deps, RecipePtr recipe) {
    PatternRule rule;
    rule.targets = {std::move(target)};
    rule.deps = std::move(deps);
    rule.order_only = rule.deps.size();
    rule.recipe = std::move(recipe);
    for (const PatternRule& known : pattern_rules) {   // what a makefile said itself stays
      if (known.targets == rule.targets && known.deps == rule.deps) return;
    }
    pattern_rules.push_back(std::move(rule));
  };
  for (const std::string& from : suffixes) {
    add("%" + from, {}, nullptr);
    const File* single = Find(from);
    if (single != nullptr && single->recipe != nullptr && single->deps.empty()) add("%", {"%" + from}, single->recipe);
    for (const std::string& to : suffixes) {
      session_.budget().Step();
      if (from == to) continue;
      const File* both = Find(from + to);
      if (both != nullptr && both->recipe != nullptr && both->deps.empty()) add("%" + to, {"%" + from}, both->recipe);
    }
  }
}

void Graph::Finish() {
  const auto recipe_of = [](std::string_view text) {
    auto recipe = std::make_shared<Recipe>();
    while (true) {
      const size_t end = text.find('\n');
      recipe->lines.emplace_back(text.substr(0, end));
      if (end == std::string_view::npos) return recipe;
      text.remove_prefix(end + 1);
    }
  };
  if (!session_.settings().has_no_rules) {
    for (const DefaultRule& rule : DefaultSuffixRules()) {
      File* const file = Enter(std::string(rule.source) + std::string(rule.target));
      if (file->recipe == nullptr) file->recipe = recipe_of(rule.recipe);
    }
  }
  ConvertSuffixRules();
  if (!session_.settings().has_no_rules) {
    for (const DefaultRule& rule : DefaultPatternRules()) {
      PatternRule made;
      made.targets = {std::string(rule.target)};
      for (const std::string_view dep : SplitWords(rule.source, session_.budget())) made.deps.emplace_back(dep);
      made.order_only = made.deps.size();
      made.recipe = recipe_of(rule.recipe);
      pattern_rules.push_back(std::move(made));
    }
  }
  const auto each = [&](std::string_view name, auto mark) {
    const File* const file = Find(name);
    if (file == nullptr || !file->is_target) return false;
    for (const Dep& dep : file->deps) {
      mark(*dep.file);
      for (auto& further : dep.file->more) mark(*further);
    }
    return file->deps.empty();
  };
  each(".PHONY", [](File& file) {
    file.is_phony = true;
    file.is_target = true;
  });
  each(".PRECIOUS", [](File& file) { file.is_precious = true; });
  each(".INTERMEDIATE", [](File& file) { file.is_intermediate = true; });
  all_secondary = each(".SECONDARY", [](File& file) { file.is_intermediate = file.is_secondary = true; });
  all_silent = each(".SILENT", [](File&) {});
  ignores_all = each(".IGNORE", [](File&) {});
  not_parallel = IsSpecial(".NOTPARALLEL");
  deletes_on_error = IsSpecial(".DELETE_ON_ERROR");
  one_shell = IsSpecial(".ONESHELL");
  default_file = Find(".DEFAULT");
  if (default_file != nullptr && default_file->recipe == nullptr) default_file = nullptr;
  std::vector<File*> exported;
  for (const std::string& name : session_.settings().old_files) {
    File* const file = Enter(name);
    file->time = Nanoseconds(1);
    file->is_updated = true;
    file->state = State::kFinished;
  }
  for (const std::string& name : session_.settings().new_files) Enter(name)->time = kNewest;
}

void Graph::PrepareScope(File& file) {
  if (file.has_scope) return;
  file.has_scope = true;
  Scope* next = &session_.globals();
  bool next_is_parent = false;
  if (file.parent != nullptr) {
    PrepareScope(*file.parent);
    next = file.parent->scope.next == nullptr ? next : &file.parent->scope;
    next_is_parent = next != &session_.globals();
  }
  file.scope.next = next;
  file.scope.next_is_parent = next_is_parent;
  std::vector<std::pair<size_t, const PatternVariable*>> matching;
  for (const PatternVariable& variable : pattern_variables) {
    session_.budget().Step();
    if (PercentPattern(variable.pattern).Match(file.name)) matching.emplace_back(variable.pattern.size(), &variable);
  }
  if (matching.empty()) return;
  std::stable_sort(matching.begin(), matching.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  file.pattern_scope.next = next;
  file.pattern_scope.next_is_parent = next_is_parent;
  file.scope.next = &file.pattern_scope;
  file.scope.next_is_parent = false;
  Scope* const before = session_.scope();
  session_.set_scope(&file.pattern_scope);
  for (const auto& [length, variable] : matching) {
    session_.Define(file.pattern_scope, variable->assignment, variable->origin, true, variable->where);
  }
  session_.set_scope(before);
}

}  // namespace paddock::make
