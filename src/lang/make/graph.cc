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

void Graph::Merge(File& file, File& into) {
  File* last = &into;
  while (last->same != nullptr) last = last->same;
  File& other = *last;
  if (last == &file) return;
  if (other.is_double_colon && file.is_target && !file.is_double_colon) {
    return session_.Fatal({}, "can't rename single-colon '" + file.name + "' to double-colon '" + other.name + "'");
  }
  if (file.is_double_colon && !other.is_double_colon) {
    if (other.is_target) return session_.Fatal({}, "can't rename double-colon '" + file.name + "' to single-colon '" + other.name + "'");
    other.is_double_colon = true;
  }
  if (file.recipe != nullptr && other.recipe != nullptr && file.recipe != other.recipe) {
    const Location& at = file.recipe->where;
    const Location& place = other.recipe->where;
    session_.Warn(at, place.file.empty() ? "Recipe for file '" + file.name + "' was found by implicit rule search,"
                                         : "Recipe was specified for file '" + file.name + "' at " + place.file + ":" + std::to_string(place.line) + ",");
    session_.Warn(at, "but '" + file.name + "' is now considered the same file as '" + other.name + "'.");
    session_.Warn(at, "Recipe for '" + other.name + "' will be ignored in favor of the one for '" + file.name + "'.");
  }
  if (other.recipe == nullptr) {
    other.recipe = file.recipe;
    if (other.stem.empty()) other.stem = file.stem;
  }
  session_.budget().Step(static_cast<int64_t>(file.deps.size()));
  other.deps.insert(other.deps.end(), file.deps.begin(), file.deps.end());
  other.late_deps.insert(other.late_deps.end(), file.late_deps.begin(), file.late_deps.end());
  for (const auto& [name, variable] : file.scope.variables) other.scope.variables.try_emplace(name, variable);
  for (auto& further : file.more) {
    further->double_colon = &other;
    other.more.push_back(std::move(further));
  }
  file.more.clear();
  other.is_target = other.is_target || file.is_target;
  other.is_phony = other.is_phony || file.is_phony;
  other.is_precious = other.is_precious || file.is_precious;
  other.is_intermediate = other.is_intermediate || file.is_intermediate;
  other.is_secondary = other.is_secondary || file.is_secondary;
  other.is_mentioned = other.is_mentioned || file.is_mentioned;
  other.is_goal = other.is_goal || file.is_goal;
  other.dont_care = other.dont_care || file.dont_care;
  other.tried_implicit = other.tried_implicit || file.tried_implicit;
  if (other.parent == nullptr && file.parent != &other) other.parent = file.parent;
  file.same = &other;
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
  const auto is_suffix_rule = [&](const File& file) {
    if (file.recipe == nullptr) return false;
    if (file.deps.empty()) return true;
    if (!is_posix) session_.Warn(file.recipe->where, "warning: ignoring prerequisites on suffix rule definition");
    return !is_posix;
  };
  for (const std::string& from : suffixes) {
    add("%" + from, {}, nullptr);
    const File* single = Find(from);
    if (single != nullptr && is_suffix_rule(*single)) add("%", {"%" + from}, single->recipe);
    for (const std::string& to : suffixes) {
      session_.budget().Step();
      if (from == to) continue;
      const File* both = Find(from + to);
      if (both == nullptr || !is_suffix_rule(*both)) continue;
      if (to == ".a") add("(%.o)", {"%" + from}, both->recipe);
      add("%" + to, {"%" + from}, both->recipe);
    }
  }
}

std::vector<File*> Graph::ExtraFiles(const Variable& variable) {
  const std::string text = variable.is_recursive ? session_.Expand(variable.value) : variable.value;
  std::vector<File*> found;
  for (const std::string& name : SplitNames(text, session_.budget())) {
    std::vector<std::string> names;
    if (HasWildcard(name)) names = Glob(session_, name);
    if (names.empty()) names.push_back(name);
    for (const std::string& each : names) found.push_back(Enter(each));
  }
  return found;
}

