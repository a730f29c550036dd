#include "lang/make/updater.h"

#include <algorithm>

namespace paddock::make {

bool Updater::FindInVpath(File& file) {
  if (file.name.starts_with('/') || file.ignores_vpath) return false;
  const auto try_in = [&](const std::string& directory) {
    budget_.Step();
    const std::string path = directory + (directory.ends_with('/') ? "" : "/") + file.name;
    const File* const known = graph_.Find(path);
    const auto time = session_.host().ModifyTime(path);
    if (!time && (known == nullptr || !known->is_target)) return false;
    file.path = path;
    if (time) file.time = *time;
    return true;
  };
  for (const VpathRule& rule : graph_.vpaths) {
    if (!PercentPattern(rule.pattern).Match(file.name)) continue;
    for (const std::string& directory : rule.directories) {
      if (try_in(directory)) return true;
    }
  }
  if (session_.Find("VPATH") == nullptr) return false;
  std::string list = session_.ValueOf("VPATH");
  std::replace(list.begin(), list.end(), ':', ' ');
  for (const std::string_view directory : SplitWords(list, budget_)) {
    if (try_in(std::string(directory))) return true;
  }
  return false;
}

Nanoseconds Updater::TimeOf(File& file) {
  if (file.time) {
    if (!file.first_time) file.first_time = file.time;
    return *file.time;
  }
  budget_.Step(4);
  if (file.is_phony) {
    file.time = kMissing;
    if (!file.first_time) file.first_time = kMissing;
    return kMissing;
  }
  const auto time = session_.host().ModifyTime(file.path);
  file.time = time ? *time : kMissing;
  if (!time && file.path == file.name) FindInVpath(file);
  if (!file.first_time) file.first_time = file.time;
  if (time && *time > session_.host().Now() + std::chrono::seconds(2)) WarnOfFuture(file);
  return *file.time;
}

void Updater::WarnOfFuture(const File& file) {
  if (std::exchange(saw_future_, true)) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*file.time - session_.host().Now()).count();
  session_.Warn({}, "Warning: File '" + file.name + "' has modification time " + std::to_string(seconds) + " s in the future");
}

void Updater::FindRecipe(File& file) {
  if (file.recipe == nullptr && !file.tried_implicit && !file.is_phony) {
    file.tried_implicit = true;
    SearchImplicit(file, 0);
  }
  if (file.recipe == nullptr && !file.is_target && graph_.default_file != nullptr) file.recipe = graph_.default_file->recipe;
}

void Updater::ExpandLateDeps(File& file) {
  if (file.late_deps.empty()) return;
  const std::vector<std::string> late = std::exchange(file.late_deps, {});
  graph_.PrepareScope(file);
  SetAutomatic(file);
  Scope* const before = session_.scope();
  session_.set_scope(&file.scope);
  for (const std::string& text : late) {
    const std::string source = file.stem.empty() ? text : ReplaceAll(text, "%", file.stem, budget_);
    const std::string names = session_.Expand(source);
    const size_t bar = names.find('|');
    for (const bool is_order_only : {false, true}) {
      if (is_order_only && bar == std::string::npos) break;
      for (std::string& name : SplitNames(is_order_only ? std::string_view(names).substr(bar + 1) : std::string_view(names).substr(0, bar), budget_)) {
        Dep dep{.file = graph_.Enter(name), .is_order_only = is_order_only};
        dep.file->is_mentioned = true;
        file.deps.push_back(dep);
      }
    }
  }
  session_.set_scope(before);
}

Updater::Walked Updater::Update(File& file, File* parent) {
  budget_.CheckStack();
  budget_.Step();
  if (file.parent == nullptr) file.parent = parent;
  Walked walked = UpdateOne(file);
  for (auto& further : file.more) {
    if (walked.is_running || session_.is_over()) return walked;
    if (walked.outcome != Outcome::kSuccess && !session_.settings().keeps_going) return walked;
    if (further->parent == nullptr) further->parent = parent;
    if (further->is_phony != file.is_phony) further->is_phony = file.is_phony;
    const Walked next = UpdateOne(*further);
    walked.is_running = next.is_running;
    walked.outcome = std::max(walked.outcome, next.outcome);
    if (further->was_remade) file.was_remade = true;
  }
  return walked;
}

