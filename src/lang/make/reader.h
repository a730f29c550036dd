// Reads makefiles: lines to conditionals, assignments, directives and rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/make/graph.h"
#include "lang/make/session.h"

namespace paddock::make {

// A makefile that was read or that was not there.
struct Makefile {
  std::string name;
  bool is_missing = false;
  bool is_optional = false;
  Location where;        // of the include
  std::string reason;    // why it could not be read
};

class Reader {
 public:
  Reader(Session& session, Graph& graph);

  // The makefiles of the settings, or the usual ones. False when there is none.
  bool ReadAll();
  const std::vector<Makefile>& makefiles() const { return makefiles_; }

 private:
  struct Conditional {
    bool is_active;       // this branch
    bool was_taken;       // some branch so far
    bool outer_active;
    bool has_else;
  };
  // The lines of one text.
  struct Lines {
    std::string_view text;
    std::string file;
    size_t at = 0;
    size_t line = 0;     // of what was read last
    size_t next_line = 1;
  };
  // A rule whose recipe is being read.
  struct Rule {
    bool is_open = false;
    std::vector<std::string> targets;
    std::string pattern;             // of a static pattern rule
    std::string deps;                // expanded unless is_late
    bool is_double_colon = false;
    bool is_late = false;
    bool is_grouped = false;
    bool has_recipe = false;
    Recipe recipe;
    Location where;
  };

  bool ReadFile(const std::string& name, bool is_optional, bool is_default);
  void ReadText(std::string_view text, const std::string& file, size_t first_line);
  bool TakeLine(Lines& lines, std::string* line);
  void RunLine(Lines& lines, const std::string& raw);
  bool RunConditional(std::string_view line);
  bool Condition(std::string_view keyword, std::string_view rest, bool* value);
  bool IsIgnoring() const { return !conditionals_.empty() && !conditionals_.back().is_active; }
  void ReadDefine(Lines& lines, Assignment assignment);
  void RunAssignment(Lines& lines, const Assignment& assignment);
  bool RunDirective(std::string_view line);
  void Include(std::string_view names, bool is_optional);
  void Vpath(std::string_view rest);
  void RunRule(const std::string& raw, const std::string& line);
  void TargetVariable(const std::string& targets, const Assignment& assignment);
  void CloseRule();
  void Record(const Rule& rule, const RecipePtr& recipe);
  void RecordPattern(const Rule& rule, const RecipePtr& recipe);
  File* RecordFile(const std::string& name, const Rule& rule, const RecipePtr& recipe);
  void AddDeps(File& file, const std::vector<Dep>& deps, bool has_recipe);
  std::vector<Dep> Deps(std::string_view text);
  std::vector<std::string> ExpandNames(std::string_view text);
  void SetDefaultGoal(const Rule& rule);
  void Special(const std::string& name, const Rule& rule);
  char RecipePrefix();

  Session& session_;
  Graph& graph_;
  Budget& budget_;
  std::vector<Conditional> conditionals_;
  std::vector<Makefile> makefiles_;
  Rule rule_;
  Location here_;
  int depth_ = 0;
  bool sets_goal_ = true;   // not by what MAKEFILES names
};

}  // namespace paddock::make
