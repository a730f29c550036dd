#include "lang/make/updater.h"

#include <algorithm>

namespace paddock::make {

void Updater::FindRecipe(File& file) {
  if (file.recipe == nullptr && !file.tried_implicit && !file.is_phony) {
    file.tried_implicit = true;
    SearchImplicit(file, 0);
  }
  if (file.recipe == nullptr && !file.is_target && graph_.default_file != nullptr) file.recipe = graph_.default_file->recipe;
}

void Updater::ExpandLateDeps(File& file) {
  if (file.late_deps.empty()) return;
  const auto late = std::exchange(file.late_deps, {});
  graph_.PrepareScope(file);
  SetAutomatic(file);
  Scope* const before = session_.scope();
  session_.set_scope(&file.scope);
  for (const auto& [text, stem] : late) {
    if (!stem.empty()) file.scope.variables["*"].value = stem;
    const std::string source = stem.empty() ? text : ReplaceAll(text, "%", "$*", budget_);
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
  TimeOf(file);
  if (file.same != nullptr) return Update(*file.same, parent == file.same ? nullptr : parent);
  if (!file.more.empty() && !file.is_updated) {   // each of the rules is up to date or not by the file as it is now
    for (auto& further : file.more) {
      if (!further->time) further->time = TimeOf(file);
    }
  }
  Walked walked = UpdateOne(file);
  for (auto& further : file.more) {
    if (walked.is_running || session_.is_over()) return walked;
    if (walked.outcome != Outcome::kSuccess && !session_.settings().keeps_going) return walked;
    if (further->parent == nullptr) further->parent = parent;
    if (further->is_phony != file.is_phony) further->is_phony = file.is_phony;
    file.is_updating = true;
    const Walked next = UpdateOne(*further);
    file.is_updating = false;
    walked.is_running = next.is_running;
    walked.outcome = std::max(walked.outcome, next.outcome);
    if (further->was_remade) {
      file.was_remade = true;
      file.time = further->time;
    }
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
    File* next = file.deps[i].file;
    if (file.deps[i].is_dropped) continue;
    if (!next->is_updating) TimeOf(*next);
    if (next->same != nullptr) next = file.deps[i].file = next->same;
    if (next->is_updating) {
      session_.Warn({}, "Circular " + file.name + " <- " + next->name + " dependency dropped.");
      file.deps[i].is_dropped = true;
      continue;
    }
    if (next->parent == nullptr) next->parent = &file;
    TimeOf(*next);   // what it was before this run did anything
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
  if (file.state == State::kRunning) return {Outcome::kSuccess, true};
  const bool is_finished = file.is_updated || file.state == State::kFinished;
  if (!is_finished) FindRecipe(file);
  const Nanoseconds time = TimeOf(file);
  if (time != kMissing && time > target_time) *must_make = true;
  if (is_finished) return {file.outcome, false};
  if (time != kMissing && time > target_time) return {};   // it is brought up to date once the target has to be made
  // Only what lies behind it counts.
  Walked walked;
  file.is_updating = true;
  WalkDeps(file, target_time, must_make, &walked);
  file.is_updating = false;
  return walked;
}

void Updater::MakeIntermediates(File& file, Walked* walked) {
  for (size_t i = 0; i < file.deps.size() && !session_.is_over(); ++i) {
    File* const next = file.deps[i].file;
    if (!next->is_intermediate || file.deps[i].is_dropped) continue;
    const Walked made = Update(*next, &file);
    walked->outcome = std::max(walked->outcome, made.outcome);
    walked->is_running = walked->is_running || made.is_running;
    if (!made.is_running && TimeOf(*next) != *next->first_time) file.deps[i].changed = true;
    if (made.outcome != Outcome::kSuccess && !session_.settings().keeps_going) break;
  }
}

void Updater::GiveUp(File& file, Outcome outcome) {
  file.outcome = outcome;
  file.is_updated = true;
  file.state = State::kFinished;
  if (rebuilds_ && outcome == Outcome::kFailed && GoalOf(file).dont_care) quiet_failures_.push_back(&file);
  session_.Debug(true, depth_, "Giving up on target file '" + file.name + "'.");
  const bool is_goal = file.parent == nullptr;
  if (is_goal && session_.settings().keeps_going && !session_.settings().just_print && !session_.settings().asks && !rebuilds_) {
    session_.Warn({}, "Target '" + file.name + "' not remade because of errors.");
  }
}

bool Updater::DecideToMake(File& file, Nanoseconds time, bool must_make, std::string* newer) {
  const bool is_missing = time == kMissing;
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
      if (dep.changed || dep_time > time) *newer += (newer->empty() ? "" : " ") + dep.file->name;
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
  return must_make;
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
  Nanoseconds time = TimeOf(file);
  const bool is_missing = time == kMissing;
  // Archives keep whole seconds: what is of the same one counts as older.
  if (time != kMissing && time != kNewest && time != kOldest && AsMember(file.name)) time += std::chrono::seconds(1) - Nanoseconds(1);
  bool must_make = is_missing;
  Walked walked;
  if (is_missing) session_.Debug(false, depth_ + 1, "File '" + file.name + "' does not exist.");
  file.is_updating = true;
  ++depth_;
  bool walks_on = WalkDeps(file, time, &must_make, &walked);
  for (File* const other : file.also_made) {   // the recipe makes them, too: what they need comes first
    if (!walks_on || other->is_updating || other->state != State::kNotStarted || walked.outcome != Outcome::kSuccess) continue;
    other->is_updating = true;
    walks_on = WalkDeps(*other, time, &must_make, &walked);
    other->is_updating = false;
  }
  --depth_;
  if (!walks_on) {
    file.is_updating = false;
    return {Outcome::kFailed, false};
  }
  if ((must_make || session_.settings().always_makes) && (walked.outcome == Outcome::kSuccess || session_.settings().keeps_going)) MakeIntermediates(file, &walked);
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
    GiveUp(file, walked.outcome);
    return {file.outcome, false};
  }
  std::string newer;
  must_make = DecideToMake(file, time, must_make, &newer);
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

const File& Updater::GoalOf(const File& file) const {
  constexpr int kFarthest = 10'000;
  const File* at = &file;
  for (int i = 0; i < kFarthest && at->parent != nullptr && !at->dont_care; ++i) at = at->parent;
  return *at;
}

void Updater::ShowGoalError(const File& file) {
  const auto found = goal_errors_.find(&GoalOf(file));
  if (found == goal_errors_.end()) return;
  session_.host().Err(found->second + "\n");
  goal_errors_.erase(found);
}

void Updater::ForgetQuietFailures() {
  for (File* const file : std::exchange(quiet_failures_, {})) {
    file->state = State::kNotStarted;
    file->is_updated = false;
    file->outcome = Outcome::kSuccess;
    file->parent = nullptr;
  }
}

void Updater::Complain(File& file) {
  if (GoalOf(file).dont_care) {
    quiet_failures_.push_back(&file);
    return;
  }
  ShowGoalError(file);
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
  if (const auto parts = AsMember(file.path)) {
    const Status touched = session_.host().TouchMember(std::string(parts->archive), std::string(parts->member));
    if (!touched) session_.Warn({}, "touch: " + std::string(touched.error().Text()));
    if (!touched) file.outcome = Outcome::kFailed;
    return;
  }
  if (const Status touched = session_.host().Touch(file.path); !touched) {
    session_.host().Err(session_.Prefix() + "touch: open: " + file.path + ": " + std::string(touched.error().Text()) + "\n");
    file.outcome = Outcome::kFailed;
  }
}

void Updater::FinishFile(File& file) {
  file.state = State::kFinished;
  file.is_updated = true;
  if (file.recipe == nullptr && !file.is_target) return;
  const bool is_dry = (session_.settings().just_print || session_.settings().asks) && !file.is_all_recursive;
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
      while (goal.file->same != nullptr) goal.file = goal.file->same;
      goal.is_done = true;
      if (rebuilds && children_.empty()) ForgetQuietFailures();
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
  while (rebuilds && !children_.empty() && !session_.is_over()) Reap();   // what still runs for one that has failed
  ForgetQuietFailures();
  return worst;
}

void Updater::Finish() {
  if (!children_.empty()) StopForFailure();
  if (saw_future_) session_.host().Err(session_.Prefix() + "warning:  Clock skew detected.  Your build may be incomplete.\n");
  if (session_.settings().asks || session_.settings().touches) return;
  std::string removed;
  for (File* const file : remade_) {
    budget_.Step();
    const std::string& name = file->name;
    if (!file->is_intermediate || file->is_secondary || file->is_precious || graph_.all_secondary || !file->was_remade || file->is_phony || file->is_goal) continue;
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