// Looks at every prerequisite. False when the walk has to stop here.
bool Updater::WalkDeps(File& file, Nanoseconds time, bool* must_make, Walked* walked) {
  constexpr size_t kMany = 16;
  if (file.deps.size() >= kMany) {
    Words paths;
    for (const Dep& dep : file.deps) paths.push_back(dep.file->path);
    session_.host().Foresee(std::move(paths));
  }
  for (size_t i = 0; i < file.deps.size(); ++i) {
    budget_.Step();
    if (session_.is_over()) return false;
    File* const next = file.deps[i].file;
    if (file.deps[i].is_dropped) continue;
    if (next->is_updating) {
      session_.Warn({}, "Circular " + file.name + " <- " + next->name + " dependency dropped.");
      file.deps[i].is_dropped = true;
      continue;
    }
    if (next->parent == nullptr) next->parent = &file;
    TimeOf(*next);
    bool maybe = *must_make;
    ++depth_;
    const Walked checked = CheckDep(*next, time, &maybe);
    --depth_;
    if (!file.deps[i].is_order_only) *must_make = maybe;
    walked->outcome = std::max(walked->outcome, checked.outcome);
    walked->is_running = walked->is_running || checked.is_running;
    if (!checked.is_running && (TimeOf(*next) != *next->first_time || (next->is_phony && next->recipe != nullptr))) {
      file.deps[i].changed = true;
    }
    if (checked.outcome != Outcome::kSuccess && !session_.settings().keeps_going) break;
  }
  return !session_.is_over();
}

Updater::Walked Updater::CheckDep(File& file, Nanoseconds target_time, bool* must_make) {
  budget_.CheckStack();
  if (file.is_phony || !file.is_intermediate) {
    const Walked walked = Update(file, file.parent);
    const Nanoseconds time = TimeOf(file);
    if (time == kMissing || time > target_time) *must_make = true;
    return walked;
  }
  if (file.is_updated || file.state == State::kRunning || file.state == State::kFinished) return Update(file, file.parent);
  FindRecipe(file);
  const Nanoseconds time = TimeOf(file);
  if (time != kMissing && time > target_time) {
    *must_make = true;
    return Update(file, file.parent);
  }
  if (time != kMissing) return Update(file, file.parent);
  Walked walked;
  file.is_updating = true;
  WalkDeps(file, target_time, must_make, &walked);
  file.is_updating = false;
  return walked;
}

