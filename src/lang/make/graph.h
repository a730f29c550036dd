// What the makefiles say: files with their prerequisites and recipes, and implicit rules.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/make/session.h"
#include "lang/make/words.h"

namespace paddock::make {

struct Recipe {
  Location where;     // of its first line; without a file, built in
  std::vector<std::string> lines;   // as they stand, without the tab
  char prefix = '\t';               // or what .RECIPEPREFIX says
};
using RecipePtr = std::shared_ptr<const Recipe>;

struct File;

struct Dep {
  File* file = nullptr;
  bool is_order_only = false;
  bool changed = false;
  bool is_dropped = false;   // it was a circle
  bool is_extra = false;     // of .EXTRA_PREREQS: no automatic variable names it
};

enum class State : uint8_t { kNotStarted, kDepsRunning, kRunning, kFinished };
enum class Outcome : uint8_t { kSuccess, kQuestion, kFailed };

inline constexpr Nanoseconds kMissing = Nanoseconds::min();
inline constexpr Nanoseconds kNewest = Nanoseconds::max();
inline constexpr Nanoseconds kOldest = Nanoseconds(1);   // of -o

struct File {
  std::string name;
  std::string path;            // where VPATH found it, else the name
  std::vector<Dep> deps;
  std::vector<std::pair<std::string, std::string>> late_deps;   // with the stem; of .SECONDEXPANSION, to be expanded when it is looked at
  RecipePtr recipe;
  Scope scope;                 // variables of this target
  Scope pattern_scope;         // those of patterns that match it
  std::string stem;
  bool is_target = false;
  bool is_phony = false;
  bool is_precious = false;
  bool is_intermediate = false;
  bool is_secondary = false;
  bool is_double_colon = false;
  bool is_mentioned = false;   // by a makefile, not only by an implicit rule
  bool tried_implicit = false;
  bool has_scope = false;
  bool is_goal = false;        // of the command line
  bool is_updating = false;
  bool is_updated = false;
  bool ignores_vpath = false;
  bool was_remade = false;     // by this run
  bool dont_care = false;      // -include
  bool said_failure = false;
  bool is_all_recursive = false;   // each line of its recipe runs with -n, too
  std::vector<std::unique_ptr<File>> more;   // the further :: rules of the same target
  std::vector<File*> also_made;
  State state = State::kNotStarted;
  Outcome outcome = Outcome::kSuccess;
  std::optional<Nanoseconds> time;
  std::optional<Nanoseconds> first_time;   // before this run did anything to it
  File* parent = nullptr;
  File* double_colon = nullptr;   // the first of the :: rules of this target, when this is not it
  File* same = nullptr;           // what a makefile says of the place where VPATH found it; it stands for this file from then on
};

struct PatternRule {
  std::vector<std::string> targets;
  std::vector<std::string> deps;              // patterns; those from `order_only` on only set the order
  size_t order_only = 0;
  std::string late_deps;                      // not expanded yet (.SECONDEXPANSION)
  RecipePtr recipe;
  bool is_terminal = false;
  bool in_use = false;
};

struct PatternVariable {
  std::string pattern;
  Assignment assignment;
  Origin origin;
  Location where;
};

struct VpathRule {
  std::string pattern;
  std::vector<std::string> directories;
};

class Graph {
 public:
  explicit Graph(Session& session) : session_(session) {}

  File* Find(std::string_view name);
  File* Enter(const std::string& name);
  // What is said of `file` is said of `into`, too, which stands for both from here on.
  void Merge(File& file, File& into);
  // Makes the files of -W new.
  void MarkNewFiles();
  // Puts in what is built in, makes pattern rules out of suffix rules and reads the special targets.
  void Finish();
  // A later rule with the same patterns replaces an earlier one; one without a recipe takes it away.
  void AddPatternRule(PatternRule rule);
  // Makes the scope of a target: its own variables, those of patterns, those of who needs it.
  void PrepareScope(File& file);
  bool IsSpecial(std::string_view name) { return Find(name) != nullptr && Find(name)->is_target; }

  std::map<std::string, std::unique_ptr<File>, std::less<>> files;
  std::vector<PatternRule> pattern_rules;
  std::vector<PatternVariable> pattern_variables;
  std::vector<VpathRule> vpaths;
  bool second_expansion = false;
  bool one_shell = false;
  bool is_posix = false;
  bool not_parallel = false;
  bool all_secondary = false;
  bool all_silent = false;
  bool ignores_all = false;
  bool deletes_on_error = false;
  bool is_closed = false;      // all makefiles are read
  File* default_file = nullptr;

  std::vector<File*> extra;    // .EXTRA_PREREQS for all targets
  // Puts those behind the prerequisites of a file, unless it is one of them.
  void AddExtra(File& file, const std::vector<File*>& more);

 private:
  void ConvertSuffixRules();
  std::vector<File*> ExtraFiles(const Variable& variable);
  void ReadExtra();

  Session& session_;
};

}  // namespace paddock::make
