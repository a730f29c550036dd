#include "lang/make/data_base.h"

#include <algorithm>

#include "text/date/time_format.h"

namespace paddock::make {
namespace {

std::string_view OriginText(Origin origin) {
  switch (origin) {
    case Origin::kDefault: return "default";
    case Origin::kEnvironment: return "environment";
    case Origin::kFile: return "makefile";
    case Origin::kEnvironmentOverride: return "environment under -e";
    case Origin::kCommandLine: return "command line";
    case Origin::kOverride: return "'override' directive";
    case Origin::kAutomatic: return "automatic";
  }
  return "";
}

class Printer {
 public:
  Printer(Session& session, Graph& graph) : session_(session), graph_(graph) {}

  void Print() {
    Put("\n# Make data base\n\n# Variables\n\n");
    for (const auto& [name, variable] : session_.globals().variables) PutVariable(name, variable, "");
    PutPatternVariables();
    Put("\n# Implicit Rules\n");
    size_t terminal = 0;
    for (const PatternRule& rule : graph_.pattern_rules) {
      PutPatternRule(rule);
      terminal += rule.is_terminal ? 1 : 0;
    }
    const size_t count = graph_.pattern_rules.size();
    if (count == 0) {
      Put("\n# No implicit rules.");
    } else {
      char share[32];
      std::snprintf(share, sizeof share, "%.1f", static_cast<double>(terminal) * 100 / static_cast<double>(count));
      Put("\n# " + std::to_string(count) + " implicit rules, " + std::to_string(terminal) + " (" + share + "%) terminal.");
    }
    Put("\n# Files\n");
    for (const auto& [name, file] : graph_.files) {
      PutFile(*file);
      for (const auto& further : file->more) PutFile(*further);
    }
    PutPaths();
    Put("\n# Finished Make data base\n\n");
  }

 private:
  void Put(std::string_view text) {
    session_.budget().Step();
    session_.host().Out(text);
  }

  static std::string Place(const Location& where) {
    return where.file.empty() ? "" : " (from '" + where.file + "', line " + std::to_string(where.line) + ")";
  }

  void PutVariable(const std::string& name, const Variable& variable, const std::string& front) {
    std::string text = "# " + std::string(OriginText(variable.origin));
    if (variable.is_private) text += " private";
    text += Place(variable.where) + "\n";
    if (variable.value.find('\n') != std::string::npos) {
      text += "define " + name + "\n" + variable.value + "\nendef\n";
    } else {
      const std::string& value = variable.value;
      // A value that is not expanded again is shown so that reading it gives the same.
      std::string shown;
      for (const char c : value) shown.append(c == '$' && !variable.is_recursive ? 2 : 1, c);
      text += front + name + (variable.is_recursive ? " = " : " := ") + shown + "\n";
    }
    Put(text);
  }

  void PutPatternVariables() {
    Put("\n# Pattern-specific Variable Values\n");
    for (const PatternVariable& variable : graph_.pattern_variables) {
      Put("\n" + variable.pattern + " :\n# makefile" + Place(variable.where) + "\n" + variable.assignment.name + " = " + variable.assignment.value + "\n");
    }
    const size_t count = graph_.pattern_variables.size();
    Put(count == 0 ? "\n# No pattern-specific variable values.\n" : "\n# " + std::to_string(count) + " pattern-specific variable values\n");
  }

  void PutRecipe(const Recipe& recipe) {
    std::string text = "#  recipe to execute";
    text += recipe.where.file.empty() ? " (built-in):\n" : Place(recipe.where) + ":\n";
    for (const std::string& line : recipe.lines) text += "\t" + line + "\n";
    Put(text);
  }

  void PutPatternRule(const PatternRule& rule) {
    std::string text = "\n";
    for (const std::string& target : rule.targets) text += (text.size() > 1 ? " " : "") + target;
    text += rule.is_terminal ? "::" : ":";
    for (size_t i = 0; i < rule.deps.size(); ++i) text += (i == rule.order_only && i > 0 ? " | " : " ") + rule.deps[i];
    Put(text + "\n");
    if (rule.recipe != nullptr) PutRecipe(*rule.recipe);
  }