void Graph::AddExtra(File& file, const std::vector<File*>& more) {
  if (std::any_of(more.begin(), more.end(), [&](const File* each) { return each->name == file.name; })) return;
  session_.budget().Step(static_cast<int64_t>(more.size()));
  for (File* const each : more) file.deps.push_back({.file = each, .is_extra = true});
}

void Graph::ReadExtra() {
  constexpr std::string_view kName = ".EXTRA_PREREQS";
  if (const Variable* const variable = session_.FindGlobal(kName)) extra = ExtraFiles(*variable);
  std::vector<File*> targets;
  for (const auto& [name, file] : files) {
    const bool is_special = name.starts_with('.') && name.find('/') == std::string::npos;
    const bool has_own = file->scope.variables.contains(kName);
    if (!is_special && ((file->is_target && !extra.empty()) || has_own)) targets.push_back(file.get());
  }
  for (File* const file : targets) {
    const auto own = file->scope.variables.find(kName);
    const bool has_own = own != file->scope.variables.end();
    std::vector<File*> more = has_own ? ExtraFiles(own->second) : extra;
    if (has_own && own->second.appends) more.insert(more.begin(), extra.begin(), extra.end());
    AddExtra(*file, more);
    for (const auto& further : file->more) AddExtra(*further, more);
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
      const bool is_known = std::any_of(pattern_rules.begin(), pattern_rules.end(), [&](const PatternRule& known) {
        return known.targets == made.targets && known.deps == made.deps;
      });
      if (!is_known) pattern_rules.push_back(std::move(made));   // a makefile may take it away
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
  const auto make_secondary = [](File& file) { file.is_intermediate = file.is_secondary = true; };
  all_secondary = each(".SECONDARY", make_secondary);
  if (all_secondary) {
    for (const auto& [name, file] : files) make_secondary(*file);
  }
  all_silent = each(".SILENT", [](File&) {});
  ignores_all = each(".IGNORE", [](File&) {});
  not_parallel = IsSpecial(".NOTPARALLEL");
  deletes_on_error = IsSpecial(".DELETE_ON_ERROR");
  one_shell = IsSpecial(".ONESHELL");
  default_file = Find(".DEFAULT");
  if (default_file != nullptr && default_file->recipe == nullptr) default_file = nullptr;
  ReadExtra();
  for (const std::string& name : session_.settings().old_files) {
    File* const file = Enter(std::string(WithoutDots(name)));
    file->time = kOldest;
    file->is_updated = true;
    file->state = State::kFinished;
  }
  if (session_.settings().restarts == 0) MarkNewFiles();   // else makefiles would be remade for ever
}

void Graph::MarkNewFiles() {
  for (const std::string& name : session_.settings().new_files) {
    File* const file = Enter(std::string(WithoutDots(name)));
    file->time = file->first_time = kNewest;
  }
}

void Graph::PrepareScope(File& file) {
  if (file.has_scope) return;
  file.has_scope = true;
  Scope* next = &session_.globals();
  if (file.double_colon != nullptr) {   // the rules of one target share what is said of it
    PrepareScope(*file.double_colon);
    file.scope.next = &file.double_colon->scope;
    return;
  }
  if (file.parent != nullptr) {
    PrepareScope(*file.parent);
    next = file.parent->scope.next == nullptr ? next : &file.parent->scope;
  }
  file.scope.next = next;
  file.scope.next_is_parent = true;
  std::vector<std::pair<size_t, const PatternVariable*>> matching;
  for (const PatternVariable& variable : pattern_variables) {
    session_.budget().Step();
    if (PercentPattern(variable.pattern).Match(file.name)) matching.emplace_back(variable.pattern.size(), &variable);
  }
  if (matching.empty()) return;
  std::stable_sort(matching.begin(), matching.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  file.pattern_scope.next = next;
  file.pattern_scope.next_is_parent = true;
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
