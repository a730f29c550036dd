// The rules of a makefile: what a line with a colon records in the graph.
#include <algorithm>

#include "lang/make/reader.h"

namespace paddock::make {
namespace {

// Where a rule's colon is in text that is not expanded; npos if there is none.
size_t FindColon(std::string_view text) { return FindUnquoted(text, ":"); }

}  // namespace

std::vector<std::string> Reader::ExpandNames(std::string_view text) {
  std::vector<std::string> names;
  for (std::string& name : SplitNames(text, budget_)) {
    if (!HasWildcard(name) && !name.starts_with('~')) {
      names.push_back(std::move(name));
      continue;
    }
    std::vector<std::string> found = Glob(session_, name);
    if (found.empty()) found.push_back(name);
    for (std::string& each : found) names.push_back(std::move(each));
  }
  return names;
}

void Reader::TargetVariable(const std::string& targets, const Assignment& assignment) {
  const Origin origin = assignment.is_override ? Origin::kOverride : Origin::kFile;
  for (const std::string& name : ExpandNames(targets)) {
    if (name.find('%') != std::string::npos) {
      PatternVariable variable{name, assignment, origin, here_};
      if (assignment.how == Assign::kSimple) {   // := is expanded here, what it gives is not expanded again
        variable.assignment.value = ReplaceAll(session_.Expand(assignment.value), "$", "$$", budget_);
      }
      graph_.pattern_variables.push_back(std::move(variable));
      continue;
    }
    File* const file = graph_.Enter(name);
    file->is_mentioned = true;
    Scope* const before = session_.scope();
    Scope* const next = std::exchange(file->scope.next, before);   // with what a $(foreach) around it sets
    session_.set_scope(&file->scope);
    session_.Define(file->scope, assignment, origin, true, here_);
    session_.set_scope(before);
    file->scope.next = next;
  }
}

void Reader::RunRule(const std::string& raw, const std::string& line) {
  const size_t stop = FindUnquoted(line, ";#");
  const bool has_recipe = stop != std::string::npos && line[stop] == ';';
  std::string head = stop == std::string::npos ? line : line.substr(0, stop);
  size_t colon = FindColon(head);
  const auto missing = [&] {
    const bool has_spaces = raw.starts_with("        ") && RecipePrefix() == '\t';
    session_.Fatal(here_, has_spaces ? "missing separator (did you mean TAB instead of 8 spaces?)" : "missing separator");
  };
  std::string targets, rest;
  bool rest_is_expanded = false;
  if (colon == std::string::npos) {
    const std::string expanded = session_.Expand(head);
    if (session_.is_over()) return;
    if (Trim(expanded).empty() && !has_recipe) return;
    colon = FindColon(expanded);
    if (colon == std::string::npos) return missing();
    targets = expanded.substr(0, colon);
    rest = expanded.substr(colon + 1);
    rest_is_expanded = true;
  } else {
    targets = session_.Expand(head.substr(0, colon));
    rest = head.substr(colon + 1);
    if (const size_t first = FindColon(targets); first != std::string::npos) {   // the targets expand to a colon of their own
      rest = ReplaceAll(targets.substr(first + 1), "$", "$$", budget_) + ":" + rest;
      targets.resize(first);
      colon = line.size();
    }
  }
  if (session_.is_over()) return;
  Rule rule;
  rule.where = here_;
  if (targets.ends_with('&')) {
    rule.is_grouped = true;
    targets.pop_back();
  }
  if (rest.starts_with(':') && !rest.starts_with(":=")) {
    rule.is_double_colon = true;
    rest.erase(0, 1);
  }
  // TARGET: NAME = VALUE takes the rest of the line, a semicolon and all.
  const std::string full = WithoutComment(rest_is_expanded || colon == line.size() ? rest : line.substr(line.find(rest, colon)));
  if (const Assignment assignment = ParseAssignment(full); assignment.how != Assign::kNone && !assignment.is_define && !assignment.is_undefine) {
    return TargetVariable(targets, assignment);
  }
  rule.targets = ExpandNames(targets);
  if (rule.targets.empty()) {
    if (Trim(targets).empty() && !rule.is_grouped && Trim(session_.Expand(rest)).empty() && !rest_is_expanded && head.find('$') == std::string::npos) {
      return session_.Fatal(here_, "missing target pattern");
    }
    rule.is_open = true;
    rule_ = std::move(rule);
    return;
  }
  const bool is_late = graph_.second_expansion && rest.find('$') != std::string::npos && !rest_is_expanded;
  std::string deps = rest_is_expanded ? rest : session_.Expand(rest);
  if (session_.is_over()) return;
  const size_t second = FindUnquoted(deps, ":");
  if (second != std::string::npos) {
    const std::vector<std::string> patterns = SplitNames(deps.substr(0, second), budget_);
    if (patterns.empty()) return session_.Fatal(here_, "missing target pattern");
    if (patterns.size() > 1) return session_.Fatal(here_, "multiple target patterns");
    if (patterns[0].find('%') == std::string::npos) return session_.Fatal(here_, "target pattern contains no '%'");
    rule.pattern = patterns[0];
    deps = deps.substr(second + 1);
  }
  rule.is_late = is_late && deps.find('$') != std::string::npos;
  if (rule.is_late) deps = ReplaceAll(deps, "\\:", ":", budget_);   // it was no colon of the rule; inside it may be one of a reference
  rule.deps = std::move(deps);
  rule.is_open = true;
  if (has_recipe) {
    // The recipe begins right behind the semicolon, with its line breaks as they are.
    const size_t at = FindUnquoted(raw, ";");
    rule.has_recipe = true;
    rule.recipe.prefix = RecipePrefix();
    rule.recipe.where = here_;
    rule.recipe.lines.push_back(std::string(TrimFront(at == std::string::npos ? line.substr(stop + 1) : raw.substr(at + 1))));
  }
  SetDefaultGoal(rule);
  rule_ = std::move(rule);
}

void Reader::CloseRule() {
  if (!rule_.is_open) return;
  const Rule rule = std::exchange(rule_, Rule{});
  if (rule.targets.empty()) return;
  if (graph_.is_closed) return session_.Fatal(rule.where, "prerequisites cannot be defined in recipes");
  RecipePtr recipe;
  if (rule.has_recipe) {
    auto made = std::make_shared<Recipe>(rule.recipe);
    recipe = made;
  }
  const Location before = std::exchange(here_, rule.where);
  Record(rule, recipe);
  here_ = before;
}

void Reader::Special(const std::string& name, const Rule& rule) {
  if (name == ".SECONDEXPANSION") graph_.second_expansion = true;
  if (name == ".ONESHELL") graph_.one_shell = true;
  if (name == ".POSIX") {
    graph_.is_posix = true;
    session_.Set(session_.globals(), ".SHELLFLAGS", "-ec", Origin::kDefault);
    for (const auto& [variable, value] : {std::pair<const char*, const char*>{"ARFLAGS", "-rvU"}, {"CC", "c99"}, {"CFLAGS", "-O1"},
                                          {"FC", "fort77"}, {"FFLAGS", "-O1"}, {"SCCSGETFLAGS", "-s"}}) {
      session_.Set(session_.globals(), variable, value, Origin::kDefault);
    }
  }
  if (name == ".EXPORT_ALL_VARIABLES") session_.exports_all = true;
  if (name == ".SUFFIXES" && Trim(rule.deps).empty()) {
    graph_.Enter(name)->deps.clear();
    session_.Set(session_.globals(), "SUFFIXES", "", Origin::kDefault, false);
  }
}

void Reader::Record(const Rule& rule, const RecipePtr& recipe) {
  const bool is_pattern = rule.targets[0].find('%') != std::string::npos;
  if (rule.pattern.empty() && is_pattern) return RecordPattern(rule, recipe);
  if (rule.is_grouped && recipe == nullptr) return session_.Fatal(here_, "grouped targets must provide a recipe");
  std::set<std::string> seen;
  std::vector<File*> group;
  for (const std::string& name : rule.targets) {
    if (session_.is_over()) return;
    budget_.Step();
    if (rule.pattern.empty() && name.find('%') != std::string::npos) return session_.Fatal(here_, "mixed implicit and normal rules");
    if (recipe != nullptr && !seen.insert(name).second) {
      session_.Warn(here_, "target '" + name + "' given more than once in the same rule");
      continue;
    }
    File* const file = RecordFile(name, rule, recipe);
    if (file == nullptr) return;
    group.push_back(file);
  }
  if (!rule.is_grouped) return;
  for (File* const file : group) {
    for (File* const other : group) {
      if (file != other) file->also_made.push_back(other);
    }
    budget_.Step(static_cast<int64_t>(group.size()));
  }
}

void Reader::RecordPattern(const Rule& rule, const RecipePtr& recipe) {
  PatternRule made;
  for (const std::string& name : rule.targets) {
    if (name.find('%') == std::string::npos) return session_.Fatal(here_, "mixed implicit and normal rules");
    made.targets.push_back(name);
  }
  made.is_terminal = rule.is_double_colon;
  if (rule.is_late) {
    made.late_deps = rule.deps;
  } else {
    const size_t bar = rule.deps.find('|');
    made.deps = ExpandNames(rule.deps.substr(0, bar));
    made.order_only = made.deps.size();
    if (bar != std::string::npos) {
      for (std::string& name : ExpandNames(rule.deps.substr(bar + 1))) made.deps.push_back(std::move(name));
    }
  }
  made.recipe = recipe;
  graph_.AddPatternRule(std::move(made));
}

std::vector<Dep> Reader::Deps(std::string_view text) {
  std::vector<Dep> deps;
  const size_t bar = text.find('|');
  for (const std::string& name : ExpandNames(text.substr(0, bar))) deps.push_back({graph_.Enter(name)});
  if (bar != std::string_view::npos) {
    for (const std::string& name : ExpandNames(text.substr(bar + 1))) deps.push_back({.file = graph_.Enter(name), .is_order_only = true});
  }
  for (const Dep& dep : deps) dep.file->is_mentioned = true;
  return deps;
}

void Reader::AddDeps(File& file, const std::vector<Dep>& deps, bool has_recipe) {
  // The rule with the recipe comes first, so that $< is what it says.
  file.deps.insert(has_recipe ? file.deps.begin() : file.deps.end(), deps.begin(), deps.end());
}

File* Reader::RecordFile(const std::string& name, const Rule& rule, const RecipePtr& recipe) {
  Special(name, rule);
  File* file = graph_.Enter(name);
  const bool was_target = file->is_target;
  if (was_target && file->is_double_colon != rule.is_double_colon) {
    session_.Fatal(here_, "target file '" + name + "' has both : and :: entries");
    return nullptr;
  }
  std::string stem;
  std::string deps = rule.deps;
  if (!rule.pattern.empty()) {
    const auto matched = PercentPattern(rule.pattern).Match(name);
    if (!matched) {
      session_.Warn(here_, "target '" + name + "' doesn't match the target pattern");
      deps.clear();
    } else {
      stem = *matched;
      if (!rule.is_late) {
        std::string filled;
        for (const std::string_view word : SplitWords(deps, budget_)) {
          filled += PercentPattern(word).Fill(stem) + " ";
          budget_.Step(1 + static_cast<int64_t>(stem.size() / 32));
        }
        deps = filled;
      }
    }
  }
  if (rule.is_double_colon && was_target) {
    file->more.push_back(std::make_unique<File>());
    File* const further = file->more.back().get();
    further->name = further->path = name;
    further->double_colon = file;
    file = further;
  }
  if (!rule.is_double_colon && recipe != nullptr && file->recipe != nullptr && name[0] != '.') {
    session_.Warn(recipe->where, "warning: overriding recipe for target '" + name + "'");
    session_.Warn(file->recipe->where, "warning: ignoring old recipe for target '" + name + "'");
  }
  if (recipe != nullptr) file->recipe = recipe;
  if (!stem.empty()) file->stem = stem;
  file->is_target = file->is_mentioned = true;
  file->is_double_colon = rule.is_double_colon;
  if (rule.is_late) {
    file->late_deps.emplace_back(deps, stem);
  } else {
    AddDeps(*file, Deps(deps), recipe != nullptr);
  }
  return file;
}

void Reader::SetDefaultGoal(const Rule& rule) {
  const Variable* goal = session_.FindGlobal(".DEFAULT_GOAL");
  if (!sets_goal_ || (goal != nullptr && !goal->value.empty())) return;
  for (const std::string& name : rule.targets) {
    if (name[0] == '.' && name.find('/') == std::string::npos) continue;
    if (name.find('%') != std::string::npos && rule.pattern.empty()) continue;
    session_.Set(session_.globals(), ".DEFAULT_GOAL", name, Origin::kFile, false);
    return;
  }
}

}  // namespace paddock::make