  void PutFile(const File& file) {
    const bool is_target = file.is_target || file.recipe != nullptr;
    std::string text = is_target ? "\n" : "\n# Not a target:\n";
    for (const auto& [name, variable] : file.scope.variables) {
      if (variable.origin == Origin::kAutomatic) continue;
      Put(std::exchange(text, {}));
      PutVariable(name, variable, file.name + ": ");
    }
    text += file.name + (file.is_double_colon ? "::" : ":");
    for (const bool is_order_only : {false, true}) {
      bool is_first = true;
      for (const Dep& dep : file.deps) {
        if (dep.is_order_only != is_order_only) continue;
        session_.budget().Step();
        text += (is_order_only && std::exchange(is_first, false) ? " | " : " ") + dep.file->name;
      }
    }
    text += '\n';
    if (file.is_precious) text += "#  Precious file (prerequisite of .PRECIOUS).\n";
    if (file.is_phony) text += "#  Phony target (prerequisite of .PHONY).\n";
    if (file.is_intermediate) text += "#  File is an intermediate prerequisite.\n";
    const std::vector<std::string>& goals = session_.settings().goals;
    if (std::find(goals.begin(), goals.end(), file.name) != goals.end()) text += "#  Command line target.\n";
    text += file.tried_implicit ? "#  Implicit rule search has been done.\n" : "#  Implicit rule search has not been done.\n";
    if (!file.stem.empty()) text += "#  Implicit/static pattern stem: '" + file.stem + "'\n";
    if (file.is_phony) {
      text += "#  File does not exist.\n";
    } else if (!file.time) {
      text += "#  Modification time never checked.\n";
    } else if (*file.time == kMissing) {
      text += "#  File does not exist.\n";
    } else if (*file.time == kNewest) {
      text += "#  File is very new.\n";
    } else {
      text += "#  Last modified " + TimeText(*file.time) + "\n";
    }
    text += file.is_updated ? "#  File has been updated.\n" : "#  File has not been updated.\n";
    if (file.is_updated) {
      text += file.outcome == Outcome::kSuccess    ? "#  Successfully updated.\n"
              : file.outcome == Outcome::kQuestion ? "#  Needs to be updated (-q is set).\n"
                                                   : "#  Failed to be updated.\n";
    }
    Put(text);
    if (file.recipe != nullptr) PutRecipe(*file.recipe);
  }

  std::string TimeText(Nanoseconds time) {
    std::optional<std::string_view> name;
    for (const auto& [variable, value] : session_.settings().environment) {
      if (variable == "TZ") name = value;
    }
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const TimePoint moment{seconds.count(), static_cast<int32_t>((time - seconds).count())};
    return FormatTime("%Y-%m-%d %H:%M:%S.%N", TimeZone::FromTz(name).ToLocal(moment.seconds), moment, session_.budget());
  }

  void PutPaths() {
    Put("\n# VPATH Search Paths\n\n");
    for (const VpathRule& rule : graph_.vpaths) {
      std::string text = "vpath " + rule.pattern + " ";
      for (const std::string& directory : rule.directories) text += (text.ends_with(' ') ? "" : ":") + directory;
      Put(text + "\n");
    }
    if (graph_.vpaths.empty()) Put("# No 'vpath' search paths.\n");
    const std::string general = session_.Find("VPATH") == nullptr ? "" : session_.ValueOf("VPATH");
    Put(general.empty() ? "\n# No general ('VPATH' variable) search path.\n" : "\n# General ('VPATH' variable) search path:\n# " + general + "\n");
  }

  Session& session_;
  Graph& graph_;
};

}  // namespace

void PrintDataBase(Session& session, Graph& graph) { Printer(session, graph).Print(); }

}  // namespace paddock::make