Updater::Walked Updater::UpdateOne(File& file) {
  if (file.is_updated || file.state == State::kFinished) {
    session_.Debug(true, depth_, "Pruning file '" + file.name + "'.");
    return {file.outcome, false};
  }
  if (file.state == State::kRunning) {
    session_.Debug(true, depth_, "Still updating file '" + file.name + "'.");
    return {Outcome::kSuccess, true};
  }
  session_.Debug(true, depth_, "Considering target file '" + file.name + "'.");
  ExpandLateDeps(file);
  FindRecipe(file);
  if (session_.is_over()) return {Outcome::kFailed, false};
  const Nanoseconds time = TimeOf(file);
  const bool is_missing = time == kMissing;
  bool must_make = is_missing;
  Walked walked;
  if (is_missing) session_.Debug(false, depth_ + 1, "File '" + file.name + "' does not exist.");
  file.is_updating = true;
  ++depth_;
  const bool walks_on = WalkDeps(file, time, &must_make, &walked);
  --depth_;
  if (!walks_on) {
    file.is_updating = false;
    return {Outcome::kFailed, false};
  }
  // Now that it has to be made, what was only made on the way to it is, too.
  if ((must_make || session_.settings().always_makes) && (walked.outcome == Outcome::kSuccess || session_.settings().keeps_going)) {
    for (size_t i = 0; i < file.deps.size() && !session_.is_over(); ++i) {
      File* const next = file.deps[i].file;
      if (!next->is_intermediate || file.deps[i].is_dropped) continue;
      const Walked made = Update(*next, &file);
      walked.outcome = std::max(walked.outcome, made.outcome);
      walked.is_running = walked.is_running || made.is_running;
      if (!made.is_running && TimeOf(*next) != *next->first_time) file.deps[i].changed = true;
      if (made.outcome != Outcome::kSuccess && !session_.settings().keeps_going) break;
    }
  }
  file.is_updating = false;
  if (session_.is_over()) return {Outcome::kFailed, false};
  session_.Debug(true, depth_ + 1, "Finished prerequisites of target file '" + file.name + "'.");
  if (walked.is_running) {
    session_.Debug(true, depth_ + 1, "The prerequisites of '" + file.name + "' are being made.");
    file.state = State::kDepsRunning;
    return walked;
  }
  file.state = State::kNotStarted;
  if (walked.outcome != Outcome::kSuccess) {
    file.outcome = walked.outcome;
    file.is_updated = true;
    file.state = State::kFinished;
    session_.Debug(true, depth_, "Giving up on target file '" + file.name + "'.");
    const bool is_goal = file.parent == nullptr;
    if (is_goal && session_.settings().keeps_going && !session_.settings().just_print && !session_.settings().asks && !rebuilds_) {
      session_.Warn({}, "Target '" + file.name + "' not remade because of errors.");
    }
    return {file.outcome, false};
  }
  // Why it is made, for --trace.
  std::string newer;
  bool deps_changed = false;
  for (Dep& dep : file.deps) {
    if (dep.is_dropped) continue;
    const Nanoseconds dep_time = TimeOf(*dep.file);
    if (!dep.is_order_only) {
      if ((dep_time == kMissing && !dep.file->is_intermediate) || dep_time > time) must_make = true;
      deps_changed = deps_changed || dep.changed;
      if (!is_missing) {
        session_.Debug(dep_time <= time, depth_ + 1, "Prerequisite '" + dep.file->name + (dep_time > time ? "' is newer than target '" : "' is older than target '") +
                                                         file.name + "'.");
      }
      if (dep.changed || dep_time > time) newer += (newer.empty() ? "" : " ") + dep.file->name;
    }
    dep.changed = dep.changed || is_missing || dep_time > time;
  }
  if (file.is_double_colon && file.deps.empty()) {
    must_make = true;
    session_.Debug(false, depth_, "Target '" + file.name + "' is double-colon and has no prerequisites.");
  } else if (!is_missing && file.is_target && !deps_changed && file.recipe == nullptr) {
    must_make = false;
    session_.Debug(true, depth_, "No recipe for '" + file.name + "' and no prerequisites actually changed.");
  } else if (!must_make && file.recipe != nullptr && session_.settings().always_makes) {
    must_make = true;
    session_.Debug(true, depth_, "Making '" + file.name + "' due to always-make flag.");
  }
  if (!must_make) {
    session_.Debug(true, depth_, "No need to remake target '" + file.name + "'" + (file.path != file.name ? "; using VPATH name '" + file.path + "'." : "."));
    file.state = State::kFinished;
    file.is_updated = true;
    return {};
  }
  if (file.path != file.name) {   // made here, not where it was found
    file.path = file.name;
    file.ignores_vpath = true;
  }
  session_.Debug(false, depth_, "Must remake target '" + file.name + "'.");
  Remake(file, is_missing || newer.empty() ? "target '" + file.name + "' does not exist" : "update target '" + file.name + "' due to: " + newer);
  if (file.state == State::kRunning) {
    session_.Debug(true, depth_, "Recipe of '" + file.name + "' is being run.");
    return {Outcome::kSuccess, true};
  }
  if (session_.is_over()) return {file.outcome, false};
  switch (file.outcome) {
    case Outcome::kSuccess: session_.Debug(false, depth_, "Successfully remade target file '" + file.name + "'."); break;
    case Outcome::kQuestion: session_.Debug(false, depth_, "Target file '" + file.name + "' needs to be remade under -q."); break;
    case Outcome::kFailed: session_.Debug(false, depth_, "Failed to remake target file '" + file.name + "'."); break;
  }
  return {file.outcome, false};
}

void Updater::Complain(File& file) {
  if (file.dont_care) return;
  std::string text = "No rule to make target '" + file.name + "'";
  if (file.parent != nullptr) text += ", needed by '" + file.parent->name + "'";
  if (session_.settings().keeps_going) return session_.Error({}, text + ".");
  if (!children_.empty()) {
    session_.Error({}, text + ".  Stop.");
    is_ending_ = true;
    StopForFailure();
    return;
  }
  session_.Fatal({}, text);
}

void Updater::Remake(File& file, const std::string& reason) {
  if (file.recipe == nullptr) {
    if (!file.is_phony && !file.is_target) {
      file.outcome = Outcome::kFailed;
      Complain(file);
    }
    FinishFile(file);
    return;
  }
  RunRecipe(file, reason);
}

