// Brings targets up to date: decides what has to be made and runs the recipes, several at a time with -j.
//
// The graph is walked again each time a recipe has ended, until the goals are done; what waits for a running recipe is passed over.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lang/make/graph.h"
#include "lang/make/session.h"

namespace paddock::make {

class Updater {
 public:
  Updater(Session& session, Graph& graph) : session_(session), graph_(graph), budget_(session.budget()) {}

  // What there is to make; the exit status is the session's. `rebuilds`: makefiles, about which nothing is said when all is well.
  Outcome UpdateGoals(const std::vector<File*>& goals, bool rebuilds);
  // Said in front of the first failure of what `goal` needs.
  void SetGoalError(const File& goal, std::string text) { goal_errors_[&goal] = std::move(text); }
  bool HasGoalError(const File& goal) const { return goal_errors_.contains(&goal); }
  // Waits for what still runs and removes intermediate files.
  void Finish();

 private:
  // A recipe that runs.
  struct Child {
    File* file = nullptr;
    std::vector<std::string> lines;   // expanded
    size_t next = 0;
    bool ignores_errors = false;      // of the line that runs
    bool ran_any = false;
    std::string out, err;             // what is kept of it (-O)
    NamedValues environment;
    bool has_environment = false;
    std::optional<Nanoseconds> time_before;
  };
  struct Walked {
    Outcome outcome = Outcome::kSuccess;
    bool is_running = false;
  };

  Nanoseconds TimeOf(File& file);
  Nanoseconds TimeOfMember(File& file);
  bool FindInVpath(File& file);
  bool FindLibrary(File& file);
  void Rename(File& file);
  Walked Update(File& file, File* parent);
  Walked UpdateOne(File& file);
  // A file that has to be made: what was only made on the way to it is, too.
  void MakeIntermediates(File& file, Walked* walked);
  // A file whose prerequisites could not be made.
  void GiveUp(File& file, Outcome outcome);
  // By the prerequisites, which are done, and -B. `newer` gets what makes it out of date, for --trace.
  bool DecideToMake(File& file, Nanoseconds time, bool must_make, std::string* newer);
  Walked CheckDep(File& file, Nanoseconds target_time, bool* must_make);
  void FindRecipe(File& file);
  void ExpandLateDeps(File& file);
  bool WalkDeps(File& file, Nanoseconds time, bool* must_make, Walked* walked);
  void Complain(File& file);
  // The goal that a file is made for.
  const File& GoalOf(const File& file) const;
  void ShowGoalError(const File& file);
  void ForgetQuietFailures();
  void Remake(File& file, const std::string& reason);
  void FinishFile(File& file);
  void TouchFile(File& file);
  void WarnOfFuture(const File& file);

  // Recipes (recipe.cc).
  void SetAutomatic(File& file);
  void RunRecipe(File& file, const std::string& reason);
  // Runs lines up to one that has to be waited for; the file is finished when none is left.
  void Advance(std::unique_ptr<Child> child);
  bool RunLine(std::unique_ptr<Child>& child);
  void EndChild(std::unique_ptr<Child> child, Outcome outcome);
  void Reap();
  void ReportFailure(Child& child, const ChildEnd& end, bool is_ignored);
  void DeleteTargets(const Child& child);
  void StopForFailure();
  bool Collects() const;
  void PutOut(Child& child);
  bool IsAboveLoad() const;
  void AwaitSlot();
  void ReturnTokens();
  bool IsMarked(std::string_view special, const File& file);
  std::vector<std::string> RecipeLines(File& file);

  // Implicit rules (implicit.cc).
  bool SearchImplicit(File& file, int depth);
  bool SearchImplicit(File& file, std::string_view name, int depth);
  struct Candidate;
  bool TryRule(File& file, Candidate& candidate, bool may_chain, int depth);

  Session& session_;
  Graph& graph_;
  Budget& budget_;
  std::map<int, std::unique_ptr<Child>> children_;
  size_t tokens_ = 0;   // taken: one for each child but one
  size_t lines_started_ = 0;
  size_t depth_ = 0;   // of what is told by --debug
  bool rebuilds_ = false;
  bool is_ending_ = false;
  bool saw_future_ = false;
  std::vector<File*> remade_;
  std::map<const File*, std::string> goal_errors_;
  std::vector<File*> quiet_failures_;   // for goals that may fail: another goal looks at them once more
};

}  // namespace paddock::make