void Updater::TouchFile(File& file) {
  if (!session_.settings().is_silent) session_.host().Out("touch " + file.path + "\n");
  ++lines_started_;
  if (session_.settings().just_print) return;
  if (const Status touched = session_.host().Touch(file.path); !touched) {
    session_.host().Err(session_.Prefix() + "touch: open: " + file.path + ": " + std::string(touched.error().Text()) + "\n");
    file.outcome = Outcome::kFailed;
  }
}

void Updater::FinishFile(File& file) {
  file.state = State::kFinished;
  file.is_updated = true;
  if (file.recipe == nullptr && !file.is_target) return;
  const bool is_dry = session_.settings().just_print || session_.settings().asks;
  // Those who need it see it as new, even when its recipe has not touched it.
  const auto renew = [&](File& each) {
    each.was_remade = true;
    remade_.push_back(&each);
    if (each.is_phony || (each.recipe == nullptr && &each == &file)) {
      each.time = kNewest;
    } else if (is_dry || (each.time && *each.time == kNewest)) {
      each.time = kNewest;
    } else {
      each.time.reset();
      if (TimeOf(each) == kMissing && each.recipe != nullptr && each.recipe->lines.empty()) each.time = kNewest;
    }
  };
  renew(file);
  for (File* other : file.also_made) {
    other->state = State::kFinished;
    other->is_updated = true;
    other->outcome = file.outcome;
    renew(*other);
  }
}

Outcome Updater::UpdateGoals(const std::vector<File*>& goals, bool rebuilds) {
  rebuilds_ = rebuilds;
  struct Goal {
    File* file;
    bool changed = false;
    bool is_done = false;
  };
  std::vector<Goal> left;
  for (File* file : goals) left.push_back({file});
  Outcome worst = Outcome::kSuccess;
  bool is_stopped = false;
  while (!session_.is_over() && !is_stopped) {
    bool any_running = false;
    for (Goal& goal : left) {
      if (goal.is_done) continue;
      budget_.Step();
      const size_t started = lines_started_;
      const Walked walked = Update(*goal.file, nullptr);
      if (lines_started_ > started) goal.changed = true;
      if (session_.is_over()) break;
      if (walked.is_running) {
        goal.changed = true;
        any_running = true;
        continue;
      }
      goal.is_done = true;
      worst = std::max(worst, walked.outcome);
      if (walked.outcome != Outcome::kSuccess && !session_.settings().keeps_going && !rebuilds) {
        is_stopped = true;
        break;
      }
      const bool is_quiet = rebuilds || goal.changed || session_.settings().is_silent || session_.settings().asks;
      if (walked.outcome == Outcome::kSuccess && !is_quiet) {
        const bool has_recipe = goal.file->recipe != nullptr && !goal.file->is_phony;
        session_.Say(has_recipe ? "'" + goal.file->name + "' is up to date." : "Nothing to be done for '" + goal.file->name + "'.");
      }
    }
    if (session_.is_over() || is_stopped || !any_running) break;
    if (!children_.empty()) Reap();
  }
  return worst;
}

void Updater::Finish() {
  if (!children_.empty()) StopForFailure();
  if (session_.settings().asks || session_.settings().touches) return;
  if (saw_future_) session_.host().Err(session_.Prefix() + "warning:  Clock skew detected.  Your build may be incomplete.\n");
  std::string removed;
  for (File* const file : remade_) {
    budget_.Step();
    const std::string& name = file->name;
    if (!file->is_intermediate || file->is_secondary || file->is_precious || graph_.all_secondary || !file->was_remade || file->is_phony) continue;
    if (file->recipe == nullptr || !file->tried_implicit || file->is_mentioned) {
      const File* const marked = graph_.Find(".INTERMEDIATE");
      if (marked == nullptr || !marked->is_target) continue;
    }
    bool is_precious_pattern = false;
    if (const File* precious = graph_.Find(".PRECIOUS")) {
      for (const Dep& dep : precious->deps) is_precious_pattern = is_precious_pattern || PercentPattern(dep.file->name).Match(name).has_value();
    }
    if (is_precious_pattern || (!session_.settings().just_print && !session_.host().Remove(file->path))) continue;
    removed += " " + file->path;
  }
  if (!removed.empty() && !session_.settings().is_silent) session_.host().Out("rm" + removed + "\n");
}

}  // namespace paddock::make
